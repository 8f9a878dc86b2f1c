/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A replacement policy: state of the whole cache, of each set and of each way, all zero at first, and functions that
 * work on it. Uses and victims may be asked for again and again without a change of the state: a policy counts
 * insertions alone, or, with `asks`, accesses.
 *
 * A policy with `asks` gets to know each access that comes to the cache (struct mnp_cache_access): `seen` once per
 * access, before the look-up, then `use` if the line was there, or `victim` and `insert` if a line is taken, unless
 * `bypasses` says that none should be. A cache that can serve an access without a line (the L1 data cache) follows
 * that; others do not ask.
 */
#ifndef MNP_PARTS_CACHE_POLICIES_POLICY_H
#define MNP_PARTS_CACHE_POLICIES_POLICY_H

#include "engine/declare/part.h"
#include "parts/cache/policies/set.h"

/* What plug-ins add policies as (mnp_parameter.joins). */
#define MNP_POLICY_PART "policy"

struct mnp_policy {
    struct mnp_part part; /* its parameters may be read by set->values; it has no statistics of its own */
    uint32_t way_bytes, set_bytes;
    bool finds_free; /* its victim is a free way whenever there is one; otherwise the cache looks for one first */
    bool asks;

    /* Bytes of its state of a cache of so many sets and ways. NULL: none. */
    uint64_t (*cache_bytes)(uint32_t sets, uint32_t ways, const uint64_t *values);

    void (*seen)(const struct mnp_policy_set *set);     /* an access comes; NULL: nothing is to be done */
    bool (*bypasses)(const struct mnp_policy_set *set); /* an absent line gets no way; NULL: all get one */
    void (*use)(const struct mnp_policy_set *set, uint32_t way);
    void (*insert)(const struct mnp_policy_set *set, uint32_t way); /* a line comes into the way, the victim */
    void (*free)(const struct mnp_policy_set *set, uint32_t way);   /* the way's line is gone */
    /* The way to be replaced next, none for which `barred` is true; MNP_NO_WAY: all are. Changes nothing. */
    uint32_t (*victim)(const struct mnp_policy_set *set, mnp_policy_barred *barred, const void *cache);

    /* Of policies that are compiled into the caches (list.h), so that most hits cost nothing: whether a use of the way
     * would change nothing; and the way used last, if known at a glance, or MNP_NO_WAY. */
    bool (*settled)(const struct mnp_policy_set *set, uint32_t way);
    uint32_t (*recent)(const struct mnp_policy_set *set);
};

#endif
