/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dispatch to the replacement policies, for caches of any layout. The policy is a number chosen at run time; each
 * function here becomes one comparison per policy of policies/list.h followed by that policy's code, without a call.
 * All other policies (policies/called.c, plug-ins) have the number MNP_REPLACE_CALLED, and the cache calls them through
 * their struct mnp_policy.
 */
#ifndef MNP_PARTS_CACHE_REPLACEMENT_H
#define MNP_PARTS_CACHE_REPLACEMENT_H

#include "parts/cache/policies/headers.h"

#include <stddef.h>

enum mnp_replacement {
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP) NUMBER,
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    MNP_REPLACEMENTS,
    MNP_REPLACE_CALLED = MNP_REPLACEMENTS, /* the policy is called */
};

/* Names of the policies of the list, NULL-terminated, in the order of the enumeration: choices of a machine key. */
extern const char *const mnp_replacement_names[];

/* Description of the policies, for the help of a machine key. */
extern const char mnp_replacement_help[];

/* policies/called.c: policies that are called, NULL-terminated. */
extern const struct mnp_part *const mnp_called_policies[];

/* The policy of a number below MNP_REPLACEMENTS. */
const struct mnp_policy *mnp_replacement_policy(enum mnp_replacement number);

/* Always false for MNP_REPLACE_CALLED. */
static inline bool mnp_replacement_settled(enum mnp_replacement number, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP)                                                                    \
    if (number == NUMBER)                                                                                              \
        return POLICY.settled(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return false;
}

static inline uint32_t mnp_replacement_recent(enum mnp_replacement number, const struct mnp_policy_set *set)
{
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP)                                                                    \
    if (number == NUMBER)                                                                                              \
        return POLICY.recent(set);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return MNP_NO_WAY;
}

static inline void mnp_replacement_use(enum mnp_replacement number, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP)                                                                    \
    if (number == NUMBER)                                                                                              \
        POLICY.use(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
}

static inline void mnp_replacement_insert(enum mnp_replacement number, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP)                                                                    \
    if (number == NUMBER)                                                                                              \
        POLICY.insert(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
}

static inline void mnp_replacement_free(enum mnp_replacement number, const struct mnp_policy_set *set, uint32_t way)
{
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP)                                                                    \
    if (number == NUMBER)                                                                                              \
        POLICY.free(set, way);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
}

__attribute__((always_inline)) static inline uint32_t mnp_replacement_victim(enum mnp_replacement number,
                                                                             const struct mnp_policy_set *set,
                                                                             mnp_policy_barred *barred,
                                                                             const void *cache)
{
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP)                                                                    \
    if (number == NUMBER)                                                                                              \
        return POLICY.victim(set, barred, cache);
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return MNP_NO_WAY;
}

#endif
