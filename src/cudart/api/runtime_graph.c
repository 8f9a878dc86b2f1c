/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's graphs: nodes that are built by the functions which put work into streams, and captures of streams. */
#include "cudart/api/graph.h"
#include "cudart/core/call.h"
#include "cudart/core/copies.h"
#include "cudart/core/launch.h"

#include <stdlib.h>

/* ===== what nodes hold ===== */

static enum cuda_error give_kernel(struct cudart *rt, const void *what)
{
    const struct cuda_kernel_node *k = what;
    const struct cuda_launch_config config = {.grid = k->grid, .block = k->block, .dynamic_shared = k->shared};
    return cudart_launch_config(rt, &config, k->function, k->arguments);
}

static enum cuda_error give_copy(struct cudart *rt, const void *what)
{
    return cudart_copy_3d(rt, what, 0, false);
}

static enum cuda_error give_line(struct cudart *rt, const void *what)
{
    const struct cuda_line_node *c = what;
    return cudart_copy(rt, c->to, c->from, c->bytes, c->kind, 0, false);
}

static enum cuda_error give_symbol(struct cudart *rt, const void *what)
{
    return cudart_copy_symbol(rt, what);
}

static enum cuda_error give_fill(struct cudart *rt, const void *what)
{
    const struct cuda_fill_node *f = what;
    const struct cudart_area area = {.to = f->to,
                                     .to_pitch = f->height > 1 ? f->pitch : f->width * f->bytes_each,
                                     .width = f->width * f->bytes_each,
                                     .height = f->height};
    if (f->bytes_each != 1 && f->bytes_each != 2 && f->bytes_each != 4)
        return CUDA_INVALID_VALUE;
    return cudart_fill_area(rt, &area, f->value, f->bytes_each, 0);
}

static enum cuda_error give_function(struct cudart *rt, const void *what)
{
    const struct cuda_host_node *h = what;
    return cudart_launch_function(rt, 0, h->function, NULL, h->data);
}

/* Fills a node by a function that would put its work into a stream. */
static enum cuda_error fill(struct cudart *rt, uint64_t node, enum cuda_error (*give)(struct cudart *, const void *),
                            const void *what)
{
    if (!what)
        return CUDA_INVALID_VALUE;
    cudart_build_node(rt, node);
    enum cuda_error problem = give(rt, what);
    cudart_build_node(rt, 0);
    return problem;
}

struct addition {
    uint64_t *node, graph;
    const uint64_t *dependencies;
    size_t count;
    enum cudart_node_type type;
};

static enum cuda_error add(struct cudart *rt, const struct addition *a,
                           enum cuda_error (*give)(struct cudart *, const void *), const void *what)
{
    enum cuda_error problem = cudart_prepare(rt);
    problem = problem ? problem : cudart_make_node(rt, a->graph, a->type, a->dependencies, a->count, a->node);
    if (problem || !give)
        return problem;
    problem = fill(rt, *a->node, give, what);
    if (problem)
        cudart_remove_node(rt, *a->node);
    return problem;
}

#define NODE_PLACE uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count
#define ADDITION(TYPE)                                                                                                 \
    &(const struct addition)                                                                                           \
    {                                                                                                                  \
        node, graph, dependencies, count, TYPE                                                                         \
    }

CUDART_API int cudaGraphAddKernelNode(NODE_PLACE, const struct cuda_kernel_node *kernel)
{
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_KERNEL), give_kernel, kernel));
}

CUDART_API int cudaGraphAddMemcpyNode(NODE_PLACE, const struct cuda_copy_3d *copy)
{
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_COPY), give_copy, copy));
}

CUDART_API int cudaGraphAddMemcpyNode1D(NODE_PLACE, void *to, const void *from, size_t bytes, int kind)
{
    const struct cuda_line_node line = {to, from, bytes, kind};
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_COPY), give_line, &line));
}

CUDART_API int cudaGraphAddMemcpyNodeToSymbol(NODE_PLACE, const void *symbol, const void *from, size_t bytes,
                                              size_t offset, int kind)
{
    const struct cudart_symbol_copy c = {symbol, from, bytes, offset, 0, kind, true, false};
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_COPY), give_symbol, &c));
}

CUDART_API int cudaGraphAddMemcpyNodeFromSymbol(NODE_PLACE, void *to, const void *symbol, size_t bytes, size_t offset,
                                                int kind)
{
    const struct cudart_symbol_copy c = {symbol, to, bytes, offset, 0, kind, false, false};
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_COPY), give_symbol, &c));
}

