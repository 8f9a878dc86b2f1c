/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static re-reference interval prediction, 2 bits, hit priority (A. Jaleel et al., "High performance cache replacement
 * using re-reference interval prediction", ISCA 2010). A new line is predicted to be re-referenced after a long
 * interval, a line that was hit after a near-immediate one. The victim is the first line with the most distant
 * prediction. On a replacement, the predictions of all other lines age by the number of steps that the victim was short
 * of the most distant interval. Stored per way: 3 - the predicted interval, so that zero is the most distant one.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_SRRIP_H
#define MNP_PARTS_CACHE_POLICIES_SRRIP_H

#include "parts/cache/policies/policy.h"

enum { MNP_SRRIP_DISTANT, MNP_SRRIP_LONG, MNP_SRRIP_NEAR = 3 };

static inline bool mnp_srrip_settled(const struct mnp_policy_set *set, uint32_t way)
{
    return ((const uint8_t *)set->ways)[way] == MNP_SRRIP_NEAR;
}

static inline uint32_t mnp_srrip_recent(const struct mnp_policy_set *set)
{
    (void)set;
    return MNP_NO_WAY;
}

static inline void mnp_srrip_use(const struct mnp_policy_set *set, uint32_t way)
{
    ((uint8_t *)set->ways)[way] = MNP_SRRIP_NEAR;
}

static inline void mnp_srrip_insert(const struct mnp_policy_set *set, uint32_t way)
{
    uint8_t *nearness = set->ways, step = nearness[way];
    for (uint32_t i = 0; i < set->count && step; i++)
        nearness[i] = nearness[i] > step ? (uint8_t)(nearness[i] - step) : MNP_SRRIP_DISTANT;
    nearness[way] = MNP_SRRIP_LONG;
}

static inline void mnp_srrip_free(const struct mnp_policy_set *set, uint32_t way)
{
    ((uint8_t *)set->ways)[way] = MNP_SRRIP_DISTANT;
}

__attribute__((always_inline)) static inline uint32_t mnp_srrip_victim(const struct mnp_policy_set *set,
                                                                       mnp_policy_barred *barred, const void *cache)
{
    const uint8_t *nearness = set->ways;
    uint32_t victim = MNP_NO_WAY;
    for (uint32_t way = 0; way < set->count; way++)
        if (!barred(cache, way) && (victim == MNP_NO_WAY || nearness[way] < nearness[victim]))
            victim = way;
    return victim;
}

static const struct mnp_policy mnp_srrip_policy = {
    .way_bytes = 1,
    .use = mnp_srrip_use,
    .insert = mnp_srrip_insert,
    .free = mnp_srrip_free,
    .victim = mnp_srrip_victim,
    .settled = mnp_srrip_settled,
    .recent = mnp_srrip_recent,
};

#endif
