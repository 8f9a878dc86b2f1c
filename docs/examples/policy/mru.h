/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most recently used: the line that was used last goes. Of a loop over more lines than a set has ways, all ways but one
 * keep theirs. The worked example of docs/extending.md: in the project, this file would lie in src/parts/cache/policies.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_MRU_H
#define MNP_PARTS_CACHE_POLICIES_MRU_H

#include "parts/cache/policies/order.h"

static inline bool mnp_mru_settled(const struct mnp_policy_set *set, uint32_t way)
{
    return mnp_order_oldest(set) == way;
}

static inline uint32_t mnp_mru_recent(const struct mnp_policy_set *set)
{
    return mnp_order_oldest(set);
}

/* The end from which victims are taken is that of the last use. */
static inline void mnp_mru_use(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_oldest(set, way);
}

static inline void mnp_mru_insert(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_oldest(set, way);
}

static inline void mnp_mru_free(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_order_make_newest(set, way);
}

__attribute__((always_inline)) static inline uint32_t mnp_mru_victim(const struct mnp_policy_set *set,
                                                                     mnp_policy_barred *barred, const void *cache)
{
    return mnp_order_victim(set, barred, cache);
}

static const struct mnp_policy mnp_mru_policy = {
    .way_bytes = sizeof(struct mnp_order_way),
    .set_bytes = sizeof(struct mnp_order_ends), /* its victim is never a free way: the cache looks for these first */
    .use = mnp_mru_use,
    .insert = mnp_mru_insert,
    .free = mnp_mru_free,
    .victim = mnp_mru_victim,
    .settled = mnp_mru_settled,
    .recent = mnp_mru_recent,
};

#endif
