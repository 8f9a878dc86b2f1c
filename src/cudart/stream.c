/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams and events as programs call them. A call that waits lets the device's clock go on, and moves the host's. */
#include "cudart/queue.h"

#include <string.h>

static struct cudart_stream *stream_of(struct cudart *rt, uint64_t handle)
{
    return handle >= CUDART_FIRST_HANDLE ? cudart_any_stream(rt, handle) : NULL;
}

static struct cudart_event *event_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_event *events = rt->events.items;
    return handle >= CUDART_FIRST_HANDLE && place < rt->events.count && events[place].used ? &events[place] : NULL;
}

bool cudart_stream_known(const struct cudart *rt, uint64_t stream)
{
    uint64_t place = stream - CUDART_FIRST_HANDLE;
    const struct cudart_stream *streams = rt->streams.items;
    return stream <= CUDA_STREAM_PER_THREAD ||
           (stream >= CUDART_FIRST_HANDLE && place < rt->streams.count && streams[place].used);
}

/* What kernels have written to shared memory is the host's once it has waited. */
static enum cuda_error waited(struct cudart *rt)
{
    if (rt->executed && !cudart_agree(rt, CUDART_ALL))
        rt->pending = CUDA_MEMORY_ALLOCATION;
    return cudart_surface(rt);
}

void cudart_wait_all(struct cudart *rt)
{
    cudart_advance_all(rt);
    waited(rt);
}

/* ===== streams ===== */

static enum cuda_error create_stream(struct cudart *rt, uint64_t *out, unsigned flags, int priority)
{
    if (!out || flags > CUDA_STREAM_NON_BLOCKING)
        return CUDA_INVALID_VALUE;
    cudart_any_stream(rt, 0);
    struct cudart_stream *stream = mnp_array_add(&rt->streams, 1, sizeof *stream);
    priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *stream = (struct cudart_stream){.used = true, .non_blocking = flags, .priority = priority};
    *out = CUDART_FIRST_HANDLE + rt->streams.count - 1;
    return CUDA_SUCCESS;
}

CUDART_API int cudaStreamCreate(uint64_t *out)
{
    CUDART_CALL(create_stream(rt, out, 0, 0));
}

CUDART_API int cudaStreamCreateWithFlags(uint64_t *out, unsigned flags)
{
    CUDART_CALL(create_stream(rt, out, flags, 0));
}

CUDART_API int cudaStreamCreateWithPriority(uint64_t *out, unsigned flags, int priority)
{
    CUDART_CALL(create_stream(rt, out, flags, priority));
}

