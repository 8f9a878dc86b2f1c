/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs and their nodes, as programs make them. */
#include "cudart/stream/graphs.h"

#include "base/arena.h"
#include "cudart/base/state.h"
#include "cudart/device/modules.h"
#include "cudart/stream/streams.h"

#include <stdlib.h>
#include <string.h>

static void *at(const struct mnp_array *table, size_t each, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    return handle >= CUDART_FIRST_HANDLE && place < table->count ? (char *)table->items + place * each : NULL;
}

struct cudart_graph *cudart_graph_of(const struct cudart *rt, uint64_t handle)
{
    struct cudart_graph *graph = at(&rt->graphs->list, sizeof *graph, handle);
    return graph && graph->used ? graph : NULL;
}

struct cudart_node *cudart_node_of(const struct cudart *rt, uint64_t handle)
{
    struct cudart_node *node = at(&rt->graphs->nodes, sizeof *node, handle);
    return node && node->used ? node : NULL;
}

struct cudart_capture *cudart_capture_at(const struct cudart *rt, uint32_t number)
{
    return (struct cudart_capture *)rt->graphs->captures.items + (number - 1);
}

uint64_t cudart_make_graph(struct cudart *rt)
{
    struct cudart_graph *graph = mnp_array_add(&rt->graphs->list, 1, sizeof *graph);
    *graph = (struct cudart_graph){.used = true};
    return CUDART_FIRST_HANDLE + rt->graphs->list.count - 1;
}

/* ===== operations ===== */

struct cudart_operation *cudart_clone_operation(const struct cudart_operation *operation)
{
    struct cudart_operation *clone = mnp_allocate(1, sizeof *clone);
    *clone = *operation;
    if (operation->storage) { /* a kernel's parameters: copies of graphs read memory when they run */
        size_t bytes = (size_t)operation->launch.code->parameter_bytes + 1;
        clone->storage = mnp_allocate(bytes, 1);
        memcpy(clone->storage, operation->storage, bytes);
        clone->launch.parameters = clone->storage;
    }
    return clone;
}

void cudart_free_operations(struct mnp_array *operations)
{
    struct cudart_operation **each = operations->items;
    for (uint32_t i = 0; i < operations->count; i++) {
        free(each[i]->storage);
        free(each[i]);
    }
    free(operations->items);
    *operations = (struct mnp_array){0};
}

struct cudart_operation *cudart_node_operation(struct cudart *rt, uint64_t node, enum cudart_operation_kind kind)
{
    struct cudart_operation *operation = mnp_allocate(1, sizeof *operation);
    operation->kind = kind;
    operation->ends = MNP_NEVER;
    *(struct cudart_operation **)mnp_array_add(&cudart_node_of(rt, node)->operations, 1, sizeof operation) = operation;
    return operation;
}

static void forget_arguments(struct cudart_node *node)
{
    free(node->arguments);
    node->arguments = NULL;
}

void cudart_build_node(struct cudart *rt, uint64_t node)
{
    if (node) {
        cudart_free_operations(&cudart_node_of(rt, node)->operations);
        forget_arguments(cudart_node_of(rt, node));
    }
    rt->graphs->building = node;
}

/* ===== nodes ===== */

static bool has(const struct mnp_array *list, uint64_t value)
{
    const uint64_t *each = list->items;
    for (uint32_t i = 0; i < list->count; i++)
        if (each[i] == value)
            return true;
    return false;
}

static void add(struct mnp_array *list, uint64_t value)
{
    *(uint64_t *)mnp_array_add(list, 1, sizeof value) = value;
}

static bool take_out(struct mnp_array *list, uint64_t value)
{
    uint64_t *each = list->items;
    for (uint32_t i = 0; i < list->count; i++)
        if (each[i] == value) {
            memmove(&each[i], &each[i + 1], (list->count - i - 1) * sizeof *each);
            list->count--;
            return true;
        }
    return false;
}

