/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory as programs ask for it: with checks, and with what streams have still to do. */
#include "cudart/memory/allocation.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/device/memory_pools.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/streams.h"
#include "cudart/stream/synchronize.h"

enum { PITCH = 512 };

static uint64_t whole(const struct cudart_device *device)
{
    return device->parameters.host.memory;
}

enum cuda_error cudart_allocate(struct cudart_device *device, void **out, uint64_t bytes)
{
    struct cudart *rt = device->rt;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = NULL;
    if (bytes == 0)
        return CUDA_SUCCESS;
    if (bytes > whole(device) - device->memory.allocated)
        cudart_wait_all(rt, device); /* for memory that streams are to free */
    if (bytes > whole(device) - device->memory.allocated)
        return CUDA_MEMORY_ALLOCATION;
    *out = (void *)cudart_take(device, bytes);
    cudart_thread()->newest = (uint64_t)*out;
    cudart_thread()->newest_given = device->given;
    if (*out && device->check)
        execute_check_allocated(device->check, (uint64_t)*out, bytes);
    return *out ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION;
}

/* Memory that the stream is to free, and has not come to, it can have again. 0: there is none. */
static uint64_t take_again(struct cudart_device *device, uint64_t bytes, uint64_t pool, uint64_t stream)
{
    struct cudart *rt = device->rt;
    struct cudart_operation *operation = cudart_any_stream(rt, stream)->first;
    for (; operation; operation = operation->next) {
        uint64_t address = operation->area.to;
        if (operation->kind != CUDART_FREE || !cudart_pool_takes_again(rt, pool, address, bytes))
            continue;
        operation->area.to = 0;
        return address;
    }
    return 0;
}

/* Allocates immediately. An allocation in a captured stream belongs to the graph. */
enum cuda_error cudart_allocate_in(struct cudart_device *device, void **out, uint64_t bytes, uint64_t pool,
                                   uint64_t stream)
{
    struct cudart *rt = device->rt;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    bool captured = cudart_is_captured(rt, stream);
    enum cuda_error problem = captured ? cudart_may_enqueue(rt, stream) : CUDA_SUCCESS;
    if (problem || !out)
        return problem ? problem : CUDA_INVALID_VALUE;
    uint64_t again = captured ? 0 : take_again(device, bytes, pool, stream);
    if (again)
        *out = (void *)again;
    if (again)
        return CUDA_SUCCESS;
    problem = cudart_allocate(device, out, bytes);
    if (!problem && bytes && captured)
        cudart_capture_allocation(rt, stream, (uint64_t)*out, bytes);
    else if (!problem && bytes)
        cudart_pool_takes(rt, pool, (uint64_t)*out, bytes);
    return problem;
}

enum cuda_error cudart_allocate_pitch(struct cudart_device *device, void **out, size_t *pitch, size_t width,
                                      size_t height, size_t depth)
{
    uint64_t bytes;
    if (cudart_ensure_device(device))
        return device->rt->faults.failure;
    if (!pitch || width > whole(device))
        return pitch ? CUDA_MEMORY_ALLOCATION : CUDA_INVALID_VALUE;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (__builtin_mul_overflow(*pitch, height, &bytes) || __builtin_mul_overflow(bytes, depth, &bytes))
        return CUDA_MEMORY_ALLOCATION;
    return cudart_allocate(device, out, bytes);
}

/* Whether nothing can have used memory: the thread has allocated it last, and neither it nor another that uses the
 * device has given a stream anything since. */
static bool is_untouched(const struct cudart_device *device, uint64_t address)
{
    return device->rt->machine_devices > 1 && address && address == cudart_thread()->newest &&
           device->given == cudart_thread()->newest_given;
}

/* Waits for all work, as the real one does; on several devices not for memory that nothing has used: the first of
 * several threads, whichever that is, tries for all what memory can do (NCCL). Freeing no memory is well. */
enum cuda_error cudart_release(struct cudart_device *device, uint64_t address)
{
    struct cudart *rt = device->rt;
    device = cudart_home(device, address);
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!is_untouched(device, address))
        cudart_wait_all(rt, device);
    if (cudart_surface(rt) || !address)
        return rt->faults.failure;
    if (cudart_memory_of_graphs(rt, address))
        return CUDA_SUCCESS;
    const struct cudart_shared *memory = cudart_shared_at(device, address);
    if (memory)
        return memory->managed && !memory->variable ? cudart_free_shared(device, address) : CUDA_INVALID_VALUE;
    return cudart_free_now(device, address) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* In the order of a stream. */
enum cuda_error cudart_release_later(struct cudart_device *device, uint64_t address, uint64_t stream)
{
    struct cudart *rt = device->rt;
    struct mnp_region range;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!address)
        return CUDA_SUCCESS;
    if (cudart_shared_at(device, address) || !cudart_allocation_at(device, address, &range) || range.address != address)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_may_enqueue(rt, stream);
    if (!problem && !cudart_is_captured(rt, stream) && !cudart_pool_lets_go(rt, address))
        problem = CUDA_INVALID_VALUE;
    if (!problem)
        cudart_enqueue(rt, stream, CUDART_FREE)->area.to = address;
    return problem;
}

enum cuda_error cudart_allocate_shared(struct cudart_device *device, uint64_t bytes, bool managed, unsigned flags,
                                       void **out)
{
    if (cudart_ensure_device(device))
        return device->rt->faults.failure;
    if (!out || (managed && bytes == 0))
        return CUDA_INVALID_VALUE;
    *out = NULL;
    if (bytes == 0)
        return CUDA_SUCCESS;
    if (bytes > whole(device))
        return CUDA_MEMORY_ALLOCATION;
    *out = (void *)cudart_take_shared(device, bytes, managed, flags);
    return *out ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION;
}

enum cuda_error cudart_release_host(struct cudart_device *device, uint64_t address)
{
    struct cudart *rt = device->rt;
    const struct cudart_shared *memory = cudart_shared_at(device, address);
    cudart_wait_all(rt, rt->device_count > 1 ? NULL : device); /* all of them may use it */
    if (cudart_surface(rt) || !address)
        return rt->faults.failure;
    return memory && !memory->managed ? cudart_free_shared(device, address) : CUDA_INVALID_VALUE;
}

enum cuda_error cudart_memory_left(struct cudart_device *device, size_t *available, size_t *total)
{
    if (cudart_ensure_device(device))
        return device->rt->faults.failure;
    if (!available || !total)
        return CUDA_INVALID_VALUE;
    *total = whole(device);
    *available = whole(device) - device->memory.allocated;
    return CUDA_SUCCESS;
}
