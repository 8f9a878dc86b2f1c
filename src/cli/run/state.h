/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of `maniple run` while it is made: what its parts, and the callbacks of the simulation, work on. */
#ifndef MNP_CLI_RUN_STATE_H
#define MNP_CLI_RUN_STATE_H

#include "cli/run/options.h"
#include "engine/executors/processes.h"
#include "results/scaling/costs.h"
#include "results/write/epochs.h"
#include "results/write/watch.h"

struct run_snapshots;

struct run {
    const struct run_options *options;
    struct processes processes;
    struct watch watch;
    bool unread;                     /* standard output has no reader any more */
    struct run_snapshots *snapshots; /* --snapshot, --resume */
    struct mnp_error untaken;        /* the snapshot of --snapshot-at was not taken; "": nothing is missing */
    struct epochs epochs;
    struct mnp_output costs_file; /* --costs; stream NULL: no record is made */
    struct mnp_costs_writer costs;
};

static inline bool run_is_silent(const struct run *run)
{
    return processes_silent(&run->processes);
}

/* The processes to spread a machine over; NULL: this one alone. */
static inline const struct mnp_transport *run_transport(const struct run *run)
{
    return processes_joined(&run->processes) ? &run->processes.transport : NULL;
}

#endif
