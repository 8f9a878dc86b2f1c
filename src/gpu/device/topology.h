/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the SMs of a machine lie in GPCs, whose counts differ, and in which groups of SMs clusters find a place. A GPC is
 * such a group, unless the machine says otherwise: what is left of a GPC that lacks too many SMs to hold the largest
 * cluster may be several smaller groups.
 */
#ifndef GPU_TOPOLOGY_H
#define GPU_TOPOLOGY_H

#include "base/error.h"
#include "gpu/dispatch/dispatch.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_parameters;

enum { GPU_TPC_SMS = 2 }; /* SMs of a TPC: places 2i and 2i + 1 of a GPC */

/* The first SM of a GPC; of the number of all GPCs: the number of all SMs. */
uint32_t gpu_first_sm(const struct gpu_parameters *parameters, uint64_t gpc);

/* The groups of a machine, and how many there are. */
uint32_t gpu_group_count(const struct gpu_parameters *parameters);
struct dispatch_group gpu_group_at(const struct gpu_parameters *parameters, uint32_t index);

/* SMs in the order in which CTAs are placed on them, [sm.count] (launch.order). Over GPCs in turn: first the one SM of
 * each TPC, then the other ones; of GPCs the first of each part of the L2, then the second ones. */
void gpu_placement_order(const struct gpu_parameters *parameters, uint32_t *order);

/* Clusters of `size` CTAs that all groups hold at once, if each SM holds `per_sm` CTAs. */
uint64_t gpu_clusters_held(const struct gpu_parameters *parameters, uint64_t per_sm, uint64_t size);

/* Whether the lists of SMs fit their number; an error that says what to change, if not. */
bool gpu_topology_check(const struct gpu_parameters *parameters, struct mnp_error *error);

#endif
