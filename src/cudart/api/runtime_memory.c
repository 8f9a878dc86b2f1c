/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's allocations: device, managed and pinned memory, memory pools, and memory that a program registers. */
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/memory_pools.h"
#include "cudart/memory/allocation.h"
#include "cudart/memory/registered_memory.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/streams.h"

/* ===== memory of the device ===== */

CUDART_API int cudaMalloc(void **out, size_t bytes)
{
    CUDART_UNSEEN_CALL(cudart_allocate(current, out, bytes));
}

/* From the pool of the stream's device. */
static enum cuda_error allocate_in(struct cudart_device *device, void **out, size_t bytes, uint64_t stream)
{
    struct cudart_stream *in = cudart_any_stream(device->rt, stream);
    device = in ? in->device : device;
    return cudart_allocate_in(device, out, bytes, cudart_current_pool(device), stream);
}

CUDART_API int cudaMallocAsync(void **out, size_t bytes, uint64_t stream)
{
    CUDART_CALL(allocate_in(current, out, bytes, stream));
}

CUDART_API int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    CUDART_UNSEEN_CALL(cudart_allocate_pitch(current, out, pitch, width, height, 1));
}

static enum cuda_error allocate_box(struct cudart_device *device, struct cuda_pitched *out, struct cuda_extent size)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    out->width = size.width;
    out->height = size.height;
    return cudart_allocate_pitch(device, &out->address, &out->pitch, size.width, size.height, size.depth);
}

CUDART_API int cudaMalloc3D(struct cuda_pitched *out, struct cuda_extent size)
{
    CUDART_UNSEEN_CALL(allocate_box(current, out, size));
}

CUDART_API int cudaFree(void *address)
{
    CUDART_CALL(address && cudart_may_be_unseen(rt) ? CUDA_STREAM_CAPTURE_UNSUPPORTED
                                                    : cudart_release(current, (uint64_t)address));
}

CUDART_API int cudaFreeAsync(void *address, uint64_t stream)
{
    CUDART_CALL(cudart_release_later(current, (uint64_t)address, stream));
}

CUDART_API int cudaMemGetInfo(size_t *available, size_t *total)
{
    CUDART_CALL(cudart_memory_left(current, available, total));
}

/* ===== memory that host and device share ===== */

CUDART_API int cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    CUDART_UNSEEN_CALL(flags != 1 && flags != 2 ? CUDA_INVALID_VALUE
                                                : cudart_allocate_shared(current, bytes, true, flags, out));
}

CUDART_API int cudaMallocHost(void **out, size_t bytes)
{
    CUDART_UNSEEN_CALL(cudart_allocate_shared(current, bytes, false, 0, out));
}

CUDART_API int cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    CUDART_UNSEEN_CALL(flags > 7 ? CUDA_INVALID_VALUE : cudart_allocate_shared(current, bytes, false, flags, out));
}

CUDART_API int cudaFreeHost(void *address)
{
    CUDART_UNSEEN_CALL(cudart_release_host(current, (uint64_t)address));
}

static enum cuda_error pointer_attributes(struct cudart_device *device, struct cuda_pointer_attributes *out,
                                          uint64_t address)
{
    const struct cudart_shared *memory = cudart_shared_at(device, address);
    if (!out)
        return CUDA_INVALID_VALUE;
    bool here = !memory && cudart_device_range(device, address, 1);
    *out = (struct cuda_pointer_attributes){.type = memory ? (memory->managed ? 3 : 1)
                                                    : here ? 2
                                                           : 0,
                                            .device = memory || here ? (int)cudart_home(device, address)->number : -2};
    out->device_pointer = memory || here ? (void *)address : NULL;
    out->host_pointer = memory ? (void *)address : NULL;
    if (!memory && !here)
        out->host_pointer = (void *)address;
    return CUDA_SUCCESS;
}

CUDART_API int maniple_13_cudaPointerGetAttributes(struct cuda_pointer_attributes *out, const void *address)
{
    CUDART_CALL(pointer_attributes(current, out, (uint64_t)address));
}

