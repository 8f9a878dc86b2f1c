/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that goes on from a snapshot: it runs again up to the call in which that was taken. */
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/snapshot.h"
#include "cudart/stream/streams.h"
#include "execute/live/source.h"

#define XXH_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Takes a number of items, and these. NULL: an error. */
static const unsigned char *take_list(struct mnp_snapshot_reader *from, size_t size, uint64_t *count)
{
    return mnp_snapshot_take_number(from, count) ? mnp_snapshot_take_items(from, *count, size) : NULL;
}

/* Operations that had not been forgotten by their streams. */
static bool read_operations(struct cudart_snapshots *snapshots)
{
    uint64_t count;
    const unsigned char *kept = take_list(&snapshots->reader, sizeof *snapshots->operations, &count);
    if (!kept)
        return false;
    snapshots->operation_count = (uint32_t)count;
    snapshots->operations = mnp_allocate(count + 1, sizeof *snapshots->operations);
    memcpy(snapshots->operations, kept, count * sizeof *snapshots->operations);
    return true;
}

/* Reads the snapshot as far as it says of the program where to stop, once the machine is known. */
static bool open_snapshot(struct cudart *rt)
{
    struct cudart_snapshots *snapshots = rt->snapshots;
    struct results_snapshot_of of = cudart_snapshot_describe(rt);
    uint32_t launch;
    if (snapshots->snapshot.bytes)
        return true;
    if (!results_read_snapshot(rt->calls.options.resume, &of, &launch, &snapshots->snapshot, &snapshots->error))
        return false;
    snapshots->reader = mnp_snapshot_read(&snapshots->snapshot, &snapshots->state_error);
    return mnp_snapshot_take_number(&snapshots->reader, &snapshots->place) && read_operations(snapshots);
}

/* Whether the program is where it was. */
static bool check_place(struct cudart *rt)
{
    struct cudart_snapshots *snapshots = rt->snapshots;
    uint64_t calls, data, memory;
    if (!mnp_snapshot_take_number(&snapshots->reader, &calls) || !mnp_snapshot_take_number(&snapshots->reader, &data) ||
        !mnp_snapshot_take_number(&snapshots->reader, &memory))
        return false;
    const char *what = calls != snapshots->calls          ? "calls other functions"
                       : data != snapshots->data          ? "reads other data"
                       : memory != cudart_memory_hash(rt) ? "leaves other values in memory"
                                                          : NULL;
    return !what ||
           mnp_fail(&snapshots->error,
                    "--resume %s: the program %s than when the snapshot was taken (other arguments or inputs, or it "
                    "depends on time or on the order of atomic operations); run it without --resume",
                    rt->calls.options.resume, what);
}

static struct cudart_operation *find_kernel(const struct cudart *rt, uint64_t number)
{
    struct cudart_walk walk = {0};
    struct cudart_operation *each;
    do
        each = cudart_walk_next(rt, &walk);
    while (each && (each->kind != CUDART_KERNEL || each->number != number));
    return each;
}

static struct cudart_operation *find(const struct cudart *rt, uint64_t sequence)
{
    struct cudart_walk walk = {0};
    struct cudart_operation *each;
    do
        each = cudart_walk_next(rt, &walk);
    while (each && each->sequence != sequence);
    return each;
}

/* An operation gets back what it had of the host's time, and of its stream. */
static void give_back(struct cudart_operation *operation, const struct cudart_snapshot_operation *kept)
{
    operation->issued = kept->issued;
    operation->behind_kernel = kept->flags & CUDART_BEHIND_KERNEL;
    operation->follows = kept->flags & CUDART_FOLLOWS;
    operation->launch.early = kept->flags & CUDART_EARLY;
    operation->launch.prepared = kept->flags & CUDART_PREPARED;
    operation->launch.queued = kept->flags & CUDART_QUEUED;
}

static bool refuse_wait(struct cudart *rt)
{
    return mnp_fail(&rt->snapshots->error,
                    "--resume %s: the program waits for what had not ended when the snapshot was taken; run it "
                    "without --resume",
                    rt->calls.options.resume);
}

