/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's beginning: the library, the device, contexts and their errors. */
#include "cudart/api/driver.h"
#include "cudart/api/runtime.h"
#include "cudart/base/driver_contexts.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/process/api_call.h"
#include "cudart/process/device_reset.h"
#include "cudart/stream/profiler_ranges.h"
#include "cudart/stream/streams.h"

#include <stdio.h>
#include <string.h>

/* ===== calls ===== */

CUresult cudart_driver_error(enum cuda_error error)
{
    switch (error) {
    case CUDA_INVALID_CONFIGURATION:
    case CUDA_INVALID_PITCH_VALUE:
    case CUDA_INVALID_SYMBOL:
    case CUDA_INVALID_DEVICE_POINTER:
    case CUDA_INVALID_CHANNEL_DESCRIPTOR:
    case CUDA_INVALID_MEMCPY_DIRECTION:
    case CUDA_INVALID_FILTER_SETTING:
    case CUDA_INVALID_NORM_SETTING:
    case CUDA_MISSING_CONFIGURATION:
        return CUDA_ERROR_INVALID_VALUE;
    case CUDA_INVALID_DEVICE_FUNCTION:
        return CUDA_ERROR_INVALID_HANDLE;
    default:
        return (CUresult)error; /* the others have the same numbers */
    }
}

CUresult cudart_driver_begin(bool context, enum cuda_error *before)
{
    struct cudart_thread *thread = cudart_thread();
    *before = thread->last_error;
    thread->in_driver++;
    struct cudart *rt = cudart_look();
    enum cuda_error problem =
        !rt->contexts.initialized && !rt->contexts.runtime ? CUDA_INITIALIZATION_ERROR : CUDA_SUCCESS;
    uint64_t current = cudart_current_context(rt);
    cudart_show_primary(rt);
    if (!problem && context)
        problem = !current                          ? CUDA_INVALID_CONTEXT
                  : !cudart_context_at(rt, current) ? CUDA_CONTEXT_IS_DESTROYED
                                                    : CUDA_SUCCESS;
    cudart_leave_quietly(rt, problem);
    if (problem)
        thread->in_driver--;
    return (CUresult)problem;
}

CUresult cudart_driver_end(enum cuda_error before, int error)
{
    struct cudart_thread *thread = cudart_thread();
    thread->last_error = before;
    thread->in_driver--;
    return cudart_driver_error((enum cuda_error)error);
}

/* ===== the library ===== */

CUDART_API CUresult cuInit(unsigned flags)
{
    struct cudart_thread *thread = cudart_thread();
    enum cuda_error before = thread->last_error;
    thread->in_driver++;
    struct cudart *rt = cudart_enter();
    enum cuda_error problem = flags ? CUDA_INVALID_VALUE : cudart_ask_device(cudart_current_device(rt));
    if (!problem)
        cudart_initialize(rt);
    return cudart_driver_end(before, cudart_leave(rt, problem));
}

CUDART_API CUresult cuDriverGetVersion(int *version)
{
    struct cudart_thread *thread = cudart_thread();
    enum cuda_error before = thread->last_error;
    thread->in_driver++;
    return cudart_driver_end(before, cudaDriverGetVersion(version));
}

CUDART_API CUresult cuProfilerStart(void)
{
    DRIVER_WORK(cudart_profile(rt, true));
}

CUDART_API CUresult cuProfilerStop(void)
{
    DRIVER_WORK(cudart_profile(rt, false));
}

/* ===== the device ===== */

static enum cuda_error put_device(CUdevice *device, const struct cudart_device *found)
{
    if (!device)
        return CUDA_INVALID_VALUE;
    if (!found)
        return CUDA_INVALID_DEVICE;
    *device = (CUdevice)found->number;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    DRIVER_QUESTION(put_device(device, cudart_device_at(rt, ordinal)));
}

CUDART_API CUresult cuDeviceGetCount(int *count)
{
    DRIVER_CALL_IN(false, cudaGetDeviceCount(count));
}

static enum cuda_error device_name(const struct cudart_device *device, char *name, int length)
{
    if (!name || length < 1)
        return CUDA_INVALID_VALUE;
    if (!device)
        return CUDA_INVALID_DEVICE;
    snprintf(name, (size_t)length, "Maniple %s", mnp_settings_name(device->settings));
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    DRIVER_QUESTION(device_name(cudart_device_at(rt, device), name, length));
}

