/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Placement of clusters: all CTAs of one at a time, in one group of SMs (gpu/device/topology.h).
 *
 * A cluster goes where it takes nothing from larger ones: to the SMs that are left over in a group when it holds as
 * many of the largest clusters as it can, in the group with the fewest of them that suffice. If there is no such group,
 * to the next one in turn that has room. That is what is known of an H800: a cluster of two on the ninth TPC of a GPC,
 * those of 3 to 14 on a GPC of 14 SMs, one of 16 on a GPC of 16. In a group, CTAs go to idle SMs in their order first,
 * so that ranks 2i and 2i + 1 share a TPC, and then to the others that have room, one by one. Those of a kernel whose
 * CTAs multiply by pairs (tcgen05 with cta_group::2) always go to both SMs of a TPC (`pairs`).
 */
#ifndef GPU_DISPATCH_CLUSTER_H
#define GPU_DISPATCH_CLUSTER_H

#include "gpu/dispatch/state.h"

/* Whether a group could hold a cluster of the kernel if it were empty. */
bool dispatch_cluster_fits(const struct dispatch *dispatch, const struct dispatch_kernel *k, uint64_t per_sm,
                           bool pairs);

/* CTAs of the kernel for which an SM has room now. */
uint32_t dispatch_room(const struct dispatch_sm *sm, const struct dispatch_kernel *k);

/* Finds SMs for the next cluster of a kernel, by rank. False: no group has room. */
bool dispatch_cluster_find(struct dispatch *dispatch, const struct dispatch_kernel *k, bool pairs,
                           uint32_t sms[GPU_CLUSTER_CTAS]);

#endif
