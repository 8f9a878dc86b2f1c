/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the statistics of energy, in the order of the places that they go to (energy.h), and its unit. */
#ifndef GPU_ENERGY_ROWS_H
#define GPU_ENERGY_ROWS_H

#include "gpu/energy/energy.h"

enum gpu_energy_row {
    GPU_ENERGY_SM_COUNTERS, /* by enum gpu_energy_counter */
    GPU_ENERGY_SM_ENERGIES = GPU_ENERGY_SM_COUNTERS + GPU_ENERGY_ALL_COUNTERS,
    GPU_ENERGY_GPC_COUNTERS = GPU_ENERGY_SM_ENERGIES + 16, /* the order of gpu/gpc/gpc.h */
    GPU_ENERGY_GPC_ENERGIES = GPU_ENERGY_GPC_COUNTERS + 5,
    GPU_ENERGY_PARTITION_COUNTERS = GPU_ENERGY_GPC_ENERGIES + 2, /* by enum gpu_activity_counter, with energy.values */
    GPU_ENERGY_PARTITION_ENERGIES = GPU_ENERGY_PARTITION_COUNTERS + 8,
    GPU_ENERGY_TIME = GPU_ENERGY_PARTITION_ENERGIES + 5, /* from here on, of the device */
    GPU_ENERGY_STATIC_SM,
    GPU_ENERGY_STATIC_L2,
    GPU_ENERGY_STATIC_DRAM,
    GPU_ENERGY_STATIC_BOARD,
    GPU_ENERGY_SUM,
    GPU_ENERGY_POWER,
    GPU_ENERGY_CORE_CYCLES, /* from here on with power.governor alone */
    GPU_ENERGY_CORE_CLOCK,
    GPU_ENERGY_CLOCK_CHANGES,
    GPU_ENERGY_TEMPERATURE_TIME, /* from here on with thermal.model alone */
    GPU_ENERGY_TEMPERATURE,
    GPU_ENERGY_LINKS,    /* only where links lead to other devices */
    GPU_ENERGY_SWITCHES, /* only where these go through switches */
    GPU_ENERGY_ROWS
};

extern const struct mnp_statistic gpu_energy_table[GPU_ENERGY_ROWS];

/* The rows of a place, as they are documented: weights are keys of the machine. */
const struct mnp_statistic *gpu_energy_rows(enum gpu_energy_place place, size_t *count);

/* The weight of a term that has a key, in femtojoules, at a core clock; `terms`: those of its row. */
uint64_t gpu_energy_weight(const struct mnp_settings *settings, const struct gpu_energy_parameters *p, uint64_t hertz,
                           const struct mnp_term *terms, const struct mnp_term *term);

/* Whether a term is on the machine: those of values and of voltages are not on all. */
bool gpu_energy_has_term(const struct gpu_energy_parameters *p, const struct mnp_term *term);

/* Whether a statistic is what voltages add to an energy. */
bool gpu_energy_is_of_voltage(const char *statistic);

/* Functions of the model: the unit never acts, and its rows pass with the time. */
mnp_time gpu_energy_advance(struct mnp_unit *unit, mnp_time until);
void gpu_energy_pass(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);

#endif
