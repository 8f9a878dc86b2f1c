/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/snapshot.h"

#include "base/print.h"
#include "base/version.h"
#include "fingerprint.h"
#include "plugin/plugin.h"
#include "results/files/snapshot_file.h"

#include <inttypes.h>

/* Snapshots that nobody has asked for by number take at most one part in so many of the run's time. */
enum { MOST_OF_TIME = 20 };

/* Inputs that a run depends on. */
static struct results_snapshot_of describe(const struct run_snapshots *snapshots)
{
    const struct mnp_source *source = snapshots->work->work.source;
    return (struct results_snapshot_of){.version = MANIPLE_VERSION " " MANIPLE_FINGERPRINT,
                                        .machine = snapshots->work->settings,
                                        .plugins = snapshots->options->plugins->files,
                                        .plugin_count = snapshots->options->plugins->count,
                                        .input = snapshots->work->name,
                                        .contents = source->input_hash,
                                        .launches = snapshots->options->sampling.kernels};
}

static const char *option_name(const struct run_options *options)
{
    return options->snapshot.resume ? "--resume" : "--snapshot";
}

bool cli_run_snapshot_check(const struct run_snapshots *snapshots, struct mnp_error *error)
{
    const struct run_options *options = snapshots->options;
    const struct mnp_source *source = snapshots->work->work.source;
    const char *name = option_name(options);
    if (!options->snapshot.folder && !options->snapshot.resume)
        return true;
    if (!snapshots->work->kind->keep || !source)
        return mnp_fail(error, "%s: traces of kernels and CUDA programs have snapshots, not a machine of kind \"%s\"",
                        name, snapshots->work->kind->name);
    if (options->snapshot.behind && source->kernel_count && options->snapshot.behind >= source->kernel_count)
        return mnp_fail(error, "--snapshot-at %" PRIu64 ": nothing follows that launch; %s has %" PRIu32,
                        options->snapshot.behind, options->input, source->kernel_count);
    return true;
}

bool cli_run_snapshot_begin(const struct run_snapshots *snapshots, struct mnp_session *session, struct mnp_error *error)
{
    struct results_snapshot_of of = describe(snapshots);
    struct mnp_snapshot snapshot = {0};
    struct mnp_error problem = {{0}};
    uint32_t launch;
    if (!snapshots->options->snapshot.resume)
        return true;
    bool done = results_read_snapshot(snapshots->options->snapshot.resume, &of, &launch, &snapshot, error);
    struct mnp_snapshot_reader reader = mnp_snapshot_read(&snapshot, &problem);
    if (done && !mnp_session_take(session, &reader))
        done = mnp_fail_at(error, snapshots->options->snapshot.resume, 0, "%s", problem.text);
    mnp_snapshot_release(&snapshot);
    return done;
}

bool cli_run_snapshot_pause(struct run_snapshots *snapshots, struct mnp_session *session, uint32_t launch)
{
    uint64_t now = results_watch_now(), at = snapshots->options->snapshot.behind;
    if (at ? launch < at : now < snapshots->next_ns)
        return true;
    struct results_snapshot_of of = describe(snapshots);
    struct mnp_snapshot snapshot = {0};
    mnp_session_keep(session, &snapshot);
    bool done = results_write_snapshot(snapshots->options->snapshot.folder, &of, launch, &snapshot, &snapshots->error);
    mnp_snapshot_release(&snapshot);
    snapshots->failed = !done;
    snapshots->latest = done ? launch : snapshots->latest;
    uint64_t then = results_watch_now();
    snapshots->next_ns = then + MOST_OF_TIME * (then - now);
    return done && !at;
}

bool cli_run_snapshot_end(const struct run_snapshots *snapshots, struct mnp_results *results, struct mnp_error *untaken,
                          struct mnp_error *error)
{
    const struct run_options *options = snapshots->options;
    if (!options->snapshot.folder)
        return true;
    if (snapshots->failed) {
        *error = snapshots->error;
        return false;
    }
    if (options->snapshot.behind && snapshots->latest)
        results->end = MNP_END_SNAPSHOT;
    else if (options->snapshot.behind && results->end == MNP_END_FINISHED)
        mnp_fail(untaken,
                 "--snapshot-at %" PRIu64 ": no snapshot was taken: from that launch on, some kernel was running all "
                 "the time, or none followed; name an earlier launch",
                 options->snapshot.behind);
    else if (!snapshots->latest && !options->snapshot.behind)
        mnp_warn(&results->log, "--snapshot: no snapshot was taken: no launch ended before another began");
    if (snapshots->latest && options->output.verbosity > MNP_QUIET)
        mnp_print_text(stderr, "maniple: a snapshot behind launch %" PRIu32 " is in %s (--resume)\n", snapshots->latest,
                       options->snapshot.folder);
    return true;
}
