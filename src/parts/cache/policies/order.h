/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recency order of the ways of a set, from newest to oldest, for lru.h and fifo.h: a doubly linked list of indices,
 * in which any way can be moved to either end in constant time. Freed ways are moved to the oldest end, so that one
 * walk from there finds a victim whether ways are free or not.
 *
 * In the list of an untouched set, way 0 is the newest and the last way the oldest. Links are stored as differences
 * from that list, so that zeroed memory is a valid list and a large cache needs no initialisation.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_ORDER_H
#define MNP_PARTS_CACHE_POLICIES_ORDER_H

#include "parts/cache/policies/policy.h"

struct mnp_order_way { /* a way's neighbours */
    uint16_t newer, older;
};

struct mnp_order_ends {
    uint16_t newest, oldest;
};

static inline struct mnp_order_way *mnp_order_way(const struct mnp_policy_set *set, uint16_t way)
{
    return (struct mnp_order_way *)set->ways + way;
}

static inline uint16_t mnp_order_newer(const struct mnp_policy_set *set, uint16_t way)
{
    return mnp_order_way(set, way)->newer ^ (uint16_t)(way - 1);
}

static inline void mnp_order_set_newer(const struct mnp_policy_set *set, uint16_t way, uint16_t to)
{
    mnp_order_way(set, way)->newer = to ^ (uint16_t)(way - 1);
}

static inline uint16_t mnp_order_older(const struct mnp_policy_set *set, uint16_t way)
{
    return mnp_order_way(set, way)->older ^ (uint16_t)(way + 1);
}

static inline void mnp_order_set_older(const struct mnp_policy_set *set, uint16_t way, uint16_t to)
{
    mnp_order_way(set, way)->older = to ^ (uint16_t)(way + 1);
}

static inline uint16_t mnp_order_newest(const struct mnp_policy_set *set)
{
    return ((const struct mnp_order_ends *)set->own)->newest;
}

static inline uint16_t mnp_order_oldest(const struct mnp_policy_set *set)
{
    return ((const struct mnp_order_ends *)set->own)->oldest ^ (uint16_t)(set->count - 1);
}

static inline void mnp_order_set_oldest(const struct mnp_policy_set *set, uint16_t way)
{
    ((struct mnp_order_ends *)set->own)->oldest = way ^ (uint16_t)(set->count - 1);
}

/* Takes a way out of the chain; the caller puts it back at an end. */
static inline void mnp_order_unchain(const struct mnp_policy_set *set, uint16_t way)
{
    uint16_t after = mnp_order_newer(set, way), before = mnp_order_older(set, way);
    if (mnp_order_newest(set) == way)
        ((struct mnp_order_ends *)set->own)->newest = before;
    else
        mnp_order_set_older(set, after, before);
    if (mnp_order_oldest(set) == way)
        mnp_order_set_oldest(set, after);
    else
        mnp_order_set_newer(set, before, after);
}

static inline void mnp_order_make_newest(const struct mnp_policy_set *set, uint32_t index)
{
    uint16_t way = (uint16_t)index;
    if (mnp_order_newest(set) == way)
        return;
    mnp_order_unchain(set, way);
    mnp_order_set_older(set, way, mnp_order_newest(set));
    mnp_order_set_newer(set, mnp_order_newest(set), way);
    ((struct mnp_order_ends *)set->own)->newest = way;
}

static inline void mnp_order_make_oldest(const struct mnp_policy_set *set, uint32_t index)
{
    uint16_t way = (uint16_t)index;
    if (mnp_order_oldest(set) == way)
        return;
    mnp_order_unchain(set, way);
    mnp_order_set_newer(set, way, mnp_order_oldest(set));
    mnp_order_set_older(set, mnp_order_oldest(set), way);
    mnp_order_set_oldest(set, way);
}

/* The oldest way that is not barred, or MNP_NO_WAY. */
__attribute__((always_inline)) static inline uint32_t mnp_order_victim(const struct mnp_policy_set *set,
                                                                       mnp_policy_barred *barred, const void *cache)
{
    uint16_t way = mnp_order_oldest(set);
    while (barred(cache, way)) {
        if (way == mnp_order_newest(set))
            return MNP_NO_WAY;
        way = mnp_order_newer(set, way);
    }
    return way;
}

#endif
