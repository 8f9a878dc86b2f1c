/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that become a graph: the beginning and the end of a capture. */
#include "cudart/launch/graph_capture.h"

#include "cudart/base/state.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/streams.h"

#include <stdlib.h>
#include <string.h>

/* Whether nodes are some of a graph. */
static bool are_nodes_of(const struct cudart *rt, uint64_t graph, const uint64_t *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!cudart_node_of(rt, nodes[i]) || cudart_node_of(rt, nodes[i])->graph != graph)
            return false;
    return true;
}

enum cuda_error cudart_begin_capture(struct cudart *rt, uint64_t handle, enum cuda_capture_mode mode, uint64_t graph,
                                     const uint64_t *dependencies, size_t count)
{
    struct cudart_stream *stream = cudart_any_stream(rt, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (cudart_is_legacy(rt, stream) || stream->capture)
        return stream->capture ? CUDA_ILLEGAL_STATE : CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if ((graph && !cudart_graph_of(rt, graph)) || (count && !dependencies) ||
        !are_nodes_of(rt, graph, dependencies, count))
        return CUDA_INVALID_VALUE;
    struct cudart_capture *capture = mnp_array_add(&rt->graphs->captures, 1, sizeof *capture);
    *capture = (struct cudart_capture){
        .active = true, .into = graph, .origin = handle, .mode = mode, .thread = pthread_self()};
    rt->graphs->capturing++;
    uint32_t number = rt->graphs->captures.count;
    uint64_t made = graph ? graph : cudart_make_graph(rt);
    cudart_capture_at(rt, number)->graph = made;
    stream->capture = number;
    stream->frontier.count = 0;
    for (size_t i = 0; i < count; i++)
        *(uint64_t *)mnp_array_add(&stream->frontier, 1, sizeof(uint64_t)) = dependencies[i];
    return CUDA_SUCCESS;
}

/* Whether every node that another stream has made last is waited for by one that the origin has come past. */
static bool is_joined(const struct cudart *rt, const struct cudart_stream *origin, const struct cudart_stream *other)
{
    const struct cudart_graph *graph = cudart_graph_of(rt, cudart_capture_at(rt, origin->capture)->graph);
    if (!graph)
        return false;
    const uint64_t *last = other->frontier.items;
    for (uint32_t i = 0; i < other->frontier.count; i++) {
        bool joined = false;
        for (uint32_t k = 0; k < origin->frontier.count && !joined; k++)
            joined = ((uint64_t *)origin->frontier.items)[k] == last[i];
        for (uint32_t n = 0; n < graph->nodes.count && !joined; n++) {
            const struct cudart_node *node = cudart_node_of(rt, ((uint64_t *)graph->nodes.items)[n]);
            for (uint32_t k = 0; k < node->dependencies.count && !joined; k++)
                joined = ((uint64_t *)node->dependencies.items)[k] == last[i];
        }
        if (!joined)
            return false;
    }
    return true;
}

enum cuda_error cudart_end_capture(struct cudart *rt, uint64_t handle, uint64_t *graph)
{
    struct cudart_stream *stream = cudart_any_stream(rt, handle), *all = rt->streams->list.items;
    if (!stream || !stream->capture)
        return stream ? CUDA_ILLEGAL_STATE : CUDA_INVALID_RESOURCE_HANDLE;
    uint32_t number = stream->capture;
    struct cudart_capture *capture = cudart_capture_at(rt, number);
    if (capture->origin != handle)
        return CUDA_STREAM_CAPTURE_UNMATCHED;
    if (capture->mode != CUDA_CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        return CUDA_STREAM_CAPTURE_WRONG_THREAD;
    bool whole = !capture->invalid && cudart_graph_of(rt, capture->graph);
    enum cuda_error problem = !whole ? CUDA_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    for (uint32_t i = 0; i < rt->streams->list.count && !problem; i++)
        if (all[i].capture == number && &all[i] != stream && !is_joined(rt, stream, &all[i]))
            problem = CUDA_STREAM_CAPTURE_UNJOINED;
    cudart_leave_capture(rt, number);
    if (graph)
        *graph = problem ? 0 : capture->graph;
    if (problem && !capture->into)
        cudart_remove_graph(rt, capture->graph);
    return problem;
}
