/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's clock: what begins and what ends at a time, and how far it may go on until that changes. */
#include "cudart/stream/clock.h"
#include "base/range.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/base/thread_state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/managed_memory.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/kernel_mail.h"
#include "cudart/stream/link_copies.h"
#include "cudart/stream/other_processes.h"
#include "cudart/stream/other_threads.h"
#include "cudart/stream/shared_copies.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/snapshot.h"
#include "cudart/stream/streams.h"
#include "cudart/stream/transfers.h"
#include "gpu/device/latency.h"
#include "gpu/system/kind.h"

#include <string.h>
#include <time.h>

/* Calls that take no time on several devices: they ask about devices, choose one, or take and give back memory. It is
 * often the first of several threads, whichever that is, that does so for all (NCCL reads NVML's tables, and tries
 * whether memory can be exported), so that its time would depend on the host. */
static bool takes_time(const char *function)
{
    static const char *const beginnings[] = {"cuInit",     "cuDevice",           "cuDriverGet",   "cuCtxGet",
                                             "cuCtxSet",   "cuThreadExchange",   "cudaDeviceGet", "cudaDeviceCan",
                                             "cudaGet",    "cudaThreadExchange", "cudaDriverGet", "cudaRuntimeGet",
                                             "cudaSetDev", "cudaIpcGetMem",      "cuIpcGetMem"};
    static const char *const names[] = {"cudaMalloc", "cudaFree",      "cuMemAlloc",
                                        "cuMemFree",  "cuMemAlloc_v2", "cuMemFree_v2"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(function, beginnings[i], strlen(beginnings[i])) == 0)
            return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(function, names[i]) == 0)
            return false;
    return true;
}

void cudart_count_call(struct cudart *rt, const char *function)
{
    const struct cudart_device *device = cudart_current_device(rt);
    /* Time begins when the device is chosen. On several devices a thread's time begins with its own first use: which
     * thread chooses the devices depends on the host. */
    if (device->settings && !rt->clock->held &&
        (rt->machine_devices == 1 || (cudart_thread()->uses_device && takes_time(function))))
        rt->clock->host += device->parameters.host.call * CUDART_FS_PER_NS;
}

void cudart_expect_function(struct cudart *rt)
{
    rt->clock->functions++;
}

static struct cudart_stream *stream_at(const struct cudart *rt, uint32_t place)
{
    return (struct cudart_stream *)rt->streams->list.items + place;
}

static void end(struct cudart_operation *operation, uint64_t time)
{
    operation->started = operation->done = true;
    operation->ends = time;
}

/* ===== ends ===== */

static bool is_earlier(const struct cudart_operation *a, uint64_t a_time, const struct cudart_operation *b,
                       uint64_t b_time)
{
    if (!b || a_time != b_time)
        return !b || a_time < b_time;
    return a->device == b->device ? a->sequence < b->sequence : a->device->place < b->device->place;
}

static bool is_timed(const struct cudart_operation *operation)
{
    return operation->kind <= CUDART_FILL;
}

/* Writes down a copy or a fill that has ended. */
static void keep_span(struct cudart *rt, const struct cudart_operation *operation)
{
    mnp_timeline_add(&rt->simulation->results.timeline,
                     &(struct mnp_span){.kind = operation->kind == CUDART_COPY ? "copy" : "fill",
                                        .from = operation->begins,
                                        .to = operation->ends,
                                        .number = operation->area.width * operation->area.height,
                                        .place = (uint16_t)operation->engine,
                                        .stream = operation->stream_name});
}

/* Ends the operation that ends first of those that end by now. False: there is none. */
static bool end_one(struct cudart *rt)
{
    struct cudart_operation *first = NULL;
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        struct cudart_operation *each = stream_at(rt, i)->first;
        if (each && each->started && !each->done && each->ends <= rt->clock->device &&
            is_earlier(each, each->ends, first, first ? first->ends : 0))
            first = each;
    }
    if (!first)
        return false;
    first->done = true;
    if (first->kind != CUDART_KERNEL)
        keep_span(rt, first);
    if (cudart_uses_links(first) && !rt->sharing.timed)
        cudart_end_over_links(rt, first);
    enum cuda_error problem = first->kind != CUDART_KERNEL ? cudart_copy_now(first) : CUDA_SUCCESS;
    if (problem)
        cudart_break(rt, problem);
    if (first->kind != CUDART_KERNEL && !rt->sharing.timed)
        cudart_sharing_move(&rt->sharing);
    return true;
}