/* Hints about where managed memory is to lie: it is in one place. */
static enum cuda_error hint(const struct cudart_device *device, uint64_t address, size_t bytes)
{
    const struct cudart_shared *memory = cudart_shared_at(device, address);
    bool good = memory && memory->managed && bytes && bytes <= memory->bytes - (address - memory->address);
    return good ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUDART_API int cudaMemPrefetchAsync(const void *address, size_t bytes)
{
    CUDART_CALL(hint(current, (uint64_t)address, bytes));
}

CUDART_API int cudaMemAdvise(const void *address, size_t bytes)
{
    CUDART_CALL(hint(current, (uint64_t)address, bytes));
}

/* ===== memory of the program's own ===== */

CUDART_API int cudaHostRegister(void *address, size_t bytes, unsigned flags)
{
    CUDART_UNSEEN_CALL(cudart_register(current, (uint64_t)address, bytes, flags));
}

CUDART_API int cudaHostUnregister(void *address)
{
    CUDART_UNSEEN_CALL(cudart_unregister(rt, (uint64_t)address));
}

CUDART_API int cudaHostGetFlags(unsigned *flags, void *address)
{
    CUDART_CALL(cudart_host_flags(current, flags, (uint64_t)address));
}

CUDART_API int cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    CUDART_CALL(cudart_device_pointer(current, out, host, flags));
}

/* ===== pools ===== */

static enum cuda_error default_pool(struct cudart *rt, uint64_t *out, int ordinal)
{
    const struct cudart_device *device = cudart_device_at(rt, ordinal);
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = cudart_default_pool(device ? device : cudart_current_device(rt));
    return device ? CUDA_SUCCESS : CUDA_INVALID_DEVICE;
}

CUDART_API int cudaDeviceGetDefaultMemPool(uint64_t *pool, int device)
{
    CUDART_CALL(default_pool(rt, pool, device));
}

static enum cuda_error current_pool(struct cudart *rt, uint64_t *out, int device)
{
    enum cuda_error problem = default_pool(rt, out, device);
    if (!problem)
        *out = cudart_current_pool(cudart_device_at(rt, device));
    return problem;
}

CUDART_API int cudaDeviceGetMemPool(uint64_t *pool, int device)
{
    CUDART_CALL(current_pool(rt, pool, device));
}

CUDART_API int cudaDeviceSetMemPool(int device, uint64_t pool)
{
    CUDART_CALL(cudart_device_at(rt, device) ? cudart_set_pool(cudart_device_at(rt, device), pool)
                                             : CUDA_INVALID_DEVICE);
}

CUDART_API int cudaMemPoolCreate(uint64_t *pool, const void *properties)
{
    CUDART_CALL(!pool || !properties ? CUDA_INVALID_VALUE : (*pool = cudart_create_pool(current), CUDA_SUCCESS));
}

CUDART_API int cudaMemPoolDestroy(uint64_t pool)
{
    CUDART_CALL(cudart_destroy_pool(rt, pool));
}

CUDART_API int cudaMemPoolTrimTo(uint64_t pool, size_t bytes)
{
    CUDART_CALL(cudart_trim_pool(rt, pool, bytes));
}

CUDART_API int cudaMemPoolSetAttribute(uint64_t pool, int number, void *value)
{
    CUDART_CALL(cudart_pool_attribute(rt, pool, number, value, true));
}

CUDART_API int cudaMemPoolGetAttribute(uint64_t pool, int number, void *value)
{
    CUDART_CALL(cudart_pool_attribute(rt, pool, number, value, false));
}

CUDART_API int cudaMemPoolSetAccess(uint64_t pool, const void *descriptions, size_t count)
{
    CUDART_CALL(cudart_pool_known(rt, pool) && (descriptions || !count) ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

static enum cuda_error access_of(struct cudart *rt, int *flags, uint64_t pool)
{
    enum { READ_AND_WRITE = 3 };
    if (!flags || !cudart_pool_known(rt, pool))
        return CUDA_INVALID_VALUE;
    *flags = READ_AND_WRITE;
    return CUDA_SUCCESS;
}

CUDART_API int cudaMemPoolGetAccess(int *flags, uint64_t pool, const void *location)
{
    CUDART_CALL(location ? access_of(rt, flags, pool) : CUDA_INVALID_VALUE);
}

static enum cuda_error allocate(struct cudart_device *device, void **out, size_t bytes, uint64_t pool, uint64_t stream)
{
    return cudart_pool_known(device->rt, pool) ? cudart_allocate_in(device, out, bytes, pool, stream)
                                               : CUDA_INVALID_VALUE;
}

CUDART_API int cudaMallocFromPoolAsync(void **out, size_t bytes, uint64_t pool, uint64_t stream)
{
    CUDART_CALL(allocate(current, out, bytes, pool, stream));
}
