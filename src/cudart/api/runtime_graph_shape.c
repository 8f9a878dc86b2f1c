/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of the runtime's graphs: which nodes there are, what they hold, and the edges between them. */
#include "cudart/api/graph.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/graphs.h"

#include <stdlib.h>

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

CUDART_API int cudaGraphRemoveDependencies_v2(uint64_t graph, const uint64_t *from, const uint64_t *to,
                                              const void *data, size_t count)
{
    (void)graph, (void)data;
    CUDART_CALL(for_edges(rt, from, to, count, cudart_independ));
}

static struct cuda_edge edge_of(const struct cudart_node *node, uint64_t before)
{
    return node->early && node->early == before
               ? (struct cuda_edge){.from_port = CUDA_PORT_PROGRAMMATIC, .type = CUDA_EDGE_PROGRAMMATIC}
               : (struct cuda_edge){0};
}

static enum cuda_error dependencies_of(struct cudart *rt, uint64_t node, uint64_t *out, struct cuda_edge *edges,
                                       size_t *count)
{
    const struct cudart_node *from = cudart_node_of(rt, node);
    if (!from || !count)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; edges && i < *count && i < from->dependencies.count; i++)
        edges[i] = edge_of(from, ((uint64_t *)from->dependencies.items)[i]);
    return hand_out(&from->dependencies, out, count);
}

CUDART_API int cudaGraphNodeGetDependencies_v2(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    CUDART_CALL(dependencies_of(rt, node, out, data, count));
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

/* Edges in the order of the nodes that wait; as CUDA hands them out, as hand_out does. */
static enum cuda_error edges_of(struct cudart *rt, uint64_t graph, uint64_t *from, uint64_t *to,
                                struct cuda_edge *edges, size_t *count)
{
    if (!cudart_graph_of(rt, graph) || !count || !from != !to)
        return CUDA_INVALID_VALUE;
    struct mnp_array nodes = cudart_graph_of(rt, graph)->nodes;
    size_t found = 0;
    for (uint32_t i = 0; i < nodes.count; i++) {
        uint64_t handle = ((uint64_t *)nodes.items)[i];
        const struct cudart_node *node = cudart_node_of(rt, handle);
        for (uint32_t k = 0; k < node->dependencies.count; k++, found++) {
            if (!from || found >= *count)
                continue;
            from[found] = ((uint64_t *)node->dependencies.items)[k];
            to[found] = handle;
            if (edges)
                edges[found] = edge_of(node, from[found]);
        }
    }
    for (size_t i = found; from && i < *count; i++)
        from[i] = to[i] = 0;
    if (!from || *count > found)
        *count = found;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphGetEdges_v2(uint64_t graph, uint64_t *from, uint64_t *to, void *data, size_t *count)
{
    CUDART_CALL(edges_of(rt, graph, from, to, data, count));
}
