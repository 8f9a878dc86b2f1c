/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's streams, events, and functions of the host in streams. */
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/launch/launch.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/streams.h"
#include "cudart/stream/synchronize.h"

/* ===== streams ===== */

/* Ends a query: that something is not ready is no error to remember. */
static int leave_query(struct cudart *rt, enum cuda_error problem)
{
    return problem == CUDA_NOT_READY ? cudart_leave_quietly(rt, problem) : cudart_leave(rt, problem);
}

CUDART_API int cudaStreamCreate(uint64_t *out)
{
    CUDART_CALL(cudart_create_stream(current, out, 0, 0));
}

CUDART_API int cudaStreamCreateWithFlags(uint64_t *out, unsigned flags)
{
    CUDART_CALL(cudart_create_stream(current, out, flags, 0));
}

CUDART_API int cudaStreamCreateWithPriority(uint64_t *out, unsigned flags, int priority)
{
    CUDART_CALL(cudart_create_stream(current, out, flags, priority));
}

CUDART_API int cudaStreamDestroy(uint64_t stream)
{
    CUDART_CALL(cudart_destroy_stream(rt, stream));
}

CUDART_API int cudaStreamSynchronize(uint64_t stream)
{
    CUDART_CALL(cudart_synchronize_stream(rt, stream));
}

CUDART_API int cudaStreamQuery(uint64_t stream)
{
    struct cudart *rt = cudart_enter();
    return leave_query(rt, rt->faults.failure ? rt->faults.failure : cudart_query_stream(rt, stream));
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

CUDART_API int cudaStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags)
{
    CUDART_CALL(flags > 1 ? CUDA_INVALID_VALUE : cudart_wait_event(rt, stream, event, flags));
}

CUDART_API int cudaDeviceSynchronize(void)
{
    CUDART_CALL(cudart_synchronize(current));
}

/* ===== events ===== */

CUDART_API int cudaEventCreate(uint64_t *out)
{
    CUDART_CALL(cudart_create_event(current, out, 0));
}

CUDART_API int cudaEventCreateWithFlags(uint64_t *out, unsigned flags)
{
    CUDART_CALL(cudart_create_event(current, out, flags));
}

CUDART_API int cudaEventDestroy(uint64_t event)
{
    CUDART_CALL(cudart_destroy_event(rt, event));
}

CUDART_API int cudaEventRecord(uint64_t event, uint64_t stream)
{
    CUDART_CALL(cudart_record_event(rt, event, stream, false));
}

CUDART_API int cudaEventRecordWithFlags(uint64_t event, uint64_t stream, unsigned flags)
{
    CUDART_CALL(flags > 1 ? CUDA_INVALID_VALUE : cudart_record_event(rt, event, stream, flags));
}

CUDART_API int cudaEventSynchronize(uint64_t event)
{
    CUDART_CALL(cudart_synchronize_event(rt, event));
}

CUDART_API int cudaEventQuery(uint64_t event)
{
    struct cudart *rt = cudart_enter();
    return leave_query(rt, rt->faults.failure ? rt->faults.failure : cudart_query_event(rt, event));
}

CUDART_API int cudaEventElapsedTime(float *milliseconds, uint64_t begin, uint64_t end)
{
    CUDART_CALL(cudart_elapsed(rt, milliseconds, begin, end));
}

CUDART_API int cudaEventElapsedTime_v2(float *milliseconds, uint64_t begin, uint64_t end)
{
    return cudaEventElapsedTime(milliseconds, begin, end);
}

/* ===== functions of the host ===== */

CUDART_API int cudaLaunchHostFunc(uint64_t stream, void (*function)(void *), void *data)
{
    CUDART_CALL(cudart_launch_function(rt, stream, function, NULL, data));
}

/* The callback is called even if the context has failed. */
CUDART_API int cudaStreamAddCallback(uint64_t stream, void (*function)(uint64_t, int, void *), void *data,
                                     unsigned flags)
{
    struct cudart *rt = cudart_enter();
    return cudart_leave(rt, flags ? CUDA_INVALID_VALUE : cudart_launch_function(rt, stream, NULL, function, data));
}
