/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects of what a sweep varies on an objective: of each axis, means of its values over runs with counterparts. */
#ifndef MNP_CLI_SWEEP_EFFECTS_H
#define MNP_CLI_SWEEP_EFFECTS_H

#include "cli/sweep/plan.h"

#include <stdio.h>

/* Writes the effects, the greatest first. `objective`: [runs], NAN where a run is not done. `name`: with its unit. */
void cli_sweep_effects_write(const struct sweep_plan *plan, const double *objective, const char *name, FILE *out);

/* Decimals with which an objective's value is told: none of a million and more. */
int cli_sweep_decimals(double value);

#endif
