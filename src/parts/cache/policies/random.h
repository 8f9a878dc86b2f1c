/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pseudo-random replacement: the victim is a hash of the set's number and of the number of lines inserted into the set.
 * Hardware uses a shift register; the hash is the same in every run. If the victim is barred, the next way that is not
 * barred is used.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_RANDOM_H
#define MNP_PARTS_CACHE_POLICIES_RANDOM_H

#include "base/mix.h"
#include "parts/cache/policies/policy.h"

static inline bool mnp_random_settled(const struct mnp_policy_set *set, uint32_t way)
{
    (void)set;
    (void)way;
    return true;
}

static inline uint32_t mnp_random_recent(const struct mnp_policy_set *set)
{
    (void)set;
    return MNP_NO_WAY;
}

static inline void mnp_random_use(const struct mnp_policy_set *set, uint32_t way)
{
    (void)set;
    (void)way;
}

static inline void mnp_random_insert(const struct mnp_policy_set *set, uint32_t way)
{
    (void)way;
    ++*(uint32_t *)set->own;
}

static inline void mnp_random_free(const struct mnp_policy_set *set, uint32_t way)
{
    (void)set;
    (void)way;
}

__attribute__((always_inline)) static inline uint32_t mnp_random_victim(const struct mnp_policy_set *set,
                                                                        mnp_policy_barred *barred, const void *cache)
{
    uint64_t hash = mnp_mix_upper(((uint64_t)set->number << 32 | *(const uint32_t *)set->own) + MNP_MIX_STEP);
    uint32_t way = (uint32_t)(((hash >> 32) * set->count) >> 32);
    return mnp_policy_next(set, way, barred, cache);
}

static const struct mnp_policy mnp_random_policy = {
    .set_bytes = sizeof(uint32_t),
    .use = mnp_random_use,
    .insert = mnp_random_insert,
    .free = mnp_random_free,
    .victim = mnp_random_victim,
    .settled = mnp_random_settled,
    .recent = mnp_random_recent,
};

#endif