static enum cuda_error destroy_stream(struct cudart *rt, uint64_t handle)
{
    struct cudart_stream *stream = stream_of(rt, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    stream->used = false;
    return CUDA_SUCCESS;
}

CUDART_API int cudaStreamDestroy(uint64_t stream)
{
    CUDART_CALL(destroy_stream(rt, stream));
}

enum cuda_error cudart_wait_stream(struct cudart *rt, uint64_t handle)
{
    if (!cudart_stream_known(rt, handle))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (rt->calling)
        return CUDA_NOT_PERMITTED;
    cudart_advance_past(rt, cudart_add_mark(rt, handle));
    return waited(rt);
}

CUDART_API int cudaStreamSynchronize(uint64_t stream)
{
    CUDART_CALL(cudart_wait_stream(rt, stream));
}

/* A query lets the device go on to the host's time, which the call itself has moved: a program which polls gets on. */
CUDART_API int cudaStreamQuery(uint64_t stream)
{
    struct cudart *rt = cudart_enter();
    if (rt->failure)
        return cudart_leave(rt, rt->failure);
    if (!cudart_stream_known(rt, stream))
        return cudart_leave(rt, CUDA_INVALID_RESOURCE_HANDLE);
    uint64_t done;
    cudart_advance_to(rt, rt->now);
    if (!cudart_stream_is_empty(rt, cudart_any_stream(rt, stream), &done) || done > rt->now)
        return cudart_leave_quietly(rt, CUDA_NOT_READY);
    return cudart_leave(rt, waited(rt));
}

static enum cuda_error about_stream(struct cudart *rt, uint64_t handle, int *priority, unsigned *flags)
{
    const struct cudart_stream *stream = cudart_any_stream(rt, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!priority && !flags)
        return CUDA_INVALID_VALUE;
    if (priority)
        *priority = stream->priority;
    if (flags)
        *flags = stream->non_blocking;
    return CUDA_SUCCESS;
}

CUDART_API int cudaStreamGetPriority(uint64_t stream, int *priority)
{
    CUDART_CALL(about_stream(rt, stream, priority, NULL));
}

CUDART_API int cudaStreamGetFlags(uint64_t stream, unsigned *flags)
{
    CUDART_CALL(about_stream(rt, stream, NULL, flags));
}

static enum cuda_error wait_event(struct cudart *rt, uint64_t stream, uint64_t handle)
{
    const struct cudart_event *event = event_of(rt, handle);
    if (!event || !cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (event->recorded)
        cudart_enqueue(rt, stream, CUDART_WAIT)->mark = event->mark;
    return CUDA_SUCCESS;
}

CUDART_API int cudaStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags)
{
    (void)flags;
    CUDART_CALL(wait_event(rt, stream, event));
}

CUDART_API int cudaDeviceSynchronize(void)
{
    CUDART_CALL(rt->calling ? CUDA_NOT_PERMITTED : (cudart_wait_all(rt), cudart_surface(rt)));
}

/* ===== events ===== */

static enum cuda_error create_event(struct cudart *rt, uint64_t *out, unsigned flags)
{
    if (!out || flags > 7)
        return CUDA_INVALID_VALUE;
    struct cudart_event *event = mnp_array_add(&rt->events, 1, sizeof *event);
    *event = (struct cudart_event){.used = true, .untimed = flags & CUDA_EVENT_DISABLE_TIMING};
    *out = CUDART_FIRST_HANDLE + rt->events.count - 1;
    return CUDA_SUCCESS;
}

CUDART_API int cudaEventCreate(uint64_t *out)
{
    CUDART_CALL(create_event(rt, out, 0));
}

CUDART_API int cudaEventCreateWithFlags(uint64_t *out, unsigned flags)
{
    CUDART_CALL(create_event(rt, out, flags));
}

static enum cuda_error destroy_event(struct cudart *rt, uint64_t handle)
{
    struct cudart_event *event = event_of(rt, handle);
    if (!event)
        return CUDA_INVALID_RESOURCE_HANDLE;
    event->used = false;
    return CUDA_SUCCESS;
}

CUDART_API int cudaEventDestroy(uint64_t event)
{
    CUDART_CALL(destroy_event(rt, event));
}

static enum cuda_error record_event(struct cudart *rt, uint64_t handle, uint64_t stream)
{
    struct cudart_event *event = event_of(rt, handle);
    if (!event || !cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    event->recorded = true;
    event->mark = cudart_add_mark(rt, stream);
    return CUDA_SUCCESS;
}

CUDART_API int cudaEventRecord(uint64_t event, uint64_t stream)
{
    CUDART_CALL(record_event(rt, event, stream));
}

CUDART_API int cudaEventRecordWithFlags(uint64_t event, uint64_t stream, unsigned flags)
{
    CUDART_CALL(flags > 1 ? CUDA_INVALID_VALUE : record_event(rt, event, stream));
}

static enum cuda_error synchronize_event(struct cudart *rt, uint64_t handle)
{
    const struct cudart_event *event = event_of(rt, handle);
    if (!event)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (rt->calling)
        return CUDA_NOT_PERMITTED;
    if (event->recorded)
        cudart_advance_past(rt, event->mark);
    return waited(rt);
}

CUDART_API int cudaEventSynchronize(uint64_t event)
{
    CUDART_CALL(synchronize_event(rt, event));
}

/* By the host's time. The device's is at most an epoch ahead of it. */
static bool has_happened(const struct cudart *rt, const struct cudart_event *event)
{
    const struct cudart_mark *mark = event->recorded ? cudart_mark_at(rt, event->mark) : NULL;
    return !mark || (mark->passed && mark->time <= rt->now);
}

CUDART_API int cudaEventQuery(uint64_t handle)
{
    struct cudart *rt = cudart_enter();
    const struct cudart_event *event = event_of(rt, handle);
    if (rt->failure || !event)
        return cudart_leave(rt, rt->failure ? rt->failure : CUDA_INVALID_RESOURCE_HANDLE);
    cudart_advance_to(rt, rt->now);
    if (!has_happened(rt, event))
        return cudart_leave_quietly(rt, CUDA_NOT_READY);
    return cudart_leave(rt, waited(rt));
}

/* Milliseconds between two events. Both must have been recorded with time, and have happened. */
CUDART_API int cudaEventElapsedTime(float *milliseconds, uint64_t begin, uint64_t end)
{
    struct cudart *rt = cudart_enter();
    const struct cudart_event *first = event_of(rt, begin), *second = event_of(rt, end);
    if (rt->failure)
        return cudart_leave(rt, rt->failure);
    if (!milliseconds)
        return cudart_leave(rt, CUDA_INVALID_VALUE);
    if (!first || !second || !first->recorded || !second->recorded || first->untimed || second->untimed)
        return cudart_leave(rt, CUDA_INVALID_RESOURCE_HANDLE);
    cudart_advance_to(rt, rt->now);
    if (!has_happened(rt, first) || !has_happened(rt, second))
        return cudart_leave(rt, CUDA_NOT_READY);
    uint64_t from = cudart_mark_at(rt, first->mark)->time, to = cudart_mark_at(rt, second->mark)->time;
    int64_t nanoseconds = (int64_t)(to - from) / (int64_t)CUDART_FS_PER_NS;
    *milliseconds = (float)nanoseconds / 1e6f;
    return cudart_leave(rt, CUDA_SUCCESS);
}

CUDART_API int cudaEventElapsedTime_v2(float *milliseconds, uint64_t begin, uint64_t end)
{
    return cudaEventElapsedTime(milliseconds, begin, end);
}

/* ===== functions of the host in a stream ===== */

CUDART_API int cudaLaunchHostFunc(uint64_t stream, void (*function)(void *), void *data)
{
    struct cudart *rt = cudart_enter();
    enum cuda_error problem = rt->failure                        ? rt->failure
                              : !function                        ? CUDA_INVALID_VALUE
                              : !cudart_stream_known(rt, stream) ? CUDA_INVALID_RESOURCE_HANDLE
                                                                 : CUDA_SUCCESS;
    if (!problem) {
        struct cudart_operation *operation = cudart_enqueue(rt, stream, CUDART_FUNCTION);
        operation->function = function;
        cudart_watch_host(rt);
        operation->data = data;
    }
    return cudart_leave(rt, problem);
}

CUDART_API int cudaStreamAddCallback(uint64_t stream, void (*function)(uint64_t, int, void *), void *data,
                                     unsigned flags)
{
    struct cudart *rt = cudart_enter();
    enum cuda_error problem = !function || flags                 ? CUDA_INVALID_VALUE
                              : !cudart_stream_known(rt, stream) ? CUDA_INVALID_RESOURCE_HANDLE
                                                                 : CUDA_SUCCESS;
    if (!problem) {
        struct cudart_operation *operation = cudart_enqueue(rt, stream, CUDART_FUNCTION);
        operation->callback = function;
        cudart_watch_host(rt);
        operation->data = data;
    }
    return cudart_leave(rt, problem);
}
