/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a launch: grid, block, cluster, shared memory and stream. */
#ifndef CUDART_LAUNCH_CONFIGURATION_H
#define CUDART_LAUNCH_CONFIGURATION_H

#include "cudart/base/abi.h"

#include <stdbool.h>

/* <<<…>>> between its two halves. */
struct cudart_configuration {
    struct cuda_dim3 grid, block;
    size_t shared;
    uint64_t stream;
    bool cooperative;    /* its CTAs may wait for one another */
    uint32_t cluster[3]; /* CTAs of a cluster along each axis; 0: not stated */
    bool early;          /* the kernel may begin when the previous one in its stream allows it */
};

#endif
