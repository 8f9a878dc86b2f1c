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
    RESULTS_ENERGY_CLOCKS = 1, /* these and static power pass with the time */
    RESULTS_ENERGY_FIRST_MEMORY = 7 /* memory: L1 to DRAM */,
    RESULTS_ENERGY_STATISTICS = 8,
    RESULTS_ENERGY_DRAM = 10,
    RESULTS_ENERGY_TEXT = 32
};

struct results_energy_part {
    const char *name, *what;
    const char *of_cores;                              /* description on a many-core machine; NULL: it has none of it */
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

/* The share of them that passes with the time, whatever is done: static power, clocks of SMs, refreshes of DRAM. */
double results_energy_passing(const struct results_reading *reading, const struct results_group *group,
                              const struct results_energy_part *part);

/* Picojoules of all parts of a set of statistics. */
void results_energy_in(const struct mnp_statistic_set *set, double parts[RESULTS_ENERGY_PARTS]);

/* Watts; 0 of no time. */
double results_energy_watts(double picojoules, double picoseconds);

/* A board that cools itself (thermal.*), and leakage for each degree (energy.leakage). */
struct results_cooling {
    double ambient;    /* degrees Celsius */
    double resistance; /* K/W, from the chip to the air; 0: not known */
    double leakage;    /* share of the static power at 50 degrees, for each degree more */
};

/* Temperature and power of work that goes on for long: the temperature that its power leads to, with the static power
 * at that temperature. `watts` and, of them, the `leaking` static power of the chip were drawn at `degrees`. False: the
 * cooling is not known, or leakage grows faster than what is cooled. */
bool results_energy_steady(const struct results_cooling *cooling, double degrees, double leaking, double watts,
                           double *steady_degrees, double *steady_watts);

/* Energy with a unit, such as "12.3 uJ", and four digits. */
const char *results_energy_text(char text[RESULTS_ENERGY_TEXT], double picojoules);

#endif
