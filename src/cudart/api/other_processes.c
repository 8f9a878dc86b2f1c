/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and events in common with other processes of the run, of both APIs. */
#include "cudart/api/driver.h"
#include "cudart/api/runtime.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/memory/exported_memory.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/exported_events.h"

/* Exports memory to other processes. If the machine has one device, each process has a device of its own, and shares
 * nothing with the others. */
static enum cuda_error get(struct cudart_device *device, const char *name, struct cudart_memory_handle *handle,
                           uint64_t address)
{
    struct cudart *rt = device->rt;
    return rt->machine_devices == 1 ? cudart_refuse_function(rt, name) : cudart_export(device, handle, address);
}

static enum cuda_error open_handle(struct cudart_device *device, const char *name, void **address,
                                   const struct cudart_memory_handle *handle, unsigned flags)
{
    struct cudart *rt = device->rt;
    return rt->machine_devices == 1 ? cudart_refuse_function(rt, name) : cudart_import(device, address, handle, flags);
}

CUDART_API int cudaIpcGetMemHandle(struct cudart_memory_handle *handle, void *address)
{
    CUDART_CALL(get(current, __func__, handle, (uint64_t)address));
}

CUDART_API int cudaIpcOpenMemHandle(void **address, struct cudart_memory_handle handle, unsigned flags)
{
    CUDART_CALL(open_handle(current, __func__, address, &handle, flags));
}

CUDART_API int cudaIpcCloseMemHandle(void *address)
{
    CUDART_CALL(cudart_close_import(rt, (uint64_t)address));
}

CUDART_API CUresult cuIpcGetMemHandle(struct cudart_memory_handle *handle, CUdeviceptr address)
{
    DRIVER_WORK(get(current, __func__, handle, address));
}

CUDART_API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, struct cudart_memory_handle handle, unsigned flags)
{
    DRIVER_WORK(open_handle(current, __func__, (void **)address, &handle, flags));
}

CUDART_API CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    DRIVER_WORK(cudart_close_import(rt, address));
}

static enum cuda_error get_event(struct cudart *rt, const char *name, struct cudart_event_handle *handle,
                                 uint64_t event)
{
    return rt->machine_devices == 1 ? cudart_refuse_function(rt, name) : cudart_export_event(rt, handle, event);
}

static enum cuda_error open_event(struct cudart_device *device, const char *name, uint64_t *event,
                                  const struct cudart_event_handle *handle)
{
    struct cudart *rt = device->rt;
    return rt->machine_devices == 1 ? cudart_refuse_function(rt, name) : cudart_import_event(device, event, handle);
}

CUDART_API int cudaIpcGetEventHandle(struct cudart_event_handle *handle, uint64_t event)
{
    CUDART_CALL(get_event(rt, __func__, handle, event));
}

CUDART_API int cudaIpcOpenEventHandle(uint64_t *event, struct cudart_event_handle handle)
{
    CUDART_CALL(open_event(current, __func__, event, &handle));
}

CUDART_API CUresult cuIpcGetEventHandle(struct cudart_event_handle *handle, uint64_t event)
{
    DRIVER_WORK(get_event(rt, __func__, handle, event));
}

CUDART_API CUresult cuIpcOpenEventHandle(uint64_t *event, struct cudart_event_handle handle)
{
    DRIVER_WORK(open_event(current, __func__, event, &handle));
}
