/* SPDX-License-Identifier: BSD-3-Clause */
/* A replacement policy's view of a cache: the set in which it selects a way, and the access that causes it. */
#ifndef MNP_PARTS_CACHE_POLICIES_SET_H
#define MNP_PARTS_CACHE_POLICIES_SET_H

#include <stdbool.h>
#include <stdint.h>

#define MNP_NO_WAY UINT32_MAX

enum mnp_access_kind {
    MNP_ACCESS_LOAD,
    MNP_ACCESS_STORE,
    MNP_ACCESS_ATOMIC, /* atomics and reductions */
    MNP_ACCESS_PREFETCH,
    MNP_ACCESS_WRITE_BACK, /* data that no instruction waits for: from a cache above, or a host copy */
    MNP_ACCESS_FETCH,      /* fetch of instructions or constants */
};

struct mnp_cache_access {
    uint64_t address; /* address of the line; at the L2: inside the slice */
    uint64_t pc;      /* address of the instruction, including the base of its kernel's code; 0: unknown here */
    uint16_t sm;      /* that asks */
    uint16_t warp;    /* warp of the SM; at the L2: 0 */
    uint8_t kind;     /* enum mnp_access_kind */
    uint8_t reserved[3];
};

struct mnp_policy_set {
    void *ways;      /* [count] the policy's state of each way; zero at first */
    void *own;       /* the policy's state of the set; zero at first */
    uint32_t count;  /* number of ways in use, 1 … 32768 */
    uint32_t number; /* number of the set */

    /* For policies that are called: all those of plug-ins. */
    uint32_t sets;                         /* number of sets of the cache */
    void *cache;                           /* the policy's state of the whole cache; zero at first */
    const uint64_t *values;                /* values of the policy's parameters */
    const struct mnp_cache_access *access; /* the present one; only for policies with mnp_policy.asks */
};

/* Whether a way cannot be replaced now; `cache` is the pointer passed by the policy's caller. */
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
