/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots on disk (docs/snapshots.md): a folder with the file "snapshot", and "machine.resolved", which says of which
 * machine it is. The file begins with what a run must have in common with the one that wrote it; a snapshot of another
 * version, machine, set of plug-ins, input or choice of launches is refused, and so is one that is damaged. It appears
 * whole or not at all, so that a run that is killed while it writes leaves the one before.
 */
#ifndef MNP_RESULTS_SNAPSHOT_FILE_H
#define MNP_RESULTS_SNAPSHOT_FILE_H

#include "engine/configure/configuration.h"
#include "engine/core/snapshot.h"
#include "engine/count/results.h"

/* Facts about a run on which a snapshot depends. */
struct results_snapshot_of {
    const char *version;                  /* version of Maniple, from which its models are made */
    const struct mnp_settings *machine;   /* resolved */
    const struct mnp_run_plugin *plugins; /* [plugin_count]: files that brought parts of it */
    uint32_t plugin_count;
    const char *input;    /* name that a user knows */
    uint64_t contents;    /* a hash of it */
    const char *launches; /* the choice of them; NULL: all */
};

/* Writes a snapshot that was taken behind launch `launch`. False: it could not be written; the one before stays. */
bool results_write_snapshot(const char *folder, const struct results_snapshot_of *of, uint32_t launch,
                            const struct mnp_snapshot *snapshot, struct mnp_error *error);

/* Reads one for a run. False: an error that says what is wrong with it, and what to do. */
bool results_read_snapshot(const char *folder, const struct results_snapshot_of *of, uint32_t *launch,
                           struct mnp_snapshot *snapshot, struct mnp_error *error);

#endif