static enum cuda_error put_bytes(struct cudart *rt, size_t *bytes, CUdevice ordinal)
{
    const struct cudart_device *device = cudart_device_at(rt, ordinal);
    if (!bytes)
        return CUDA_INVALID_VALUE;
    *bytes = (device ? device : cudart_current_device(rt))->parameters.host.memory;
    return device ? CUDA_SUCCESS : CUDA_INVALID_DEVICE;
}

CUDART_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    DRIVER_QUESTION(put_bytes(rt, bytes, device));
}

static enum cuda_error put_uuid(CUuuid *uuid, const struct cudart_device *device)
{
    if (!uuid || !device)
        return uuid ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    cudart_uuid(device->place, uuid->bytes);
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    DRIVER_QUESTION(put_uuid(uuid, cudart_device_at(rt, device)));
}

CUDART_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    DRIVER_CALL_IN(false, cudaDeviceGetAttribute(value, (int)attribute, device));
}

CUDART_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    CUresult problem = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return problem ? problem : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

/* ===== the primary context ===== */

static enum cuda_error retain(struct cudart *rt, CUcontext *context, CUdevice device)
{
    if (!context)
        return CUDA_INVALID_VALUE;
    if (!cudart_device_at(rt, device))
        return CUDA_INVALID_DEVICE;
    *context = (CUcontext)cudart_retain_primary(rt, (uint32_t)device);
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    DRIVER_QUESTION(retain(rt, context, device));
}

static enum cuda_error release(struct cudart *rt, CUdevice ordinal)
{
    struct cudart_device *device = cudart_device_at(rt, ordinal);
    if (!device)
        return CUDA_INVALID_DEVICE;
    if (!cudart_primary_context(rt, device->number)->retained)
        return rt->contexts.runtime ? CUDA_SUCCESS : CUDA_INVALID_CONTEXT;
    if (cudart_release_primary(rt, device->number))
        cudart_forget_contexts(device);
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    DRIVER_QUESTION(release(rt, device));
}

CUDART_API CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    DRIVER_CALL_IN(false, cudart_is_ordinal(device) ? (enum cuda_error)cudaDeviceReset() : CUDA_INVALID_DEVICE);
}

CUDART_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    DRIVER_QUESTION(cudart_device_at(rt, device) ? (cudart_set_primary_flags(rt, (uint32_t)device, flags), CUDA_SUCCESS)
                                                 : CUDA_INVALID_DEVICE);
}

static enum cuda_error primary_state(struct cudart *rt, CUdevice device, unsigned *flags, int *active)
{
    if (!flags || !active)
        return CUDA_INVALID_VALUE;
    bool known = cudart_device_at(rt, device);
    const struct cudart_handle_context *primary = cudart_primary_context(rt, known ? (uint32_t)device : 0);
    *flags = primary->flags;
    *active = primary->used;
    return known ? CUDA_SUCCESS : CUDA_INVALID_DEVICE;
}

CUDART_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    DRIVER_QUESTION(primary_state(rt, device, flags, active));
}

/* ===== contexts ===== */

static enum cuda_error create_context(struct cudart *rt, CUcontext *context, unsigned flags, CUdevice device)
{
    if (!context || (flags & ~(unsigned)0xff))
        return CUDA_INVALID_VALUE;
    if (!cudart_device_at(rt, device))
        return CUDA_INVALID_DEVICE;
    *context = (CUcontext)cudart_create_context(rt, (uint32_t)device, flags);
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    DRIVER_WORK_IN(false, create_context(rt, context, flags, device));
}

/* Parameters may only ask for nothing: a share of the SMs, and contexts beside graphics, are not there. */
CUDART_API CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned flags, CUdevice device)
{
    bool asks = parameters && (parameters->numExecAffinityParams || parameters->cigParams);
    DRIVER_WORK_IN(false, asks ? CUDA_NOT_SUPPORTED : create_context(rt, context, flags, device));
}

/* Destroying is possible after a failure, and ends it. */
CUDART_API CUresult cuCtxDestroy(CUcontext context)
{
    enum cuda_error before;
    CUresult wrong = cudart_driver_begin(false, &before);
    if (wrong)
        return wrong;
    struct cudart *rt = cudart_enter();
    const struct cudart_handle_context *found = cudart_context_at(rt, (uint64_t)context);
    struct cudart_device *device = found ? &rt->devices[found->device] : NULL;
    bool destroyed = cudart_destroy_context(rt, (uint64_t)context);
    if (destroyed)
        cudart_forget_contexts(device);
    return cudart_driver_end(before, cudart_leave(rt, destroyed ? CUDA_SUCCESS : CUDA_INVALID_CONTEXT));
}

