/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/numbered.h"

uint32_t mnp_numbered_take(struct mnp_numbered *all, size_t size)
{
    if (all->free.count)
        return ((const uint32_t *)all->free.items)[--all->free.count];
    mnp_array_add(&all->items, 1, size);
    return all->items.count - 1;
}

void mnp_numbered_give(struct mnp_numbered *all, uint32_t number)
{
    *(uint32_t *)mnp_array_add(&all->free, 1, sizeof number) = number;
}

void mnp_numbered_release(struct mnp_numbered *all)
{
    mnp_array_release(&all->items);
    mnp_array_release(&all->free);
}
