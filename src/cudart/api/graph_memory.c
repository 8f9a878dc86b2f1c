/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes that allocate memory and free it, of both APIs. Memory of graphs stays where it is (stream/graphs.h). */
#include "cudart/api/driver.h"
#include "cudart/api/graph.h"
#include "cudart/api/graph_work.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/memory/allocation.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/streams.h"

#include <string.h>

enum { USED_NOW, USED_MOST, RESERVED_NOW, RESERVED_MOST }; /* cudaGraphMemAttributeType */

static enum cuda_error add_allocation(struct cudart_device *device, const struct cudart_addition *a,
                                      struct cuda_allocation_node *how)
{
    struct cudart *rt = device->rt;
    void *address = NULL;
    if (!how || !how->bytes)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_add_work(rt, a, NULL, NULL);
    if (problem)
        return problem;
    problem = cudart_allocate(device, &address, how->bytes);
    if (problem) {
        cudart_remove_node(rt, *a->node);
        return problem;
    }
    struct cudart_graph_memory memory = {.address = (uint64_t)address, .bytes = how->bytes};
    memcpy(memory.pool, how->pool, sizeof memory.pool);
    cudart_give_to_graphs(rt, *a->node, &memory);
    how->address = memory.address;
    return CUDA_SUCCESS;
}

static enum cuda_error give_free(struct cudart *rt, const void *what)
{
    return cudart_release_later(cudart_current_device(rt), *(const uint64_t *)what, 0);
}

static enum cuda_error add_free(struct cudart *rt, const struct cudart_addition *a, uint64_t address)
{
    return cudart_memory_of_graphs(rt, address) ? cudart_add_work(rt, a, give_free, &address) : CUDA_INVALID_VALUE;
}

static enum cuda_error ask_allocation(const struct cudart *rt, uint64_t handle, struct cuda_allocation_node *out)
{
    const struct cudart_node *node = cudart_node_of(rt, handle);
    if (!node || node->type != CUDART_NODE_ALLOCATE || !out)
        return CUDA_INVALID_VALUE;
    const struct cudart_graph_memory *memory = cudart_memory_of_graphs(rt, node->memory);
    *out = (struct cuda_allocation_node){.bytes = memory->bytes, .address = memory->address};
    memcpy(out->pool, memory->pool, sizeof memory->pool);
    return CUDA_SUCCESS;
}

static enum cuda_error ask_free(const struct cudart *rt, uint64_t handle, uint64_t *out)
{
    const struct cudart_node *node = cudart_node_of(rt, handle);
    if (!node || node->type != CUDART_NODE_FREE || !out)
        return CUDA_INVALID_VALUE;
    *out = (*(struct cudart_operation **)node->operations.items)->area.to;
    return CUDA_SUCCESS;
}

/* Sums of memory of graphs. Memory is never given back, so all that is reserved is in use, and the present sum is the
 * highest one. */
static enum cuda_error ask_sum(const struct cudart *rt, int device, int what, uint64_t *out)
{
    bool known = cudart_device_at(rt, device);
    if (!known || what < USED_NOW || what > RESERVED_MOST || !out)
        return known ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE;
    const struct cudart_graph_memory *all = rt->graphs->memory.items;
    *out = 0;
    for (uint32_t i = 0; i < rt->graphs->memory.count; i++)
        *out += all[i].bytes;
    return CUDA_SUCCESS;
}

/* Only the two highest sums can be set, and to zero, from which they are at once what there is. */
static enum cuda_error begin_again(const struct cudart *rt, int device, int what, const uint64_t *value)
{
    bool good = (what == USED_MOST || what == RESERVED_MOST) && value && !*value;
    return !cudart_device_at(rt, device) ? CUDA_INVALID_DEVICE : good ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* ===== the runtime ===== */

CUDART_API int cudaGraphAddMemAllocNode(NODE_PLACE, struct cuda_allocation_node *how)
{
    CUDART_CALL(add_allocation(current, ADDITION(CUDART_NODE_ALLOCATE), how));
}

CUDART_API int cudaGraphAddMemFreeNode(NODE_PLACE, void *address)
{
    CUDART_CALL(add_free(rt, ADDITION(CUDART_NODE_FREE), (uint64_t)address));
}

CUDART_API int cudaGraphMemAllocNodeGetParams(uint64_t node, struct cuda_allocation_node *out)
{
    CUDART_CALL(ask_allocation(rt, node, out));
}

CUDART_API int cudaGraphMemFreeNodeGetParams(uint64_t node, void *address)
{
    CUDART_CALL(ask_free(rt, node, address));
}

CUDART_API int cudaDeviceGetGraphMemAttribute(int device, int what, void *value)
{
    CUDART_CALL(ask_sum(rt, device, what, value));
}

CUDART_API int cudaDeviceSetGraphMemAttribute(int device, int what, void *value)
{
    CUDART_CALL(begin_again(rt, device, what, value));
}

CUDART_API int cudaDeviceGraphMemTrim(int device)
{
    CUDART_CALL(cudart_device_at(rt, device) ? CUDA_SUCCESS : CUDA_INVALID_DEVICE);
}

/* ===== the driver ===== */

CUDART_API CUresult cuGraphAddMemAllocNode(NODE_PLACE, struct cuda_allocation_node *how)
{
    DRIVER_CALL(cudaGraphAddMemAllocNode(NODE_WORDS, how));
}

CUDART_API CUresult cuGraphAddMemFreeNode(NODE_PLACE, CUdeviceptr address)
{
    DRIVER_CALL(cudaGraphAddMemFreeNode(NODE_WORDS, (void *)address));
}

CUDART_API CUresult cuGraphMemAllocNodeGetParams(uint64_t node, struct cuda_allocation_node *out)
{
    DRIVER_CALL(cudaGraphMemAllocNodeGetParams(node, out));
}

CUDART_API CUresult cuGraphMemFreeNodeGetParams(uint64_t node, CUdeviceptr *address)
{
    DRIVER_CALL(cudaGraphMemFreeNodeGetParams(node, address));
}

CUDART_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int what, void *value)
{
    DRIVER_CALL(cudaDeviceGetGraphMemAttribute(device, what, value));
}

CUDART_API CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int what, void *value)
{
    DRIVER_CALL(cudaDeviceSetGraphMemAttribute(device, what, value));
}

CUDART_API CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    DRIVER_CALL(cudaDeviceGraphMemTrim(device));
}
