/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tree pseudo-LRU (K. So and R. N. Rechtschaffen, "Cache operations by MRU change", IEEE Trans. Computers, 1988): the
 * nodes of a binary tree over the ways each state the half that contains the next victim; a use turns the nodes on its
 * path away from it. If the victim is barred, the next way that is not barred is used.
 *
 * The number of ways need not be a power of two: the node that divides the ways [low, high) lies between ways middle -
 * 1 and middle, where middle = (low + high) / 2, and is stored with way `middle`. Zero means that the victim is in the
 * lower half.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_PLRU_H
#define MNP_PARTS_CACHE_POLICIES_PLRU_H

#include "parts/cache/policies/policy.h"

/* Whether each node on the path to the way points away from it; with `turn`, makes it so. */
static inline bool mnp_plru_path(const struct mnp_policy_set *set, uint32_t way, bool turn)
{
    uint8_t *upper = set->ways;
    for (uint32_t low = 0, high = set->count; high - low > 1;) {
        uint32_t middle = (low + high) / 2;
        uint8_t away = way < middle;
        if (turn)
            upper[middle] = away;
        else if (upper[middle] != away)
            return false;
        low = away ? low : middle;
        high = away ? middle : high;
    }
    return true;
}

static inline bool mnp_plru_settled(const struct mnp_policy_set *set, uint32_t way)
{
    return mnp_plru_path(set, way, false);
}

static inline uint32_t mnp_plru_recent(const struct mnp_policy_set *set)
{
    (void)set;
    return MNP_NO_WAY;
}

static inline void mnp_plru_use(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_plru_path(set, way, true);
}

static inline void mnp_plru_insert(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_plru_path(set, way, true);
}

static inline void mnp_plru_free(const struct mnp_policy_set *set, uint32_t way)
{
    (void)set;
    (void)way;
}

__attribute__((always_inline)) static inline uint32_t mnp_plru_victim(const struct mnp_policy_set *set,
                                                                      mnp_policy_barred *barred, const void *cache)
{
    const uint8_t *upper = set->ways;
    uint32_t low = 0;
    for (uint32_t high = set->count; high - low > 1;) {
        uint32_t middle = (low + high) / 2;
        low = upper[middle] ? middle : low;
        high = upper[middle] ? high : middle;
    }
    return mnp_policy_next(set, low, barred, cache);
}

static const struct mnp_policy mnp_plru_policy = {
    .way_bytes = 1,
    .use = mnp_plru_use,
    .insert = mnp_plru_insert,
    .free = mnp_plru_free,
    .victim = mnp_plru_victim,
    .settled = mnp_plru_settled,
    .recent = mnp_plru_recent,
};

#endif