/* ===== beginnings ===== */

static uint64_t transfer(uint64_t latency_ns, uint64_t rate, const struct cudart_operation *operation)
{
    unsigned __int128 bytes = (unsigned __int128)operation->area.width * operation->area.height;
    return latency_ns * CUDART_FS_PER_NS + (uint64_t)(bytes * 1000 * CUDART_FS_PER_NS / rate);
}

/* Without links a copy takes engines of both devices, which each process knows of its own copies alone. */
static void refuse_between(struct cudart *rt, struct cudart_operation *operation, uint64_t time)
{
    struct mnp_error error = {{0}};
    operation->begins = operation->ends = time;
    mnp_fail(&error,
             "%s: copies between GPUs without a link between them are not simulated where several processes share GPUs "
             "with time; copy to the host and from there, or use --functional, or threads of one process",
             rt->calls.options.program);
    cudart_break(rt, cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED));
}

/* A copy from one device to another goes over the links between them (link_copies.h), or through the host, piece by
 * piece: an engine of each is at work for as long as the slower one, and behind the first piece both are at once. */
static void begin_between(struct cudart *rt, struct cudart_operation *operation, uint64_t time)
{
    const struct gpu_host_parameters *host = &operation->device->parameters.host;
    struct cudart_device *to = cudart_home(operation->device, operation->area.to),
                         *from = cudart_home(operation->device, operation->area.from);
    if (rt->sharing.timed) {
        (cudart_uses_links(operation) ? cudart_ask_for_copy : refuse_between)(rt, operation, time);
        return;
    }
    if (cudart_uses_links(operation)) {
        cudart_begin_over_links(rt, operation, time);
        return;
    }
    uint64_t *download = &from->engine_free[CUDART_DOWNLOAD], *upload = &to->engine_free[CUDART_UPLOAD];
    mnp_raise(&time, *download);
    mnp_raise(&time, *upload);
    operation->begins = time;
    *download = *upload = operation->ends = time + transfer(2 * host->copy_latency, host->copy_rate, operation);
}

static void begin(struct cudart *rt, struct cudart_operation *operation, uint64_t time)
{
    struct cudart_device *device = operation->device;
    const struct gpu_host_parameters *host = &device->parameters.host;
    operation->started = true;
    if (operation->kind == CUDART_KERNEL) { /* without timing */
        time = time > device->compute_free ? time : device->compute_free;
        operation->ends = time; /* the kernel adds its own time */
        cudart_start_kernel(rt, operation);
        if (operation->ends != MNP_NEVER) /* MNP_NEVER: the kernel has been put aside */
            device->compute_free = operation->ends;
    } else if (operation->engine == CUDART_NO_ENGINE) {
        operation->begins = time;
        operation->ends = time + transfer(host->fill_latency, host->fill_rate, operation);
    } else if (operation->engine == CUDART_BOTH_ENGINES) {
        begin_between(rt, operation, time);
    } else {
        uint64_t *engine = &device->engine_free[operation->engine];
        time = time > *engine ? time : *engine;
        operation->begins = time;
        *engine = operation->ends = time + transfer(host->copy_latency, host->copy_rate, operation);
    }
    if (operation->ends != MNP_NEVER)
        cudart_await_end_of(rt, operation);
}

/* Whether the first operation of a stream can begin, and takes a time that is known when it does. */
static bool can_begin(const struct cudart *rt, const struct cudart_stream *stream)
{
    struct cudart_operation *first = stream->first;
    /* A kernel by value has the memory for itself: it begins when no other runs. */
    return first && !first->started && is_timed(first) && !cudart_snapshot_holds(rt, first) &&
           (first->kind != CUDART_KERNEL || (cudart_is_by_value(rt, first) && !first->device->running)) &&
           (!cudart_uses_links(first) ||
            (rt->sharing.timed ? cudart_may_ask_for_copy(rt) : cudart_has_engine(rt, first))) &&
           first->issued <= rt->clock->device && cudart_may_begin(rt, stream, first);
}

/* Begins the copy, the fill, or the kernel without timing that could do so first: engines serve in that order. */
static bool begin_one(struct cudart *rt)
{
    struct cudart_operation *first = NULL;
    uint64_t time = 0;
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        const struct cudart_stream *stream = stream_at(rt, i);
        if (!can_begin(rt, stream))
            continue;
        uint64_t ready = cudart_ready(rt, stream, stream->first);
        if (is_earlier(stream->first, ready, first, time)) {
            first = stream->first;
            time = ready;
        }
    }
    if (first)
        begin(rt, first, time);
    return first != NULL;
}

