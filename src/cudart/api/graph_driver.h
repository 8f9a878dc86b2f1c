/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph features that only the driver API has. */
#ifndef CUDART_GRAPH_DRIVER_H
#define CUDART_GRAPH_DRIVER_H

#include "cudart/api/driver.h"
#include "cudart/api/graph.h"
#include "cudart/api/graph_work.h"

/* CUDA_KERNEL_NODE_PARAMS_v2, _v3: the kernel may stand behind the rest. */
struct cudart_driver_kernel_node {
    struct cuda_kernel_node kernel;
    const void *library_kernel;
    CUcontext context;
};

_Static_assert(sizeof(struct cudart_driver_kernel_node) == 72, "as CUDA has it");

/* The same in the runtime's structure, which is kept in *plain; NULL stays NULL. */
const struct cuda_kernel_node *cudart_plain_kernel(const struct cudart_driver_kernel_node *from,
                                                   struct cuda_kernel_node *plain);
/* A CUDA_MEMCPY3D (driver_array.c). */
cudart_give cudart_give_driver_copy;

#endif
