/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's graphs: the runtime's. */
#include "cudart/api/driver.h"
#include "cudart/api/graph.h"

#define NODE_PLACE uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count
#define NODE_WORDS node, graph, dependencies, count

CUDART_API CUresult cuGraphAddKernelNode_v2(NODE_PLACE, const struct cuda_kernel_node *kernel)
{
    DRIVER_CALL(cudaGraphAddKernelNode(NODE_WORDS, kernel));
}

CUDART_API CUresult cuGraphAddMemsetNode(NODE_PLACE, const struct cuda_fill_node *how, CUcontext context)
{
    (void)context;
    DRIVER_CALL(cudaGraphAddMemsetNode(NODE_WORDS, how));
}

CUDART_API CUresult cuGraphAddHostNode(NODE_PLACE, const struct cuda_host_node *host)
{
    DRIVER_CALL(cudaGraphAddHostNode(NODE_WORDS, host));
}

CUDART_API CUresult cuGraphAddEmptyNode(NODE_PLACE)
{
    DRIVER_CALL(cudaGraphAddEmptyNode(NODE_WORDS));
}

CUDART_API CUresult cuGraphAddChildGraphNode(NODE_PLACE, uint64_t child)
{
    DRIVER_CALL(cudaGraphAddChildGraphNode(NODE_WORDS, child));
}

CUDART_API CUresult cuGraphAddEventRecordNode(NODE_PLACE, uint64_t event)
{
    DRIVER_CALL(cudaGraphAddEventRecordNode(NODE_WORDS, event));
}

CUDART_API CUresult cuGraphAddEventWaitNode(NODE_PLACE, uint64_t event)
{
    DRIVER_CALL(cudaGraphAddEventWaitNode(NODE_WORDS, event));
}

CUDART_API CUresult cuGraphKernelNodeSetParams_v2(uint64_t node, const struct cuda_kernel_node *kernel)
{
    DRIVER_CALL(cudaGraphKernelNodeSetParams(node, kernel));
}

CUDART_API CUresult cuGraphExecKernelNodeSetParams_v2(uint64_t executable, uint64_t node,
                                                      const struct cuda_kernel_node *kernel)
{
    DRIVER_CALL(cudaGraphExecKernelNodeSetParams(executable, node, kernel));
}

CUDART_API CUresult cuGraphCreate(uint64_t *graph, unsigned flags)
{
    DRIVER_CALL(cudaGraphCreate(graph, flags));
}

CUDART_API CUresult cuGraphDestroy(uint64_t graph)
{
    DRIVER_CALL(cudaGraphDestroy(graph));
}

CUDART_API CUresult cuGraphClone(uint64_t *copy, uint64_t graph)
{
    DRIVER_CALL(cudaGraphClone(copy, graph));
}

CUDART_API CUresult cuGraphDestroyNode(uint64_t node)
{
    DRIVER_CALL(cudaGraphDestroyNode(node));
}

CUDART_API CUresult cuGraphNodeGetType(uint64_t node, int *type)
{
    DRIVER_CALL(cudaGraphNodeGetType(node, type));
}

CUDART_API CUresult cuGraphGetNodes(uint64_t graph, uint64_t *nodes, size_t *count)
{
    DRIVER_CALL(cudaGraphGetNodes(graph, nodes, count));
}

CUDART_API CUresult cuGraphGetRootNodes(uint64_t graph, uint64_t *nodes, size_t *count)
{
    DRIVER_CALL(cudaGraphGetRootNodes(graph, nodes, count));
}

CUDART_API CUresult cuGraphAddDependencies_v2(uint64_t graph, const uint64_t *from, const uint64_t *to,
                                              const void *data, size_t count)
{
    DRIVER_CALL(cudaGraphAddDependencies_v2(graph, from, to, data, count));
}

CUDART_API CUresult cuGraphInstantiateWithFlags(uint64_t *executable, uint64_t graph, unsigned long long flags)
{
    DRIVER_CALL(cudaGraphInstantiate(executable, graph, flags));
}

CUDART_API CUresult cuGraphInstantiateWithParams(uint64_t *executable, uint64_t graph, struct cuda_instantiation *how)
{
    DRIVER_CALL(cudaGraphInstantiateWithParams(executable, graph, how));
}

CUDART_API CUresult cuGraphExecDestroy(uint64_t executable)
{
    DRIVER_CALL(cudaGraphExecDestroy(executable));
}

CUDART_API CUresult cuGraphUpload(uint64_t executable, CUstream stream)
{
    DRIVER_CALL(cudaGraphUpload(executable, (uint64_t)stream));
}

CUDART_API CUresult cuGraphLaunch(uint64_t executable, CUstream stream)
{
    DRIVER_CALL(cudaGraphLaunch(executable, (uint64_t)stream));
}

CUDART_API CUresult cuGraphExecUpdate_v2(uint64_t executable, uint64_t graph, struct cuda_update *result)
{
    DRIVER_CALL(cudaGraphExecUpdate(executable, graph, result));
}

CUDART_API CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    DRIVER_CALL(cudaStreamBeginCapture((uint64_t)stream, (int)mode));
}

CUDART_API CUresult cuStreamBeginCaptureToGraph(CUstream stream, uint64_t graph, const uint64_t *dependencies,
                                                const void *data, size_t count, CUstreamCaptureMode mode)
{
    DRIVER_CALL(cudaStreamBeginCaptureToGraph((uint64_t)stream, graph, dependencies, data, count, (int)mode));
}

CUDART_API CUresult cuStreamEndCapture(CUstream stream, uint64_t *graph)
{
    DRIVER_CALL(cudaStreamEndCapture((uint64_t)stream, graph));
}

CUDART_API CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int *status, uint64_t *id, uint64_t *graph,
                                              const uint64_t **frontier, const void **data, size_t *count)
{
    DRIVER_CALL(cudaStreamGetCaptureInfo_v3((uint64_t)stream, status, id, graph, frontier, data, count));
}

CUDART_API CUresult cuStreamGetCaptureInfo_v2(CUstream stream, int *status, uint64_t *id, uint64_t *graph,
                                              const uint64_t **frontier, size_t *count)
{
    DRIVER_CALL(cudaStreamGetCaptureInfo_v3((uint64_t)stream, status, id, graph, frontier, NULL, count));
}

CUDART_API CUresult cuStreamGetCaptureInfo(CUstream stream, int *status, uint64_t *id)
{
    DRIVER_CALL(cudaStreamGetCaptureInfo_v3((uint64_t)stream, status, id, NULL, NULL, NULL, NULL));
}

CUDART_API CUresult cuThreadExchangeStreamCaptureMode(int *mode)
{
    DRIVER_CALL(cudaThreadExchangeStreamCaptureMode(mode));
}
