/* SPDX-License-Identifier: BSD-3-Clause */
/* First in, first out: a way is the newest when a line comes into it, and uses change nothing. */
#ifndef MNP_PARTS_CACHE_POLICIES_FIFO_H
#define MNP_PARTS_CACHE_POLICIES_FIFO_H

#include "parts/cache/policies/order.h"

static inline bool mnp_fifo_settled(const struct mnp_policy_set *set, uint32_t way)
{
    (void)set;
    (void)way;
    return true;
}

static inline uint32_t mnp_fifo_recent(const struct mnp_policy_set *set)
{
    (void)set;
    return MNP_NO_WAY;
}

static inline void mnp_fifo_use(const struct mnp_policy_set *set, uint32_t way)
{
    (void)set;
    (void)way;
}

static inline void mnp_fifo_insert(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_newest(set, way);
}

static inline void mnp_fifo_free(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_oldest(set, way);
}

__attribute__((always_inline)) static inline uint32_t mnp_fifo_victim(const struct mnp_policy_set *set,
                                                                      mnp_policy_barred *barred, const void *cache)
{
    return mnp_order_victim(set, barred, cache);
}

static const struct mnp_policy mnp_fifo_policy = {
    .way_bytes = sizeof(struct mnp_order_way),
    .set_bytes = sizeof(struct mnp_order_ends),
    .finds_free = true,
    .use = mnp_fifo_use,
    .insert = mnp_fifo_insert,
    .free = mnp_fifo_free,
    .victim = mnp_fifo_victim,
    .settled = mnp_fifo_settled,
    .recent = mnp_fifo_recent,
};

#endif
