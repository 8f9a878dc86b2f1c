/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations: memory of the device, and memory that host and device share. The first lies in the simulated device; the
 * second (managed and pinned) lies in the host's memory at the same addresses, and is brought up to date where
 * either has written to it (share.c).
 */
#include "base/arena.h"
#include "cudart/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HOST_PAGE = 4096, PITCH = 512 };

/* ===== what an address is ===== */

struct cudart_shared *cudart_shared_at(const struct cudart *rt, uint64_t address)
{
    struct cudart_shared *all = rt->shared.items;
    for (uint32_t i = 0; i < rt->shared.count; i++)
        if (address - all[i].address < all[i].bytes)
            return &all[i];
    return NULL;
}

/* Whether an address is the device's alone. */
bool cudart_on_device(const struct cudart *rt, uint64_t address)
{
    return address >= EXECUTE_DEVICE_BASE && address < EXECUTE_DEVICE_END && !cudart_shared_at(rt, address);
}

bool cudart_device_range(const struct cudart *rt, uint64_t address, uint64_t bytes)
{
    struct execute_range range;
    return execute_device_nearest(&rt->device, address, &range) && address - range.address < range.bytes &&
           bytes <= range.bytes - (address - range.address);
}

/* ===== allocations ===== */

enum cuda_error cudart_allocate(struct cudart *rt, void **out, uint64_t bytes)
{
    if (cudart_prepare(rt))
        return rt->failure;
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = NULL;
    if (bytes == 0)
        return CUDA_SUCCESS;
    if (bytes > CUDART_MEMORY - rt->allocated)
        cudart_wait_all(rt); /* for memory that streams are to free */
    if (bytes > CUDART_MEMORY - rt->allocated)
        return CUDA_MEMORY_ALLOCATION;
    uint64_t address = execute_device_allocate(&rt->device, bytes);
    if (!address)
        return CUDA_MEMORY_ALLOCATION;
    rt->allocated += bytes;
    *out = (void *)address;
    return CUDA_SUCCESS;
}

CUDART_API int cudaMalloc(void **out, size_t bytes)
{
    CUDART_CALL(cudart_allocate(rt, out, bytes));
}

CUDART_API int cudaMallocAsync(void **out, size_t bytes, uint64_t stream)
{
    CUDART_CALL(cudart_stream_known(rt, stream) ? cudart_allocate(rt, out, bytes) : CUDA_INVALID_RESOURCE_HANDLE);
}

static enum cuda_error allocate_pitch(struct cudart *rt, void **out, size_t *pitch, size_t width, size_t height)
{
    uint64_t bytes;
    if (!pitch || width > CUDART_MEMORY)
        return pitch ? CUDA_MEMORY_ALLOCATION : CUDA_INVALID_VALUE;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (__builtin_mul_overflow(*pitch, height, &bytes))
        return CUDA_MEMORY_ALLOCATION;
    return cudart_allocate(rt, out, bytes);
}

CUDART_API int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    CUDART_CALL(allocate_pitch(rt, out, pitch, width, height));
}

/* munmap takes whole pages; no other memory of the host's lies in them, but for variables, which go together. */
static enum cuda_error release_shared(struct cudart *rt, uint64_t address)
{
    struct cudart_shared *memory = cudart_shared_at(rt, address), *all = rt->shared.items;
    if (!memory || memory->address != address)
        return CUDA_INVALID_VALUE;
    uint64_t first = address / HOST_PAGE * HOST_PAGE;
    munmap((void *)first, address + memory->bytes - first);
    if (memory->agreed)
        munmap(memory->agreed, memory->bytes);
    execute_device_free(&rt->device, address);
    uint32_t place = (uint32_t)(memory - all);
    memmove(memory, memory + 1, (rt->shared.count - 1 - place) * sizeof *memory);
    rt->shared.count--;
    return CUDA_SUCCESS;
}

bool cudart_free_now(struct cudart *rt, uint64_t address)
{
    struct execute_range range;
    if (!execute_device_nearest(&rt->device, address, &range) || !execute_device_free(&rt->device, address))
        return false;
    rt->allocated -= range.bytes < rt->allocated ? range.bytes : rt->allocated;
    return true;
}

/* Waits for all work, as the real one does. Freeing no memory is well. */
enum cuda_error cudart_release(struct cudart *rt, uint64_t address)
{
    if (cudart_prepare(rt))
        return rt->failure;
    cudart_wait_all(rt);
    if (cudart_surface(rt) || !address)
        return rt->failure;
    const struct cudart_shared *memory = cudart_shared_at(rt, address);
    if (memory)
        return memory->managed && !memory->variable ? release_shared(rt, address) : CUDA_INVALID_VALUE;
    return cudart_free_now(rt, address) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* In the order of a stream. */
static enum cuda_error release_later(struct cudart *rt, uint64_t address, uint64_t stream)
{
    struct execute_range range;
    if (cudart_prepare(rt))
        return rt->failure;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!address)
        return CUDA_SUCCESS;
    if (cudart_shared_at(rt, address) || !execute_device_nearest(&rt->device, address, &range) ||
        range.address != address)
        return CUDA_INVALID_VALUE;
    cudart_enqueue(rt, stream, CUDART_FREE)->area.to = address;
    return CUDA_SUCCESS;
}

CUDART_API int cudaFree(void *address)
{
    CUDART_CALL(cudart_release(rt, (uint64_t)address));
}

CUDART_API int cudaFreeAsync(void *address, uint64_t stream)
{
    CUDART_CALL(release_later(rt, (uint64_t)address, stream));
}

