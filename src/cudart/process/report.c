/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: results as `maniple run` writes them, and the exit status. */
#include "cudart/process/report.h"

#include "base/print.h"
#include "base/ticks.h"
#include "cudart/base/errors.h"
#include "cudart/base/failure.h"
#include "cudart/base/options.h"
#include "cudart/base/process_group.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/ranks.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/kept_results.h"
#include "cudart/stream/kernel_mail.h"
#include "cudart/stream/run_output.h"
#include "cudart/stream/shared_machine.h"
#include "cudart/stream/shares.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/snapshot.h"
#include "cudart/stream/streams.h"
#include "execute/live/source.h"
#include "results/write/results.h"
#include "results/write/tell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Files come before standard output, whose reader may have gone. */
static bool write_results(struct cudart *rt, struct mnp_output records[CUDART_RECORDS], struct mnp_error *error)
{
    const char *folder = rt->calls.options.folder;
    struct mnp_output *const also[CUDART_RECORDS] = {&records[0], &records[1]};
    bool saved = !folder || results_save(&rt->simulation->results, folder, also, CUDART_RECORDS, error);
    if (!saved)
        rmdir(folder); /* if nothing is in it */
    FILE *out = fdopen(dup(rt->calls.options.output), "w");
    if (!out)
        return mnp_fail(error, "the results cannot be written: standard output is closed");
    switch (rt->calls.options.format) {
    case CUDART_TEXT:
        (rt->calls.options.long_text ? results_write_text : results_write_summary)(&rt->simulation->results, out);
        break;
    case CUDART_JSON:
        results_write_json(&rt->simulation->results, out);
        break;
    case CUDART_GPGPUSIM:
        results_write_gpgpusim(&rt->simulation->results, out);
        break;
    case CUDART_NO_RESULTS:
        break;
    }
    bool done = fclose(out) == 0 || mnp_fail(error, "the results cannot be written to standard output");
    return done && saved;
}

/* The results of a process whose kernels another one has simulated are among those of that one, so that its own folder
 * is empty. */
static void tell_of_leader(struct cudart *rt)
{
    if (rt->calls.options.folder)
        rmdir(rt->calls.options.folder);
    mnp_log_summary(&rt->simulation->results.log, stderr);
}

/* Warns of other processes of the run that have used the machine's GPUs in simulations of their own. */
static void tell_of_processes(struct cudart *rt)
{
    uint32_t members = cudart_process_group_members(&rt->calls.options);
    if (rt->machine_devices > 1 && rt->simulation->session && members > 1 && !rt->sharing.timed)
        mnp_warn(&rt->simulation->results.log,
                 "%u processes of this run have used the machine's GPUs, each in a simulation of its own: kernels of "
                 "one neither wait for those of another nor share GPUs and links with them; use --functional, or "
                 "threads of one process",
                 members);
}

/* Launches that the device could not have: how many, and the last one. False: there were none. */
static bool describe_failed_launches(const struct cudart *rt, char *text, size_t room)
{
    const struct cudart_failed_launches *f = &rt->faults.launches;
    if (f->count)
        snprintf(text, room, "%u launch%s failed, %sof %s%s%sgrid (%u,%u,%u), block (%u,%u,%u): error %d, %s", f->count,
                 f->count == 1 ? " has" : "es have", f->count == 1 ? "" : "the last one ",
                 f->kernel[0] ? "kernel " : "", f->kernel, f->kernel[0] ? ", " : "", f->grid[0], f->grid[1], f->grid[2],
                 f->block[0], f->block[1], f->block[2], (int)f->error, cudart_error_text((int)f->error));
    return f->count;
}

/* Warns of what results are to say. */
static void tell_of_fault(struct cudart *rt)
{
    char failed[512];
    if (rt->faults.faulted)
        mnp_warn(&rt->simulation->results.log,
                 "a kernel has faulted: the results end where it did, and the program has gone on with "
                 "CUDA's error");
    if (describe_failed_launches(rt, failed, sizeof failed))
        mnp_warn(&rt->simulation->results.log, "%s", failed);
}

/* Whether the user has chosen launches that the program has not made. */
static bool chosen_are_missing(const struct cudart *rt, int status)
{
    return rt->simulation->by_value && rt->simulation->by_value == rt->streams->kernels && status == MNP_EXIT_DONE;
}

/* Warns of facts that no statistic shows: results say them, too. */
static void warn(struct cudart *rt)
{
    struct mnp_results *results = &rt->simulation->results;
    const struct mnp_sampling *sampling = &rt->simulation->sampling;
    tell_of_processes(rt);
    if (rt->calls.many_threads)
        mnp_warn(&results->log, "several threads of the program have called the CUDA runtime: where two do so at "
                                "once, the order of their calls, and so the results, may differ from run to run (not "
                                "where one waits for the other, as PyTorch's program does for a backward pass)");
    if (rt->simulation->by_value && !rt->calls.options.share.count)
        mnp_warn(&results->log, "%s %s: %u of the program's %u launches were %s", mnp_sampling_option(sampling),
                 mnp_sampling_choice(sampling), rt->simulation->by_value, rt->streams->kernels,
                 rt->calls.options.sampling.skip
                     ? "not executed: what the program reads of their results is not what they "
                       "would have computed"
                     : "executed by value, without time");
    if (rt->calls.options.bare)
        mnp_warn(&results->log, "--values needed: what neither addresses nor branches depend on has not been computed: "
                                "results that the program reads are not right");
    if (sampling->plan && results->end != MNP_END_FINISHED)
        mnp_warn(&results->log, "--plan %s: the program has not come to its end: nothing is estimated",
                 mnp_sampling_choice(sampling));
    if (rt->simulation->session && cudart_launches(rt) > rt->simulation->by_value + rt->snapshots->executed)
        mnp_warn(&results->log, "the machine has stopped: kernels that the program has launched after resetting the "
                                "device were executed without timing");
    for (uint32_t i = 0; i < rt->machine_devices; i++)
        if (rt->devices[i].source)
            execute_source_warnings(rt->devices[i].source, &results->log);
}

