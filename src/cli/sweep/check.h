/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a plan as a whole, before any run is made: what no single word of it can tell. */
#ifndef MNP_CLI_SWEEP_CHECK_H
#define MNP_CLI_SWEEP_CHECK_H

#include "cli/sweep/name.h"
#include "cli/sweep/plan.h"

/* Returns false if two inputs are one, a machine takes no such input, or runs have no such objective. Fills in the
 * names of machines. */
bool cli_sweep_check(struct sweep_plan *plan, const struct sweep_names *names, struct mnp_error *error);

#endif
