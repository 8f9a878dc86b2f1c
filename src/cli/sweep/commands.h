/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep as others run it: GNU parallel, a Slurm array, Snakemake. Each of them calls `maniple sweep --job`. */
#ifndef MNP_CLI_SWEEP_COMMANDS_H
#define MNP_CLI_SWEEP_COMMANDS_H

#include "cli/sweep/plan.h"

#include <stdio.h>

struct sweep_commands {
    const struct sweep_plan *plan;
    const char *folder; /* folder of results */
    const bool *done;   /* [runs] those that are there already */
    uint32_t threads;   /* threads of each run */
    uint32_t chunk;     /* runs of a task of Slurm's */
    bool force;
};

/* `form`: "parallel", "slurm" or "snakemake". False: there is no such form. */
bool cli_sweep_commands_write(const struct sweep_commands *commands, const char *form, FILE *out,
                              struct mnp_error *error);

#endif
