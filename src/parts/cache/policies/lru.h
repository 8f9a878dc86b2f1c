/* SPDX-License-Identifier: BSD-3-Clause */
/* Least recently used, exactly: a use makes a way the newest. */
#ifdef MNP_REPLACEMENT
MNP_REPLACEMENT(LRU, lru, "the line that was used longest ago")
#elif !defined(MNP_PARTS_CACHE_POLICIES_LRU_H)
#define MNP_PARTS_CACHE_POLICIES_LRU_H

#include "parts/cache/policies/order.h"

enum {
    mnp_lru_way_bytes = sizeof(struct mnp_order_way),
    mnp_lru_set_bytes = sizeof(struct mnp_order_ends),
    mnp_lru_finds_free = true,
};

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

#endif
