/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/cache/replacement.h"

const char *const mnp_replacement_names[] = {
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP) NAME,
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    NULL};

const char mnp_replacement_help[] = "which line of a set goes"
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP) "; " NAME ": " HELP
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    ;

const struct mnp_policy *mnp_replacement_policy(enum mnp_replacement number)
{
#define MNP_REPLACEMENT(NUMBER, NAME, POLICY, HELP)                                                                    \
    if (number == NUMBER)                                                                                              \
        return &POLICY;
#include "parts/cache/policies/list.h"
#undef MNP_REPLACEMENT
    return NULL;
}
