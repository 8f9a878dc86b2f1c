/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of items of equal size, indexed by number. The number freed last is reused first. An all-zero structure is an
 * empty table. */
#ifndef MNP_BASE_NUMBERED_H
#define MNP_BASE_NUMBERED_H

#include "base/array.h"

struct mnp_numbered {
    struct mnp_array items;
    struct mnp_array free; /* uint32_t: numbers that were freed, the last one at the end */
};

/* Allocates a number. A new item is zeroed; a reused item keeps its contents. Items may move. */
uint32_t mnp_numbered_take(struct mnp_numbered *all, size_t size);

/* Frees a number, which must be allocated. */
void mnp_numbered_give(struct mnp_numbered *all, uint32_t number);

void mnp_numbered_release(struct mnp_numbered *all);

/* Returns the item of a number; the pointer is valid until the next mnp_numbered_take. */
static inline void *mnp_numbered_at(const struct mnp_numbered *all, uint32_t number, size_t size)
{
    return (unsigned char *)all->items.items + number * size;
}

#endif
