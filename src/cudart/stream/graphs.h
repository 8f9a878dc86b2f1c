/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs of work: nodes that hold the operations which a stream would have got, and what each waits for. A node comes
 * from a stream that is captured, or from a program that builds the graph itself: then the same functions that put
 * operations into streams put them into a node. An executable graph is a copy of the nodes in an order that their
 * dependencies allow; launched, it is work in streams again: chains go to the launch's own stream, what runs beside
 * them to streams of the graph's.
 */
#ifndef CUDART_GRAPHS_H
#define CUDART_GRAPHS_H

#include "cudart/stream/streams.h"

#include <pthread.h>

struct cudart_module;

/* Types of nodes, with CUDA's numbers. */
enum cudart_node_type {
    CUDART_NODE_KERNEL,
    CUDART_NODE_COPY,
    CUDART_NODE_FILL,
    CUDART_NODE_HOST,
    CUDART_NODE_GRAPH,
    CUDART_NODE_EMPTY,
    CUDART_NODE_WAIT,
    CUDART_NODE_RECORD,
    CUDART_NODE_ALLOCATE = 10,
    CUDART_NODE_FREE,
};

struct cudart_node {
    bool used;
    uint64_t graph; /* handle */
    enum cudart_node_type type;
    uint64_t original;             /* for a node in a copy of a graph: its original node; 0: none */
    uint64_t child;                /* a graph of its own (CUDART_NODE_GRAPH) */
    uint64_t event;                /* that it records or waits for; 0: none */
    uint64_t memory;               /* that it allocates: an address; 0: none */
    struct mnp_array operations;   /* struct cudart_operation *, one after the other */
    struct mnp_array dependencies; /* uint64_t: nodes that it waits for */
    uint64_t early;                /* one of them that says when it may begin; 0: it waits for their ends */
    bool disabled;                 /* in an executable graph: it is an empty one */
    bool stated;                   /* a copy of the runtime's whole form: `copy` */
    struct cuda_copy_3d copy;
    void **arguments; /* places of a kernel's arguments, once a program has asked; NULL: it has not */
};

struct cudart_graph {
    bool used;
    bool owned;             /* by an executable graph, or by a node: the program cannot remove it, or nodes of it */
    struct mnp_array nodes; /* uint64_t, in the order in which they were made */
};

/* Memory that a node allocates. It is there from then on until the device is reset, so that freeing it, in a graph or
 * outside, changes nothing, and every launch finds it. */
struct cudart_graph_memory {
    uint64_t address, bytes;
    unsigned char pool[88]; /* properties that the program has stated (cudaMemPoolProps) */
};

/* A capture: streams put their operations into a graph. */
struct cudart_capture {
    bool active, invalid;
    bool into;              /* a graph that was there before */
    uint64_t graph, origin; /* the stream in which it began */
    enum cuda_capture_mode mode;
    pthread_t thread; /* in which it began */
};

/* Owner: graphs.c; `executables`: graph_launch.c. */
struct cudart_graphs {
    struct mnp_array list;        /* struct cudart_graph */
    struct mnp_array nodes;       /* struct cudart_node */
    struct mnp_array captures;    /* struct cudart_capture; a stream names one by its place, from 1 on */
    uint32_t capturing;           /* captures that are active */
    struct mnp_array executables; /* struct cudart_executable */
    struct mnp_array memory;      /* struct cudart_graph_memory */
    uint64_t building;            /* the node that operations go to, whatever their stream; 0: none */
};

uint64_t cudart_make_graph(struct cudart *rt);
struct cudart_graph *cudart_graph_of(const struct cudart *rt, uint64_t handle); /* NULL: unknown */
struct cudart_node *cudart_node_of(const struct cudart *rt, uint64_t handle);   /* NULL: unknown */
/* A new node behind others of the graph; an error if one of them is none. */
enum cuda_error cudart_make_node(struct cudart *rt, uint64_t graph, enum cudart_node_type type,
                                 const uint64_t *dependencies, size_t count, uint64_t *out);
enum cuda_error cudart_depend(struct cudart *rt, uint64_t node, uint64_t on);
/* A kernel's node, all of whose dependencies are one kernel, may begin when that lets it; an edge of that kind. */
void cudart_node_is_early(struct cudart *rt, uint64_t node);
enum cuda_error cudart_depend_early(struct cudart *rt, uint64_t node, uint64_t on);
enum cuda_error cudart_independ(struct cudart *rt, uint64_t node, uint64_t on);
enum cuda_error cudart_remove_node(struct cudart *rt, uint64_t node);
/* Whether a node holds a kernel of a module. */
bool cudart_graphs_hold(const struct cudart *rt, const struct cudart_module *module);
/* For programs: not of what is owned. */
enum cuda_error cudart_destroy_node(struct cudart *rt, uint64_t node);
enum cuda_error cudart_destroy_graph(struct cudart *rt, uint64_t graph);
enum cuda_error cudart_remove_graph(struct cudart *rt, uint64_t graph);
enum cuda_error cudart_copy_graph(struct cudart *rt, uint64_t graph, uint64_t *out);
/* Places of a kernel node's arguments, valid until the node is changed. NULL: not a kernel's node. */
void **cudart_node_arguments(struct cudart_node *node);
/* From now on operations go to the node, in place of what it holds; 0: to their streams again. */
void cudart_build_node(struct cudart *rt, uint64_t node);
/* Another operation of a node's, zeroed but for its kind. */
struct cudart_operation *cudart_node_operation(struct cudart *rt, uint64_t node, enum cudart_operation_kind kind);
/* A copy with storage of its own. */
struct cudart_operation *cudart_clone_operation(const struct cudart_operation *operation);
void cudart_free_operations(struct mnp_array *operations);
/* Makes memory that a node allocates the graphs'. */
void cudart_give_to_graphs(struct cudart *rt, uint64_t node, const struct cudart_graph_memory *memory);
const struct cudart_graph_memory *cudart_memory_of_graphs(const struct cudart *rt,
                                                          uint64_t address);        /* NULL: it is not */
struct cudart_capture *cudart_capture_at(const struct cudart *rt, uint32_t number); /* from 1 on */

#endif
