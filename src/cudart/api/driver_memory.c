/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's allocations, copies and fills. */
#include "cudart/api/driver.h"
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/memory/copies.h"
#include "cudart/memory/virtual_memory.h"
#include "cudart/stream/streams.h"

/* ===== allocations ===== */

CUDART_API CUresult cuMemGetInfo(size_t *available, size_t *total)
{
    DRIVER_CALL(cudaMemGetInfo(available, total));
}

/* Unlike the runtime, the driver allocates no empty memory. */
CUDART_API CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    DRIVER_CALL(bytes ? (enum cuda_error)cudaMalloc((void **)address, bytes) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    DRIVER_CALL(bytes ? (enum cuda_error)cudaMallocAsync((void **)address, bytes, (uint64_t)stream)
                      : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                                    unsigned element_bytes)
{
    bool good = width && height && (element_bytes == 4 || element_bytes == 8 || element_bytes == 16);
    DRIVER_CALL(good ? (enum cuda_error)cudaMallocPitch((void **)address, pitch, width, height) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    DRIVER_CALL(cudaMallocManaged((void **)address, bytes, flags));
}

CUDART_API CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    DRIVER_CALL(bytes ? (enum cuda_error)cudaHostAlloc(address, bytes, flags) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuMemAllocHost(void **address, size_t bytes)
{
    return cuMemHostAlloc(address, bytes, 0);
}

CUDART_API CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *host, unsigned flags)
{
    DRIVER_CALL(cudaHostGetDevicePointer((void **)address, host, flags));
}

CUDART_API CUresult cuMemHostGetFlags(unsigned *flags, void *host)
{
    DRIVER_CALL(cudaHostGetFlags(flags, host));
}

CUDART_API CUresult cuMemFree(CUdeviceptr address)
{
    DRIVER_CALL(cudaFree((void *)address));
}

CUDART_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    DRIVER_CALL(cudaFreeAsync((void *)address, (uint64_t)stream));
}

CUDART_API CUresult cuMemFreeHost(void *address)
{
    DRIVER_CALL(cudaFreeHost(address));
}

/* ===== questions and hints ===== */

/* The allocation, or the reserved addresses, that an address lies in. */
static bool range_of(const struct cudart_device *device, uint64_t address, struct mnp_region *range)
{
    return cudart_reservation_at(device, address, range) || cudart_allocation_at(device, address, range);
}

/* The same, but of addresses that the program maps one mapping. */
static bool memory_of(const struct cudart_device *device, uint64_t address, struct mnp_region *range)
{
    return cudart_mapping_at(device->rt, address, range) ||
           (!cudart_reservation_at(device, address, range) && range_of(device, address, range));
}

static enum cuda_error address_range(const struct cudart_device *device, CUdeviceptr *base, size_t *bytes,
                                     uint64_t address)
{
    struct mnp_region range;
    if (!memory_of(device, address, &range))
        return CUDA_NOT_FOUND;
    if (base)
        *base = range.address;
    if (bytes)
        *bytes = range.bytes;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    DRIVER_WORK(address_range(current, base, bytes, address));
}

static enum cuda_error pointer_attribute(const struct cudart_device *device, void *value, CUpointer_attribute attribute,
                                         uint64_t address)
{
    const struct cudart_shared *shared = cudart_shared_at(device, address);
    struct mnp_region range;
    if (!value)
        return CUDA_INVALID_VALUE;
    if (!range_of(device, address, &range))
        return CUDA_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(uint64_t *)value = CUDART_FIRST_HANDLE + cudart_home(device, address)->number;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = shared && !shared->managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(uint64_t *)value = address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(uint64_t *)value = address;
        return shared ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)value = shared && shared->managed;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = (int)cudart_home(device, address)->number;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(uint64_t *)value = range.address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(uint64_t *)value = range.bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(bool *)value = memory_of(device, address, &range);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        if (!memory_of(device, address, &range))
            return CUDA_INVALID_VALUE;
        *(uint64_t *)value = attribute == CU_POINTER_ATTRIBUTE_MAPPING_SIZE ? range.bytes : range.address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint64_t *)value = range.address;
        return CUDA_SUCCESS;
    default:
        return CUDA_INVALID_VALUE;
    }
}

CUDART_API CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    DRIVER_WORK(pointer_attribute(current, value, attribute, address));
}

CUDART_API CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location)
{
    (void)advice, (void)location;
    DRIVER_CALL(cudaMemAdvise((void *)address, bytes));
}

CUDART_API CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                                       CUstream stream)
{
    (void)location, (void)flags, (void)stream;
    DRIVER_CALL(cudaMemPrefetchAsync((void *)address, bytes));
}

/* ===== copies ===== */

CUDART_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy((void *)to, (void *)from, bytes, CUDA_COPY_DEFAULT));
}

CUDART_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync((void *)to, (void *)from, bytes, CUDA_COPY_DEFAULT, (uint64_t)stream));
}

