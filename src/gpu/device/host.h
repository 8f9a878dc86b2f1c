/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host that a program runs on, as far as the device's time depends on it: what a call of the runtime takes, and
 * what copies and fills take; and what it is told of the device. Nothing of it concerns traces.
 */
#ifndef GPU_HOST_H
#define GPU_HOST_H

#include "engine/declare/model.h"

struct gpu_host_parameters {
    uint64_t call;         /* ns */
    uint64_t copy_latency; /* ns */
    uint64_t copy_rate;    /* MB/s, that is, bytes per microsecond */
    uint64_t fill_latency; /* ns */
    uint64_t fill_rate;    /* MB/s */
    uint64_t memory;       /* bytes that programs can allocate */
    uint64_t slack;        /* bytes */
};

extern const struct mnp_model gpu_host_model;

#endif