CUDART_API int cudaGraphAddMemsetNode(NODE_PLACE, const struct cuda_fill_node *how)
{
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_FILL), give_fill, how));
}

CUDART_API int cudaGraphAddHostNode(NODE_PLACE, const struct cuda_host_node *host)
{
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_HOST), give_function, host));
}

CUDART_API int cudaGraphAddEmptyNode(NODE_PLACE)
{
    CUDART_CALL(add(rt, ADDITION(CUDART_NODE_EMPTY), NULL, NULL));
}

static enum cuda_error add_child(struct cudart *rt, const struct addition *a, uint64_t child)
{
    uint64_t copy;
    enum cuda_error problem = cudart_copy_graph(rt, child, &copy);
    problem = problem ? problem : add(rt, a, NULL, NULL);
    if (!problem)
        cudart_node_of(rt, *a->node)->child = copy;
    return problem;
}

CUDART_API int cudaGraphAddChildGraphNode(NODE_PLACE, uint64_t child)
{
    CUDART_CALL(add_child(rt, ADDITION(CUDART_NODE_GRAPH), child));
}

static enum cuda_error add_event(struct cudart *rt, const struct addition *a, uint64_t event)
{
    if (!cudart_event_of(rt, event))
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = add(rt, a, NULL, NULL);
    if (!problem)
        cudart_node_of(rt, *a->node)->event = event;
    return problem;
}

CUDART_API int cudaGraphAddEventRecordNode(NODE_PLACE, uint64_t event)
{
    CUDART_CALL(add_event(rt, ADDITION(CUDART_NODE_RECORD), event));
}

CUDART_API int cudaGraphAddEventWaitNode(NODE_PLACE, uint64_t event)
{
    CUDART_CALL(add_event(rt, ADDITION(CUDART_NODE_WAIT), event));
}

/* ===== what nodes hold is changed, in a graph or in an executable one ===== */

static enum cuda_error change(struct cudart *rt, struct cudart_node *node, enum cudart_node_type type,
                              enum cuda_error (*give)(struct cudart *, const void *), const void *what)
{
    if (!node || node->type != type)
        return CUDA_INVALID_VALUE;
    struct mnp_array before = node->operations;
    uint64_t handle = CUDART_FIRST_HANDLE + (uint64_t)(node - (struct cudart_node *)rt->graphs.nodes.items);
    node->operations = (struct mnp_array){0};
    enum cuda_error problem = fill(rt, handle, give, what);
    if (problem) {
        cudart_free_operations(&node->operations);
        node->operations = before;
    } else {
        cudart_free_operations(&before);
    }
    return problem;
}

CUDART_API int cudaGraphKernelNodeSetParams(uint64_t node, const struct cuda_kernel_node *kernel)
{
    CUDART_CALL(change(rt, cudart_node_of(rt, node), CUDART_NODE_KERNEL, give_kernel, kernel));
}

CUDART_API int cudaGraphExecKernelNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_kernel_node *k)
{
    CUDART_CALL(change(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_KERNEL, give_kernel, k));
}

CUDART_API int cudaGraphMemcpyNodeSetParams(uint64_t node, const struct cuda_copy_3d *copy)
{
    CUDART_CALL(change(rt, cudart_node_of(rt, node), CUDART_NODE_COPY, give_copy, copy));
}

CUDART_API int cudaGraphExecMemcpyNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_copy_3d *copy)
{
    CUDART_CALL(change(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_COPY, give_copy, copy));
}

CUDART_API int cudaGraphMemcpyNodeSetParams1D(uint64_t node, void *to, const void *from, size_t bytes, int kind)
{
    const struct cuda_line_node line = {to, from, bytes, kind};
    CUDART_CALL(change(rt, cudart_node_of(rt, node), CUDART_NODE_COPY, give_line, &line));
}

CUDART_API int cudaGraphExecMemcpyNodeSetParams1D(uint64_t executable, uint64_t node, void *to, const void *from,
                                                  size_t bytes, int kind)
{
    const struct cuda_line_node line = {to, from, bytes, kind};
    CUDART_CALL(change(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_COPY, give_line, &line));
}

CUDART_API int cudaGraphMemsetNodeSetParams(uint64_t node, const struct cuda_fill_node *how)
{
    CUDART_CALL(change(rt, cudart_node_of(rt, node), CUDART_NODE_FILL, give_fill, how));
}

CUDART_API int cudaGraphExecMemsetNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_fill_node *how)
{
    CUDART_CALL(change(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_FILL, give_fill, how));
}

