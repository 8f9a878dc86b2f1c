/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams, events and the clocks of host and device. Work is executed when it is given, which is one of the orders that
 * CUDA allows; its simulated times are what the streams' order and the device's engines (kernels, copies up, copies
 * down) make of it. A call that waits moves the host's clock; nothing here looks at the time of the host machine.
 */
#include "cudart/context.h"

#include <string.h>

static struct cudart_stream *stream_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_stream *streams = rt->streams.items;
    if (handle < CUDART_FIRST_HANDLE || place >= rt->streams.count || !streams[place].used)
        return NULL;
    return &streams[place];
}

/* The default streams are kept in front of those that the program creates. */
static struct cudart_stream *any_stream(struct cudart *rt, uint64_t handle)
{
    if (rt->streams.count == 0) {
        struct cudart_stream *first = ptx_array_add(&rt->streams, 2, sizeof *first);
        first[0].used = first[1].used = true;
    }
    if (handle <= CUDA_STREAM_PER_THREAD)
        return (struct cudart_stream *)rt->streams.items + (handle == CUDA_STREAM_PER_THREAD);
    return stream_of(rt, handle);
}

static struct cudart_event *event_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_event *events = rt->events.items;
    return handle >= CUDART_FIRST_HANDLE && place < rt->events.count && events[place].used ? &events[place] : NULL;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

bool cudart_stream_known(const struct cudart *rt, uint64_t stream)
{
    return stream <= CUDA_STREAM_PER_THREAD || stream_of(rt, stream);
}

/* The legacy default stream waits for all blocking streams, and they for it. */
uint64_t cudart_stream_begin(struct cudart *rt, uint64_t handle)
{
    struct cudart_stream *stream = any_stream(rt, handle), *all = rt->streams.items;
    uint64_t time = later(rt->now, stream->done);
    if (stream == &all[0]) {
        for (uint32_t i = 1; i < rt->streams.count; i++)
            if (all[i].used && !all[i].non_blocking)
                time = later(time, all[i].done);
    } else if (!stream->non_blocking) {
        time = later(time, all[0].done);
    }
    return time;
}

void cudart_stream_end(struct cudart *rt, uint64_t handle, uint64_t time)
{
    struct cudart_stream *stream = any_stream(rt, handle);
    stream->done = later(stream->done, time);
}

void cudart_wait_all(struct cudart *rt)
{
    const struct cudart_stream *all = rt->streams.items;
    for (uint32_t i = 0; i < rt->streams.count; i++)
        rt->now = later(rt->now, all[i].done);
}

/* ===== streams ===== */

static enum cuda_error create_stream(struct cudart *rt, uint64_t *out, unsigned flags, int priority)
{
    if (!out || flags > CUDA_STREAM_NON_BLOCKING)
        return CUDA_INVALID_VALUE;
    any_stream(rt, 0);
    struct cudart_stream *stream = ptx_array_add(&rt->streams, 1, sizeof *stream);
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

static enum cuda_error wait_stream(struct cudart *rt, uint64_t handle)
{
    if (!cudart_stream_known(rt, handle))
        return CUDA_INVALID_RESOURCE_HANDLE;
    rt->now = cudart_stream_begin(rt, handle);
    return cudart_surface(rt);
}

CUDART_API int cudaStreamSynchronize(uint64_t stream)
{
    CUDART_CALL(wait_stream(rt, stream));
}

/* A query is answered as of now; the call itself has moved the clock, so that a program which polls gets on. */
CUDART_API int cudaStreamQuery(uint64_t stream)
{
    struct cudart *rt = cudart_enter();
    if (rt->failure)
        return cudart_leave(rt, rt->failure);
    if (!cudart_stream_known(rt, stream))
        return cudart_leave(rt, CUDA_INVALID_RESOURCE_HANDLE);
    if (cudart_stream_begin(rt, stream) > rt->now)
        return cudart_leave_quietly(rt, CUDA_NOT_READY);
    return cudart_leave(rt, cudart_surface(rt));
}

static enum cuda_error about_stream(struct cudart *rt, uint64_t handle, int *priority, unsigned *flags)
{
    const struct cudart_stream *stream = any_stream(rt, handle);
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
        cudart_stream_end(rt, stream, event->time);
    return CUDA_SUCCESS;
}

CUDART_API int cudaStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags)
{
    (void)flags;
    CUDART_CALL(wait_event(rt, stream, event));
}

CUDART_API int cudaDeviceSynchronize(void)
{
    CUDART_CALL((cudart_wait_all(rt), cudart_surface(rt)));
}

/* ===== events ===== */

static enum cuda_error create_event(struct cudart *rt, uint64_t *out, unsigned flags)
{
    if (!out || flags > 7)
        return CUDA_INVALID_VALUE;
    struct cudart_event *event = ptx_array_add(&rt->events, 1, sizeof *event);
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
    event->time = cudart_stream_begin(rt, stream);
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
    rt->now = later(rt->now, event->time);
    return cudart_surface(rt);
}

CUDART_API int cudaEventSynchronize(uint64_t event)
{
    CUDART_CALL(synchronize_event(rt, event));
}

CUDART_API int cudaEventQuery(uint64_t handle)
{
    struct cudart *rt = cudart_enter();
    const struct cudart_event *event = event_of(rt, handle);
    if (rt->failure || !event)
        return cudart_leave(rt, rt->failure ? rt->failure : CUDA_INVALID_RESOURCE_HANDLE);
    if (event->time > rt->now)
        return cudart_leave_quietly(rt, CUDA_NOT_READY);
    return cudart_leave(rt, cudart_surface(rt));
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
    if (first->time > rt->now || second->time > rt->now)
        return cudart_leave(rt, CUDA_NOT_READY);
    int64_t nanoseconds = (int64_t)(second->time - first->time) / (int64_t)CUDART_FS_PER_NS;
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
    cudart_leave(rt, problem);
    if (!problem)
        function(data); /* outside the lock; it may call nothing of CUDA, but a wrong one must not hang */
    return (int)problem;
}

CUDART_API int cudaStreamAddCallback(uint64_t stream, void (*function)(uint64_t, int, void *), void *data,
                                     unsigned flags)
{
    struct cudart *rt = cudart_enter();
    enum cuda_error problem = !function || flags                 ? CUDA_INVALID_VALUE
                              : !cudart_stream_known(rt, stream) ? CUDA_INVALID_RESOURCE_HANDLE
                                                                 : CUDA_SUCCESS;
    int status = (int)(rt->failure ? rt->failure : rt->pending);
    cudart_leave(rt, problem);
    if (!problem)
        function(stream, status, data);
    return (int)problem;
}
