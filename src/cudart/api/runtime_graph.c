/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's graphs: nodes that are built by the functions which put work into streams, and captures of streams. */
#include "cudart/api/graph.h"
#include "cudart/api/graph_work.h"
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/launch/graph_capture.h"
#include "cudart/launch/graph_launch.h"
#include "cudart/launch/launch.h"
#include "cudart/memory/copies.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/streams.h"

#include <stdlib.h>

/* ===== what nodes hold ===== */

static enum cuda_error give_copy(struct cudart *rt, const void *what)
{
    return cudart_copy_3d(rt, what, 0, false);
}

static enum cuda_error give_line(struct cudart *rt, const void *what)
{
    const struct cuda_line_node *c = what;
    return cudart_copy(cudart_current_device(rt), c->to, c->from, c->bytes, c->kind, 0, false);
}

static enum cuda_error give_symbol(struct cudart *rt, const void *what)
{
    return cudart_copy_symbol(cudart_current_device(rt), what);
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
    return cudart_fill_area(cudart_current_device(rt), &area, f->value, f->bytes_each, 0);
}

static enum cuda_error give_function(struct cudart *rt, const void *what)
{
    const struct cuda_host_node *h = what;
    return cudart_launch_function(rt, 0, h->function, NULL, h->data);
}

CUDART_API int cudaGraphAddKernelNode(NODE_PLACE, const struct cuda_kernel_node *kernel)
{
    CUDART_CALL(cudart_add_work(rt, ADDITION(CUDART_NODE_KERNEL), cudart_give_kernel, kernel));
}

/* A node of copies remembers how the program has stated them; NULL: by another function. */
static enum cuda_error state(struct cudart_node *node, const struct cuda_copy_3d *copy)
{
    node->stated = copy;
    if (copy)
        node->copy = *copy;
    return CUDA_SUCCESS;
}

static enum cuda_error add_copy(struct cudart *rt, const struct cudart_addition *a, const struct cuda_copy_3d *copy)
{
    enum cuda_error problem = cudart_add_work(rt, a, give_copy, copy);
    return problem ? problem : state(cudart_node_of(rt, *a->node), copy);
}

CUDART_API int cudaGraphAddMemcpyNode(NODE_PLACE, const struct cuda_copy_3d *copy)
{
    CUDART_CALL(add_copy(rt, ADDITION(CUDART_NODE_COPY), copy));
}

CUDART_API int cudaGraphAddMemcpyNode1D(NODE_PLACE, void *to, const void *from, size_t bytes, int kind)
{
    const struct cuda_line_node line = {to, from, bytes, kind};
    CUDART_CALL(cudart_add_work(rt, ADDITION(CUDART_NODE_COPY), give_line, &line));
}

CUDART_API int cudaGraphAddMemcpyNodeToSymbol(NODE_PLACE, const void *symbol, const void *from, size_t bytes,
                                              size_t offset, int kind)
{
    const struct cudart_symbol_copy c = {symbol, from, bytes, offset, 0, kind, true, false};
    CUDART_CALL(cudart_add_work(rt, ADDITION(CUDART_NODE_COPY), give_symbol, &c));
}

CUDART_API int cudaGraphAddMemcpyNodeFromSymbol(NODE_PLACE, void *to, const void *symbol, size_t bytes, size_t offset,
                                                int kind)
{
    const struct cudart_symbol_copy c = {symbol, to, bytes, offset, 0, kind, false, false};
    CUDART_CALL(cudart_add_work(rt, ADDITION(CUDART_NODE_COPY), give_symbol, &c));
}

CUDART_API int cudaGraphAddMemsetNode(NODE_PLACE, const struct cuda_fill_node *how)
{
    CUDART_CALL(cudart_add_work(rt, ADDITION(CUDART_NODE_FILL), give_fill, how));
}

CUDART_API int cudaGraphAddHostNode(NODE_PLACE, const struct cuda_host_node *host)
{
    CUDART_CALL(cudart_add_work(rt, ADDITION(CUDART_NODE_HOST), give_function, host));
}

