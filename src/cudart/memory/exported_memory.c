/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/memory/exported_memory.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/stream/process_thread.h"
#include "cudart/stream/synchronize.h"

#include <unistd.h>

enum { LAZY_PEER_ACCESS = 1 };

void cudart_make_pages(const struct cudart_device *device, uint64_t address, uint64_t bytes)
{
    for (uint64_t page = address / MNP_MEMORY_PAGE; page <= (address + bytes - 1) / MNP_MEMORY_PAGE; page++)
        mnp_pages_make(&device->functional.memory->pages, page);
}

/* With time, a handle is given and cannot be opened: NCCL asks for one in any case, of several devices. */
enum cuda_error cudart_export(struct cudart_device *device, struct cudart_memory_handle *out, uint64_t address)
{
    struct cudart *rt = device->rt;
    struct mnp_region range;
    if (!out || cudart_shared_at(device, address) || !cudart_allocation_at(device, address, &range) ||
        cudart_imported_at(rt, address, &range))
        return CUDA_INVALID_VALUE;
    *out = (struct cudart_memory_handle){.address = range.address, .bytes = range.bytes, .process = (uint64_t)getpid()};
    if (!rt->sharing.page)
        return CUDA_SUCCESS;
    cudart_make_pages(device, range.address, range.bytes);
    cudart_meet_processes(rt);
    return CUDA_SUCCESS;
}

static enum cuda_error refuse(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    mnp_fail(&error,
             rt->calls.options.functional
                 ? "%s: processes cannot share memory of GPUs here, as the system gives no file that is large enough "
                   "(ulimit -f, ulimit -v); use threads of one process"
                 : "%s: processes share memory of GPUs only without time (cudaIpcOpenMemHandle); use --functional, or "
                   "threads of one process",
             rt->calls.options.program);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

/* Whether a handle can have come from another process of this run. */
static bool is_sound(const struct cudart *rt, const struct cudart_memory_handle *handle)
{
    uint64_t offset = handle->address - MNP_SPACE_BASE, all = rt->machine_devices * MNP_SPACE_PART_BYTES;
    return offset < all && handle->bytes && handle->bytes <= all - offset;
}

/* NULL: it has not been opened. */
static struct cudart_imported *find(const struct cudart *rt, uint64_t address)
{
    struct cudart_imported *all = rt->imported.items;
    for (uint32_t i = 0; i < rt->imported.count; i++)
        if (all[i].address == address)
            return &all[i];
    return NULL;
}

/* The home's own bit is that of copies by the host. */
static void grant(struct cudart_device *home, struct cudart_imported *memory, const struct cudart_device *user)
{
    memory->devices |= UINT32_C(1) << home->place | UINT32_C(1) << user->place;
    execute_device_grant(&home->functional, memory->address, memory->bytes, memory->devices);
}

enum cuda_error cudart_import(struct cudart_device *device, void **out, const struct cudart_memory_handle *handle,
                              unsigned flags)
{
    struct cudart *rt = device->rt;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!rt->sharing.page)
        return refuse(rt);
    if (!out || flags != LAZY_PEER_ACCESS || !is_sound(rt, handle))
        return CUDA_INVALID_VALUE;
    if (handle->process == (uint64_t)getpid())
        return CUDA_INVALID_CONTEXT;
    struct cudart_device *home = cudart_home(device, handle->address);
    if (home != device && !cudart_can_reach(device, home))
        return CUDA_PEER_ACCESS_UNSUPPORTED;
    struct cudart_imported *memory = find(rt, handle->address);
    if (!memory) {
        memory = mnp_array_add(&rt->imported, 1, sizeof *memory);
        *memory = (struct cudart_imported){.address = handle->address, .bytes = handle->bytes};
        cudart_make_pages(device, handle->address, handle->bytes);
    }
    memory->times++;
    grant(home, memory, device);
    cudart_meet_processes(rt);
    *out = (void *)handle->address;
    return CUDA_SUCCESS;
}

static void drop(struct cudart *rt, struct cudart_imported *memory)
{
    struct cudart_imported *all = rt->imported.items;
    execute_device_grant(&cudart_home(cudart_current_device(rt), memory->address)->functional, memory->address,
                         memory->bytes, 0);
    *memory = all[--rt->imported.count];
}

enum cuda_error cudart_close_import(struct cudart *rt, uint64_t address)
{
    struct cudart_imported *memory = find(rt, address);
    if (!memory)
        return CUDA_INVALID_VALUE;
    cudart_wait_all(rt, NULL);
    memory = find(rt, address);
    if (memory && !--memory->times)
        drop(rt, memory);
    return cudart_surface(rt);
}

void cudart_forget_imports(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    for (uint32_t i = rt->imported.count; i-- > 0;) {
        struct cudart_imported *memory = (struct cudart_imported *)rt->imported.items + i;
        if (cudart_home(device, memory->address) == device)
            drop(rt, memory);
    }
}
