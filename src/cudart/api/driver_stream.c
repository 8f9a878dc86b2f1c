/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's streams and events: the runtime's. */
#include "cudart/api/driver.h"
#include "cudart/api/runtime.h"

CUDART_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    DRIVER_CALL(cudaStreamCreateWithPriority((uint64_t *)stream, flags, priority));
}

CUDART_API CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUDART_API CUresult cuStreamDestroy(CUstream stream)
{
    DRIVER_CALL(cudaStreamDestroy((uint64_t)stream));
}

CUDART_API CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    DRIVER_CALL(cudaStreamGetPriority((uint64_t)stream, priority));
}

CUDART_API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    DRIVER_CALL(cudaStreamGetFlags((uint64_t)stream, flags));
}

CUDART_API CUresult cuStreamQuery(CUstream stream)
{
    DRIVER_CALL(cudaStreamQuery((uint64_t)stream));
}

CUDART_API CUresult cuStreamSynchronize(CUstream stream)
{
    DRIVER_CALL(cudaStreamSynchronize((uint64_t)stream));
}

CUDART_API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    DRIVER_CALL(cudaStreamIsCapturing((uint64_t)stream, (int *)status));
}

CUDART_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    DRIVER_CALL(cudaStreamWaitEvent((uint64_t)stream, (uint64_t)event, flags));
}

CUDART_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data, unsigned flags)
{
    /* A handle, an error and a pointer are passed alike. */
    DRIVER_CALL(cudaStreamAddCallback((uint64_t)stream, (void (*)(uint64_t, int, void *))(void (*)(void))function, data,
                                      flags));
}

CUDART_API CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    DRIVER_CALL(cudaEventCreateWithFlags((uint64_t *)event, flags));
}

CUDART_API CUresult cuEventDestroy(CUevent event)
{
    DRIVER_CALL(cudaEventDestroy((uint64_t)event));
}

CUDART_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    DRIVER_CALL(cudaEventRecordWithFlags((uint64_t)event, (uint64_t)stream, flags));
}

CUDART_API CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return cuEventRecordWithFlags(event, stream, 0);
}

CUDART_API CUresult cuEventQuery(CUevent event)
{
    DRIVER_CALL(cudaEventQuery((uint64_t)event));
}

CUDART_API CUresult cuEventSynchronize(CUevent event)
{
    DRIVER_CALL(cudaEventSynchronize((uint64_t)event));
}

CUDART_API CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end)
{
    DRIVER_CALL(cudaEventElapsedTime(milliseconds, (uint64_t)begin, (uint64_t)end));
}
