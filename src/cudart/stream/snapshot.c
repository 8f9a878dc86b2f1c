/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/snapshot.h"

#include "base/print.h"
#include "base/ticks.h"
#include "cudart/base/failure.h"
#include "cudart/base/options.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"
#include "engine/memory/memory.h"

#define XXH_STATIC_LINKING_ONLY
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Snapshots that nobody has asked for by number take at most one part in so many of the run's time. */
enum { MOST_OF_TIME = 20 };

void cudart_snapshot_init(struct cudart *rt)
{
    const struct cudart_options *options = &rt->calls.options;
    rt->snapshots->resuming = options->resume != NULL;
    rt->snapshots->wanted = options->resume || options->snapshot;
}

void cudart_snapshot_see(struct cudart *rt, const void *bytes, size_t length, uint64_t from)
{
    if (rt->snapshots->wanted) /* a sum: what ends first depends on time */
        rt->snapshots->data += XXH3_64bits_withSeed(bytes, length, from);
}

struct results_snapshot_of cudart_snapshot_describe(const struct cudart *rt)
{
    const struct cudart_options *options = &rt->calls.options;
    const char *slash = strrchr(options->program, '/'), *name = slash ? slash + 1 : options->program;
    const struct cudart_device *device = cudart_device_at(rt, 0);
    return (struct results_snapshot_of){.version = options->version ? options->version : "",
                                        .machine = device->settings,
                                        .plugins = device->plugins.files,
                                        .plugin_count = device->plugins.count,
                                        .input = name,
                                        .contents = XXH3_64bits(name, strlen(name)), /* its calls are checked later */
                                        .launches = options->sampling.kernels};
}

/* ===== what a snapshot has besides the machine ===== */

/* The times of the program's clocks. `before`: the device's, up to which its streams had come on. */
static void keep_times(const struct cudart *rt, struct mnp_snapshot *to, uint64_t before)
{
    const struct cudart_stream *streams = rt->streams->list.items;
    const struct cudart_mark *marks = rt->streams->marks.items;
    const struct cudart_clock *clock = rt->clock;
    mnp_snapshot_put_number(to, before);
    const struct cudart_device *device = cudart_device_at(rt, 0);
    const uint64_t times[] = {rt->snapshots->host, clock->device, device->compute_free, clock->called};
    mnp_snapshot_put(to, times, sizeof times);
    mnp_snapshot_put(to, device->engine_free, sizeof device->engine_free);
    mnp_snapshot_put_number(to, rt->streams->list.count);
    for (uint32_t i = 0; i < rt->streams->list.count; i++)
        mnp_snapshot_put_number(to, streams[i].done);
    mnp_snapshot_put_number(to, rt->snapshots->marks);
    for (uint32_t i = 0; i < rt->snapshots->marks; i++)
        mnp_snapshot_put_number(to, marks[i].passed ? marks[i].time : MNP_NEVER);
}

static uint64_t flags_of(const struct cudart_operation *operation)
{
    const struct execute_launch *launch = &operation->launch;
    return (operation->behind_kernel ? CUDART_BEHIND_KERNEL : 0) | (operation->follows ? CUDART_FOLLOWS : 0) |
           (launch->early ? CUDART_EARLY : 0) | (launch->prepared ? CUDART_PREPARED : 0) |
           (launch->queued ? CUDART_QUEUED : 0);
}

/* Operations of which streams still know, but those of the present call, which the program gives again. */
static void keep_operations(const struct cudart *rt, struct mnp_snapshot *to)
{
    struct mnp_array kept = {0}; /* array of struct cudart_snapshot_operation */
    struct cudart_walk walk = {0};
    for (const struct cudart_operation *each; (each = cudart_walk_next(rt, &walk));)
        if (each->sequence <= rt->snapshots->sequence)
            *(struct cudart_snapshot_operation *)mnp_array_add(&kept, 1, sizeof(struct cudart_snapshot_operation)) =
                (struct cudart_snapshot_operation){each->sequence, each->done ? each->ends : MNP_NEVER, each->issued,
                                                   flags_of(each)};
    mnp_snapshot_put_number(to, kept.count);
    mnp_snapshot_put(to, kept.items, kept.count * sizeof(struct cudart_snapshot_operation));
    mnp_array_release(&kept);
}