enum cuda_error cudart_make_node(struct cudart *rt, uint64_t graph, enum cudart_node_type type,
                                 const uint64_t *dependencies, size_t count, uint64_t *out)
{
    if (!cudart_graph_of(rt, graph) || !out || (count && !dependencies))
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const struct cudart_node *before = cudart_node_of(rt, dependencies[i]);
        if (!before || before->graph != graph)
            return CUDA_INVALID_VALUE;
    }
    struct cudart_node *node = mnp_array_add(&rt->graphs->nodes, 1, sizeof *node);
    *node = (struct cudart_node){.used = true, .graph = graph, .type = type};
    for (size_t i = 0; i < count; i++)
        if (!has(&node->dependencies, dependencies[i]))
            add(&node->dependencies, dependencies[i]);
    *out = CUDART_FIRST_HANDLE + rt->graphs->nodes.count - 1;
    add(&cudart_graph_of(rt, graph)->nodes, *out);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_depend(struct cudart *rt, uint64_t handle, uint64_t on)
{
    struct cudart_node *node = cudart_node_of(rt, handle), *before = cudart_node_of(rt, on);
    if (!node || !before || node == before || node->graph != before->graph || has(&node->dependencies, on))
        return CUDA_INVALID_VALUE;
    add(&node->dependencies, on);
    return CUDA_SUCCESS;
}

void cudart_node_is_early(struct cudart *rt, uint64_t handle)
{
    struct cudart_node *node = cudart_node_of(rt, handle);
    uint64_t on = node->dependencies.count == 1 ? *(const uint64_t *)node->dependencies.items : 0;
    if (on && cudart_node_of(rt, on)->type == CUDART_NODE_KERNEL)
        node->early = on;
}

enum cuda_error cudart_depend_early(struct cudart *rt, uint64_t handle, uint64_t on)
{
    const struct cudart_node *before = cudart_node_of(rt, on);
    struct cudart_node *node = cudart_node_of(rt, handle);
    if (!node || !before || node->type != CUDART_NODE_KERNEL || before->type != CUDART_NODE_KERNEL)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_depend(rt, handle, on);
    if (!problem)
        node->early = on;
    return problem;
}