static void tell(struct cudart *rt)
{
    struct mnp_results *results = &rt->simulation->results;
    if (rt->simulation->session || results->end != MNP_END_FINISHED) {
        results_tell_end(results);
        results_tell_how(results);
    } else {
        mnp_log_summary(&results->log, stderr);
    }
}

/* Completes what was written during the run. */
static bool close_files(struct cudart *rt, struct mnp_output records[CUDART_RECORDS], struct mnp_error *error)
{
    bool closed = cudart_output_close(rt, records, error);
    for (uint32_t i = 0; i < rt->device_count; i++)
        closed = cudart_close_recorder(&rt->devices[i], error) && closed;
    if (!closed)
        cudart_spoil(rt);
    return closed;
}

static bool is_silent(const struct cudart *rt, int status)
{
    const struct cudart_options *o = &rt->calls.options;
    return !o->text || o->trace || status != MNP_EXIT_DONE || rt->faults.refused || o->verbosity <= MNP_QUIET;
}

/* A program that asks about kernels for which it has no code for the machine may know another way; where it then has
 * launched none, that is why. */
static bool tell_of_silent(struct cudart *rt)
{
    const struct cudart_options *o = &rt->calls.options;
    if (!rt->faults.silent.text[0] || !o->text || rt->faults.refused || cudart_launches(rt))
        return false;
    cudart_refuse(rt, &rt->faults.silent, CUDA_NO_KERNEL_IMAGE_FOR_DEVICE);
    return true;
}

static void tell_of_nothing(const struct cudart *rt)
{
    char failed[512];
    bool any = describe_failed_launches(rt, failed, sizeof failed);
    mnp_print_text(stderr, "maniple: the program has launched no kernel, so there are no results%s%s\n",
                   any ? "; " : "", any ? failed : "");
}

int cudart_report(struct cudart *rt, int status)
{
    struct cudart_simulation *simulation = rt->simulation;
    struct mnp_output records[CUDART_RECORDS] = {0};
    struct mnp_error error = {{0}};
    if (!rt->faults.failure && !rt->faults.pending)
        cudart_advance_all(rt, NULL); /* runs launched work that the program has not waited for */
    cudart_await_members(rt);
    if (rt->sharing.leads)
        cudart_await_kept(rt, CUDART_KEEPING);
    fflush(stdout);
    cudart_end_machine(rt);
    bool kept = cudart_snapshot_end(rt, &error), closed = close_files(rt, records, &error);
    if (!kept)
        cudart_spoil(rt);
    else if (cudart_has_device(rt) && (simulation->results.total.block_count || simulation->session) &&
             rt->calls.options.text) {
        tell_of_fault(rt);
        cudart_describe_run(rt);
        closed = cudart_join_shares(rt, &error) && closed;
        if (chosen_are_missing(rt, status)) {
            if (rt->calls.options.folder)
                rmdir(rt->calls.options.folder); /* if nothing is in it */
        } else if (!mnp_share_gives(&rt->calls.options.share)) {
            warn(rt);
            closed = write_results(rt, records, &error) && closed;
            tell(rt);
        }
    } else if (cudart_follows(rt)) {
        tell_of_leader(rt);
    } else if (!tell_of_silent(rt) && !is_silent(rt, status)) {
        tell_of_nothing(rt);
    }
    for (size_t i = 0; i < CUDART_RECORDS; i++)
        mnp_output_discard(&records[i]);
    if (!closed || !kept) {
        cudart_say(&error);
        cudart_spoil(rt);
    }
    cudart_end_ranks(rt);
    if (chosen_are_missing(rt, status)) {
        mnp_fail(&error, "%s %s: none of the program's %u launches is named by it",
                 mnp_sampling_option(&simulation->sampling), mnp_sampling_choice(&simulation->sampling),
                 rt->streams->kernels);
        cudart_say(&error);
        return MNP_EXIT_USER;
    }
    if (simulation->sampling.plan && simulation->results.end == MNP_END_FINISHED && status == MNP_EXIT_DONE &&
        simulation->sampling.plan->launches != rt->streams->kernels) {
        mnp_fail(
            &error,
            "--plan %s: is for a program of %u launches, and this one has made %u, so nothing is estimated; make a "
            "plan for it with `maniple plan`",
            mnp_sampling_choice(&simulation->sampling), simulation->sampling.plan->launches, rt->streams->kernels);
        cudart_say(&error);
        return MNP_EXIT_USER;
    }
    if (rt->faults.misused)
        return MNP_EXIT_USER;
    if (status != MNP_EXIT_DONE)
        return status;
    bool wrong = rt->faults.refused || rt->faults.faulted || rt->sharing.bereaved;
    return wrong ? MNP_EXIT_USER : mnp_end_status(simulation->results.end);
}

void cudart_say_lost(const char *how)
{
    const struct cudart *rt = cudart_state();
    const char *const parts[] = {"maniple: error: the program has called ", how,
                                 ": there are no results; they are written when a program ends by exit, by quick_exit, "
                                 "or at the end of main\n"};
    bool lost = cudart_owes_results() && cudart_has_device(rt) && rt->calls.options.text && !rt->calls.options.trace;
    for (size_t i = 0; lost && i < sizeof parts / sizeof *parts; i++)
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
            break;
}