CUDART_API int cudaGraphAddEmptyNode(NODE_PLACE)
{
    CUDART_CALL(cudart_add_work(rt, ADDITION(CUDART_NODE_EMPTY), NULL, NULL));
}

static enum cuda_error add_child(struct cudart *rt, const struct cudart_addition *a, uint64_t child)
{
    uint64_t copy;
    enum cuda_error problem = cudart_copy_graph(rt, child, &copy);
    problem = problem ? problem : cudart_add_work(rt, a, NULL, NULL);
    if (!problem) {
        cudart_node_of(rt, *a->node)->child = copy;
        cudart_graph_of(rt, copy)->owned = true;
    }
    return problem;
}

CUDART_API int cudaGraphAddChildGraphNode(NODE_PLACE, uint64_t child)
{
    CUDART_CALL(add_child(rt, ADDITION(CUDART_NODE_GRAPH), child));
}

static enum cuda_error add_event(struct cudart *rt, const struct cudart_addition *a, uint64_t event)
{
    if (!cudart_event_of(rt, event))
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = cudart_add_work(rt, a, NULL, NULL);
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

CUDART_API int cudaGraphKernelNodeSetParams(uint64_t node, const struct cuda_kernel_node *kernel)
{
    CUDART_CALL(cudart_change_work(rt, cudart_node_of(rt, node), CUDART_NODE_KERNEL, cudart_give_kernel, kernel));
}

CUDART_API int cudaGraphExecKernelNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_kernel_node *k)
{
    CUDART_CALL(cudart_change_work(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_KERNEL,
                                   cudart_give_kernel, k));
}

static enum cuda_error kernel_of(const struct cudart_node *node, void **arguments, struct cuda_kernel_node *out)
{
    if (!arguments || !out)
        return CUDA_INVALID_VALUE;
    const struct cudart_operation *operation = *(struct cudart_operation **)node->operations.items;
    const struct execute_launch *launch = &operation->launch;
    const void *host = operation->kernel->host;
    *out = (struct cuda_kernel_node){.function = host ? host : operation->kernel,
                                     .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                     .block = {launch->block[0], launch->block[1], launch->block[2]},
                                     .shared = launch->dynamic_shared,
                                     .arguments = arguments};
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphKernelNodeGetParams(uint64_t handle, struct cuda_kernel_node *out)
{
    CUDART_CALL(cudart_node_of(rt, handle)
                    ? kernel_of(cudart_node_of(rt, handle), cudart_node_arguments(cudart_node_of(rt, handle)), out)
                    : CUDA_INVALID_VALUE);
}

static enum cuda_error change_copy(struct cudart *rt, uint64_t node, cudart_give *give, const void *what,
                                   const struct cuda_copy_3d *copy)
{
    enum cuda_error problem = cudart_change_work(rt, cudart_node_of(rt, node), CUDART_NODE_COPY, give, what);
    return problem ? problem : state(cudart_node_of(rt, node), copy);
}

CUDART_API int cudaGraphMemcpyNodeSetParams(uint64_t node, const struct cuda_copy_3d *copy)
{
    CUDART_CALL(change_copy(rt, node, give_copy, copy, copy));
}

CUDART_API int cudaGraphExecMemcpyNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_copy_3d *copy)
{
    CUDART_CALL(
        cudart_change_work(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_COPY, give_copy, copy));
}

CUDART_API int cudaGraphMemcpyNodeSetParams1D(uint64_t node, void *to, const void *from, size_t bytes, int kind)
{
    const struct cuda_line_node line = {to, from, bytes, kind};
    CUDART_CALL(change_copy(rt, node, give_line, &line, NULL));
}

CUDART_API int cudaGraphExecMemcpyNodeSetParams1D(uint64_t executable, uint64_t node, void *to, const void *from,
                                                  size_t bytes, int kind)
{
    const struct cuda_line_node line = {to, from, bytes, kind};
    CUDART_CALL(
        cudart_change_work(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_COPY, give_line, &line));
}

CUDART_API int cudaGraphMemsetNodeSetParams(uint64_t node, const struct cuda_fill_node *how)
{
    CUDART_CALL(cudart_change_work(rt, cudart_node_of(rt, node), CUDART_NODE_FILL, give_fill, how));
}

CUDART_API int cudaGraphExecMemsetNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_fill_node *how)
{
    CUDART_CALL(cudart_change_work(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_FILL, give_fill, how));
}

CUDART_API int cudaGraphHostNodeSetParams(uint64_t node, const struct cuda_host_node *host)
{
    CUDART_CALL(cudart_change_work(rt, cudart_node_of(rt, node), CUDART_NODE_HOST, give_function, host));
}

CUDART_API int cudaGraphExecHostNodeSetParams(uint64_t executable, uint64_t node, const struct cuda_host_node *host)
{
    CUDART_CALL(
        cudart_change_work(rt, cudart_executable_node(rt, executable, node), CUDART_NODE_HOST, give_function, host));
}

/* Only kernels, copies and fills can be left out. */
static enum cuda_error enable(struct cudart_node *node, unsigned enabled)
{
    if (!node || node->type > CUDART_NODE_FILL)
        return CUDA_INVALID_VALUE;
    node->disabled = !enabled;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphNodeSetEnabled(uint64_t executable, uint64_t node, unsigned enabled)
{
    CUDART_CALL(enable(cudart_executable_node(rt, executable, node), enabled));
}

static enum cuda_error is_enabled(const struct cudart_node *node, unsigned *enabled)
{
    if (!node || !enabled || node->type > CUDART_NODE_FILL)
        return CUDA_INVALID_VALUE;
    *enabled = !node->disabled;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphNodeGetEnabled(uint64_t executable, uint64_t node, unsigned *enabled)
{
    CUDART_CALL(is_enabled(cudart_executable_node(rt, executable, node), enabled));
}

static enum cuda_error child_of(const struct cudart_node *node, uint64_t *child)
{
    if (!node || !child || node->type != CUDART_NODE_GRAPH)
        return CUDA_INVALID_VALUE;
    *child = node->child;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphChildGraphNodeGetGraph(uint64_t node, uint64_t *child)
{
    CUDART_CALL(child_of(cudart_node_of(rt, node), child));
}

/* ===== graphs ===== */

CUDART_API int cudaGraphCreate(uint64_t *graph, unsigned flags)
{
    CUDART_CALL(!graph || flags ? CUDA_INVALID_VALUE : (*graph = cudart_make_graph(rt), CUDA_SUCCESS));
}

CUDART_API int cudaGraphDestroy(uint64_t graph)
{
    CUDART_CALL(cudart_destroy_graph(rt, graph));
}

CUDART_API int cudaGraphClone(uint64_t *copy, uint64_t graph)
{
    CUDART_CALL(cudart_copy_graph(rt, graph, copy));
}

CUDART_API int cudaGraphDestroyNode(uint64_t node)
{
    CUDART_CALL(cudart_destroy_node(rt, node));
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
    CUDART_CALL(mode < 0 || mode > 2 ? CUDA_INVALID_VALUE
                                     : cudart_begin_capture(rt, stream, (enum cuda_capture_mode)mode, 0, NULL, 0));
}

CUDART_API int cudaStreamBeginCaptureToGraph(uint64_t stream, uint64_t graph, const uint64_t *dependencies,
                                             const void *data, size_t count, int mode)
{
    (void)data;
    CUDART_CALL(mode < 0 || mode > 2 || !graph
                    ? CUDA_INVALID_VALUE
                    : cudart_begin_capture(rt, stream, (enum cuda_capture_mode)mode, graph, dependencies, count));
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

static enum cuda_error exchange(int *mode)
{
    enum cuda_capture_mode *own = &cudart_thread()->capture_mode, before = *own;
    if (!mode || *mode < CUDA_CAPTURE_GLOBAL || *mode > CUDA_CAPTURE_RELAXED)
        return CUDA_INVALID_VALUE;
    *own = (enum cuda_capture_mode) * mode;
    *mode = (int)before;
    return CUDA_SUCCESS;
}

CUDART_API int cudaThreadExchangeStreamCaptureMode(int *mode)
{
    CUDART_CALL(exchange(mode));
}
