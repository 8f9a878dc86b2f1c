/* SPDX-License-Identifier: BSD-3-Clause */
/* --snapshot and --resume of `maniple run`, of a trace (docs/snapshots.md). */
#ifndef MNP_CLI_RUN_SNAPSHOT_H
#define MNP_CLI_RUN_SNAPSHOT_H

#include "cli/run/work.h"

struct run_snapshots {
    const struct run_options *options;
    const struct run_work *work;
    uint64_t next_ns;       /* by results_watch_now: before that none is written unasked */
    uint32_t latest;        /* launch behind which the latest was taken; 0: none was */
    bool failed;            /* one could not be written, … */
    struct mnp_error error; /* … for this reason */
};

/* Whether the work has snapshots, and the options go with it. */
bool cli_run_snapshot_check(const struct run_snapshots *snapshots, struct mnp_error *error);

/* For mnp_session_options: what is done before a session runs, and when it pauses. */
bool cli_run_snapshot_begin(const struct run_snapshots *snapshots, struct mnp_session *session,
                            struct mnp_error *error);
bool cli_run_snapshot_pause(struct run_snapshots *snapshots, struct mnp_session *session, uint32_t launch);

/* Snapshots at the end of a run. False: one could not be written. `*untaken` is set where that of --snapshot-at has not
 * been taken in a run that came to its end: its results stand, and it does not end well. */
bool cli_run_snapshot_end(const struct run_snapshots *snapshots, struct mnp_results *results, struct mnp_error *untaken,
                          struct mnp_error *error);

#endif
