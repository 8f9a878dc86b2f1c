/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interactions of two keys of a grid, or of a key and the machines: by how much the effect of the one differs with the
 * other. Of values a and b beside the first values a0 and b0 it is the difference of differences, of logarithms of the
 * objective y, (y(a,b) - y(a0,b)) - (y(a,b0) - y(a0,b0)), as a mean over the other settings and inputs (D. C.
 * Montgomery, Design and Analysis of Experiments, factorial designs); as a ratio 1 is none: both effects multiply.
 */
#ifndef MNP_CLI_SWEEP_INTERACTIONS_H
#define MNP_CLI_SWEEP_INTERACTIONS_H

#include "cli/sweep/plan.h"

#include <stdio.h>

/* Whether the plan is a grid of two keys or more that take several values, machines included. */
bool cli_sweep_interacts(const struct sweep_plan *plan);

/* Writes all of them to PREFIX-interactions.csv, and the greatest of each pair to `out`. `objective`: [runs], NAN where
 * a run is not done; `name` is its name. */
bool cli_sweep_interactions_write(const struct sweep_plan *plan, const double *objective, const char *name,
                                  const char *prefix, FILE *out, struct mnp_error *error);

#endif
