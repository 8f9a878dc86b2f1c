/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy as reports show it: parts that add up to the whole, each the sum of a few statistics (docs/energy.md). Of runs
 * with --energy.
 */
#ifndef MNP_RESULTS_ENERGY_H
#define MNP_RESULTS_ENERGY_H

#include "engine/count/statistics.h"
#include "results/figures/reading.h"

enum {
    RESULTS_ENERGY_PARTS = 11,
    RESULTS_ENERGY_FIRST_MEMORY = 7 /* memory: L1 to DRAM */,
    RESULTS_ENERGY_STATISTICS = 8,
    RESULTS_ENERGY_TEXT = 32
};

struct results_energy_part {
    const char *name, *what;
    const char *statistics[RESULTS_ENERGY_STATISTICS]; /* NULL-terminated */
    const char *colour;
    const char *remedy; /* a change that makes less of it */
};

extern const struct results_energy_part results_energy_parts[RESULTS_ENERGY_PARTS];

/* Whether energies were counted. */
bool results_has_energy(const struct results_reading *reading);

/* Picojoules of a part. */
double results_energy_of(const struct results_reading *reading, const struct results_group *group,
                         const struct results_energy_part *part);
double results_energy_in(const struct mnp_statistic_set *set, const struct results_energy_part *part);

/* Watts; 0 of no time. */
double results_energy_watts(double picojoules, double picoseconds);

/* Energy with a unit, such as "12.3 uJ", and four digits. */
const char *results_energy_text(char text[RESULTS_ENERGY_TEXT], double picojoules);

#endif
