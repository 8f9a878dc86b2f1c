/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that become a graph: the beginning and the end of a capture. */
#include "cudart/core/context.h"

#include <stdlib.h>
#include <string.h>

enum cuda_error cudart_begin_capture(struct cudart *rt, uint64_t handle, uint64_t graph, const uint64_t *dependencies,
                                     size_t count)
{
    struct cudart_stream *stream = cudart_any_stream(rt, handle);
    if (!stream)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (stream == rt->streams.list.items || stream->capture)
        return stream->capture ? CUDA_INVALID_VALUE : CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if ((graph && !cudart_graph_of(rt, graph)) || (count && !dependencies))
        return CUDA_INVALID_VALUE;
    struct cudart_capture *capture = mnp_array_add(&rt->graphs.captures, 1, sizeof *capture);
    *capture = (struct cudart_capture){.active = true, .origin = handle};
    uint32_t number = rt->graphs.captures.count;
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
    struct cudart_stream *stream = cudart_any_stream(rt, handle), *all = rt->streams.list.items;
    if (!stream || !stream->capture)
        return stream ? CUDA_INVALID_VALUE : CUDA_INVALID_RESOURCE_HANDLE;
    uint32_t number = stream->capture;
    struct cudart_capture *capture = cudart_capture_at(rt, number);
    if (capture->origin != handle)
        return CUDA_STREAM_CAPTURE_UNMATCHED;
    enum cuda_error problem = capture->invalid ? CUDA_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    for (uint32_t i = 0; i < rt->streams.list.count; i++) {
        if (all[i].capture != number || &all[i] == stream)
            continue;
        if (!problem && !is_joined(rt, stream, &all[i]))
            problem = CUDA_STREAM_CAPTURE_UNJOINED;
        all[i].capture = 0;
        all[i].frontier.count = 0;
    }
    stream->capture = 0;
    stream->frontier.count = 0;
    capture->active = false;
    if (graph)
        *graph = problem ? 0 : capture->graph;
    if (problem)
        cudart_remove_graph(rt, capture->graph);
    return problem;
}
