/* SPDX-License-Identifier: BSD-3-Clause */
/* Items of one size under numbers. The number that was given back last is the next one. All zero is empty. */
#ifndef MNP_BASE_NUMBERED_H
#define MNP_BASE_NUMBERED_H

#include "base/array.h"

struct mnp_numbered {
    struct mnp_array items;
    struct mnp_array free; /* uint32_t: numbers that were given back, the latest at the end */
};

/* Takes a number. A new item is zeroed, one that was given back is as it was. Items may move. */
uint32_t mnp_numbered_take(struct mnp_numbered *all, size_t size);

/* Gives a number back, which must be taken. */
void mnp_numbered_give(struct mnp_numbered *all, uint32_t number);

void mnp_numbered_release(struct mnp_numbered *all);

/* The item of a number; valid until the next one is taken. */
static inline void *mnp_numbered_at(const struct mnp_numbered *all, uint32_t number, size_t size)
{
    return (unsigned char *)all->items.items + number * size;
}

#endif
