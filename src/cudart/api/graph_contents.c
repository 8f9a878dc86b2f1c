/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of graphs' nodes, in both APIs: copies, fills, functions of the host, events. Kernels: runtime_graph.c. */
#include "cudart/api/driver.h"
#include "cudart/api/graph.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/streams.h"

/* The one operation of a node of a type; NULL: it is another, or what it was made for is empty. */
static const struct cudart_operation *operation_of(const struct cudart *rt, uint64_t handle, enum cudart_node_type type)
{
    const struct cudart_node *node = cudart_node_of(rt, handle);
    bool one = node && node->type == type && node->operations.count == 1;
    return one ? *(struct cudart_operation **)node->operations.items : NULL;
}

/* A copy that the program has stated is given back; one of a captured stream is that of its rows. */
static enum cuda_error ask_copy(const struct cudart_device *device, uint64_t handle, struct cuda_copy_3d *out)
{
    struct cudart *rt = device->rt;
    const struct cudart_node *node = cudart_node_of(rt, handle);
    const struct cudart_operation *operation = operation_of(rt, handle, CUDART_NODE_COPY);
    if (!out || !node || node->type != CUDART_NODE_COPY || (!node->stated && !operation))
        return CUDA_INVALID_VALUE;
    if (node->stated) {
        *out = node->copy;
        return CUDA_SUCCESS;
    }
    const struct cudart_area *a = &operation->area;
    bool up = cudart_on_device(device, a->to), down = cudart_on_device(device, a->from);
    *out = (struct cuda_copy_3d){
        .to = {(void *)a->to, a->to_pitch, a->width, a->height},
        .from = {(void *)a->from, a->from_pitch, a->width, a->height},
        .extent = {a->width, a->height, 1},
        .kind = up ? (down ? CUDA_DEVICE_TO_DEVICE : CUDA_HOST_TO_DEVICE)
                   : (down ? CUDA_DEVICE_TO_HOST : CUDA_HOST_TO_HOST),
    };
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphMemcpyNodeGetParams(uint64_t node, struct cuda_copy_3d *copy)
{
    CUDART_CALL(ask_copy(current, node, copy));
}

static enum cuda_error ask_fill(const struct cudart *rt, uint64_t handle, struct cuda_fill_node *out)
{
    const struct cudart_operation *operation = operation_of(rt, handle, CUDART_NODE_FILL);
    if (!operation || !out)
        return CUDA_INVALID_VALUE;
    const struct cudart_area *a = &operation->area;
    *out = (struct cuda_fill_node){.to = a->to,
                                   .pitch = a->to_pitch,
                                   .value = operation->value,
                                   .bytes_each = operation->bytes_each,
                                   .width = a->width / operation->bytes_each,
                                   .height = a->height};
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphMemsetNodeGetParams(uint64_t node, struct cuda_fill_node *fill)
{
    CUDART_CALL(ask_fill(rt, node, fill));
}

CUDART_API CUresult cuGraphMemsetNodeGetParams(uint64_t node, struct cuda_fill_node *fill)
{
    DRIVER_CALL(cudaGraphMemsetNodeGetParams(node, fill));
}

static enum cuda_error ask_function(const struct cudart *rt, uint64_t handle, struct cuda_host_node *out)
{
    const struct cudart_operation *operation = operation_of(rt, handle, CUDART_NODE_HOST);
    if (!operation || !out || !operation->function)
        return CUDA_INVALID_VALUE;
    *out = (struct cuda_host_node){operation->function, operation->data};
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphHostNodeGetParams(uint64_t node, struct cuda_host_node *host)
{
    CUDART_CALL(ask_function(rt, node, host));
}

CUDART_API CUresult cuGraphHostNodeGetParams(uint64_t node, struct cuda_host_node *host)
{
    DRIVER_CALL(cudaGraphHostNodeGetParams(node, host));
}

static enum cuda_error ask_event(const struct cudart *rt, uint64_t handle, enum cudart_node_type type, uint64_t *event)
{
    const struct cudart_node *node = cudart_node_of(rt, handle);
    if (!node || node->type != type || !event)
        return CUDA_INVALID_VALUE;
    *event = node->event;
    return CUDA_SUCCESS;
}

CUDART_API int cudaGraphEventRecordNodeGetEvent(uint64_t node, uint64_t *event)
{
    CUDART_CALL(ask_event(rt, node, CUDART_NODE_RECORD, event));
}

CUDART_API int cudaGraphEventWaitNodeGetEvent(uint64_t node, uint64_t *event)
{
    CUDART_CALL(ask_event(rt, node, CUDART_NODE_WAIT, event));
}

CUDART_API CUresult cuGraphEventRecordNodeGetEvent(uint64_t node, uint64_t *event)
{
    DRIVER_CALL(cudaGraphEventRecordNodeGetEvent(node, event));
}

CUDART_API CUresult cuGraphEventWaitNodeGetEvent(uint64_t node, uint64_t *event)
{
    DRIVER_CALL(cudaGraphEventWaitNodeGetEvent(node, event));
}
