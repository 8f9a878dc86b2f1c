/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the latencies that a machine file states to those of links and of DRAM accesses, on any clocks.
 *
 * Stated are measured, unloaded latencies; links are what remains of them after pipelines and queues (DESIGN §2.8):
 * latency.l2 = issue to look-up + miss + [sm → gpc] + GPC + [gpc → partition] + L2 hit + [partition → gpc] + GPC +
 * [gpc → sm] + fill to dependent issue, the four links in brackets sharing the rest evenly. Where GPC and partition lie
 * in different parts of the L2 (l2.halves), the two links between them share what latency.l2_far is more.
 *
 * They were measured with certain clocks, `latency.clock.*`, and are stated in cycles of that core clock. With other
 * clocks each part of a latency keeps its number of cycles of the clock that drives it:
 *   clock.core  what the SM does: as much as an L1 hit takes (latency.l1), the rest of which lies on the links to and
 *               from the GPC
 *   clock.noc   the GPC, all else of links, and the way of CTAs to the SMs (launch.to_sm)
 *   clock.l2    the slice (l2.latency), and what latency.dram is more than DRAM timing and crossing make it
 *   clock.dram  DRAM timing
 *   none        launch.kernel: the host's interface and the front end have no clock here
 *   clock.sm2sm the links between SMs: what latency.sm_to_sm, and sm2sm.reach of both, is more than issue to look-up
 *               and fill to dependent issue take
 * No link is shorter than two cycles of the slower one of its ends, nor than two of the core clock.
 */
#ifndef GPU_LATENCY_H
#define GPU_LATENCY_H

#include "engine/core/time.h"
#include "gpu/device/parameters.h"

struct gpu_link_times {
    mnp_time sm_to_gpc, gpc_to_sm;
    mnp_time gpc_to_partition[2], partition_to_gpc[2]; /* [0] in the same part of the L2, [1] between parts */
    mnp_time to_sm;                                    /* between dispatcher and SM, either way */
};

/* False when latency.l2 leaves less than two cycles for each link; the least that does not. */
bool gpu_find_link_times(const struct gpu_parameters *parameters, struct gpu_link_times *times);
uint64_t gpu_least_l2_latency(const struct gpu_parameters *parameters);

/* Cycles, of the slower clock of its ends, that the longest link between SMs and partitions takes. */
uint64_t gpu_longest_link(const struct gpu_parameters *parameters, const struct gpu_link_times *times);

/* The two ways of an access from an SM to another, of places `from` and `to` in their GPC, or of its barrier's news;
 * the least latency.sm_to_sm that leaves two cycles for each. */
void gpu_sm2sm_times(const struct gpu_parameters *parameters, uint64_t from, uint64_t to, mnp_time *out,
                     mnp_time *back);
uint64_t gpu_barrier_cycles(const struct gpu_parameters *parameters); /* sm2sm.barrier in core cycles */
uint64_t gpu_least_sm_to_sm(const struct gpu_parameters *parameters);

/* Time by which an answer to a strong read, a write or an atomic is later from another part of the L2 than from the
 * nearer one, where latency.l2_strong is stated. */
mnp_time gpu_home_time(const struct gpu_parameters *parameters);

/* L2 cycles by which a DRAM read is longer than pipelines and timing make it. False when latency.dram is too short for
 * these; the least that is not. */
bool gpu_dram_extra(const struct gpu_parameters *parameters, uint64_t *cycles);
uint64_t gpu_least_dram_latency(const struct gpu_parameters *parameters);

/* Core cycles that launch.kernel takes, launch.first, launch.graph, launch.gap, launch.event. */
uint64_t gpu_launch_cycles(const struct gpu_parameters *parameters);
uint64_t gpu_first_cycles(const struct gpu_parameters *parameters);
uint64_t gpu_graph_cycles(const struct gpu_parameters *parameters);
uint64_t gpu_gap_cycles(const struct gpu_parameters *parameters);
uint64_t gpu_record_cycles(const struct gpu_parameters *parameters);

#endif
