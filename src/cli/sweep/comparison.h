/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of one axis of a sweep compared by input. The ratio of a value is the objective at the axis's first value
 * over that at this value (inverted where more is better), so that more than 1 is better. Ratios of one input are
 * averaged geometrically over machines and other settings, and those of inputs over all inputs. Ratios are of runs
 * whose counterparts are there (contexts.h).
 */
#ifndef MNP_CLI_SWEEP_COMPARISON_H
#define MNP_CLI_SWEEP_COMPARISON_H

#include "cli/sweep/plan.h"

#include <stdio.h>

struct sweep_comparison {
    const struct sweep_plan *plan;
    const double *value; /* [runs] of the objective; NAN: the run is not done */
    const char *objective;
    bool lacks;             /* runs are missing */
    const char *incomplete; /* words that say so and by how much, and of estimates, for all files; empty: neither */
    bool most;              /* more is better */
};

/* Whether the plan states what to compare, or varies something over several inputs. */
bool cli_sweep_compares(const struct sweep_plan *plan);

/* Writes PREFIX-by-input.csv, .svg and .tex, and a table to `out`. */
bool cli_sweep_comparison_write(const struct sweep_comparison *comparison, const char *prefix, FILE *out,
                                struct mnp_error *error);

#endif
