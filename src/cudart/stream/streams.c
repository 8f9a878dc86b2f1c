/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations in their streams, the order that streams have among one another, and events. */
#include "cudart/stream/streams.h"

#include "base/arena.h"
#include "base/range.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/profiler_ranges.h"

#include <stdlib.h>

/* ===== streams ===== */

static struct cudart_stream *streams_of(const struct cudart *rt)
{
    return rt->streams->list.items;
}

/* The default streams of all devices are kept in front of those that the program creates. */
enum { DEFAULTS = 2 };

/* Between two handles: programs take them for addresses, and some use the bits that are 0 in those. */
enum { STEP = 16 };

static struct cudart_stream *legacy_of(const struct cudart *rt, const struct cudart_device *device)
{
    return streams_of(rt) + (size_t)DEFAULTS * device->number;
}

bool cudart_is_legacy(const struct cudart *rt, const struct cudart_stream *stream)
{
    return stream == legacy_of(rt, stream->device);
}

/* Finds a stream, including those of graphs. */
static struct cudart_stream *find_stream(struct cudart *rt, uint64_t handle)
{
    for (uint32_t i = 0; rt->streams->list.count < DEFAULTS * rt->device_count; i++) {
        struct cudart_stream *first = mnp_array_add(&rt->streams->list, DEFAULTS, sizeof *first);
        first[0] = first[1] = (struct cudart_stream){.used = true, .device = &rt->devices[i]};
    }
    if (handle <= CUDA_STREAM_PER_THREAD)
        return legacy_of(rt, cudart_current_device(rt)) + (handle == CUDA_STREAM_PER_THREAD);
    uint64_t offset = handle - CUDART_FIRST_HANDLE, place = offset / STEP;
    bool known = handle >= CUDART_FIRST_HANDLE && offset % STEP == 0 && place >= DEFAULTS * rt->device_count &&
                 place < rt->streams->list.count && streams_of(rt)[place].used;
    return known ? streams_of(rt) + place : NULL;
}

struct cudart_stream *cudart_any_stream(struct cudart *rt, uint64_t handle)
{
    struct cudart_stream *stream = find_stream(rt, handle);
    return stream && !stream->of_graph ? stream : NULL;
}

/* One that the program has created. */
static struct cudart_stream *stream_of(struct cudart *rt, uint64_t handle)
{
    return handle >= CUDART_FIRST_HANDLE ? cudart_any_stream(rt, handle) : NULL;
}

bool cudart_stream_known(const struct cudart *rt, uint64_t stream)
{
    return stream <= CUDA_STREAM_PER_THREAD || cudart_any_stream((struct cudart *)rt, stream);
}