CUDART_API int cudaGraphHostNodeSetParams(uint64_t node, const struct cuda_host_node *host)
{
    CUDART_CALL(change(rt, cudart_node_of(rt, node), CUDART_NODE_HOST, give_function, host));
}

CUDART_API int cudaGraphExecHostNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_host_node *host)
{
    CUDART_CALL(change(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_HOST, give_function, host));
}

/* ===== graphs ===== */

CUDART_API int cudaGraphCreate(uint64_t *graph, unsigned flags)
{
    CUDART_CALL(!graph || flags ? CUDA_INVALID_VALUE : (*graph = cudart_make_graph(rt), CUDA_SUCCESS));
}

CUDART_API int cudaGraphDestroy(uint64_t graph)
{
    CUDART_CALL(cudart_remove_graph(rt, graph));
}

CUDART_API int cudaGraphClone(uint64_t *copy, uint64_t graph)
{
    CUDART_CALL(cudart_copy_graph(rt, graph, copy));
}

CUDART_API int cudaGraphDestroyNode(uint64_t node)
{
    CUDART_CALL(cudart_remove_node(rt, node));
}

static enum cuda_error find_in_clone(struct cudart *rt, uint64_t *out, uint64_t node, uint64_t clone)
{
    const struct cudart_graph *graph = cudart_graph_of(rt, clone);
    for (uint32_t i = 0; out && graph && i < graph->nodes.count; i++) {
        *out = ((uint64_t *)graph->nodes.items)[i];
        if (cudart_node_of(rt, *out)->original == node)
            return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

CUDART_API int cudaGraphNodeFindInClone(uint64_t *out, uint64_t node, uint64_t clone)
{
    CUDART_CALL(find_in_clone(rt, out, node, clone));
}

CUDART_API int cudaGraphNodeGetType(uint64_t node, int *type)
{
    CUDART_CALL(cudart_node_of(rt, node) && type ? (*type = (int)cudart_node_of(rt, node)->type, CUDA_SUCCESS)
                                                 : CUDA_INVALID_VALUE);
}

/* A list as CUDA hands them out: without a place for it, its length alone; zeros behind its end. */
static enum cuda_error hand_out(const struct mnp_array *list, uint64_t *out, size_t *count)
{
    for (size_t i = 0; out && i < *count; i++)
        out[i] = i < list->count ? ((const uint64_t *)list->items)[i] : 0;
    if (!out || *count > list->count)
        *count = list->count;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphGetNodes(uint64_t graph, uint64_t *nodes, size_t *count)
{
    CUDART_CALL(cudart_graph_of(rt, graph) && count ? hand_out(&cudart_graph_of(rt, graph)->nodes, nodes, count)
                                                    : CUDA_INVALID_VALUE);
}

/* Nodes without dependencies (`on` 0), or those that wait for one. */
static enum cuda_error choose(struct cudart *rt, uint64_t graph, uint64_t on, uint64_t *nodes, size_t *count)
{
    struct mnp_array found = {0};
    if (!cudart_graph_of(rt, graph) || !count)
        return CUDA_INVALID_VALUE;
    struct mnp_array all = cudart_graph_of(rt, graph)->nodes;
    for (uint32_t i = 0; i < all.count; i++) {
        uint64_t each = ((uint64_t *)all.items)[i];
        const struct mnp_array *before = &cudart_node_of(rt, each)->dependencies;
        bool wanted = !on && !before->count;
        for (uint32_t k = 0; on && k < before->count; k++)
            wanted |= ((uint64_t *)before->items)[k] == on;
        if (wanted)
            *(uint64_t *)mnp_array_add(&found, 1, sizeof each) = each;
    }
    hand_out(&found, nodes, count);
    free(found.items);
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphGetRootNodes(uint64_t graph, uint64_t *nodes, size_t *count)
{
    CUDART_CALL(choose(rt, graph, 0, nodes, count));
}

/* Functions about edges got data of the edges in CUDA 13, before the last parameter. */
static size_t last_of(const struct cudart *rt, const void *data, size_t last)
{
    return rt->contexts.major == 12 ? (size_t)data : last;
}

static enum cuda_error for_edges(struct cudart *rt, const uint64_t *from, const uint64_t *to, size_t count,
                                 enum cuda_error (*work)(struct cudart *, uint64_t, uint64_t))
{
    enum cuda_error problem = count && (!from || !to) ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    for (size_t i = 0; !problem && i < count; i++)
        problem = work(rt, to[i], from[i]);
    return problem;
}

/* Edges with their data; NULL: all of them are plain. */
static enum cuda_error add_edges(struct cudart *rt, const uint64_t *from, const uint64_t *to,
                                 const struct cuda_edge *edges, size_t count)
{
    enum cuda_error problem = count && (!from || !to) ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    for (size_t i = 0; !problem && i < count; i++) {
        bool early = edges && edges[i].type == CUDA_EDGE_PROGRAMMATIC && edges[i].from_port == CUDA_PORT_PROGRAMMATIC;
        problem = early ? cudart_depend_early(rt, to[i], from[i]) : cudart_depend(rt, to[i], from[i]);
    }
    return problem;
}

CUDART_API int cudaGraphAddDependencies_v2(uint64_t graph, const uint64_t *from, const uint64_t *to, const void *data,
                                           size_t count)
{
    (void)graph;
    CUDART_CALL(add_edges(rt, from, to, data, count));
}

CUDART_API int cudaGraphAddDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to, const void *data,
                                        size_t count)
{
    (void)graph;
    bool older = cudart_context()->contexts.major == 12;
    CUDART_CALL(add_edges(rt, from, to, older ? NULL : data, last_of(rt, data, count)));
}

CUDART_API int cudaGraphRemoveDependencies_v2(uint64_t graph, const uint64_t *from, const uint64_t *to,
                                              const void *data, size_t count)
{
    (void)graph, (void)data;
    CUDART_CALL(for_edges(rt, from, to, count, cudart_independ));
}

CUDART_API int cudaGraphRemoveDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to, const void *data,
                                           size_t count)
{
    (void)graph;
    CUDART_CALL(for_edges(rt, from, to, last_of(rt, data, count), cudart_independ));
}

static enum cuda_error dependencies_of(struct cudart *rt, uint64_t node, uint64_t *out, struct cuda_edge *edges,
                                       size_t *count)
{
    const struct cudart_node *from = cudart_node_of(rt, node);
    if (!from || !count)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; edges && i < *count && i < from->dependencies.count; i++) {
        bool early = from->early && ((uint64_t *)from->dependencies.items)[i] == from->early;
        edges[i] = early ? (struct cuda_edge){.from_port = CUDA_PORT_PROGRAMMATIC, .type = CUDA_EDGE_PROGRAMMATIC}
                         : (struct cuda_edge){0};
    }
    return hand_out(&from->dependencies, out, count);
}

CUDART_API int cudaGraphNodeGetDependencies_v2(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    CUDART_CALL(dependencies_of(rt, node, out, data, count));
}

CUDART_API int cudaGraphNodeGetDependencies(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    bool older = cudart_context()->contexts.major == 12;
    CUDART_CALL(dependencies_of(rt, node, out, older ? NULL : data, (size_t *)last_of(rt, data, (size_t)count)));
}

static enum cuda_error dependents_of(struct cudart *rt, uint64_t node, uint64_t *out, size_t *count)
{
    return cudart_node_of(rt, node) ? choose(rt, cudart_node_of(rt, node)->graph, node, out, count)
                                    : CUDA_INVALID_VALUE;
}

CUDART_API int cudaGraphNodeGetDependentNodes_v2(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    (void)data;
    CUDART_CALL(dependents_of(rt, node, out, count));
}

CUDART_API int cudaGraphNodeGetDependentNodes(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    CUDART_CALL(dependents_of(rt, node, out, (size_t *)last_of(rt, data, (size_t)count)));
}

/* ===== executable graphs ===== */

CUDART_API int cudaGraphInstantiate(uint64_t *executable, uint64_t graph, unsigned long long flags)
{
    (void)flags;
    CUDART_CALL(cudart_instantiate(rt, graph, executable));
}

CUDART_API int cudaGraphInstantiateWithFlags(uint64_t *executable, uint64_t graph, unsigned long long flags)
{
    return cudaGraphInstantiate(executable, graph, flags);
}

CUDART_API int cudaGraphInstantiateWithParams(uint64_t *executable, uint64_t graph, struct cuda_instantiation *how)
{
    int problem = how ? cudaGraphInstantiate(executable, graph, how->flags) : CUDA_INVALID_VALUE;
    if (how) {
        how->wrong_node = 0;
        how->result = problem ? 1 : 0;
    }
    return problem;
}

CUDART_API int cudaGraphExecDestroy(uint64_t executable)
{
    CUDART_CALL(cudart_remove_executable(rt, executable));
}

CUDART_API int cudaGraphUpload(uint64_t executable, uint64_t stream)
{
    (void)executable;
    CUDART_CALL(cudart_stream_known(rt, stream) ? CUDA_SUCCESS : CUDA_INVALID_RESOURCE_HANDLE);
}

CUDART_API int cudaGraphLaunch(uint64_t executable, uint64_t stream)
{
    CUDART_CALL(cudart_launch_graph(rt, executable, stream));
}

static enum cuda_error update(struct cudart *rt, uint64_t executable, uint64_t graph, struct cuda_update *result)
{
    enum { UPDATED, FAILED, CHANGED };
    bool same;
    enum cuda_error problem = cudart_update_executable(rt, executable, graph, &same);
    if (result)
        *result = (struct cuda_update){.result = !problem ? UPDATED : same ? FAILED : CHANGED};
    return problem;
}

CUDART_API int cudaGraphExecUpdate(uint64_t executable, uint64_t graph, struct cuda_update *result)
{
    CUDART_CALL(update(rt, executable, graph, result));
}

/* ===== captures ===== */

CUDART_API int cudaStreamBeginCapture(uint64_t stream, int mode)
{
    CUDART_CALL(mode < 0 || mode > 2 ? CUDA_INVALID_VALUE : cudart_begin_capture(rt, stream, 0, NULL, 0));
}

CUDART_API int cudaStreamBeginCaptureToGraph(uint64_t stream, uint64_t graph, const uint64_t *dependencies,
                                             const void *data, size_t count, int mode)
{
    (void)data;
    CUDART_CALL(mode < 0 || mode > 2 || !graph ? CUDA_INVALID_VALUE
                                               : cudart_begin_capture(rt, stream, graph, dependencies, count));
}

CUDART_API int cudaStreamEndCapture(uint64_t stream, uint64_t *graph)
{
    CUDART_CALL(cudart_end_capture(rt, stream, graph));
}

static enum cuda_error look(struct cudart *rt, uint64_t handle, struct cuda_capture_info *info)
{
    enum { NONE, ACTIVE, SPOILT };
    const struct cudart_stream *stream = cudart_any_stream(rt, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    *info = (struct cuda_capture_info){.status = NONE};
    if (!stream->capture)
        return CUDA_SUCCESS;
    const struct cudart_capture *capture = cudart_capture_at(rt, stream->capture);
    *info = (struct cuda_capture_info){.status = capture->invalid ? SPOILT : ACTIVE,
                                       .id = stream->capture,
                                       .graph = capture->graph,
                                       .frontier = stream->frontier.items,
                                       .count = stream->frontier.count};
    return CUDA_SUCCESS;
}

int cudart_capture_info(uint64_t stream, struct cuda_capture_info *info)
{
    CUDART_CALL(look(rt, stream, info));
}

CUDART_API int cudaStreamIsCapturing(uint64_t stream, int *status)
{
    struct cuda_capture_info info = {0};
    int problem = cudart_capture_info(stream, &info);
    if (status && !problem)
        *status = info.status;
    return problem || status ? problem : (int)CUDA_INVALID_VALUE;
}

CUDART_API int cudaStreamGetCaptureInfo_v3(uint64_t stream, int *status, uint64_t *id, uint64_t *graph,
                                           const uint64_t **frontier, const void **data, size_t *count)
{
    struct cuda_capture_info info = {0};
    int problem = cudart_capture_info(stream, &info);
    if (problem || !status)
        return problem ? problem : (int)CUDA_INVALID_VALUE;
    *status = info.status;
    if (id)
        *id = info.id;
    if (graph)
        *graph = info.graph;
    if (frontier)
        *frontier = info.frontier;
    if (data)
        *data = NULL;
    if (count)
        *count = info.count;
    return problem;
}

CUDART_API int cudaStreamGetCaptureInfo_v2(uint64_t stream, int *status, uint64_t *id, uint64_t *graph,
                                           const uint64_t **frontier, size_t *count)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, frontier, NULL, count);
}

CUDART_API int cudaStreamGetCaptureInfo(uint64_t stream, int *status, uint64_t *id, uint64_t *graph,
                                        const uint64_t **frontier, const void **data, size_t *count)
{
    bool older = cudart_context()->contexts.major == 12; /* which has the first three alone */
    return older ? cudaStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL)
                 : cudaStreamGetCaptureInfo_v3(stream, status, id, graph, frontier, data, count);
}

/* Captures do not forbid what other threads do. */
CUDART_API int cudaThreadExchangeStreamCaptureMode(int *mode)
{
    enum { GLOBAL };
    CUDART_CALL(!mode || *mode < 0 || *mode > 2 ? CUDA_INVALID_VALUE : (*mode = GLOBAL, CUDA_SUCCESS));
}
