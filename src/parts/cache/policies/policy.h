/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A replacement policy consists of state of the whole cache, of each set and of each way, all initially zero, and of
 * functions on that state. An access that waits is looked up again, so `use` and `victim` may be called several times
 * for one access. A repeated `use` must not change which way goes next; `victim` changes nothing. A policy that counts
 * accesses needs `asks`; insertions happen once each.
 *
 * A policy with `asks` is told of each access to the cache (struct mnp_cache_access): `seen` once per access, before
 * the look-up; then `use` on a hit, or `victim` and `insert` if a line is allocated, unless `bypasses` says that none
 * should be. Only caches that can serve an access without a line (the L1 data cache) obey `bypasses`.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_POLICY_H
#define MNP_PARTS_CACHE_POLICIES_POLICY_H

#include "engine/declare/part.h"
#include "parts/cache/policies/set.h"

/* The kind of part (mnp_parameter.joins) under which plug-ins add policies. */
#define MNP_POLICY_PART "policy"

struct mnp_policy {
    struct mnp_part part; /* set->values holds its parameters; it has no statistics of its own */
    uint32_t way_bytes, set_bytes;
    bool finds_free; /* the victim is a free way if there is one; otherwise the cache searches for a free way first */
    bool asks;

    /* Size of the policy's state of the cache for the given numbers of sets and ways. NULL: none. */
    uint64_t (*cache_bytes)(uint32_t sets, uint32_t ways, const uint64_t *values);

    void (*seen)(const struct mnp_policy_set *set);     /* called for each access; NULL: not needed */
    bool (*bypasses)(const struct mnp_policy_set *set); /* an absent line gets no way; NULL: all get one */
    void (*use)(const struct mnp_policy_set *set, uint32_t way);
    void (*insert)(const struct mnp_policy_set *set, uint32_t way); /* a line comes into the way, the victim */
    void (*free)(const struct mnp_policy_set *set, uint32_t way);   /* the way's line is gone */
    /* The way to be replaced next, none for which `barred` is true; MNP_NO_WAY: all are. Changes nothing. */
    uint32_t (*victim)(const struct mnp_policy_set *set, mnp_policy_barred *barred, const void *cache);

    /* For policies compiled into the caches (list.h), so that most hits cost nothing. `settled`: whether a use of the
     * way would change nothing. The second function returns the most recently used way if it is immediately known,
     * otherwise MNP_NO_WAY. */
    bool (*settled)(const struct mnp_policy_set *set, uint32_t way);
    uint32_t (*recent)(const struct mnp_policy_set *set);
};

#endif
