/* SPDX-License-Identifier: BSD-3-Clause */
/* The units and links of a GPU, built from its parameters. */
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H

#include "gpu/parameters.h"
#include "gpu/sm/sm.h"

struct gpu_machine {
    struct mnp_engine engine;
    const struct gpu_parameters *parameters;
    struct dispatch dispatch;
    struct sm *sms;                   /* [sm.count] */
    struct gpu_gpc *gpcs;             /* [gpc.count] */
    struct gpu_partition *partitions; /* [partition.count] */
    struct sm_device device;          /* what the SMs see of it */
};

/* Core cycles of the links that remain of the stated latencies after pipelines and queues (DESIGN §2.8). */
struct gpu_link_cycles {
    uint64_t sm_to_gpc, gpc_to_partition, partition_to_gpc, gpc_to_sm;
};

/* False, with an error, when latency.l2 leaves less than the shortest link possible. */
bool gpu_link_cycles(const struct gpu_parameters *parameters, struct gpu_link_cycles *cycles, struct mnp_error *error);

/* Builds the machine; `parameters` must outlive it and have been checked. */
void gpu_machine_init(struct gpu_machine *machine, const struct gpu_parameters *parameters, struct mnp_source *source);
void gpu_machine_release(struct gpu_machine *machine);

#endif