/* Operations get back what they had. Kernels that had ended are executed, as the streams did not know of it yet. */
static bool restore_operations(struct cudart *rt)
{
    const struct cudart_snapshots *snapshots = rt->snapshots;
    for (uint32_t i = 0; i < snapshots->operation_count; i++) {
        const struct cudart_snapshot_operation *kept = &snapshots->operations[i];
        struct cudart_operation *operation = find(rt, kept->sequence);
        if (!operation || operation->started || (kept->ended != MNP_NEVER && operation->kind != CUDART_KERNEL))
            return refuse_wait(rt);
        give_back(operation, kept);
        if (kept->ended == MNP_NEVER)
            continue;
        operation->way = CUDART_BY_VALUE;
        cudart_start_kernel(rt, operation);
        operation->started = true;
        operation->ends = MNP_NEVER; /* until it arrives there */
        operation->device->running++;
    }
    return true;
}

static bool take_times(struct cudart *rt)
{
    struct mnp_snapshot_reader *from = &rt->snapshots->reader;
    struct cudart_stream *streams = rt->streams->list.items;
    struct cudart_mark *marks = rt->streams->marks.items;
    struct cudart_clock *clock = rt->clock;
    struct cudart_device *device = cudart_device_at(rt, 0);
    uint64_t *const times[] = {&clock->host, &clock->device, &device->compute_free, &clock->called};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!mnp_snapshot_take_number(from, times[i]))
            return false;
    for (size_t i = 0; i < CUDART_ENGINES; i++)
        if (!mnp_snapshot_take_number(from, &device->engine_free[i]))
            return false;
    if (!mnp_snapshot_expect(from, rt->streams->list.count, "streams"))
        return false;
    for (uint32_t i = 0; i < rt->streams->list.count; i++)
        if (!mnp_snapshot_take_number(from, &streams[i].done))
            return false;
    if (!mnp_snapshot_expect(from, rt->streams->marks.count, "events"))
        return false;
    for (uint32_t i = 0; i < rt->streams->marks.count; i++) {
        uint64_t time;
        if (!mnp_snapshot_take_number(from, &time))
            return false;
        if (marks[i].passed != (time != MNP_NEVER))
            return refuse_wait(rt);
        if (marks[i].passed)
            marks[i].time = time;
    }
    return true;
}

static bool take_copied(struct cudart *rt)
{
    struct execute_device *functional = &cudart_device_at(rt, 0)->functional;
    uint64_t untold;
    const unsigned char *copied = take_list(&rt->snapshots->reader, sizeof(struct execute_copied), &untold);
    if (!copied)
        return false;
    functional->told = functional->copied.count = 0;
    if (untold)
        memcpy(mnp_array_add(&functional->copied, (uint32_t)untold, sizeof(struct execute_copied)), copied,
               untold * sizeof(struct execute_copied));
    return true;
}

/* Codes of kernels by value; their names end inside. */
static bool take_codes(struct cudart *rt)
{
    struct mnp_array *codes = &rt->simulation->codes;
    uint64_t count;
    const unsigned char *kept = take_list(&rt->snapshots->reader, sizeof(struct cudart_warm_code), &count);
    if (!kept)
        return false;
    codes->count = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct cudart_warm_code *code = mnp_array_add(codes, 1, sizeof *code);
        memcpy(code, kept + i * sizeof *code, sizeof *code);
        if (!memchr(code->kernel, '\0', sizeof code->kernel))
            return false;
    }
    return true;
}

/* Lines with which the L2 is to be warmed are those of the snapshot, not what the way to it has left. */
static bool take_warmth(struct cudart *rt)
{
    struct execute_warming *warming = cudart_warming(rt, cudart_device_at(rt, 0));
    return take_copied(rt) &&
           (!warming || (execute_warming_restore(warming, &rt->snapshots->reader) && take_codes(rt)));
}

