/* SPDX-License-Identifier: BSD-3-Clause */
/* Least recently used, exactly: a use makes a way the newest. */
#ifndef MNP_PARTS_CACHE_POLICIES_LRU_H
#define MNP_PARTS_CACHE_POLICIES_LRU_H

#include "parts/cache/policies/order.h"

static inline bool mnp_lru_settled(const struct mnp_policy_set *set, uint32_t way)
{
    return mnp_order_newest(set) == way;
}

static inline uint32_t mnp_lru_recent(const struct mnp_policy_set *set)
{
    return mnp_order_newest(set);
}

static inline void mnp_lru_use(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_newest(set, way);
}

static inline void mnp_lru_insert(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_newest(set, way);
}

static inline void mnp_lru_free(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_oldest(set, way);
}

__attribute__((always_inline)) static inline uint32_t mnp_lru_victim(const struct mnp_policy_set *set,
                                                                     mnp_policy_barred *barred, const void *cache)
{
    return mnp_order_victim(set, barred, cache);
}

static const struct mnp_policy mnp_lru_policy = {
    .way_bytes = sizeof(struct mnp_order_way),
    .set_bytes = sizeof(struct mnp_order_ends),
    .finds_free = true,
    .use = mnp_lru_use,
    .insert = mnp_lru_insert,
    .free = mnp_lru_free,
    .victim = mnp_lru_victim,
    .settled = mnp_lru_settled,
    .recent = mnp_lru_recent,
};

#endif
