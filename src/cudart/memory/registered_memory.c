/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the program's own that it registers as pinned. Copies treat it as any memory of the host's; kernels cannot
 * reach it, which a program learns from the attribute of the device and from cudaHostGetDevicePointer.
 */
#include "cudart/memory/registered_memory.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/stream/synchronize.h"

#include <string.h>

struct registered {
    uint64_t address, bytes;
    unsigned flags;
};

enum { FLAGS = 15 }; /* portable, mapped, I/O memory, read only */

static struct registered *registered_at(const struct cudart *rt, uint64_t address, uint64_t bytes)
{
    struct registered *all = rt->registered.items;
    for (uint32_t i = 0; i < rt->registered.count; i++)
        if (address - all[i].address < all[i].bytes || all[i].address - address < bytes)
            return &all[i];
    return NULL;
}

enum cuda_error cudart_register(struct cudart_device *device, uint64_t address, uint64_t bytes, unsigned flags)
{
    struct cudart *rt = device->rt;
    if (!address || !bytes || flags > FLAGS)
        return CUDA_INVALID_VALUE;
    if (registered_at(rt, address, bytes) || cudart_shared_at(device, address))
        return CUDA_HOST_MEMORY_ALREADY_REGISTERED;
    *(struct registered *)mnp_array_add(&rt->registered, 1, sizeof(struct registered)) =
        (struct registered){address, bytes, flags};
    return CUDA_SUCCESS;
}

enum cuda_error cudart_unregister(struct cudart *rt, uint64_t address)
{
    struct registered *memory = registered_at(rt, address, 1), *all = rt->registered.items;
    if (!memory || memory->address != address)
        return CUDA_HOST_MEMORY_NOT_REGISTERED;
    cudart_wait_all(rt, NULL);
    *memory = all[--rt->registered.count];
    return cudart_surface(rt);
}

enum cuda_error cudart_host_flags(const struct cudart_device *device, unsigned *flags, uint64_t address)
{
    enum { MAPPED = 2 };
    const struct cudart_shared *shared = cudart_shared_at(device, address);
    const struct registered *memory = registered_at(device->rt, address, 1);
    if (!flags || (!memory && (!shared || shared->managed)))
        return CUDA_INVALID_VALUE;
    *flags = memory ? memory->flags : shared->flags | MAPPED;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_device_pointer(struct cudart_device *device, void **out, void *host, unsigned flags)
{
    struct cudart *rt = device->rt;
    const struct cudart_shared *memory = cudart_shared_at(device, (uint64_t)host);
    struct mnp_error error = {{0}};
    if (out && !flags && registered_at(rt, (uint64_t)host, 1)) {
        mnp_fail(&error,
                 "%s: kernels cannot reach memory that is registered (cudaHostRegister); allocate it with "
                 "cudaHostAlloc",
                 rt->calls.options.program);
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    if (!out || flags || !memory || memory->managed)
        return CUDA_INVALID_VALUE;
    *out = host;
    return CUDA_SUCCESS;
}

void cudart_forget_registered(struct cudart *rt)
{
    rt->registered.count = 0;
}