/* The machine's kernels among all of the program's, in their order. */
static void keep_numbers(const struct cudart *rt, struct mnp_snapshot *to)
{
    const struct cudart_simulation *simulation = rt->simulation;
    const struct cudart_device *device = cudart_device_at(rt, 0);
    uint32_t first = 0;
    while (first < device->started.count && !((struct cudart_operation *const *)device->started.items)[first])
        first++;
    mnp_snapshot_put_number(to, simulation->by_value);
    mnp_snapshot_put_number(to, device->numbers.count);
    mnp_snapshot_put_number(to, first);
    mnp_snapshot_put(to, device->numbers.items, device->numbers.count * sizeof(uint32_t));
    for (uint32_t i = 0; i < device->numbers.count; i++)
        mnp_snapshot_put_number(to, ((struct cudart_operation *const *)device->started.items)[i] == NULL);
}

/* Lines with which the L2 is to be warmed: of copies of which the machine has not heard, and of kernels by value. */
static void keep_warmth(struct cudart *rt, struct mnp_snapshot *to)
{
    struct cudart_device *device = cudart_device_at(rt, 0);
    const struct execute_device *functional = &device->functional;
    const struct execute_copied *copied = functional->copied.items;
    uint32_t untold = functional->copied.count - functional->told;
    const struct execute_warming *warming = cudart_warming(rt, device);
    mnp_snapshot_put_number(to, untold);
    for (uint32_t i = 0; i < untold; i++)
        mnp_snapshot_put(to, &copied[functional->told + i], sizeof *copied);
    if (!warming)
        return;
    execute_warming_keep(warming, to);
    mnp_snapshot_put_number(to, rt->simulation->codes.count);
    mnp_snapshot_put(to, rt->simulation->codes.items, rt->simulation->codes.count * sizeof(struct cudart_warm_code));
}

uint64_t cudart_memory_hash(struct cudart *rt)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < rt->device_count; i++)
        hash += mnp_memory_hash(rt->devices[i].functional.memory);
    return hash;
}

/* ===== taking one ===== */

/* Whether what is under way is kernels alone, of which none has begun, and that the present call has not given. */
static bool is_between(const struct cudart *rt)
{
    uint32_t part;
    struct cudart_walk walk = {0};
    for (const struct cudart_operation *each; (each = cudart_walk_next(rt, &walk));)
        if (each->started && !each->done && (each->kind != CUDART_KERNEL || each->sequence > rt->snapshots->sequence))
            return false;
    return rt->simulation->timed && !rt->faults.pending && !rt->faults.failure && !rt->turn.calling &&
           rt->simulation->session->kind->standing(rt->simulation->session, &part) != MNP_STANDS_INSIDE;
}

void cudart_snapshot_leave(struct cudart *rt, enum mnp_end end, int status)
{
    rt->simulation->end = end;
    cudart_fail(rt, CUDA_LAUNCH_TIMEOUT);
    cudart_unlock();
    exit(status);
}

static bool write_snapshot(struct cudart *rt, uint64_t before)
{
    struct results_snapshot_of of = cudart_snapshot_describe(rt);
    struct mnp_snapshot snapshot = {0};
    mnp_snapshot_put_number(&snapshot, rt->calls.count);
    keep_operations(rt, &snapshot);
    const uint64_t hashes[] = {rt->snapshots->calls, rt->snapshots->data, cudart_memory_hash(rt)};
    mnp_snapshot_put(&snapshot, hashes, sizeof hashes);
    keep_times(rt, &snapshot, before);
    keep_warmth(rt, &snapshot);
    keep_numbers(rt, &snapshot);
    mnp_session_keep(rt->simulation->session, &snapshot);
    bool done =
        results_write_snapshot(rt->calls.options.snapshot, &of, rt->snapshots->ended, &snapshot, &rt->snapshots->error);
    mnp_snapshot_release(&snapshot);
    return done;
}

/* The last launch before which all have ended. */
static uint32_t last_ended(const struct cudart *rt)
{
    uint32_t ended = rt->streams->kernels;
    struct cudart_walk walk = {0};
    for (const struct cudart_operation *each; (each = cudart_walk_next(rt, &walk));)
        if (each->kind == CUDART_KERNEL && !each->done && each->number <= ended)
            ended = each->number - 1;
    return ended;
}