CUDART_API CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy((void *)to, from, bytes, CUDA_HOST_TO_DEVICE));
}

CUDART_API CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy(to, (void *)from, bytes, CUDA_DEVICE_TO_HOST));
}

CUDART_API CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    DRIVER_CALL(cudaMemcpy((void *)to, (void *)from, bytes, CUDA_DEVICE_TO_DEVICE));
}

CUDART_API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync((void *)to, from, bytes, CUDA_HOST_TO_DEVICE, (uint64_t)stream));
}

CUDART_API CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync(to, (void *)from, bytes, CUDA_DEVICE_TO_HOST, (uint64_t)stream));
}

CUDART_API CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    DRIVER_CALL(cudaMemcpyAsync((void *)to, (void *)from, bytes, CUDA_DEVICE_TO_DEVICE, (uint64_t)stream));
}

/* ===== fills ===== */

static enum cuda_error fill(struct cudart_device *device, struct cudart_area area, unsigned value, unsigned bytes,
                            CUstream stream)
{
    if (area.to % bytes || __builtin_mul_overflow(area.width, bytes, &area.width))
        return CUDA_INVALID_VALUE;
    return cudart_fill_area(device, &area, value, bytes, (uint64_t)stream);
}

#define FILL(type, to, pitch, value, width, height, stream)                                                            \
    do {                                                                                                               \
        struct cudart_area filled = {to, pitch, 0, 0, width, height};                                                  \
        DRIVER_WORK(fill(current, filled, value, sizeof(type), stream));                                               \
    } while (0)

#define FILLS(type, line, line_async, area, area_async)                                                                \
    CUDART_API CUresult line(CUdeviceptr address, type value, size_t count)                                            \
    {                                                                                                                  \
        FILL(type, address, 0, value, count, 1, NULL);                                                                 \
    }                                                                                                                  \
    CUDART_API CUresult line_async(CUdeviceptr address, type value, size_t count, CUstream stream)                     \
    {                                                                                                                  \
        FILL(type, address, 0, value, count, 1, stream);                                                               \
    }                                                                                                                  \
    CUDART_API CUresult area(CUdeviceptr address, size_t pitch, type value, size_t width, size_t height)               \
    {                                                                                                                  \
        FILL(type, address, pitch, value, width, height, NULL);                                                        \
    }                                                                                                                  \
    CUDART_API CUresult area_async(CUdeviceptr address, size_t pitch, type value, size_t width, size_t height,         \
                                   CUstream stream)                                                                    \
    {                                                                                                                  \
        FILL(type, address, pitch, value, width, height, stream);                                                      \
    }

FILLS(unsigned char, cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD2D8_v2, cuMemsetD2D8Async)
FILLS(unsigned short, cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD2D16_v2, cuMemsetD2D16Async)
FILLS(unsigned, cuMemsetD32_v2, cuMemsetD32Async, cuMemsetD2D32_v2, cuMemsetD2D32Async)

/* ===== registered memory and pools ===== */

CUDART_API CUresult cuMemHostRegister(void *address, size_t bytes, unsigned flags)
{
    DRIVER_CALL(cudaHostRegister(address, bytes, flags));
}

CUDART_API CUresult cuMemHostUnregister(void *address)
{
    DRIVER_CALL(cudaHostUnregister(address));
}

CUDART_API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                           CUdeviceptr address)
{
    if (!count || !attributes || !values)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        CUresult problem = cuPointerGetAttribute(values[i], attributes[i], address);
        if (problem && problem != CUDA_ERROR_INVALID_VALUE) /* memory that is not CUDA's: no error, no value */
            return problem;
    }
    return CUDA_DRIVER_SUCCESS;
}

CUDART_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    DRIVER_CALL_IN(false, cudaDeviceGetDefaultMemPool((uint64_t *)pool, device));
}

CUDART_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    DRIVER_CALL_IN(false, cudaDeviceGetMemPool((uint64_t *)pool, device));
}

CUDART_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    DRIVER_CALL_IN(false, cudaDeviceSetMemPool(device, (uint64_t)pool));
}

CUDART_API CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    DRIVER_CALL_IN(false, cudaMemPoolCreate((uint64_t *)pool, properties));
}

CUDART_API CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    DRIVER_CALL_IN(false, cudaMemPoolDestroy((uint64_t)pool));
}

CUDART_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    DRIVER_CALL_IN(false, cudaMemPoolTrimTo((uint64_t)pool, bytes));
}

CUDART_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    DRIVER_CALL_IN(false, cudaMemPoolSetAttribute((uint64_t)pool, (int)attribute, value));
}

CUDART_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    DRIVER_CALL_IN(false, cudaMemPoolGetAttribute((uint64_t)pool, (int)attribute, value));
}

CUDART_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    DRIVER_CALL(
        bytes ? (enum cuda_error)cudaMallocFromPoolAsync((void **)address, bytes, (uint64_t)pool, (uint64_t)stream)
              : CUDA_INVALID_VALUE);
}
