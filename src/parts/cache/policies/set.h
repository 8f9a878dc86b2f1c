/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a replacement policy sees of a cache: one set, with the state that the policy keeps there. So it serves caches
 * of any layout.
 *
 * All functions here and in the policies are inlined where they are used: `barred` is a constant there, and no call
 * remains.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_SET_H
#define MNP_PARTS_CACHE_POLICIES_SET_H

#include <stdbool.h>
#include <stdint.h>

#define MNP_NO_WAY UINT32_MAX

struct mnp_policy_set {
    void *ways;      /* [count] the policy's state of each way; zero at first */
    void *own;       /* the policy's state of the set; zero at first */
    uint32_t count;  /* ways in use, 1 … 32768 */
    uint32_t number; /* of the set */
};

/* Whether a way cannot be replaced now; `cache` is what the caller of the policy has passed. */
typedef bool mnp_policy_barred(const void *cache, uint32_t way);

/* The first way from `way` on, in a circle, that is not barred, or MNP_NO_WAY. */
__attribute__((always_inline)) static inline uint32_t mnp_policy_next(const struct mnp_policy_set *set, uint32_t way,
                                                                      mnp_policy_barred *barred, const void *cache)
{
    for (uint32_t i = 0; i < set->count; i++, way = way + 1 < set->count ? way + 1 : 0)
        if (!barred(cache, way))
            return way;
    return MNP_NO_WAY;
}

#endif
