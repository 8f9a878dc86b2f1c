/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that wait: they let the device's clock go on, and move the host's. */
#include "cudart/stream/synchronize.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/managed_memory.h"
#include "cudart/device/memory_pools.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"

/* Completes a wait of the host: it now sees the values that kernels have written to shared memory. */
static enum cuda_error waited(struct cudart *rt)
{
    if (!cudart_sync_executed(rt))
        cudart_break(rt, CUDA_MEMORY_ALLOCATION);
    return cudart_surface(rt);
}

void cudart_wait_all(struct cudart *rt, const struct cudart_device *device)
{
    cudart_advance_all(rt, device);
    waited(rt);
}

enum cuda_error cudart_wait_stream(struct cudart *rt, uint64_t handle)
{
    if (!cudart_stream_known(rt, handle))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (rt->turn.calling)
        return CUDA_NOT_PERMITTED;
    enum cuda_error problem = cudart_may_wait(rt, cudart_any_stream(rt, handle));
    if (problem)
        return problem;
    cudart_advance_past(rt, cudart_add_mark(rt, handle));
    return waited(rt);
}

enum cuda_error cudart_synchronize(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    if (rt->turn.calling)
        return CUDA_NOT_PERMITTED;
    enum cuda_error problem = cudart_may_wait(rt, NULL);
    if (problem)
        return problem;
    cudart_wait_all(rt, device);
    cudart_rest_pools(rt);
    return cudart_surface(rt);
}

enum cuda_error cudart_synchronize_stream(struct cudart *rt, uint64_t stream)
{
    enum cuda_error problem = cudart_wait_stream(rt, stream);
    if (!problem)
        cudart_rest_pools(rt);
    return problem;
}

/* The device goes on to the host's time, which the call itself has moved: a program which polls gets on. That holds for
 * a thread that does nothing but ask, whose calls would take no time before it uses a device (a watchdog's). */
enum cuda_error cudart_query_stream(struct cudart *rt, uint64_t stream)
{
    uint64_t done;
    cudart_thread()->uses_device = true;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = cudart_may_wait(rt, cudart_any_stream(rt, stream));
    if (problem)
        return problem;
    cudart_advance_to(rt, rt->clock->host);
    if (!cudart_stream_is_empty(rt, cudart_any_stream(rt, stream), &done) || done > rt->clock->host)
        return CUDA_NOT_READY;
    return waited(rt);
}

/* Refuses a wait for an event of a capture, which has no work in progress, and invalidates the capture. */
static enum cuda_error check_captured(struct cudart *rt, const struct cudart_event *event)
{
    if (!event->capture)
        return CUDA_SUCCESS;
    struct cudart_capture *capture = cudart_capture_at(rt, event->capture);
    capture->invalid |= capture->active;
    return CUDA_CAPTURED_EVENT;
}

enum cuda_error cudart_synchronize_event(struct cudart *rt, uint64_t handle)
{
    const struct cudart_event *event = cudart_event_of(rt, handle);
    if (!event)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (rt->turn.calling)
        return CUDA_NOT_PERMITTED;
    enum cuda_error problem = check_captured(rt, event);
    problem = problem ? problem : cudart_may_be_unseen(rt);
    if (problem)
        return problem;
    uint32_t ticket = event->shared ? cudart_sharing_latest(&rt->sharing, event->shared) : 0;
    if (ticket)
        cudart_advance_past_record(rt, event->shared, ticket);
    else if (event->recorded)
        cudart_advance_past(rt, event->mark);
    cudart_rest_pools(rt);
    return waited(rt);
}

/* By the host's time. The device's is at most an epoch ahead of it. */
static bool has_happened(const struct cudart *rt, const struct cudart_event *event)
{
    const struct cudart_mark *mark = event->recorded ? cudart_mark_at(rt, event->mark) : NULL;
    uint32_t ticket = event->shared ? cudart_sharing_latest(&rt->sharing, event->shared) : 0;
    if (ticket)
        return cudart_sharing_has_passed(&rt->sharing, event->shared, ticket) &&
               (!rt->sharing.timed || cudart_sharing_passed_at(&rt->sharing, event->shared, ticket) <= rt->clock->host);
    return !mark || (mark->passed && mark->time <= rt->clock->host);
}

enum cuda_error cudart_query_event(struct cudart *rt, uint64_t handle)
{
    const struct cudart_event *event = cudart_event_of(rt, handle);
    cudart_thread()->uses_device = true;
    if (!event)
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = check_captured(rt, event);
    problem = problem ? problem : cudart_may_be_unseen(rt);
    if (problem)
        return problem;
    cudart_advance_to(rt, rt->clock->host);
    return has_happened(rt, event) ? waited(rt) : CUDA_NOT_READY;
}

enum cuda_error cudart_elapsed(struct cudart *rt, float *milliseconds, uint64_t begin, uint64_t end)
{
    const struct cudart_event *first = cudart_event_of(rt, begin), *second = cudart_event_of(rt, end);
    if (!milliseconds)
        return CUDA_INVALID_VALUE;
    if (!first || !second || first->device != second->device)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (first->capture || second->capture)
        return CUDA_CAPTURED_EVENT;
    if (!first->recorded || !second->recorded || first->untimed || second->untimed)
        return CUDA_INVALID_RESOURCE_HANDLE;
    cudart_advance_to(rt, rt->clock->host);
    if (!has_happened(rt, first) || !has_happened(rt, second))
        return CUDA_NOT_READY;
    if (!rt->simulation->timed)
        mnp_warn(&rt->simulation->results.log,
                 "--functional: the program has asked for the time between events, which is no measurement here: "
                 "kernels are not timed");
    uint64_t from = cudart_mark_at(rt, first->mark)->time, to = cudart_mark_at(rt, second->mark)->time;
    int64_t nanoseconds = (int64_t)(to - from) / (int64_t)CUDART_FS_PER_NS;
    *milliseconds = (float)nanoseconds / 1e6f;
    return CUDA_SUCCESS;
}
