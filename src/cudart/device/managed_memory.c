/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that host and device share: what each has written since they last agreed is brought to the other, byte by
 * byte. Where both have written a byte, which only a race can do, the host's stands.
 */
#include "cudart/device/managed_memory.h"

#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"

#include <string.h>
#include <sys/mman.h>

enum { PIECE = 4096 }; /* unit of comparison; divides a page of the device */

struct piece {
    uint64_t address;
    size_t bytes;
    unsigned char *host, *agreed;
    const unsigned char *device; /* NULL: zeros, nobody has written there */
};

static const unsigned char zeros[PIECE];

/* Merges a piece that has been changed on one side at least. */
static bool merge(struct cudart_device *device, const struct piece *p)
{
    unsigned char result[PIECE];
    const unsigned char *theirs = p->device ? p->device : zeros;
    for (size_t i = 0; i < p->bytes; i++)
        result[i] = p->host[i] != p->agreed[i] ? p->host[i] : theirs[i];
    if (memcmp(theirs, result, p->bytes) != 0 &&
        !execute_device_write(&device->functional, p->address, result, p->bytes))
        return false;
    if (memcmp(p->host, result, p->bytes) != 0)
        memcpy(p->host, result, p->bytes);
    memcpy(p->agreed, result, p->bytes);
    return true;
}

/* Begins with the host's contents as agreed; of a variable, with its initial value. */
static bool begin(struct cudart_device *device, struct cudart_shared *memory)
{
    void *agreed =
        mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (agreed == MAP_FAILED)
        return false;
    memory->agreed = agreed;
    for (uint64_t done = 0, step; !memory->variable && done < memory->bytes; done += step) {
        uint64_t address = memory->address + done;
        step = PIECE - address % PIECE;
        step = step < memory->bytes - done ? step : memory->bytes - done;
        const unsigned char *page = mnp_memory_page(device->functional.memory, address);
        if (page && memcmp(page + address % MNP_MEMORY_PAGE, zeros, step) != 0 &&
            !execute_device_write(&device->functional, address, zeros, step))
            return false; /* contents left by freed memory */
    }
    return true;
}

/* Reconciles the bytes `from` … `to` of the shared memory; the first call reconciles all of them. */
static bool agree(struct cudart_device *device, struct cudart_shared *memory, uint64_t from, uint64_t to)
{
    bool first = !memory->agreed;
    if (first && !begin(device, memory))
        return false;
    from = first ? 0 : from;
    to = first || to > memory->bytes ? memory->bytes : to;
    for (uint64_t done = from, step; done < to; done += step) {
        uint64_t address = memory->address + done;
        step = PIECE - address % PIECE;
        step = step < to - done ? step : to - done;
        struct piece piece = {address, step, (unsigned char *)address, memory->agreed + done, NULL};
        bool changed = memcmp(piece.host, piece.agreed, step) != 0;
        if (changed || first || device->memory.executed) {
            const unsigned char *page = mnp_memory_page(device->functional.memory, address);
            piece.device = page ? page + address % MNP_MEMORY_PAGE : NULL;
            changed |= memcmp(piece.device ? piece.device : zeros, piece.agreed, step) != 0;
        }
        if (changed && !merge(device, &piece))
            return false;
    }
    return true;
}

/* Kernels of any device may write to it. */
static bool any_runs(const struct cudart *rt)
{
    bool runs = false;
    for (uint32_t i = 0; i < rt->device_count; i++)
        runs |= rt->devices[i].running || rt->devices[i].aside;
    return runs;
}

bool cudart_sync_managed(struct cudart_device *device, uint64_t largest)
{
    struct cudart_shared *all = device->memory.shared.items;
    for (uint32_t i = 0; i < device->memory.shared.count; i++)
        if (all[i].bytes <= largest && !agree(device, &all[i], 0, all[i].bytes))
            return false;
    if (largest == CUDART_ALL)
        device->memory.executed = any_runs(device->rt);
    return true;
}

bool cudart_sync_managed_range(struct cudart_device *device, uint64_t address, uint64_t bytes)
{
    device = cudart_home(device, address);
    struct cudart_shared *memory = cudart_shared_at(device, address);
    return !memory || agree(device, memory, address - memory->address, address - memory->address + bytes);
}

bool cudart_sync_managed_of_all(struct cudart *rt, uint64_t largest)
{
    bool good = true;
    for (uint32_t i = 0; good && i < rt->device_count; i++)
        good = cudart_sync_managed(&rt->devices[i], largest);
    return good;
}

bool cudart_sync_executed(struct cudart *rt)
{
    bool good = true;
    for (uint32_t i = 0; good && i < rt->device_count; i++)
        good = !rt->devices[i].memory.executed || cudart_sync_managed(&rt->devices[i], CUDART_ALL);
    return good;
}

void cudart_expect_writes(struct cudart_device *device)
{
    const struct cudart *rt = device->rt;
    for (uint32_t i = 0; i < rt->device_count; i++)
        rt->devices[i].memory.executed = true;
}