static void keep(struct cudart *rt, uint64_t before)
{
    const struct cudart_options *options = &rt->calls.options;
    uint64_t now;
    if (!options->snapshot || !rt->simulation->session || rt->snapshots->resuming)
        return;
    rt->snapshots->ended = last_ended(rt);
    if (rt->snapshots->ended <= rt->snapshots->latest || rt->snapshots->ended < options->snapshot_at ||
        ((now = mnp_nanoseconds()) < rt->snapshots->next && !options->snapshot_at) || !is_between(rt))
        return;
    if (write_snapshot(rt, before))
        rt->snapshots->latest = rt->snapshots->ended;
    uint64_t then = mnp_nanoseconds();
    rt->snapshots->next = then + MOST_OF_TIME * (then - now);
    if (options->snapshot_at)
        cudart_snapshot_leave(rt, rt->snapshots->latest ? MNP_END_SNAPSHOT : MNP_END_FINISHED, MNP_EXIT_DONE);
}

/* Restores the state at the end of the run of the snapshot: marks the operations that had ended as done. */
static void arrive(struct cudart *rt)
{
    struct cudart_snapshots *snapshots = rt->snapshots;
    rt->clock->device = snapshots->arrival;
    snapshots->arrival = 0;
    struct cudart_walk walk = {0};
    for (struct cudart_operation *each; (each = cudart_walk_next(rt, &walk));)
        for (uint32_t i = 0; i < snapshots->operation_count; i++)
            if (snapshots->operations[i].sequence == each->sequence && snapshots->operations[i].ended != MNP_NEVER) {
                each->done = true;
                each->ends = snapshots->operations[i].ended;
                each->device->running--;
            }
}

void cudart_snapshot_run(struct cudart *rt, uint64_t until)
{
    uint64_t before = rt->clock->device;
    if (rt->snapshots->arrival) {
        arrive(rt);
        return;
    }
    if (until == MNP_NEVER && rt->snapshots->resuming) /* for a kernel that it did not wait for before */
        cudart_snapshot_leave(rt, MNP_END_FINISHED, MNP_EXIT_USER);
    rt->clock->device = cudart_run_machine(rt, until);
    keep(rt, before);
}

/* ===== what waits for its place ===== */

bool cudart_snapshot_holds(const struct cudart *rt, const struct cudart_operation *operation)
{
    const struct cudart_snapshots *snapshots = rt->snapshots;
    if (!snapshots->resuming)
        return false;
    for (uint32_t i = 0; i < snapshots->operation_count; i++)
        if (snapshots->operations[i].sequence == operation->sequence)
            return true;
    return false;
}

/* A run that came to its end without the snapshot of --snapshot-at has results, and does not end well. */
static void say_untaken(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    if (rt->simulation->end != MNP_END_FINISHED)
        return;
    mnp_fail(&error,
             "--snapshot-at %" PRIu64 ": no snapshot was taken: the program has launched %u, and behind that launch "
             "there was no moment at which no kernel ran and nothing was copied; name an earlier launch",
             (uint64_t)rt->calls.options.snapshot_at, rt->streams->kernels);
    cudart_refuse(rt, &error, CUDA_SUCCESS);
}

bool cudart_snapshot_end(struct cudart *rt, struct mnp_error *error)
{
    const struct cudart_options *options = &rt->calls.options;
    if (rt->snapshots->error.text[0]) {
        *error = rt->snapshots->error;
        return false;
    }
    if (rt->snapshots->resuming)
        return mnp_fail(error, "--resume %s: the program has ended before it came to where the snapshot was taken",
                        options->resume);
    if (!options->snapshot)
        return true;
    if (!rt->snapshots->latest && options->snapshot_at)
        say_untaken(rt);
    else if (!rt->snapshots->latest)
        mnp_warn(&rt->simulation->results.log,
                 "--snapshot: no snapshot was taken: there was no moment at which no kernel ran and nothing was "
                 "copied");
    else if (options->verbosity > MNP_QUIET)
        mnp_print_text(stderr, "maniple: a snapshot behind launch %" PRIu32 " is in %s (--resume)\n",
                       rt->snapshots->latest, options->snapshot);
    return true;
}
