/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The governor of a board: the core clock at which the next interval keeps the power limit, from the mean power of the
 * last one. Clocks are levels: level n is n steps below the machine's clock. Whole numbers decide.
 *
 * Power without the part that passes with the time is taken to follow the clock. The clock falls at once to the highest
 * level that keeps the limit by that rule, and rises by one level for each interval: energy that no clock changes (the
 * DRAM's) makes the rule cautious on the way up, and takes several intervals on the way down. Where the voltage falls
 * with the clock, power falls by more than the rule expects, and the clock rises again.
 */
#ifndef GPU_ENERGY_GOVERNOR_H
#define GPU_ENERGY_GOVERNOR_H

#include "gpu/energy/energy.h"

struct gpu_governor {
    uint64_t top, lowest, step; /* Hz: the machine's core clock, the lowest one, and the distance of levels */
    uint64_t limit, rest;       /* mW: the limit, and the power that passes with the time; less, but for a hot chip */
};

/* Sets a governor up. Parameters have been checked (gpu_governor_check). */
void gpu_governor_init(struct gpu_governor *governor, const struct gpu_energy_parameters *p, uint64_t core_hertz,
                       const struct gpu_energy_pace *pace);

/* Checks that the machine can be governed: it has energies, a limit above its static power, and no voltage that falls
 * with the clock. */
bool gpu_governor_check(const struct gpu_energy_parameters *p, const struct gpu_energy_pace *pace,
                        const struct mnp_settings *settings, struct mnp_error *error);

/* The core clock of a level, in Hz. */
uint64_t gpu_governor_hertz(const struct gpu_governor *governor, uint64_t level);

/* The level that follows an interval at `level` whose mean power was `milliwatts`. */
uint64_t gpu_governor_next(const struct gpu_governor *governor, uint64_t level, uint64_t milliwatts);

#endif
