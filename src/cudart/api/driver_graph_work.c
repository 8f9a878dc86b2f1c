/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API: what nodes of graphs hold is asked for and changed. */
#include "cudart/api/driver.h"
#include "cudart/api/graph.h"
#include "cudart/api/graph_driver.h"
#include "cudart/api/graph_work.h"
#include "cudart/launch/graph_launch.h"
#include "cudart/stream/graphs.h"

const struct cuda_kernel_node *cudart_plain_kernel(const struct cudart_driver_kernel_node *from,
                                                   struct cuda_kernel_node *plain)
{
    if (!from)
        return NULL;
    *plain = from->kernel;
    if (!plain->function)
        plain->function = from->library_kernel;
    return plain;
}

/* ===== kernels ===== */

CUDART_API CUresult cuGraphKernelNodeGetParams(uint64_t node, struct cuda_kernel_node *kernel)
{
    DRIVER_CALL(cudaGraphKernelNodeGetParams(node, kernel));
}

CUDART_API CUresult cuGraphKernelNodeGetParams_v2(uint64_t node, struct cudart_driver_kernel_node *out)
{
    struct cuda_kernel_node kernel;
    CUresult problem = cuGraphKernelNodeGetParams(node, out ? &kernel : NULL);
    if (!problem)
        *out = (struct cudart_driver_kernel_node){.kernel = kernel};
    return problem;
}

CUDART_API CUresult cuGraphKernelNodeSetParams(uint64_t node, const struct cuda_kernel_node *kernel)
{
    DRIVER_CALL(cudaGraphKernelNodeSetParams(node, kernel));
}

CUDART_API CUresult cuGraphKernelNodeSetParams_v2(uint64_t node, const struct cudart_driver_kernel_node *kernel)
{
    struct cuda_kernel_node plain;
    return cuGraphKernelNodeSetParams(node, cudart_plain_kernel(kernel, &plain));
}

CUDART_API CUresult cuGraphExecKernelNodeSetParams(uint64_t executable, uint64_t node,
                                                   const struct cuda_kernel_node *kernel)
{
    DRIVER_CALL(cudaGraphExecKernelNodeSetParams(executable, node, kernel));
}

CUDART_API CUresult cuGraphExecKernelNodeSetParams_v2(uint64_t executable, uint64_t node,
                                                      const struct cudart_driver_kernel_node *kernel)
{
    struct cuda_kernel_node plain;
    return cuGraphExecKernelNodeSetParams(executable, node, cudart_plain_kernel(kernel, &plain));
}

/* ===== copies, fills, functions of the host ===== */

CUDART_API CUresult cuGraphMemcpyNodeSetParams(uint64_t node, const CUDA_MEMCPY3D *copy)
{
    DRIVER_WORK(cudart_change_work(rt, cudart_node_of(rt, node), CUDART_NODE_COPY, cudart_give_driver_copy, copy));
}

CUDART_API CUresult cuGraphExecMemcpyNodeSetParams(uint64_t executable, uint64_t node, const CUDA_MEMCPY3D *copy,
                                                   CUcontext context)
{
    (void)context;
    DRIVER_WORK(cudart_change_work(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_COPY,
                                   cudart_give_driver_copy, copy));
}

CUDART_API CUresult cuGraphMemsetNodeSetParams(uint64_t node, const struct cuda_fill_node *how)
{
    DRIVER_CALL(cudaGraphMemsetNodeSetParams(node, how));
}

CUDART_API CUresult cuGraphExecMemsetNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_fill_node *how,
                                                   CUcontext context)
{
    (void)context;
    DRIVER_CALL(cudaGraphExecMemsetNodeSetParams(executable, node, how));
}

CUDART_API CUresult cuGraphHostNodeSetParams(uint64_t node, const struct cuda_host_node *host)
{
    DRIVER_CALL(cudaGraphHostNodeSetParams(node, host));
}

CUDART_API CUresult cuGraphExecHostNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_host_node *host)
{
    DRIVER_CALL(cudaGraphExecHostNodeSetParams(executable, node, host));
}

/* ===== nodes that are left out ===== */

CUDART_API CUresult cuGraphNodeSetEnabled(uint64_t executable, uint64_t node, unsigned enabled)
{
    DRIVER_CALL(cudaGraphNodeSetEnabled(executable, node, enabled));
}

CUDART_API CUresult cuGraphNodeGetEnabled(uint64_t executable, uint64_t node, unsigned *enabled)
{
    DRIVER_CALL(cudaGraphNodeGetEnabled(executable, node, enabled));
}
