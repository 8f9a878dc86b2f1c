/* SPDX-License-Identifier: BSD-3-Clause */
/* First in, first out: a way is the newest when a line comes into it, and uses change nothing. */
#ifdef MNP_REPLACEMENT
MNP_REPLACEMENT(FIFO, fifo, "the line that came first")
#elif !defined(MNP_PARTS_CACHE_POLICIES_FIFO_H)
#define MNP_PARTS_CACHE_POLICIES_FIFO_H

#include "parts/cache/policies/order.h"

enum {
    mnp_fifo_way_bytes = sizeof(struct mnp_order_way),
    mnp_fifo_set_bytes = sizeof(struct mnp_order_ends),
    mnp_fifo_finds_free = true,
};

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

#endif