CUDART_API CUresult cuCtxPushCurrent(CUcontext context)
{
    DRIVER_QUESTION(cudart_context_at(rt, (uint64_t)context) ? (cudart_push_context((uint64_t)context), CUDA_SUCCESS)
                                                             : CUDA_INVALID_CONTEXT);
}

static enum cuda_error pop(CUcontext *context)
{
    uint64_t handle;
    if (!cudart_pop_context(&handle))
        return CUDA_INVALID_CONTEXT;
    if (context)
        *context = (CUcontext)handle;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuCtxPopCurrent(CUcontext *context)
{
    DRIVER_QUESTION(pop(context));
}

static enum cuda_error set_current(const struct cudart *rt, CUcontext context)
{
    uint64_t before;
    if (context && !cudart_context_at(rt, (uint64_t)context))
        return CUDA_INVALID_CONTEXT;
    cudart_pop_context(&before);
    if (context)
        cudart_push_context((uint64_t)context);
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuCtxSetCurrent(CUcontext context)
{
    DRIVER_QUESTION(set_current(rt, context));
}

/* The primary context of a stream's device, or the current one if it is of that device. */
static uint64_t context_of(struct cudart *rt, uint64_t stream)
{
    uint64_t current = cudart_current_context(rt);
    const struct cudart_handle_context *context = cudart_context_at(rt, current);
    uint32_t device = cudart_any_stream(rt, stream)->device->number;
    return context && context->device == device ? current : CUDART_FIRST_HANDLE + device;
}

static enum cuda_error put_context(CUcontext *context, uint64_t handle)
{
    if (!context)
        return CUDA_INVALID_VALUE;
    *context = (CUcontext)handle;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuCtxGetCurrent(CUcontext *context)
{
    DRIVER_QUESTION(put_context(context, cudart_current_context(rt)));
}

CUDART_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    DRIVER_QUESTION_IN(true, cudart_stream_known(rt, (uint64_t)stream)
                                 ? put_context(context, context_of(rt, (uint64_t)stream))
                                 : CUDA_INVALID_RESOURCE_HANDLE);
}

CUDART_API CUresult cuCtxGetDevice(CUdevice *device)
{
    DRIVER_QUESTION_IN(true, put_device(device, current));
}

static enum cuda_error put_flags(const struct cudart *rt, unsigned *flags)
{
    if (!flags)
        return CUDA_INVALID_VALUE;
    *flags = cudart_context_at(rt, cudart_current_context(rt))->flags;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuCtxGetFlags(unsigned *flags)
{
    DRIVER_QUESTION_IN(true, put_flags(rt, flags));
}

static enum cuda_error put_id(const struct cudart *rt, CUcontext context, unsigned long long *id)
{
    uint64_t handle = context ? (uint64_t)context : cudart_current_context(rt);
    if (!id)
        return CUDA_INVALID_VALUE;
    if (!cudart_context_at(rt, handle))
        return CUDA_INVALID_CONTEXT;
    *id = handle - CUDART_FIRST_HANDLE + 1;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    DRIVER_QUESTION(put_id(rt, context, id));
}

CUDART_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    DRIVER_QUESTION_IN(true, context && !cudart_context_at(rt, (uint64_t)context) ? CUDA_INVALID_CONTEXT
                             : version                                            ? (*version = 3020, CUDA_SUCCESS)
                                                                                  : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuCtxSynchronize(void)
{
    DRIVER_CALL(cudaDeviceSynchronize());
}

CUDART_API CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    DRIVER_CALL(cudaDeviceSetLimit((int)limit, value));
}

CUDART_API CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    DRIVER_CALL(cudaDeviceGetLimit(value, (int)limit));
}

CUDART_API CUresult cuCtxSetCacheConfig(CUfunc_cache configuration)
{
    DRIVER_CALL(cudaDeviceSetCacheConfig((int)configuration));
}

CUDART_API CUresult cuCtxGetCacheConfig(CUfunc_cache *configuration)
{
    DRIVER_CALL(cudaDeviceGetCacheConfig((int *)configuration));
}

CUDART_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER_CALL(cudaDeviceGetStreamPriorityRange(least, greatest));
}
