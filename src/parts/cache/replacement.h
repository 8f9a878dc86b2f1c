/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door to the replacement policies (policies/list.h), for caches of any layout. What is chosen at run time is a
 * number; each function here becomes one comparison per policy and that policy's code, without a call.
 *
 * A policy NAME, name of the list is a file policies/name.h with
 *     mnp_name_way_bytes, mnp_name_set_bytes      its state of a way and of a set, which is zero at first
 *     mnp_name_finds_free                         true: its victim is a free way whenever there is one
 *     bool mnp_name_settled(set, way)             whether a use of the way would change nothing
 *     uint32_t mnp_name_recent(set)               the way that was used last, if the policy knows it at a glance, or
 *                                                 MNP_NO_WAY
 *     void mnp_name_use(set, way)                 the line in the way is used
 *     void mnp_name_insert(set, way)              a line comes into the way, which was the victim
 *     void mnp_name_free(set, way)                the way's line is gone
 *     uint32_t mnp_name_victim(set, barred, cache)  the way to be replaced next, none for which `barred` is true;
 *                                                 MNP_NO_WAY: all are. Changes nothing
 * Uses and victims may be asked for again and again without a change of the state: a policy counts insertions alone.
 */
#ifndef MNP_PARTS_CACHE_REPLACEMENT_H
#define MNP_PARTS_CACHE_REPLACEMENT_H

#include "parts/cache/policies/list.h"

#include <stddef.h>

enum mnp_replacement {
#define MNP_REPLACEMENT(NAME, name, help) MNP_REPLACE_##NAME,
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    MNP_REPLACEMENTS
};

/* Names of the policies, NULL-terminated, in the order of the enumeration: the choices of a machine key. */
extern const char *const mnp_replacement_names[];

/* What all of them are, for the help of a machine key. */
extern const char mnp_replacement_help[];

/* Bytes of a policy's state of a way. */
static inline size_t mnp_replacement_way_bytes(enum mnp_replacement policy)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        return mnp_##name##_way_bytes;
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return 0;
}

/* Bytes of a policy's state of a set, besides that of its ways. */
static inline size_t mnp_replacement_set_bytes(enum mnp_replacement policy)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        return mnp_##name##_set_bytes;
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return 0;
}

/* Whether the policy's victim is a free way whenever there is one; otherwise the cache looks for one first. */
static inline bool mnp_replacement_finds_free(enum mnp_replacement policy)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        return mnp_##name##_finds_free;
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return false;
}

static inline bool mnp_replacement_settled(enum mnp_replacement policy, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        return mnp_##name##_settled(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return true;
}

static inline uint32_t mnp_replacement_recent(enum mnp_replacement policy, const struct mnp_policy_set *set)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        return mnp_##name##_recent(set);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return MNP_NO_WAY;
}

static inline void mnp_replacement_use(enum mnp_replacement policy, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        mnp_##name##_use(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
}

static inline void mnp_replacement_insert(enum mnp_replacement policy, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        mnp_##name##_insert(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
}

static inline void mnp_replacement_free(enum mnp_replacement policy, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        mnp_##name##_free(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
}

__attribute__((always_inline)) static inline uint32_t mnp_replacement_victim(enum mnp_replacement policy,
                                                                             const struct mnp_policy_set *set,
                                                                             mnp_policy_barred *barred,
                                                                             const void *cache)
{
#define MNP_REPLACEMENT(NAME, name, help)                                                                              \
    if (policy == MNP_REPLACE_##NAME)                                                                                  \
        return mnp_##name##_victim(set, barred, cache);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return MNP_NO_WAY;
}

#endif
