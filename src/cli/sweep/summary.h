/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of a sweep: a table, effects of the keys that vary, a comparison by input, the front of two objectives. */
#ifndef MNP_CLI_SWEEP_SUMMARY_H
#define MNP_CLI_SWEEP_SUMMARY_H

#include "cli/sweep/plan.h"

#include <stdio.h>

/* Reads the runs that are done from `folder`, writes PREFIX.csv, PREFIX.sqlite and, of two objectives, PREFIX.svg, and
 * says on `out` what had which effect. */
bool cli_sweep_summary_write(const struct sweep_plan *plan, const char *folder, const char *prefix, FILE *out,
                             struct mnp_error *error);

#endif
