/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/exported_events.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/stream/process_thread.h"
#include "cudart/stream/streams.h"

#include <unistd.h>

static enum cuda_error refuse(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    mnp_fail(&error,
             "%s: processes share events of GPUs only without time (cudaIpcOpenEventHandle); use --functional, or "
             "threads of "
             "one process",
             rt->calls.options.program);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

enum cuda_error cudart_export_event(struct cudart *rt, struct cudart_event_handle *out, uint64_t handle)
{
    const struct cudart_event *event = cudart_event_of(rt, handle);
    if (!out)
        return CUDA_INVALID_VALUE;
    if (!event || !event->interprocess)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!event->shared)
        return refuse(rt);
    *out = (struct cudart_event_handle){.event = event->shared, .process = (uint64_t)getpid()};
    cudart_meet_processes(rt);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_import_event(struct cudart_device *device, uint64_t *out,
                                    const struct cudart_event_handle *handle)
{
    struct cudart *rt = device->rt;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!rt->sharing.page)
        return refuse(rt);
    if (!out || handle->event > CUDART_SHARING_EVENTS)
        return CUDA_INVALID_VALUE;
    if (handle->process == (uint64_t)getpid())
        return CUDA_INVALID_CONTEXT;
    enum cuda_error problem = cudart_open_event(device, out, (uint32_t)handle->event);
    if (!problem)
        cudart_meet_processes(rt);
    return problem;
}
