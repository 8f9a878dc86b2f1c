/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of graphs are filled by the functions that would put the same work into a stream. */
#include "cudart/api/graph_work.h"

#include "cudart/api/graph.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/launch/kernel_arguments.h"
#include "cudart/launch/launch.h"
#include "cudart/stream/graphs.h"

#include <stdlib.h>

/* Fills a node by a function that would put its work into a stream. */
static enum cuda_error fill(struct cudart *rt, uint64_t node, cudart_give *give, const void *what)
{
    if (!what)
        return CUDA_INVALID_VALUE;
    cudart_build_node(rt, node);
    enum cuda_error problem = give(rt, what);
    cudart_build_node(rt, 0);
    return problem;
}

enum cuda_error cudart_add_work(struct cudart *rt, const struct cudart_addition *a, cudart_give *give, const void *what)
{
    enum cuda_error problem = cudart_ensure_device(cudart_current_device(rt));
    problem = problem ? problem : cudart_make_node(rt, a->graph, a->type, a->dependencies, a->count, a->node);
    if (problem || !give)
        return problem;
    problem = fill(rt, *a->node, give, what);
    if (problem)
        cudart_remove_node(rt, *a->node);
    return problem;
}

enum cuda_error cudart_change_work(struct cudart *rt, struct cudart_node *node, enum cudart_node_type type,
                                   cudart_give *give, const void *what)
{
    if (!node || node->type != type)
        return CUDA_INVALID_VALUE;
    struct mnp_array before = node->operations;
    uint64_t handle = CUDART_FIRST_HANDLE + (uint64_t)(node - (struct cudart_node *)rt->graphs->nodes.items);
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

enum cuda_error cudart_give_kernel(struct cudart *rt, const void *what)
{
    const struct cuda_kernel_node *k = what;
    const struct cuda_launch_config config = {.grid = k->grid, .block = k->block, .dynamic_shared = k->shared};
    void **arguments = k->arguments, **made;
    enum cuda_error problem = cudart_arguments(cudart_current_device(rt), k->function, k->extra, &arguments, &made);
    problem = problem ? problem : cudart_launch_config(cudart_current_device(rt), &config, k->function, arguments);
    free(made);
    return problem;
}