/* A range of device addresses that begins at a page of the host's: gaps before it are taken and given back. */
static uint64_t allocate_pages(struct cudart *rt, uint64_t bytes)
{
    struct mnp_array gaps = {0};
    uint64_t address;
    while ((address = execute_device_allocate(&rt->device, bytes)) % HOST_PAGE) {
        execute_device_free(&rt->device, address);
        *(uint64_t *)mnp_array_add(&gaps, 1, sizeof address) =
            execute_device_allocate(&rt->device, HOST_PAGE - address % HOST_PAGE);
    }
    for (uint32_t i = 0; i < gaps.count; i++)
        execute_device_free(&rt->device, ((uint64_t *)gaps.items)[i]);
    free(gaps.items);
    return address;
}

enum cuda_error cudart_allocate_shared(struct cudart *rt, uint64_t bytes, bool managed, unsigned flags, void **out)
{
    if (cudart_prepare(rt))
        return rt->failure;
    if (!out || (managed && bytes == 0))
        return CUDA_INVALID_VALUE;
    *out = NULL;
    if (bytes == 0)
        return CUDA_SUCCESS;
    if (bytes > CUDART_MEMORY)
        return CUDA_MEMORY_ALLOCATION;
    uint64_t address = allocate_pages(rt, bytes);
    if (!address)
        return CUDA_MEMORY_ALLOCATION;
    void *host = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (host != (void *)address) {
        if (host != MAP_FAILED)
            munmap(host, bytes);
        execute_device_free(&rt->device, address);
        return CUDA_MEMORY_ALLOCATION;
    }
    *(struct cudart_shared *)mnp_array_add(&rt->shared, 1, sizeof(struct cudart_shared)) =
        (struct cudart_shared){.address = address, .bytes = bytes, .managed = managed, .flags = flags};
    *out = host;
    return CUDA_SUCCESS;
}

/* Pages may hold several variables, so that one may be there already. */
bool cudart_share_variable(struct cudart *rt, uint64_t address, uint64_t bytes)
{
    for (uint64_t page = address / HOST_PAGE; page <= (address + bytes - 1) / HOST_PAGE; page++) {
        void *at = (void *)(page * HOST_PAGE);
        void *host =
            mmap(at, HOST_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (host != at && host != MAP_FAILED)
            munmap(host, HOST_PAGE);
        if (host != at && errno != EEXIST)
            return false;
    }
    *(struct cudart_shared *)mnp_array_add(&rt->shared, 1, sizeof(struct cudart_shared)) =
        (struct cudart_shared){.address = address, .bytes = bytes, .managed = true, .variable = true};
    return true;
}

CUDART_API int cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    CUDART_CALL(flags != 1 && flags != 2 ? CUDA_INVALID_VALUE : cudart_allocate_shared(rt, bytes, true, flags, out));
}

CUDART_API int cudaMallocHost(void **out, size_t bytes)
{
    CUDART_CALL(cudart_allocate_shared(rt, bytes, false, 0, out));
}

CUDART_API int cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    CUDART_CALL(flags > 7 ? CUDA_INVALID_VALUE : cudart_allocate_shared(rt, bytes, false, flags, out));
}

static enum cuda_error release_host(struct cudart *rt, uint64_t address)
{
    const struct cudart_shared *memory = cudart_shared_at(rt, address);
    cudart_wait_all(rt);
    if (cudart_surface(rt) || !address)
        return rt->failure;
    return memory && !memory->managed ? release_shared(rt, address) : CUDA_INVALID_VALUE;
}

CUDART_API int cudaFreeHost(void *address)
{
    CUDART_CALL(release_host(rt, (uint64_t)address));
}

static enum cuda_error pointer_attributes(struct cudart *rt, struct cuda_pointer_attributes *out, uint64_t address)
{
    const struct cudart_shared *memory = cudart_shared_at(rt, address);
    if (!out)
        return CUDA_INVALID_VALUE;
    bool device = !memory && cudart_device_range(rt, address, 1);
    *out = (struct cuda_pointer_attributes){.type = memory   ? (memory->managed ? 3 : 1)
                                                    : device ? 2
                                                             : 0,
                                            .device = memory || device ? 0 : -2};
    out->device_pointer = memory || device ? (void *)address : NULL;
    out->host_pointer = memory ? (void *)address : NULL;
    if (!memory && !device)
        out->host_pointer = (void *)address;
    return CUDA_SUCCESS;
}

CUDART_API int cudaPointerGetAttributes(struct cuda_pointer_attributes *out, const void *address)
{
    CUDART_CALL(pointer_attributes(rt, out, (uint64_t)address));
}

static enum cuda_error information(struct cudart *rt, size_t *available, size_t *total)
{
    if (cudart_prepare(rt))
        return rt->failure;
    if (!available || !total)
        return CUDA_INVALID_VALUE;
    *total = CUDART_MEMORY;
    *available = CUDART_MEMORY - rt->allocated;
    return CUDA_SUCCESS;
}

CUDART_API int cudaMemGetInfo(size_t *available, size_t *total)
{
    CUDART_CALL(information(rt, available, total));
}

/* Hints about where managed memory is to lie: it is in one place. */
CUDART_API int cudaMemPrefetchAsync(const void *address, size_t bytes)
{
    (void)bytes;
    CUDART_CALL(cudart_shared_at(rt, (uint64_t)address) ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

CUDART_API int cudaMemAdvise(const void *address, size_t bytes)
{
    (void)bytes;
    CUDART_CALL(cudart_shared_at(rt, (uint64_t)address) ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

void cudart_release_shared(struct cudart *rt)
{
    while (rt->shared.count)
        release_shared(rt, ((struct cudart_shared *)rt->shared.items)[0].address);
}
