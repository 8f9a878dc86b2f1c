/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Voltages of a device whose clocks a governor changes: one for SMs, network and L2, which follows the core clock
 * (energy.curve). Counters of energies are brought up to date before they are read and before the voltage changes.
 */
#ifndef GPU_DEVICE_VOLTAGES_H
#define GPU_DEVICE_VOLTAGES_H

#include "gpu/device/device.h"
#include "gpu/device/static_power.h"
#include "gpu/energy/voltage.h"

enum { GPU_VOLTAGE_PLACES = 3 }; /* SMs, GPCs, partitions */

struct gpu_voltages {
    const struct gpu_device *device;
    uint64_t units[GPU_VOLTAGE_PLACES];
    struct gpu_voltage of[GPU_VOLTAGE_PLACES];
    uint64_t **seen[GPU_VOLTAGE_PLACES]; /* [units][slots times width] counts that are up to date */
    struct gpu_static_power *power;
};

/* Begins at the machine's core clock, as `power` does, which stays valid. Free with gpu_voltages_release; a structure
 * of zeros is none. */
void gpu_voltages_init(struct gpu_voltages *voltages, const struct mnp_settings *settings,
                       const struct gpu_device *device, struct gpu_static_power *power);
void gpu_voltages_release(struct gpu_voltages *voltages);

/* Brings a slot up to date, or all (MNP_ALL_SLOTS). `ends`: the slot's counters are zero afterwards. */
void gpu_voltages_settle(struct gpu_voltages *voltages, uint32_t slot, bool ends);

/* Takes the voltage of a core clock from now on. */
void gpu_voltages_turn(struct gpu_voltages *voltages, mnp_time now, uint64_t core_hertz);

#endif
