/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations: what an address is, and memory that is taken and given back at once. */
#include "cudart/device/allocator.h"

#include "base/arena.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/memory_pools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HOST_PAGE = EXECUTE_HOST_PAGE, LARGE = 1 << 20 };

/* ===== what an address is ===== */

/* The number of shared allocations that begin at or before an address. */
static uint32_t shared_before(const struct cudart_device *device, uint64_t address)
{
    return mnp_array_before(&device->memory.shared, sizeof(struct cudart_shared), address + 1);
}

struct cudart_shared *cudart_shared_at(const struct cudart_device *device, uint64_t address)
{
    device = cudart_home(device, address);
    struct cudart_shared *all = device->memory.shared.items;
    uint32_t place = shared_before(device, address);
    return place && address - all[place - 1].address < all[place - 1].bytes ? &all[place - 1] : NULL;
}

/* Whether an address is the device's alone. */
bool cudart_on_device(const struct cudart_device *device, uint64_t address)
{
    return address >= EXECUTE_DEVICE_BASE && address < EXECUTE_DEVICE_END && !cudart_shared_at(device, address);
}

bool cudart_allocation_at(const struct cudart_device *device, uint64_t address, struct mnp_region *range)
{
    return (execute_device_nearest(&cudart_home(device, address)->functional, address, range) &&
            address - range->address < range->bytes) ||
           cudart_imported_at(device->rt, address, range);
}

/* Memory of another process: struct cudart_imported. */
bool cudart_imported_at(const struct cudart *rt, uint64_t address, struct mnp_region *range)
{
    const struct cudart_imported *all = rt->imported.items;
    for (uint32_t i = 0; i < rt->imported.count; i++)
        if (address - all[i].address < all[i].bytes) {
            *range = (struct mnp_region){all[i].address, all[i].bytes};
            return true;
        }
    return false;
}

bool cudart_device_range(const struct cudart_device *device, uint64_t address, uint64_t bytes)
{
    struct mnp_region range;
    return cudart_allocation_at(device, address, &range) && bytes <= range.bytes - (address - range.address);
}

/* ===== memory of the device ===== */

/* Allocates memory. Large allocations get pages of their own on silicon, and programs rely on the alignment. */
uint64_t cudart_take(struct cudart_device *device, uint64_t bytes)
{
    uint64_t address = bytes < LARGE ? execute_device_allocate(&device->functional, bytes)
                                     : execute_device_allocate_pages(&device->functional, bytes);
    device->memory.allocated += address ? bytes : 0;
    return address;
}

bool cudart_free_now(struct cudart_device *device, uint64_t address)
{
    struct mnp_region range;
    device = cudart_home(device, address);
    if (!execute_device_nearest(&device->functional, address, &range) ||
        !execute_device_free(&device->functional, address))
        return false;
    cudart_pool_gives(device->rt, address);
    cudart_grant(device, address, range.bytes, 0);
    device->memory.allocated -= range.bytes < device->memory.allocated ? range.bytes : device->memory.allocated;
    return true;
}

/* ===== memory that host and device share ===== */

static void add_shared(struct cudart_device *device, const struct cudart_shared *memory)
{
    uint32_t place = shared_before(device, memory->address);
    mnp_array_add(&device->memory.shared, 1, sizeof *memory);
    struct cudart_shared *at = (struct cudart_shared *)device->memory.shared.items + place;
    memmove(at + 1, at, (device->memory.shared.count - 1 - place) * sizeof *at);
    *at = *memory;
}

uint64_t cudart_take_shared(struct cudart_device *device, uint64_t bytes, bool managed, unsigned flags)
{
    uint64_t address = execute_device_allocate_pages(&device->functional, bytes);
    if (!address)
        return 0;
    void *host = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (host != (void *)address) {
        if (host != MAP_FAILED)
            munmap(host, bytes);
        execute_device_free(&device->functional, address);
        return 0;
    }
    add_shared(device, &(struct cudart_shared){.address = address, .bytes = bytes, .managed = managed, .flags = flags});
    cudart_grant(device, address, bytes, CUDART_ALL_DEVICES);
    return address;
}

/* munmap takes whole pages; no other memory of the host's lies in them, but for variables, which go together. */
enum cuda_error cudart_free_shared(struct cudart_device *device, uint64_t address)
{
    device = cudart_home(device, address);
    struct cudart_shared *memory = cudart_shared_at(device, address), *all = device->memory.shared.items;
    if (!memory || memory->address != address)
        return CUDA_INVALID_VALUE;
    uint64_t first = address / HOST_PAGE * HOST_PAGE;
    munmap((void *)first, address + memory->bytes - first);
    if (memory->agreed)
        munmap(memory->agreed, memory->bytes);
    cudart_grant(device, address, memory->bytes, 0);
    execute_device_free(&device->functional, address);
    uint32_t place = (uint32_t)(memory - all);
    memmove(memory, memory + 1, (device->memory.shared.count - 1 - place) * sizeof *memory);
    device->memory.shared.count--;
    return CUDA_SUCCESS;
}

/* Pages may hold several variables, so that one may be there already. */
bool cudart_share_variable(struct cudart_device *device, uint64_t address, uint64_t bytes)
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
    *(struct cudart_shared *)mnp_array_add(&device->memory.shared, 1, sizeof(struct cudart_shared)) =
        (struct cudart_shared){.address = address, .bytes = bytes, .managed = true, .variable = true};
    return true;
}

void cudart_forget_memory(struct cudart_device *device)
{
    device->memory.allocated = 0;
    while (device->memory.shared.count)
        cudart_free_shared(
            device, ((struct cudart_shared *)device->memory.shared.items)[device->memory.shared.count - 1].address);
}