enum cuda_error cudart_independ(struct cudart *rt, uint64_t handle, uint64_t on)
{
    struct cudart_node *node = cudart_node_of(rt, handle);
    if (node && node->early == on)
        node->early = 0;
    return node && take_out(&node->dependencies, on) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

void **cudart_node_arguments(struct cudart_node *node)
{
    if (node->type != CUDART_NODE_KERNEL || node->operations.count != 1)
        return NULL;
    const struct cudart_operation *operation = *(struct cudart_operation **)node->operations.items;
    const struct mnp_array *parameters = &operation->kernel->code->parameters;
    if (!node->arguments)
        node->arguments = mnp_allocate((size_t)parameters->count + 1, sizeof *node->arguments);
    for (uint32_t i = 0; i < parameters->count; i++)
        node->arguments[i] = operation->storage + ((const struct execute_transfer *)parameters->items)[i].offset;
    return node->arguments;
}

static void release_node(struct cudart_node *node)
{
    forget_arguments(node);
    cudart_free_operations(&node->operations);
    free(node->dependencies.items);
    *node = (struct cudart_node){0};
}

enum cuda_error cudart_remove_node(struct cudart *rt, uint64_t handle)
{
    struct cudart_node *node = cudart_node_of(rt, handle);
    if (!node)
        return CUDA_INVALID_VALUE;
    struct cudart_graph *graph = cudart_graph_of(rt, node->graph);
    take_out(&graph->nodes, handle);
    const uint64_t *others = graph->nodes.items;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        take_out(&cudart_node_of(rt, others[i])->dependencies, handle);
    release_node(node);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_remove_graph(struct cudart *rt, uint64_t handle)
{
    struct cudart_graph *graph = cudart_graph_of(rt, handle);
    if (!graph)
        return CUDA_INVALID_VALUE;
    const uint64_t *nodes = graph->nodes.items;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        release_node(cudart_node_of(rt, nodes[i]));
    free(graph->nodes.items);
    *graph = (struct cudart_graph){0};
    return CUDA_SUCCESS;
}

bool cudart_graphs_hold(const struct cudart *rt, const struct cudart_module *module)
{
    const struct cudart_node *nodes = rt->graphs->nodes.items;
    for (uint32_t i = 0; i < rt->graphs->nodes.count; i++)
        for (uint32_t k = 0; k < nodes[i].operations.count; k++) {
            const struct cudart_operation *operation = ((struct cudart_operation **)nodes[i].operations.items)[k];
            if (operation->kernel && operation->kernel->module == module)
                return true;
        }
    return false;
}

enum cuda_error cudart_destroy_node(struct cudart *rt, uint64_t handle)
{
    const struct cudart_node *node = cudart_node_of(rt, handle);
    const struct cudart_graph *graph = node ? cudart_graph_of(rt, node->graph) : NULL;
    return graph && !graph->owned ? cudart_remove_node(rt, handle) : CUDA_INVALID_VALUE;
}

enum cuda_error cudart_destroy_graph(struct cudart *rt, uint64_t handle)
{
    const struct cudart_graph *graph = cudart_graph_of(rt, handle);
    return graph && !graph->owned ? cudart_remove_graph(rt, handle) : CUDA_INVALID_VALUE;
}

/* The copy of a node in a graph that copies another; 0: it has none. */
static uint64_t copy_of(const struct cudart *rt, uint64_t graph, uint64_t original)
{
    const struct mnp_array *nodes = &cudart_graph_of(rt, graph)->nodes;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (cudart_node_of(rt, ((const uint64_t *)nodes->items)[i])->original == original)
            return ((const uint64_t *)nodes->items)[i];
    return 0;
}

enum cuda_error cudart_copy_graph(struct cudart *rt, uint64_t handle, uint64_t *out)
{
    if (!cudart_graph_of(rt, handle) || !out)
        return CUDA_INVALID_VALUE;
    *out = cudart_make_graph(rt);
    uint32_t count = cudart_graph_of(rt, handle)->nodes.count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t original = ((uint64_t *)cudart_graph_of(rt, handle)->nodes.items)[i], made = 0;
        cudart_make_node(rt, *out, cudart_node_of(rt, original)->type, NULL, 0, &made);
        struct cudart_node *to = cudart_node_of(rt, made);
        const struct cudart_node *from = cudart_node_of(rt, original);
        to->original = original;
        to->child = from->child;
        to->event = from->event;
        to->memory = from->memory;
        to->stated = from->stated;
        to->copy = from->copy;
        for (uint32_t k = 0; k < from->operations.count; k++)
            *(struct cudart_operation **)mnp_array_add(&to->operations, 1, sizeof(struct cudart_operation *)) =
                cudart_clone_operation(((struct cudart_operation **)from->operations.items)[k]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct cudart_node *from = cudart_node_of(rt, ((uint64_t *)cudart_graph_of(rt, handle)->nodes.items)[i]);
        struct cudart_node *to = cudart_node_of(rt, ((uint64_t *)cudart_graph_of(rt, *out)->nodes.items)[i]);
        for (uint32_t k = 0; k < from->dependencies.count; k++)
            add(&to->dependencies, copy_of(rt, *out, ((uint64_t *)from->dependencies.items)[k]));
        to->early = from->early ? copy_of(rt, *out, from->early) : 0;
    }
    return CUDA_SUCCESS;
}

/* ===== memory ===== */

void cudart_give_to_graphs(struct cudart *rt, uint64_t node, const struct cudart_graph_memory *memory)
{
    cudart_node_of(rt, node)->memory = memory->address;
    *(struct cudart_graph_memory *)mnp_array_add(&rt->graphs->memory, 1, sizeof *memory) = *memory;
}

const struct cudart_graph_memory *cudart_memory_of_graphs(const struct cudart *rt, uint64_t address)
{
    const struct cudart_graph_memory *all = rt->graphs->memory.items;
    for (uint32_t i = 0; i < rt->graphs->memory.count; i++)
        if (all[i].address == address)
            return &all[i];
    return NULL;
}
