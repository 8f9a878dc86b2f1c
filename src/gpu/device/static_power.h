/* SPDX-License-Identifier: BSD-3-Clause */
/* Static power of a device whose core clock, voltage or temperature changes while it runs: levels over time. */
#ifndef GPU_DEVICE_STATIC_POWER_H
#define GPU_DEVICE_STATIC_POWER_H

#include "base/array.h"
#include "gpu/device/parameters.h"

struct gpu_static_power {
    const struct gpu_parameters *p;
    uint64_t core_hertz, millidegrees;
    uint64_t milliwatts;                  /* at present, of the whole board */
    struct mnp_array sm, l2, temperature; /* struct mnp_pace_level: mW, mW, thousandths of a degree Celsius */
};

/* Begins at the machine's core clock and energy.temperature. Free with gpu_static_power_release; a structure of zeros
 * is none. */
void gpu_static_power_init(struct gpu_static_power *power, const struct gpu_parameters *p);
void gpu_static_power_release(struct gpu_static_power *power);

/* Takes a core clock, or a temperature, from `now` on. */
void gpu_static_power_turn(struct gpu_static_power *power, mnp_time now, uint64_t core_hertz);
void gpu_static_power_warm(struct gpu_static_power *power, mnp_time now, uint64_t millidegrees);

#endif
