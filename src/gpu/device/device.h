/* SPDX-License-Identifier: BSD-3-Clause */
/* The units and links of a GPU, built from its parameters. Latencies of links: gpu/device/latency.h. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include "gpu/device/parameters.h"
#include "gpu/sm/sm.h"

struct gpu_machine {
    struct mnp_engine engine;
    const struct gpu_parameters *parameters;
    struct mnp_address_map map;
    struct sm_device device; /* what the SMs see of it */
    struct dispatch *dispatch;
    struct sm **sms;                   /* [sm.count] */
    struct gpu_gpc **gpcs;             /* [gpc.count] */
    struct gpu_partition **partitions; /* [partition.count] */
    struct gpu_group *groups;          /* of SMs, that hold clusters */
    uint8_t *places;                   /* [sm.count] in their GPCs */
};

/* Builds the machine; `parameters` must outlive it and have been checked. */
void gpu_machine_init(struct gpu_machine *machine, const struct gpu_parameters *parameters, struct mnp_source *source);
void gpu_machine_release(struct gpu_machine *machine);

#endif
