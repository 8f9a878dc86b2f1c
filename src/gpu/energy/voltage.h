/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energies at a voltage that changes while a machine runs (a governor, and a voltage curve). A weighted sum has one
 * weight for each count, so weights are those of the lowest clock, and a counter for each energy holds what higher
 * voltages add: for each count since it was last read, the present weight less the lowest one. Whole numbers.
 */
#ifndef GPU_ENERGY_VOLTAGE_H
#define GPU_ENERGY_VOLTAGE_H

#include "base/array.h"
#include "gpu/energy/energy.h"

/* Counts of a kind of units whose energies follow the voltage. */
struct gpu_voltage {
    const struct mnp_settings *settings;
    const struct gpu_energy_parameters *p;
    uint64_t lowest;        /* Hz: the clock at which the weights of the rows hold */
    struct mnp_array terms; /* private to voltage.c */
};

/* Finds the counts of a place in a model that has its rows (gpu_energy_settle). Free with gpu_voltage_release. */
void gpu_voltage_init(struct gpu_voltage *voltage, const struct mnp_settings *settings,
                      const struct gpu_energy_parameters *p, const struct mnp_model *model,
                      enum gpu_energy_place place);
void gpu_voltage_release(struct gpu_voltage *voltage);

/* Numbers that gpu_voltage_add keeps for a slot of a unit, which begin as zero. */
uint32_t gpu_voltage_width(const struct gpu_voltage *voltage);

/* Takes the voltage of a core clock from now on. All slots have been brought up to date before. */
void gpu_voltage_turn(struct gpu_voltage *voltage, uint64_t hertz);

/* Brings a slot's counters up to date: adds what the present voltage adds to the counts since the last call. */
void gpu_voltage_add(const struct gpu_voltage *voltage, uint64_t *counters, uint64_t *seen);

#endif
