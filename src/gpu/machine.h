/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The units and links of a GPU, built from its parameters.
 *
 * The machine file states measured, unloaded latencies; links are what remains of them after pipelines and queues
 * (DESIGN §2.8): latency.l2 = issue to look-up + miss + [sm → gpc] + GPC + [gpc → partition] + L2 hit +
 * [partition → gpc] + GPC + [gpc → sm] + fill to dependent issue, the four links in brackets sharing the rest evenly.
 * Where GPC and partition lie in different parts of the L2 (l2.halves), the two links between them share what
 * latency.l2_far is more, and credits are as many as the longer way needs.
 */
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H

#include "gpu/parameters.h"
#include "gpu/sm/sm.h"

struct gpu_machine {
    struct mnp_engine engine;
    const struct gpu_parameters *parameters;
    struct mnp_address_map map;
    struct sm_device device; /* what the SMs see of it */
    struct dispatch dispatch;
    struct sm *sms;                    /* [sm.count] */
    struct gpu_gpc **gpcs;             /* [gpc.count] */
    struct gpu_partition **partitions; /* [partition.count] */
};

struct gpu_link_cycles { /* latencies of the links, in core cycles */
    uint64_t sm_to_gpc, gpc_to_partition, partition_to_gpc, gpc_to_sm;
    uint64_t far_request, far_reply; /* more of the second and third between different parts of the L2 */
};

/* False when latency.l2 leaves less than two cycles for each link; the least that does not. */
bool gpu_link_cycles(const struct gpu_parameters *parameters, struct gpu_link_cycles *cycles);
uint64_t gpu_least_l2_latency(const struct gpu_parameters *parameters);

/* L2 cycles by which a DRAM read is longer than pipelines and timing make it. False when latency.dram is too short for
 * these; the least that is not. */
bool gpu_dram_extra(const struct gpu_parameters *parameters, uint64_t *cycles);
uint64_t gpu_least_dram_latency(const struct gpu_parameters *parameters);

/* Builds the machine; `parameters` must outlive it and have been checked. */
void gpu_machine_init(struct gpu_machine *machine, const struct gpu_parameters *parameters, struct mnp_source *source);
void gpu_machine_release(struct gpu_machine *machine);

#endif
