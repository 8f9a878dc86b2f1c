/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/device/freed.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 4096 }; /* allocations remembered */

void execute_freed_add(struct execute_freed *freed, const struct mnp_region *region)
{
    if (freed->regions.count < MOST) {
        *(struct mnp_region *)mnp_array_add(&freed->regions, 1, sizeof *region) = *region;
        return;
    }
    ((struct mnp_region *)freed->regions.items)[freed->next] = *region;
    freed->next = (freed->next + 1) % MOST;
}

bool execute_freed_find(const struct execute_freed *freed, uint64_t address, struct mnp_region *region)
{
    const struct mnp_region *all = freed->regions.items;
    uint32_t count = freed->regions.count;
    for (uint32_t i = 1; i <= count; i++) {
        const struct mnp_region *one = &all[(freed->next + count - i) % count];
        if (address - one->address >= one->bytes)
            continue;
        *region = *one;
        return true;
    }
    return false;
}

void execute_freed_release(struct execute_freed *freed)
{
    mnp_array_release(&freed->regions);
    freed->next = 0;
}

bool execute_is_host_address(uint64_t address)
{
    unsigned char resident;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return mincore((void *)(uintptr_t)(address / page * page), 1, &resident) == 0;
}
