/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs in the binary interface of both APIs, whose structures begin alike. */
#ifndef CUDART_GRAPH_H
#define CUDART_GRAPH_H

#include "cudart/base/abi.h"

#include <stdbool.h>

struct cuda_kernel_node {
    const void *function;
    struct cuda_dim3 grid, block;
    uint32_t shared;
    void **arguments, **extra;
};

struct cuda_line_node {
    void *to;
    const void *from;
    size_t bytes;
    int kind;
};

struct cuda_fill_node {
    uint64_t to;
    size_t pitch;
    uint32_t value, bytes_each;
    size_t width, height; /* elements, rows */
};

struct cuda_host_node {
    void (*function)(void *);
    void *data;
};

struct cuda_allocation_node { /* cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS */
    unsigned char pool[88];   /* kind and location of the pool: a device has memory of one kind */
    const void *access;       /* access of devices: the one device has all of it */
    size_t access_count, bytes;
    uint64_t address; /* is written */
};

struct cuda_instantiation {
    unsigned long long flags;
    uint64_t stream, wrong_node;
    int result;
};

struct cuda_update {
    int result;
    uint64_t node, from;
};

struct cuda_edge { /* cudaGraphEdgeData */
    uint8_t from_port, to_port, type, reserved[5];
};

enum { CUDA_EDGE_PROGRAMMATIC = 1, CUDA_PORT_PROGRAMMATIC = 1 };

struct cuda_capture_info {
    int status;
    uint64_t id, graph;
    const uint64_t *frontier;
    size_t count;
};

/* The same as cudaMemcpy3D (runtime_array.c). */
struct cudart;
enum cuda_error cudart_copy_3d(struct cudart *rt, const struct cuda_copy_3d *copy, uint64_t stream, bool wait);

/* The state of a stream's capture. */
int cudart_capture_info(uint64_t stream, struct cuda_capture_info *info);

_Static_assert(sizeof(struct cuda_kernel_node) == 56 && sizeof(struct cuda_fill_node) == 40 &&
                   sizeof(struct cuda_allocation_node) == 120,
               "as CUDA has them");

CUDART_API int cudaGraphAddChildGraphNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                          uint64_t child);
CUDART_API int cudaGraphAddDependencies_v2(uint64_t graph, const uint64_t *from, const uint64_t *to, const void *data,
                                           size_t count);
CUDART_API int cudaGraphAddEmptyNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count);
CUDART_API int cudaGraphAddEventRecordNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                           uint64_t event);
CUDART_API int cudaGraphAddEventWaitNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                         uint64_t event);
CUDART_API int cudaGraphAddHostNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                    const struct cuda_host_node *host);
CUDART_API int cudaGraphAddKernelNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                      const struct cuda_kernel_node *kernel);
CUDART_API int cudaGraphAddMemAllocNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                        struct cuda_allocation_node *how);
CUDART_API int cudaGraphAddMemFreeNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                       void *address);
CUDART_API int cudaGraphAddMemcpyNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                      const struct cuda_copy_3d *copy);
CUDART_API int cudaGraphAddMemsetNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                      const struct cuda_fill_node *how);
struct cuda_node;
CUDART_API int cudaGraphAddNode_v2(uint64_t *node, uint64_t graph, const uint64_t *dependencies, const void *data,
                                   size_t count, struct cuda_node *what);
CUDART_API int cudaGraphChildGraphNodeGetGraph(uint64_t node, uint64_t *child);
CUDART_API int cudaGraphClone(uint64_t *copy, uint64_t graph);
CUDART_API int cudaGraphCreate(uint64_t *graph, unsigned flags);
CUDART_API int cudaGraphDestroy(uint64_t graph);
CUDART_API int cudaGraphDestroyNode(uint64_t node);
CUDART_API int cudaGraphExecDestroy(uint64_t executable);
CUDART_API int cudaGraphExecHostNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_host_node *host);
CUDART_API int cudaGraphExecKernelNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_kernel_node *k);
CUDART_API int cudaGraphExecMemsetNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_fill_node *how);
CUDART_API int cudaGraphExecUpdate(uint64_t executable, uint64_t graph, struct cuda_update *result);
CUDART_API int cudaGraphGetEdges_v2(uint64_t graph, uint64_t *from, uint64_t *to, void *data, size_t *count);
CUDART_API int cudaGraphGetNodes(uint64_t graph, uint64_t *nodes, size_t *count);
CUDART_API int cudaGraphGetRootNodes(uint64_t graph, uint64_t *nodes, size_t *count);
CUDART_API int cudaGraphHostNodeSetParams(uint64_t node, const struct cuda_host_node *host);
CUDART_API int cudaGraphInstantiate(uint64_t *executable, uint64_t graph, unsigned long long flags);
CUDART_API int cudaGraphInstantiateWithParams(uint64_t *executable, uint64_t graph, struct cuda_instantiation *how);
CUDART_API int cudaGraphKernelNodeGetParams(uint64_t node, struct cuda_kernel_node *kernel);
CUDART_API int cudaGraphKernelNodeSetParams(uint64_t node, const struct cuda_kernel_node *kernel);
CUDART_API int cudaGraphLaunch(uint64_t executable, uint64_t stream);
CUDART_API int cudaGraphMemsetNodeSetParams(uint64_t node, const struct cuda_fill_node *how);
CUDART_API int cudaGraphNodeFindInClone(uint64_t *out, uint64_t node, uint64_t clone);
CUDART_API int cudaGraphNodeGetDependencies_v2(uint64_t node, uint64_t *out, void *data, size_t *count);
CUDART_API int cudaGraphNodeGetDependentNodes_v2(uint64_t node, uint64_t *out, void *data, size_t *count);
CUDART_API int cudaGraphNodeGetEnabled(uint64_t executable, uint64_t node, unsigned *enabled);
CUDART_API int cudaGraphNodeGetType(uint64_t node, int *type);
CUDART_API int cudaGraphNodeSetEnabled(uint64_t executable, uint64_t node, unsigned enabled);
CUDART_API int cudaGraphRemoveDependencies_v2(uint64_t graph, const uint64_t *from, const uint64_t *to,
                                              const void *data, size_t count);
CUDART_API int cudaGraphUpload(uint64_t executable, uint64_t stream);
CUDART_API int cudaStreamBeginCapture(uint64_t stream, int mode);
CUDART_API int cudaStreamBeginCaptureToGraph(uint64_t stream, uint64_t graph, const uint64_t *dependencies,
                                             const void *data, size_t count, int mode);
CUDART_API int cudaStreamEndCapture(uint64_t stream, uint64_t *graph);
CUDART_API int cudaStreamGetCaptureInfo_v3(uint64_t stream, int *status, uint64_t *id, uint64_t *graph,
                                           const uint64_t **frontier, const void **data, size_t *count);
CUDART_API int cudaThreadExchangeStreamCaptureMode(int *mode);

#endif