enum cuda_error cudart_create_stream(struct cudart_device *device, uint64_t *out, unsigned flags, int priority)
{
    struct cudart *rt = device->rt;
    if (!out || flags > CUDA_STREAM_NON_BLOCKING)
        return CUDA_INVALID_VALUE;
    cudart_any_stream(rt, 0);
    struct cudart_stream *stream = mnp_array_add(&rt->streams->list, 1, sizeof *stream);
    priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *stream = (struct cudart_stream){.device = device, .used = true, .non_blocking = flags, .priority = priority};
    uint64_t place = rt->streams->list.count - 1;
    *out = CUDART_FIRST_HANDLE + place * STEP;
    stream->name = CUDART_FIRST_HANDLE + (rt->machine_devices == 1 ? place : device->streams++);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_destroy_stream(struct cudart *rt, uint64_t handle)
{
    struct cudart_stream *stream = stream_of(rt, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (stream->capture) {
        struct cudart_capture *capture = cudart_capture_at(rt, stream->capture);
        capture->invalid = true;
        if (capture->origin == handle) /* the capture cannot be ended any more */
            cudart_leave_capture(rt, stream->capture);
    }
    stream->used = false;
    return CUDA_SUCCESS;
}

uint64_t cudart_make_branch(struct cudart_device *device)
{
    uint64_t handle = 0;
    cudart_create_stream(device, &handle, CUDA_STREAM_NON_BLOCKING, 0);
    find_stream(device->rt, handle)->of_graph = true;
    return handle;
}

void cudart_end_branch(struct cudart *rt, uint64_t branch)
{
    struct cudart_stream *stream = find_stream(rt, branch);
    if (stream)
        stream->used = false;
}

struct cudart_operation *cudart_walk_next(const struct cudart *rt, struct cudart_walk *walk)
{
    while (!walk->next && walk->stream < rt->streams->list.count)
        walk->next = streams_of(rt)[walk->stream++].first;
    struct cudart_operation *operation = walk->next;
    walk->next = operation ? operation->next : NULL;
    return operation;
}

/* ===== captures ===== */

bool cudart_is_captured(const struct cudart *rt, uint64_t handle)
{
    const struct cudart_stream *stream = cudart_any_stream((struct cudart *)rt, handle);
    return rt->graphs->building || (stream && stream->capture);
}

void cudart_leave_capture(struct cudart *rt, uint32_t number)
{
    for (uint32_t i = 0; i < rt->streams->list.count; i++)
        if (streams_of(rt)[i].capture == number) {
            streams_of(rt)[i].capture = 0;
            streams_of(rt)[i].frontier.count = 0;
        }
    cudart_capture_at(rt, number)->active = false;
    rt->graphs->capturing--;
}

/* Captures forbid it to their own threads, and global ones to all; a thread may have excepted itself. */
enum cuda_error cudart_may_be_unseen(struct cudart *rt)
{
    enum cuda_capture_mode mode = cudart_thread()->capture_mode;
    enum cuda_error problem = CUDA_SUCCESS;
    if (!rt->graphs->capturing || mode == CUDA_CAPTURE_RELAXED)
        return CUDA_SUCCESS;
    for (uint32_t i = 1; i <= rt->graphs->captures.count; i++) {
        struct cudart_capture *capture = cudart_capture_at(rt, i);
        bool own = pthread_equal(capture->thread, pthread_self());
        bool forbids = own ? capture->mode != CUDA_CAPTURE_RELAXED
                           : mode == CUDA_CAPTURE_GLOBAL && capture->mode == CUDA_CAPTURE_GLOBAL;
        if (!capture->active || !forbids)
            continue;
        capture->invalid = true;
        problem = CUDA_STREAM_CAPTURE_UNSUPPORTED;
    }
    return problem;
}

/* Whether the next node of a stream's capture has a place: the program may have removed the graph, or nodes of it. */
static bool has_place(const struct cudart *rt, const struct cudart_stream *stream)
{
    uint64_t graph = cudart_capture_at(rt, stream->capture)->graph;
    bool good = cudart_graph_of(rt, graph);
    for (uint32_t i = 0; good && i < stream->frontier.count; i++) {
        const struct cudart_node *node = cudart_node_of(rt, ((const uint64_t *)stream->frontier.items)[i]);
        good = node && node->graph == graph;
    }
    return good;
}

/* The legacy default stream waits for those of its device that block, and cannot while one of them is captured. NULL:
 * all streams are waited for. */
static enum cuda_error spoil_captures(struct cudart *rt, const struct cudart_stream *legacy)
{
    enum cuda_error problem = CUDA_SUCCESS;
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        const struct cudart_stream *stream = streams_of(rt) + i;
        if (!stream->capture || (legacy && (stream->non_blocking || stream->device != legacy->device)))
            continue;
        cudart_capture_at(rt, stream->capture)->invalid = true;
        problem = CUDA_STREAM_CAPTURE_IMPLICIT;
    }
    return problem;
}

enum cuda_error cudart_may_enqueue(struct cudart *rt, uint64_t handle)
{
    const struct cudart_stream *stream = cudart_any_stream(rt, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (rt->graphs->building)
        return CUDA_SUCCESS;
    if (stream->capture) {
        struct cudart_capture *capture = cudart_capture_at(rt, stream->capture);
        capture->invalid |= !has_place(rt, stream);
        return capture->invalid ? CUDA_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    }
    return cudart_is_legacy(rt, stream) ? spoil_captures(rt, stream) : CUDA_SUCCESS;
}

enum cuda_error cudart_may_wait(struct cudart *rt, const struct cudart_stream *stream)
{
    if (!stream)
        return spoil_captures(rt, NULL) ? CUDA_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
    if (stream->capture) {
        cudart_capture_at(rt, stream->capture)->invalid = true;
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    }
    return cudart_is_legacy(rt, stream) ? spoil_captures(rt, stream) : CUDA_SUCCESS;
}

/* The next node of a capture. */
static uint64_t capture_node(struct cudart *rt, struct cudart_stream *stream, enum cudart_node_type type)
{
    uint64_t node;
    cudart_make_node(rt, cudart_capture_at(rt, stream->capture)->graph, type, stream->frontier.items,
                     stream->frontier.count, &node);
    stream->frontier.count = 0;
    *(uint64_t *)mnp_array_add(&stream->frontier, 1, sizeof node) = node;
    return node;
}

void cudart_capture_allocation(struct cudart *rt, uint64_t stream, uint64_t address, uint64_t bytes)
{
    uint64_t node = capture_node(rt, cudart_any_stream(rt, stream), CUDART_NODE_ALLOCATE);
    cudart_give_to_graphs(rt, node, &(const struct cudart_graph_memory){.address = address, .bytes = bytes});
}

/* An operation as the next node of a capture. */
static struct cudart_operation *divert(struct cudart *rt, struct cudart_stream *stream, enum cudart_operation_kind kind)
{
    static const enum cudart_node_type types[] = {[CUDART_KERNEL] = CUDART_NODE_KERNEL,
                                                  [CUDART_COPY] = CUDART_NODE_COPY,
                                                  [CUDART_FILL] = CUDART_NODE_FILL,
                                                  [CUDART_FREE] = CUDART_NODE_FREE,
                                                  [CUDART_FUNCTION] = CUDART_NODE_HOST};
    return cudart_node_operation(rt, capture_node(rt, stream, types[kind]), kind);
}

/* ===== operations ===== */

/* Whether what comes behind an operation in its stream follows a kernel there: records of events and waits for them do
 * not make it begin earlier. */
static bool leads(const struct cudart_operation *last)
{
    bool event = last && (last->kind == CUDART_RECORD || last->kind == CUDART_WAIT);
    return last && (last->kind == CUDART_KERNEL || (event && last->follows));
}

/* Records between a kernel and what comes behind the last operation of its stream. */
static uint32_t records_behind(const struct cudart_operation *last)
{
    return last->kind == CUDART_KERNEL ? 0 : last->records + last->event;
}

/* Several devices: whose launches come first is their threads' affair, and those of a device are numbered alone. */
static uint32_t next_number(struct cudart_device *device)
{
    uint32_t number = ++device->rt->streams->kernels, own = ++device->kernels;
    return device->rt->machine_devices == 1 ? number : own;
}

struct cudart_operation *cudart_enqueue(struct cudart *rt, uint64_t handle, enum cudart_operation_kind kind)
{
    struct cudart_stream *stream = find_stream(rt, handle);
    if (rt->graphs->building)
        return cudart_node_operation(rt, rt->graphs->building, kind);
    if (stream->capture)
        return divert(rt, stream, kind);
    struct cudart_operation *operation = mnp_allocate(1, sizeof *operation);
    cudart_thread()->newest = 0;
    stream->device->given++;
    operation->kind = kind;
    operation->device = stream->device;
    operation->issued = rt->clock->host;
    operation->sequence = ++rt->streams->sequence;
    operation->number = kind == CUDART_KERNEL ? next_number(stream->device) : 0;
    operation->in_region = cudart_is_in_region(rt);
    if (operation->number)
        cudart_note_ranges(operation->device, operation->number);
    operation->stream = handle;
    operation->stream_name = handle < CUDART_FIRST_HANDLE ? handle : stream->name;
    operation->ends = MNP_NEVER;
    operation->behind_kernel = stream->last && stream->last->kind == CUDART_KERNEL;
    operation->follows = leads(stream->last);
    operation->records = operation->follows ? records_behind(stream->last) : 0;
    if (stream->last)
        stream->last->next = operation;
    else
        stream->first = operation;
    stream->last = operation;
    return operation;
}

bool cudart_may_overlap(struct cudart *rt, const struct cudart_operation *kernel, uint64_t handle)
{
    const struct cudart_stream *stream = cudart_any_stream(rt, handle);
    if (stream->capture && !rt->graphs->building)
        cudart_node_is_early(rt, *(const uint64_t *)stream->frontier.items);
    return !cudart_is_captured(rt, handle) && kernel->behind_kernel;
}

static void free_operation(struct cudart_operation *operation)
{
    free(operation->storage);
    free(operation);
}

void cudart_retire(struct cudart_stream *stream)
{
    struct cudart_operation *operation = stream->first;
    mnp_raise(&stream->done, operation->ends);
    stream->first = operation->next;
    if (!stream->first)
        stream->last = NULL;
    free_operation(operation);
}

/* The legacy default stream waits for all blocking streams of its device, and they for it. */
static bool orders(const struct cudart *rt, const struct cudart_stream *stream, const struct cudart_stream *other)
{
    return other != stream && other->device == stream->device && !stream->non_blocking && !other->non_blocking &&
           (cudart_is_legacy(rt, stream) || cudart_is_legacy(rt, other));
}

bool cudart_may_begin(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation)
{
    const struct cudart_stream *all = streams_of(rt);
    for (uint32_t i = 0; i < rt->streams->list.count; i++)
        if (orders(rt, stream, &all[i]) && all[i].first && all[i].first->sequence < operation->sequence)
            return false;
    return true;
}

uint64_t cudart_ready(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation)
{
    const struct cudart_stream *all = streams_of(rt);
    uint64_t time = operation->issued > stream->done ? operation->issued : stream->done;
    for (uint32_t i = 0; i < rt->streams->list.count; i++)
        if (orders(rt, stream, &all[i]) && all[i].done > time)
            time = all[i].done;
    return time;
}

bool cudart_stream_is_empty(const struct cudart *rt, const struct cudart_stream *stream, uint64_t *done)
{
    const struct cudart_stream *all = streams_of(rt);
    bool empty = !stream->first;
    *done = stream->done;
    for (uint32_t i = 0; i < rt->streams->list.count; i++) {
        if (!cudart_is_legacy(rt, stream) || !orders(rt, stream, &all[i]))
            continue;
        empty &= !all[i].first;
        *done = all[i].done > *done ? all[i].done : *done;
    }
    return empty;
}

/* ===== marks ===== */

uint32_t cudart_add_mark(struct cudart *rt, uint64_t stream)
{
    *(struct cudart_mark *)mnp_array_add(&rt->streams->marks, 1, sizeof(struct cudart_mark)) =
        (struct cudart_mark){false, 0};
    cudart_enqueue(rt, stream, CUDART_RECORD)->mark = rt->streams->marks.count - 1;
    return rt->streams->marks.count - 1;
}

const struct cudart_mark *cudart_mark_at(const struct cudart *rt, uint32_t mark)
{
    return (const struct cudart_mark *)rt->streams->marks.items + mark;
}

void cudart_pass_mark(struct cudart *rt, uint32_t mark, uint64_t time)
{
    ((struct cudart_mark *)rt->streams->marks.items)[mark] = (struct cudart_mark){true, time};
}

/* ===== events ===== */

static struct cudart_event *event_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_event *events = rt->streams->events.items;
    bool known = handle >= CUDART_FIRST_HANDLE && place < rt->streams->events.count && events[place].used;
    return known ? &events[place] : NULL;
}

const struct cudart_event *cudart_event_of(const struct cudart *rt, uint64_t handle)
{
    return event_of(rt, handle);
}

/* An event that may be shared has its number from the beginning, where processes share devices. */
static enum cuda_error number_event(struct cudart_device *device, uint32_t *shared)
{
    struct cudart *rt = device->rt;
    struct mnp_error error = {{0}};
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!rt->sharing.page || (*shared = cudart_sharing_add_event(&rt->sharing)))
        return CUDA_SUCCESS;
    mnp_fail(&error, "%s: more than %d events that processes may share (cudaEventInterprocess); destroy some",
             rt->calls.options.program, CUDART_SHARING_EVENTS);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

enum cuda_error cudart_create_event(struct cudart_device *device, uint64_t *out, unsigned flags)
{
    struct cudart *rt = device->rt;
    bool interprocess = flags & CUDA_EVENT_INTERPROCESS;
    uint32_t shared = 0;
    if (!out || flags > 7 || (interprocess && !(flags & CUDA_EVENT_DISABLE_TIMING)))
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = interprocess ? number_event(device, &shared) : CUDA_SUCCESS;
    if (problem)
        return problem;
    struct cudart_event *event = mnp_array_add(&rt->streams->events, 1, sizeof *event);
    *event = (struct cudart_event){.device = device,
                                   .used = true,
                                   .untimed = flags & CUDA_EVENT_DISABLE_TIMING,
                                   .interprocess = interprocess,
                                   .shared = shared};
    *out = CUDART_FIRST_HANDLE + rt->streams->events.count - 1;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_open_event(struct cudart_device *device, uint64_t *out, uint32_t shared)
{
    struct cudart *rt = device->rt;
    if (!cudart_sharing_use_event(&rt->sharing, shared))
        return CUDA_INVALID_VALUE;
    cudart_create_event(device, out, CUDA_EVENT_DISABLE_TIMING);
    event_of(rt, *out)->shared = shared;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_destroy_event(struct cudart *rt, uint64_t handle)
{
    struct cudart_event *event = event_of(rt, handle);
    if (!event)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (event->shared)
        cudart_sharing_drop_event(&rt->sharing, event->shared);
    event->used = false;
    return CUDA_SUCCESS;
}

/* A record of an event that other processes wait for. */
static enum cuda_error take_ticket(struct cudart *rt, const struct cudart_event *event, uint32_t *ticket)
{
    struct mnp_error error = {{0}};
    *ticket = event->shared ? cudart_sharing_record(&rt->sharing, event->shared) : 0;
    if (!event->shared || *ticket)
        return CUDA_SUCCESS;
    mnp_fail(&error, "%s: more than %d records of an event that processes share are under way; synchronize before",
             rt->calls.options.program, CUDART_SHARING_RECORDS);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

enum cuda_error cudart_record_now(struct cudart *rt, uint64_t handle, uint64_t stream)
{
    struct cudart_event *event = event_of(rt, handle);
    uint32_t ticket = 0;
    enum cuda_error problem = event ? take_ticket(rt, event, &ticket) : CUDA_INVALID_RESOURCE_HANDLE;
    if (problem)
        return problem;
    event->frontier.count = 0;
    event->capture = 0;
    event->recorded = true;
    event->mark = cudart_add_mark(rt, stream);
    struct cudart_operation *record = find_stream(rt, stream)->last;
    record->event = true;
    record->shared = event->shared;
    record->ticket = ticket;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_record_event(struct cudart *rt, uint64_t handle, uint64_t stream, bool external)
{
    struct cudart_event *event = event_of(rt, handle);
    if (!event || !cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    struct cudart_stream *in = cudart_any_stream(rt, stream);
    if (event->device != in->device)
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = external && !in->capture ? CUDA_INVALID_VALUE : cudart_may_enqueue(rt, stream);
    if (problem)
        return problem;
    if (external) {
        cudart_node_of(rt, capture_node(rt, in, CUDART_NODE_RECORD))->event = handle;
        return CUDA_SUCCESS;
    }
    if (!in->capture)
        return cudart_record_now(rt, handle, stream);
    event->frontier.count = 0;
    event->capture = in->capture;
    for (uint32_t i = 0; i < in->frontier.count; i++)
        *(uint64_t *)mnp_array_add(&event->frontier, 1, sizeof(uint64_t)) = ((uint64_t *)in->frontier.items)[i];
    return CUDA_SUCCESS;
}

/* A stream that waits for an event of a capture joins it. */
static enum cuda_error join_capture(struct cudart *rt, struct cudart_stream *stream, const struct cudart_event *event)
{
    if (!cudart_capture_at(rt, event->capture)->active)
        return CUDA_SUCCESS; /* same as an event that was never recorded */
    if (cudart_is_legacy(rt, stream))
        return CUDA_STREAM_CAPTURE_IMPLICIT;
    if (stream->capture ? stream->capture != event->capture : cudart_capture_at(rt, event->capture)->invalid) {
        if (!stream->capture)
            return CUDA_STREAM_CAPTURE_INVALIDATED;
        cudart_capture_at(rt, stream->capture)->invalid = cudart_capture_at(rt, event->capture)->invalid = true;
        return CUDA_STREAM_CAPTURE_MERGE;
    }
    stream->capture = event->capture;
    for (uint32_t i = 0; i < event->frontier.count; i++)
        *(uint64_t *)mnp_array_add(&stream->frontier, 1, sizeof(uint64_t)) = ((uint64_t *)event->frontier.items)[i];
    return CUDA_SUCCESS;
}

enum cuda_error cudart_wait_event(struct cudart *rt, uint64_t stream, uint64_t handle, bool external)
{
    const struct cudart_event *event = event_of(rt, handle);
    if (!event || !cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    struct cudart_stream *in = cudart_any_stream(rt, stream);
    if (external) {
        enum cuda_error problem = in->capture ? cudart_may_enqueue(rt, stream) : CUDA_INVALID_VALUE;
        if (!problem)
            cudart_node_of(rt, capture_node(rt, in, CUDART_NODE_WAIT))->event = handle;
        return problem;
    }
    if (event->capture)
        return join_capture(rt, in, event);
    if (in->capture && (event->recorded || event->shared)) {
        cudart_capture_at(rt, in->capture)->invalid = true;
        return CUDA_STREAM_CAPTURE_ISOLATION;
    }
    uint32_t ticket = event->shared ? cudart_sharing_latest(&rt->sharing, event->shared) : 0;
    if (!event->recorded && !ticket)
        return CUDA_SUCCESS;
    struct cudart_operation *wait = cudart_enqueue(rt, stream, CUDART_WAIT);
    wait->mark = event->mark;
    wait->shared = ticket ? event->shared : 0;
    wait->ticket = ticket;
    return CUDA_SUCCESS;
}

/* Whether no stream holds an operation. */
static bool are_empty(const struct cudart_streams *streams)
{
    const struct cudart_stream *each = streams->list.items;
    for (uint32_t i = 0; i < streams->list.count; i++)
        if (each[i].first)
            return false;
    return true;
}

/* Marks go when neither an event nor an operation can name one. */
static void forget_events(struct cudart_device *device)
{
    struct cudart_streams *streams = device->rt->streams;
    struct cudart_event *events = streams->events.items;
    for (uint32_t i = 0; i < streams->events.count; i++)
        if (events[i].device == device) {
            if (events[i].used && events[i].shared)
                cudart_sharing_drop_event(&device->rt->sharing, events[i].shared);
            events[i] = (struct cudart_event){0};
        }
    while (streams->events.count && !events[streams->events.count - 1].used)
        streams->events.count--;
    if (!streams->events.count && are_empty(streams))
        streams->marks.count = 0;
}

void cudart_forget_streams(struct cudart_device *device)
{
    struct mnp_array *list = &device->rt->streams->list;
    struct cudart_stream *streams = list->items;
    for (uint32_t i = 0; i < list->count; i++)
        if (streams[i].device == device)
            streams[i] = (struct cudart_stream){.device = device, .used = i < DEFAULTS * device->rt->device_count};
    while (list->count > DEFAULTS * device->rt->device_count && !streams[list->count - 1].used)
        list->count--;
    forget_events(device);
}
