/* SPDX-License-Identifier: BSD-3-Clause */
/* Replacement policies that are called through pointers, one file each: drrip.c, ship.c, dead_block.c. called.c lists
 * them. */
#ifndef MNP_PARTS_CACHE_POLICIES_CALLED_H
#define MNP_PARTS_CACHE_POLICIES_CALLED_H

#include "parts/cache/policies/policy.h"

extern const struct mnp_policy mnp_drrip_policy;
extern const struct mnp_policy mnp_ship_policy;
extern const struct mnp_policy mnp_dead_block_policy;

#endif