/* ===== what takes no time ===== */

static void call_host(struct cudart *rt, const void *what)
{
    const struct cudart_operation *operation = what;
    if (operation->function)
        operation->function(operation->data);
    else
        operation->callback(operation->stream, (int)rt->faults.pending, operation->data);
}

static void pass_record(struct cudart *rt, const struct cudart_operation *record, uint64_t time)
{
    cudart_pass_mark(rt, record->mark, time);
    if (record->shared)
        cudart_sharing_pass(&rt->sharing, record->shared, record->ticket, time);
}

/* The time for which a record occupies its stream. */
static uint64_t time_of_record(const struct cudart *rt, const struct cudart_operation *record)
{
    const struct gpu_parameters *p = &record->device->parameters;
    return record->event && rt->simulation->timed ? mnp_edge(p->machine.clock_core, gpu_record_cycles(p)) : 0;
}

/* Does the first operation of a stream if no engine and no machine does. */
static bool pass(struct cudart *rt, struct cudart_stream *stream)
{
    struct cudart_operation *first = stream->first;
    uint64_t time = cudart_ready(rt, stream, first);
    if (first->kind == CUDART_WAIT && first->shared) {
        if (!cudart_sharing_has_passed(&rt->sharing, first->shared, first->ticket))
            return false; /* another process may make the record */
        uint64_t passed = cudart_sharing_passed_at(&rt->sharing, first->shared, first->ticket);
        mnp_raise(&time, passed); /* 0 without time, of which there is none between processes */
    } else if (first->kind == CUDART_WAIT) {
        const struct cudart_mark *mark = cudart_mark_at(rt, first->mark);
        if (!mark->passed)
            return false;
        time = mark->time > time ? mark->time : time;
    } else if (first->kind == CUDART_RECORD) {
        time += time_of_record(rt, first);
        pass_record(rt, first, time);
    } else if (first->kind == CUDART_FREE) {
        if (!cudart_memory_of_graphs(rt, first->area.to))
            cudart_free_now(first->device, first->area.to);
    } else {
        cudart_keep_clock(rt);
        cudart_call_out(rt, call_host, first);
        rt->clock->asleep.digest = 0; /* the function may have done what other threads ask for */
        cudart_load_clock(rt);
        rt->clock->functions--;
        rt->clock->called = time;
    }
    end(first, time);
    return true;
}

/* Goes through a stream as far as it can get on. Kernels that follow one another are all given to the machine, which
 * lets each begin in the cycle in which the one before it has ended. */
static bool walk(struct cudart *rt, uint32_t place)
{
    bool moved = false;
    struct cudart_operation *operation = stream_at(rt, place)->first;
    while (operation) {
        struct cudart_stream *stream = stream_at(rt, place); /* a function of the host may have moved the stream */
        bool is_first = operation == stream->first;
        if (is_first && operation->done) {
            cudart_retire(stream);
            operation = stream->first;
            moved = true;
            continue;
        }
        if (!operation->started && (operation->issued > rt->clock->device || !cudart_may_begin(rt, stream, operation)))
            break;
        if (cudart_snapshot_holds(rt, operation))
            break;
        if (operation->kind == CUDART_KERNEL && !cudart_is_by_value(rt, operation)) {
            if (!operation->started) {
                operation->started = true;
                cudart_start_kernel(rt, operation);
            }
        } else if (is_timed(operation) || (is_first && !pass(rt, stream))) {
            break;
        } else if (is_first) {
            continue; /* the operation is done */
        } else if (operation->kind != CUDART_RECORD) {
            break;
        }
        operation = operation->next;
    }
    return moved;
}

/* Everything that happens at the device's time. */
static void settle(struct cudart *rt)
{
    bool moved = true;
    while (moved && !rt->faults.pending) {
        moved = end_one(rt);
        for (uint32_t i = 0; i < rt->streams->list.count && !rt->faults.pending; i++)
            moved |= walk(rt, i);
        moved |= !rt->faults.pending && begin_one(rt);
        if (moved)
            cudart_renew_turns(rt);
        else if (!rt->faults.pending && !cudart_turns_are_vain(rt, false))
            moved = cudart_take_turns(rt) || !cudart_turns_are_vain(rt, false);
    }
}

/* ===== the clock ===== */

