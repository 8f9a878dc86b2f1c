/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of graphs are filled by the functions of either API that would put the same work into a stream. */
#ifndef CUDART_GRAPH_WORK_H
#define CUDART_GRAPH_WORK_H

#include "cudart/base/abi.h"
#include "cudart/stream/graphs.h"

/* Place and kind of a new node. */
struct cudart_addition {
    uint64_t *node, graph;
    const uint64_t *dependencies;
    size_t count;
    enum cudart_node_type type;
};

/* Parameters of functions that make nodes, what they hand on, and that as an addition. */
#define NODE_PLACE uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count
#define NODE_WORDS node, graph, dependencies, count
#define ADDITION(TYPE)                                                                                                 \
    &(const struct cudart_addition)                                                                                    \
    {                                                                                                                  \
        NODE_WORDS, TYPE                                                                                               \
    }

/* Gives what a node holds to the default stream, from which the node takes it. */
typedef enum cuda_error cudart_give(struct cudart *rt, const void *what);

/* A new node, filled; `give` NULL: it stays empty. Where that fails there is no node. */
enum cuda_error cudart_add_work(struct cudart *rt, const struct cudart_addition *a, cudart_give *give,
                                const void *what);
/* Fills a node of that type anew; where that fails it stays as it was. `node` NULL, or of another type: an error. */
enum cuda_error cudart_change_work(struct cudart *rt, struct cudart_node *node, enum cudart_node_type type,
                                   cudart_give *give, const void *what);
/* A struct cuda_kernel_node, with a pointer to each argument or one block of all. */
cudart_give cudart_give_kernel;

#endif
