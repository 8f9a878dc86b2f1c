/* SPDX-License-Identifier: BSD-3-Clause */
/* All parameters of one GPU: those of its models, and those that concern the whole of it. */
#ifndef GPU_PARAMETERS_H
#define GPU_PARAMETERS_H

#include "engine/configure/configuration.h"
#include "gpu/device/host.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/energy/energy.h"
#include "gpu/gpc/gpc.h"
#include "gpu/network/sm2sm.h"
#include "gpu/partition/partition.h"
#include "gpu/sm/parameters.h"

struct gpu_machine_parameters {
    uint64_t clock_core, clock_noc, clock_l2, clock_dram, clock_sm2sm; /* Hz */
    /* Issue to dependent issue, unloaded, with the clocks below: cycles of the first of them. */
    uint64_t latency_l2, latency_l2_far, latency_l2_strong, latency_dram, latency_sm_to_sm;
    uint64_t measured_core, measured_noc, measured_l2, measured_dram, measured_sm2sm; /* Hz */
    uint64_t memcpy_warms_l2;
    uint64_t ptx_schedule;
    uint64_t livelock; /* core cycles */
    uint64_t ptx_select, ptx_unroll;
};

struct gpu_parameters {
    struct gpu_machine_parameters machine;
    struct sm_parameters sm;
    struct gpu_gpc_parameters gpc;
    struct gpu_network_parameters network;
    struct gpu_sm2sm_parameters sm2sm;
    struct gpu_partition_parameters partition;
    struct dispatch_parameters dispatch;
    struct gpu_host_parameters host;
    struct gpu_energy_parameters energy;
    const struct mnp_model *energy_model; /* model of the unit for energy spent over time; NULL: none */
    struct gpu_energy_pace energy_pace;
};

/* The parameters that concern the whole machine, as a model of their own for `maniple models`. */
extern const struct mnp_model gpu_machine_model;

/* Reads the parameters from the settings, whose last tables these are, and checks them together. */
bool gpu_parameters_read(struct gpu_parameters *parameters, struct mnp_settings *settings, struct mnp_error *error);

#endif