/* The earliest time ahead at which an operation is given or ends. */
static uint64_t next_time(const struct cudart *rt)
{
    uint64_t next = cudart_next_over_links(rt);
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        const struct cudart_operation *each = stream_at(rt, i)->first;
        if (each && each->started && !each->done && each->ends < next)
            next = each->ends;
        while (each && each->issued <= rt->clock->device)
            each = each->next;
        if (each && each->issued < next)
            next = each->issued;
    }
    return next;
}

/* Behind a kernel that has failed nothing is done any more: what waits is dropped. */
static void drop_all(struct cudart *rt)
{
    cudart_drop_kernels(rt);
    cudart_forget_copies(rt);
    rt->clock->links.flows.count = 0;
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        struct cudart_stream *stream = stream_at(rt, i);
        while (stream->first) {
            if (stream->first->kind == CUDART_RECORD) /* other processes do not take it for one that has come */
                cudart_pass_mark(rt, stream->first->mark, rt->clock->device);
            end(stream->first, rt->clock->device);
            cudart_retire(stream);
        }
    }
    rt->clock->functions = 0;
}

/* Whether the streams of a device are empty, or all streams (NULL). */
static bool all_empty(const struct cudart *rt, const struct cudart_device *device)
{
    for (uint32_t i = 0; i < rt->streams->list.count; i++)
        if (stream_at(rt, i)->first && (!device || stream_at(rt, i)->device == device))
            return false;
    return true;
}

/* Small pieces of memory, by which the host talks with kernels that run, or have been launched and will. */
static void talk(struct cudart *rt)
{
    if ((cudart_is_running(rt) || !all_empty(rt, NULL)) && !cudart_sync_managed_of_all(rt, CUDART_SMALL))
        cudart_break(rt, CUDA_MEMORY_ALLOCATION);
}

/* How far the devices are to go on. */
struct goal {
    enum { TO_TIME, PAST_MARK, PAST_RECORD, PAST_FUNCTION, TO_END } kind;
    uint64_t time;                      /* TO_TIME */
    uint32_t mark;                      /* PAST_MARK */
    uint32_t shared, ticket;            /* PAST_RECORD, of an event of several processes */
    uint32_t functions;                 /* PAST_FUNCTION: those that were waited for before */
    const struct cudart_device *device; /* TO_END of its work; NULL: of all work */
    bool idly;                          /* TO_END: nobody waits; kernels that poll are left alone */
};

static bool is_reached(const struct cudart *rt, const struct goal *goal)
{
    switch (goal->kind) {
    case TO_TIME:
        return rt->clock->device >= goal->time;
    case PAST_MARK:
        return cudart_mark_at(rt, goal->mark)->passed;
    case PAST_RECORD:
        return cudart_sharing_has_passed(&rt->sharing, goal->shared, goal->ticket) ||
               (rt->sharing.timed && rt->faults.pending);
    case PAST_FUNCTION:
        return rt->clock->functions < goal->functions;
    default:
        return all_empty(rt, goal->device);
    }
}

/* Looks at the waits for records of events that other processes have in common with this one. True: there is one.
 * `over`: whether one of them has ended. */
static bool look_at_records(struct cudart *rt, const struct goal *goal, bool *over)
{
    bool any = goal->kind == PAST_RECORD;
    *over = any && is_reached(rt, goal);
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        const struct cudart_operation *first = stream_at(rt, i)->first;
        if (!first || first->kind != CUDART_WAIT || !first->shared || first->issued > rt->clock->device)
            continue;
        any = true;
        *over |= cudart_sharing_has_passed(&rt->sharing, first->shared, first->ticket);
    }
    return any;
}

/* Whether this process depends on what another thread or process does. */
static bool depends_on_others(struct cudart *rt, const struct goal *goal)
{
    bool over;
    return cudart_is_aside(rt) || (cudart_sharing_meets(&rt->sharing) && look_at_records(rt, goal, &over));
}

/* Handles a host that waits while no work proceeds: kernels that were put aside poll for a value that no other kernel
 * writes, or a stream waits for an event of another process. Another thread or process of the program may still do
 * it. */
static void wait_for_others(struct cudart *rt, const struct goal *goal)
{
    bool over = false;
    if (cudart_sharing_meets(&rt->sharing)) {
        if (!cudart_is_aside(rt))
            cudart_sharing_look(&rt->sharing);
        look_at_records(rt, goal, &over);
    }
    if (over)
        return;
    if (!cudart_turns_are_vain(rt, !cudart_sharing_meets(&rt->sharing)))
        cudart_take_turns(rt);
    else if (cudart_sharing_meets(&rt->sharing) ? cudart_await_processes(rt, cudart_first_aside(rt))
                                                : cudart_await_call(rt))
        cudart_renew_turns(rt);
    else
        cudart_give_up(rt);
}