/* The machine gets the kernels that it had: those that have ended count, the others are given to it again. */
static bool take_numbers(struct cudart *rt)
{
    struct mnp_snapshot_reader *from = &rt->snapshots->reader;
    struct cudart_simulation *simulation = rt->simulation;
    uint64_t by_value, count, first, ended;
    if (!mnp_snapshot_take_number(from, &by_value) || !mnp_snapshot_take_number(from, &count) ||
        !mnp_snapshot_take_number(from, &first))
        return false;
    const unsigned char *numbers = mnp_snapshot_take_items(from, count, sizeof(uint32_t));
    if (!numbers || first > count)
        return false;
    simulation->by_value = (uint32_t)by_value;
    memcpy(mnp_array_add(&cudart_device_at(rt, 0)->numbers, (uint32_t)first, sizeof(uint32_t)), numbers,
           first * sizeof(uint32_t));
    mnp_array_add(&cudart_device_at(rt, 0)->started, (uint32_t)first, sizeof(struct cudart_operation *));
    execute_source_skip(cudart_device_at(rt, 0)->source, (uint32_t)first);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t number;
        memcpy(&number, numbers + i * sizeof number, sizeof number);
        if (!mnp_snapshot_take_number(from, &ended))
            return false;
        if (i >= first && ended)
            cudart_give_gone(cudart_device_at(rt, 0), number);
        else if (i >= first && !cudart_give_again(rt, find_kernel(rt, number)))
            return false;
    }
    return true;
}

/* The device's beginning of time, and the state that it had. */
static bool take_machine(struct cudart *rt, uint64_t before)
{
    uint64_t host = rt->clock->host;
    rt->snapshots->resuming = false;
    rt->clock->device = 0;
    if (cudart_begin_machine(rt))
        return false;
    rt->clock->host = host;
    if (!take_times(rt) || !take_warmth(rt) || !take_numbers(rt) ||
        !mnp_session_take(rt->simulation->session, &rt->snapshots->reader))
        return false;
    rt->snapshots->arrival = rt->clock->device;
    rt->clock->device = before;
    return true;
}

static bool take(struct cudart *rt)
{
    struct cudart_snapshots *snapshots = rt->snapshots;
    struct mnp_snapshot_reader ahead = snapshots->reader;
    uint64_t before, host, device;
    if (!mnp_snapshot_take(&ahead, 3 * sizeof(uint64_t)) || !mnp_snapshot_take_number(&ahead, &before) ||
        !mnp_snapshot_take_number(&ahead, &host) || !mnp_snapshot_take_number(&ahead, &device))
        return false;
    if (before > device || device == MNP_NEVER || host == MNP_NEVER)
        return mnp_fail(&snapshots->state_error,
                        "the snapshot is damaged (its clocks contradict one another): take it again");
    cudart_settle_at(rt, before);
    if (!restore_operations(rt) || !check_place(rt) || !mnp_snapshot_take_number(&snapshots->reader, &before) ||
        !take_machine(rt, before))
        return false;
    mnp_snapshot_release(&snapshots->snapshot);
    snapshots->executed = cudart_launches(rt);
    snapshots->latest = UINT32_MAX; /* until a later launch has ended */
    return true;
}

/* Adds the file name to the readers' error about a damaged snapshot. */
static void locate(struct cudart *rt)
{
    const struct mnp_error problem = rt->snapshots->state_error;
    if (problem.text[0])
        mnp_fail_at(&rt->snapshots->error, rt->calls.options.resume, 0, "%s", problem.text);
}

static void resume(struct cudart *rt)
{
    if (!cudart_has_device(rt))
        return;
    bool good = open_snapshot(rt) && (rt->calls.count < rt->snapshots->place || take(rt));
    if (good)
        return;
    rt->snapshots->broken = true;
    locate(rt);
    if (!rt->snapshots->error.text[0])
        mnp_fail(&rt->snapshots->error,
                 "--resume %s: the program does not come to where the snapshot was taken; run it "
                 "without --resume",
                 rt->calls.options.resume);
    cudart_snapshot_leave(rt, MNP_END_FINISHED, MNP_EXIT_USER);
}

void cudart_snapshot_call(struct cudart *rt, const char *name)
{
    if (!rt->snapshots->wanted)
        return;
    rt->snapshots->calls = XXH3_64bits_withSeed(name, strlen(name), rt->snapshots->calls + rt->streams->sequence);
    rt->snapshots->host = rt->clock->host;
    rt->snapshots->sequence = rt->streams->sequence;
    rt->snapshots->marks = rt->streams->marks.count;
    if (rt->snapshots->resuming)
        resume(rt);
}
