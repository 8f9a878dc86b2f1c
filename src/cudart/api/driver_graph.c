/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's graphs: the runtime's. */
#include "cudart/api/driver.h"
#include "cudart/api/graph.h"
#include "cudart/api/graph_driver.h"
#include "cudart/api/graph_work.h"
#include "cudart/base/state.h"
#include "cudart/stream/graphs.h"

CUDART_API CUresult cuGraphAddKernelNode(NODE_PLACE, const struct cuda_kernel_node *kernel)
{
    DRIVER_CALL(cudaGraphAddKernelNode(NODE_WORDS, kernel));
}

CUDART_API CUresult cuGraphAddKernelNode_v2(NODE_PLACE, const struct cudart_driver_kernel_node *kernel)
{
    struct cuda_kernel_node plain;
    DRIVER_CALL(cudaGraphAddKernelNode(NODE_WORDS, cudart_plain_kernel(kernel, &plain)));
}

static enum cuda_error add_copy(struct cudart *rt, NODE_PLACE, const CUDA_MEMCPY3D *copy)
{
    const struct cudart_addition a = {node, graph, dependencies, count, CUDART_NODE_COPY};
    return cudart_add_work(rt, &a, cudart_give_driver_copy, copy);
}

CUDART_API CUresult cuGraphAddMemcpyNode(NODE_PLACE, const CUDA_MEMCPY3D *copy, CUcontext context)
{
    (void)context;
    DRIVER_WORK(add_copy(rt, NODE_WORDS, copy));
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

CUDART_API CUresult cuGraphAddDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to, size_t count)
{
    DRIVER_CALL(cudaGraphAddDependencies_v2(graph, from, to, NULL, count));
}

CUDART_API CUresult cuGraphRemoveDependencies_v2(uint64_t graph, const uint64_t *from, const uint64_t *to,
                                                 const void *data, size_t count)
{
    DRIVER_CALL(cudaGraphRemoveDependencies_v2(graph, from, to, data, count));
}

CUDART_API CUresult cuGraphRemoveDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to, size_t count)
{
    DRIVER_CALL(cudaGraphRemoveDependencies_v2(graph, from, to, NULL, count));
}

CUDART_API CUresult cuGraphNodeGetDependencies_v2(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    DRIVER_CALL(cudaGraphNodeGetDependencies_v2(node, out, data, count));
}

CUDART_API CUresult cuGraphNodeGetDependencies(uint64_t node, uint64_t *out, size_t *count)
{
    DRIVER_CALL(cudaGraphNodeGetDependencies_v2(node, out, NULL, count));
}

CUDART_API CUresult cuGraphNodeGetDependentNodes_v2(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    DRIVER_CALL(cudaGraphNodeGetDependentNodes_v2(node, out, data, count));
}

CUDART_API CUresult cuGraphNodeGetDependentNodes(uint64_t node, uint64_t *out, size_t *count)
{
    DRIVER_CALL(cudaGraphNodeGetDependentNodes_v2(node, out, NULL, count));
}

CUDART_API CUresult cuGraphGetEdges_v2(uint64_t graph, uint64_t *from, uint64_t *to, void *data, size_t *count)
{
    DRIVER_CALL(cudaGraphGetEdges_v2(graph, from, to, data, count));
}

CUDART_API CUresult cuGraphGetEdges(uint64_t graph, uint64_t *from, uint64_t *to, size_t *count)
{
    DRIVER_CALL(cudaGraphGetEdges_v2(graph, from, to, NULL, count));
}

CUDART_API CUresult cuGraphNodeFindInClone(uint64_t *out, uint64_t node, uint64_t clone)
{
    DRIVER_CALL(cudaGraphNodeFindInClone(out, node, clone));
}

CUDART_API CUresult cuGraphChildGraphNodeGetGraph(uint64_t node, uint64_t *child)
{
    DRIVER_CALL(cudaGraphChildGraphNodeGetGraph(node, child));
}

/* The node that was wrong and what was said of it are not told. */
CUDART_API CUresult cuGraphInstantiate_v2(uint64_t *executable, uint64_t graph, uint64_t *wrong, char *log, size_t room)
{
    if (wrong)
        *wrong = 0;
    if (log && room)
        *log = '\0';
    DRIVER_CALL(cudaGraphInstantiate(executable, graph, 0));
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

CUDART_API CUresult cuGraphExecUpdate(uint64_t executable, uint64_t graph, uint64_t *wrong, int *result)
{
    struct cuda_update update = {0};
    CUresult problem = cuGraphExecUpdate_v2(executable, graph, &update);
    if (wrong)
        *wrong = update.node;
    if (result)
        *result = update.result;
    return problem;
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
