/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of replacement policies that are called through pointers: one line each; choices are numbered behind those
 * of list.h, in this order. */
#include "parts/cache/policies/called.h"

#include "parts/cache/replacement.h"

const struct mnp_part *const mnp_called_policies[] = {
    &mnp_drrip_policy.part,
    &mnp_ship_policy.part,
    &mnp_dead_block_policy.part,
    NULL,
};