/* A thread that waits, while others may make calls. */
struct cudart_waiting {
    const struct goal *goal;
    struct cudart_waiting *next;
};

enum {
    LOOK = 100000,    /* ns */
    PATIENT = 100000, /* looks, 10 s at least, behind which as much of the processors' time counts, */
    WEARY = 600000,   /* … and behind these nothing: a minute */
    HURRIED = 20,
    SHORT = 100,   /* looks, behind which they are rarer where other processes move the time: */
    LONG = 1000000 /* ns */
};

/* Whether all other threads of the program wait, so that none makes a call at an earlier time than the devices would go
 * on to. One that waits for something that has happened is about to go on. */
static bool others_wait(struct cudart *rt)
{
    if (cudart_is_called() || !cudart_calls_are_seen(rt))
        return false;
    for (const struct cudart_waiting *each = rt->clock->waiting; each; each = each->next)
        if (is_reached(rt, each->goal))
            return false;
    bool sleep = cudart_others_sleep(rt, &rt->clock->asleep, NULL);
    return sleep && !cudart_is_called(); /* a thread may have come to the lock meanwhile */
}

static void let_others(struct cudart *rt, const struct goal *goal, uint64_t nanoseconds)
{
    struct cudart_waiting self = {goal, rt->clock->waiting}, **link = &rt->clock->waiting;
    rt->clock->waiting = &self;
    cudart_wait_for_calls(rt, nanoseconds);
    while (*link != &self)
        link = &(*link)->next;
    *link = self.next;
}

struct patience {
    uint32_t looks; /* at threads that did not wait */
    uint64_t begun; /* processors' time of the process at the first of them, in ns */
};

