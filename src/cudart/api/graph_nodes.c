/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of graphs by one function for all types (cudaGraphAddNode, cuGraphAddNode): the functions of each type, with
 * the parameters out of a union. */
#include "cudart/api/driver.h"
#include "cudart/api/graph.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/graphs.h"

#include <string.h>

struct cuda_node { /* cudaGraphNodeParams, CUgraphNodeParams: their unions begin alike, but for copies */
    int type, reserved[3];
    union {
        uint64_t room[29], handle; /* a graph's or an event's */
        struct cuda_kernel_node kernel;
        struct cuda_fill_node fill;
        struct cuda_host_node host;
        struct cuda_allocation_node allocation;
        struct {
            int flags, reserved[3];
            struct cuda_copy_3d what;
        } copy;
    };
    uint64_t end;
};

_Static_assert(sizeof(struct cuda_node) == 256, "as CUDA has it");

struct place {
    uint64_t *node, graph;
    const uint64_t *dependencies;
    size_t count;
};

#define WORDS p->node, p->graph, p->dependencies, p->count

/* `driver`: the structure is the driver's. */
static int add_by_type(const struct place *p, struct cuda_node *what, bool driver)
{
    switch (what->type) {
    case CUDART_NODE_KERNEL:
        return cudaGraphAddKernelNode(WORDS, &what->kernel);
    case CUDART_NODE_COPY:
        return driver ? CUDA_NOT_SUPPORTED : cudaGraphAddMemcpyNode(WORDS, &what->copy.what);
    case CUDART_NODE_FILL:
        return cudaGraphAddMemsetNode(WORDS, &what->fill);
    case CUDART_NODE_HOST:
        return cudaGraphAddHostNode(WORDS, &what->host);
    case CUDART_NODE_GRAPH:
        return cudaGraphAddChildGraphNode(WORDS, what->handle);
    case CUDART_NODE_EMPTY:
        return cudaGraphAddEmptyNode(WORDS);
    case CUDART_NODE_WAIT:
        return cudaGraphAddEventWaitNode(WORDS, what->handle);
    case CUDART_NODE_RECORD:
        return cudaGraphAddEventRecordNode(WORDS, what->handle);
    case CUDART_NODE_ALLOCATE:
        return cudaGraphAddMemAllocNode(WORDS, &what->allocation);
    case CUDART_NODE_FREE:
        return cudaGraphAddMemFreeNode(WORDS, (void *)what->handle);
    default:
        return CUDA_NOT_SUPPORTED;
    }
}

static int refuse(const char *name)
{
    CUDART_CALL(cudart_refuse_function(rt, name));
}

/* `data`: of the edges; NULL: all are plain. */
static int add_node(const struct place *p, const void *data, struct cuda_node *what, const char *driver)
{
    if (!what || !p->node)
        return CUDA_INVALID_VALUE;
    struct place alone = *p;
    alone.count = data ? 0 : p->count;
    int problem = add_by_type(&alone, what, driver != NULL);
    if (problem == CUDA_NOT_SUPPORTED)
        return refuse(driver ? driver : "cudaGraphAddNode");
    for (size_t i = 0; !problem && data && i < p->count; i++)
        problem =
            cudaGraphAddDependencies_v2(p->graph, &p->dependencies[i], p->node, (const struct cuda_edge *)data + i, 1);
    return problem;
}

CUDART_API int cudaGraphAddNode_v2(uint64_t *node, uint64_t graph, const uint64_t *dependencies, const void *data,
                                   size_t count, struct cuda_node *what)
{
    return add_node(&(const struct place){node, graph, dependencies, count}, data, what, NULL);
}

CUDART_API CUresult cuGraphAddNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                   struct cuda_node *what)
{
    const struct place place = {node, graph, dependencies, count};
    DRIVER_CALL(add_node(&place, NULL, what, "cuGraphAddNode"));
}

CUDART_API CUresult cuGraphAddNode_v2(uint64_t *node, uint64_t graph, const uint64_t *dependencies, const void *data,
                                      size_t count, struct cuda_node *what)
{
    const struct place place = {node, graph, dependencies, count};
    DRIVER_CALL(add_node(&place, data, what, "cuGraphAddNode_v2"));
}
