/* SPDX-License-Identifier: BSD-3-Clause */
/* Small questions and hints, of both APIs: the device's place on its bus, and what a stream is. */
#include "cudart/api/driver.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/streams.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ===== the bus ===== */

enum { BUS_ID = 13 };

/* Each device has a bus of its own. */
static void write_bus_id(const struct cudart_device *device, char id[BUS_ID])
{
    snprintf(id, BUS_ID, "0000:%02x:00.0", (device->place + 1) & 0xff);
}

static enum cuda_error put_bus_id(const struct cudart *rt, char *id, int length, int device)
{
    if (!id || length < 1)
        return CUDA_INVALID_VALUE;
    if (!cudart_device_at(rt, device))
        return CUDA_INVALID_DEVICE;
    char whole[BUS_ID];
    write_bus_id(cudart_device_at(rt, device), whole);
    snprintf(id, (size_t)length, "%s", whole);
    return CUDA_SUCCESS;
}

CUDART_API int cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    CUDART_QUESTION(put_bus_id(rt, id, length, device));
}

CUDART_API CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    DRIVER_QUESTION(put_bus_id(rt, id, length, device));
}

/* With the domain or without. */
static enum cuda_error find_bus_id(const struct cudart *rt, int *device, const char *id)
{
    if (!device || !id)
        return CUDA_INVALID_VALUE;
    *device = 0;
    for (uint32_t i = 0; i < rt->device_count; i++) {
        char whole[BUS_ID];
        write_bus_id(&rt->devices[i], whole);
        *device = (int)i;
        if (strcasecmp(id, whole) == 0 || strcasecmp(id, whole + 5) == 0)
            return CUDA_SUCCESS;
    }
    return CUDA_INVALID_DEVICE;
}

CUDART_API int cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    CUDART_QUESTION(find_bus_id(rt, device, id));
}

CUDART_API CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
    DRIVER_QUESTION(find_bus_id(rt, device, id));
}

/* ===== streams ===== */

static enum cuda_error stream_id(const struct cudart *rt, uint64_t stream, unsigned long long *id)
{
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!id)
        return CUDA_INVALID_VALUE;
    *id = stream ? stream : CUDA_STREAM_LEGACY;
    return CUDA_SUCCESS;
}

CUDART_API int cudaStreamGetId(uint64_t stream, unsigned long long *id)
{
    CUDART_CALL(stream_id(rt, stream, id));
}

CUDART_API CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    DRIVER_WORK(stream_id(rt, (uint64_t)stream, id));
}

static enum cuda_error stream_device(struct cudart *rt, uint64_t stream, int *device)
{
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!device)
        return CUDA_INVALID_VALUE;
    *device = (int)cudart_any_stream(rt, stream)->device->number;
    return CUDA_SUCCESS;
}

CUDART_API int cudaStreamGetDevice(uint64_t stream, int *device)
{
    CUDART_CALL(stream_device(rt, stream, device));
}

CUDART_API CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    DRIVER_WORK(stream_device(rt, (uint64_t)stream, device));
}

/* Hints about caches and priorities: taken, and given back as zeros. */
static enum cuda_error stream_attribute(const struct cudart *rt, uint64_t stream, const void *value)
{
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    return value ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUDART_API int cudaStreamSetAttribute(uint64_t stream, int attribute, const void *value)
{
    (void)attribute;
    CUDART_CALL(stream_attribute(rt, stream, value));
}

CUDART_API int cudaStreamGetAttribute(uint64_t stream, int attribute, void *value)
{
    (void)attribute;
    if (value)
        memset(value, 0, sizeof(CUlaunchAttributeValue));
    CUDART_CALL(stream_attribute(rt, stream, value));
}

CUDART_API int cudaStreamCopyAttributes(uint64_t to, uint64_t from)
{
    CUDART_CALL(cudart_stream_known(rt, to) && cudart_stream_known(rt, from) ? CUDA_SUCCESS
                                                                             : CUDA_INVALID_RESOURCE_HANDLE);
}

static enum cuda_error attach(const struct cudart_device *device, uint64_t stream, const void *address, unsigned flags)
{
    const struct cudart_shared *memory = cudart_shared_at(device, (uint64_t)address);
    if (!cudart_stream_known(device->rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    return memory && memory->managed && (flags == 1 || flags == 2 || flags == 4) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* Managed memory is every stream's. */
CUDART_API int cudaStreamAttachMemAsync(uint64_t stream, void *address, size_t bytes, unsigned flags)
{
    (void)bytes;
    CUDART_CALL(attach(current, stream, address, flags));
}

CUDART_API CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags)
{
    (void)bytes;
    DRIVER_WORK(attach(current, (uint64_t)stream, (void *)address, flags));
}