static uint64_t time_of_process(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Whether others have computed for so long that they are waited for no longer: by what they had of the processors, so
 * that a busy host does not shorten it. */
static bool is_at_end(struct patience *patience, bool hurries)
{
    if (!patience->looks++)
        patience->begun = time_of_process();
    if (hurries)
        return patience->looks > HURRIED;
    return patience->looks > WEARY ||
           (patience->looks > PATIENT && time_of_process() - patience->begun > (uint64_t)PATIENT * LOOK);
}

/* Devices go on when no thread of the program has anything to do at an earlier time: a thread's clock moves by its
 * calls alone, so that the order of calls in time is not that of the host's threads. False: something may have
 * happened. */
static bool may_go_on(struct cudart *rt, const struct goal *goal, struct patience *patience)
{
    if (rt->machine_devices == 1 || !rt->simulation->timed || goal->idly || others_wait(rt))
        return true;
    if (is_at_end(patience, rt->clock->hurries)) {
        if (!rt->clock->hurries)
            mnp_warn(&rt->simulation->results.log, "a thread of the program has computed for seconds while others "
                                                   "waited for GPUs: results may differ from run to run");
        rt->clock->hurries = true;
        patience->looks = 0;
        return true;
    }
    let_others(rt, goal, LOOK);
    return false;
}

static void advance(struct cudart *rt, struct goal goal)
{
    struct patience patience = {0};
    uint32_t looks = 0;
    uint64_t until = goal.kind == TO_TIME ? goal.time : MNP_NEVER;
    talk(rt);
    cudart_renew_turns(rt);
    while (!rt->turn.calling) {
        settle(rt);
        if (rt->faults.pending)
            drop_all(rt);
        if (is_reached(rt, &goal)) {
            cudart_sharing_go_on(&rt->sharing);
            return;
        }
        if (cudart_is_paced(rt)) {
            let_others(rt, &goal, looks++ < SHORT ? LOOK : LONG);
            continue;
        }
        if (!may_go_on(rt, &goal, &patience))
            continue;
        uint64_t next = next_time(rt);
        if (next == MNP_NEVER && until == MNP_NEVER && depends_on_others(rt, &goal)) {
            if (goal.idly)
                return;
            wait_for_others(rt, &goal);
            continue;
        }
        next = next < until ? next : until;
        if (rt->snapshots->wanted) {
            cudart_snapshot_run(rt, next);
            continue;
        }
        cudart_lend_links(rt);
        rt->clock->device = cudart_run_machine(rt, next);
        cudart_regain_links(rt);
    }
}

bool cudart_all_wait(const struct cudart *rt, uint64_t *wish, bool *inside)
{
    *wish = next_time(rt);
    *inside = rt->clock->waiting != NULL;
    for (const struct cudart_waiting *each = rt->clock->waiting; each; each = each->next) {
        if (is_reached(rt, each->goal))
            return false;
        if (each->goal->kind == TO_TIME && each->goal->time < *wish)
            *wish = each->goal->time;
    }
    return true;
}

void cudart_step(struct cudart *rt, uint64_t time)
{
    if (rt->turn.calling || !cudart_has_device(rt))
        return;
    cudart_load_clock(rt);
    talk(rt);
    mnp_raise(&rt->clock->device, time);
    settle(rt);
    if (rt->faults.pending)
        drop_all(rt);
    cudart_keep_clock(rt);
}

void cudart_settle_at(struct cudart *rt, uint64_t time)
{
    rt->clock->device = time;
    settle(rt);
}

void cudart_advance_to(struct cudart *rt, uint64_t time)
{
    advance(rt, (struct goal){.kind = TO_TIME, .time = time});
    talk(rt);
}

void cudart_advance_past(struct cudart *rt, uint32_t mark)
{
    advance(rt, (struct goal){.kind = PAST_MARK, .mark = mark});
    uint64_t time = cudart_mark_at(rt, mark)->time;
    mnp_raise(&rt->clock->host, time);
}

void cudart_advance_past_record(struct cudart *rt, uint32_t shared, uint32_t ticket)
{
    advance(rt, (struct goal){.kind = PAST_RECORD, .shared = shared, .ticket = ticket});
    uint64_t time = cudart_sharing_passed_at(&rt->sharing, shared, ticket);
    mnp_raise(&rt->clock->host, time);
}

/* Whether a kernel looks again and again at memory that others write: it has loads that the L2 answers. */
static bool polls(const struct execute_code *code)
{
    const struct execute_op *ops = code->ops.items;
    for (uint32_t i = 0; i < code->ops.count; i++)
        if (ops[i].kind == EXECUTE_KIND_LOAD && ops[i].access.strong)
            return true;
    return false;
}

/* Whether a kernel that has not been executed may wait for what the host writes, as the host has memory in common with
 * kernels. */
static bool may_wait_for_host(const struct cudart *rt)
{
    struct cudart_walk walk = {0};
    const struct cudart_operation *operation;
    while ((operation = cudart_walk_next(rt, &walk)))
        if (operation->kind == CUDART_KERNEL && !operation->started && operation->device->memory.shared.count &&
            polls(operation->launch.code))
            return true;
    return false;
}

void cudart_execute_all(struct cudart *rt)
{
    if (all_empty(rt, NULL) || rt->turn.calling || may_wait_for_host(rt))
        return;
    advance(rt, (struct goal){.kind = TO_END, .idly = true});
    if (!cudart_sync_executed(rt))
        cudart_break(rt, CUDA_MEMORY_ALLOCATION);
}

void cudart_attend(struct cudart *rt)
{
    if (rt->turn.calling || rt->calls.reported || all_empty(rt, NULL))
        return;
    cudart_load_clock(rt);
    advance(rt, (struct goal){.kind = TO_END, .idly = true});
    if (!cudart_sync_executed(rt))
        cudart_break(rt, CUDA_MEMORY_ALLOCATION);
    cudart_keep_clock(rt);
}

void cudart_advance_function(struct cudart *rt)
{
    advance(rt, (struct goal){.kind = PAST_FUNCTION, .functions = rt->clock->functions});
    mnp_raise(&rt->clock->host, rt->clock->called);
    if (!cudart_sync_executed(rt))
        cudart_break(rt, CUDA_MEMORY_ALLOCATION);
}

void cudart_advance_all(struct cudart *rt, const struct cudart_device *device)
{
    advance(rt, (struct goal){.kind = TO_END, .device = device});
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        const struct cudart_stream *stream = stream_at(rt, i);
        if (stream->done > rt->clock->host && (!device || stream->device == device))
            rt->clock->host = stream->done;
    }
}

/* ===== the machine ===== */

enum cuda_error cudart_begin_machine(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    if (!rt->simulation->timed || rt->simulation->session || rt->snapshots->resuming || cudart_follows(rt))
        return CUDA_SUCCESS;
    if (!cudart_build_machine(rt, &error))
        return cudart_fail(rt, cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR));
    uint64_t now = cudart_run_machine(rt, rt->clock->device);
    if (!rt->sharing.timed)
        rt->clock->device = now;
    cudart_count_over_links(rt);
    return CUDA_SUCCESS;
}
