/* SPDX-License-Identifier: BSD-3-Clause */
/* Executable graphs. */
#ifndef CUDART_GRAPH_LAUNCH_H
#define CUDART_GRAPH_LAUNCH_H

#include "cudart/stream/graphs.h"

enum cuda_error cudart_instantiate(struct cudart *rt, uint64_t graph, uint64_t *out);
enum cuda_error cudart_launch_graph(struct cudart *rt, uint64_t executable, uint64_t stream);
enum cuda_error cudart_remove_executable(struct cudart *rt, uint64_t executable);
/* Takes over what a graph of the same shape holds; `same` false: its shape is another. */
enum cuda_error cudart_update_executable(struct cudart *rt, uint64_t executable, uint64_t graph, bool *same);
/* The copy of a node in an executable graph; NULL: there is none. */
struct cudart_node *cudart_executable_node(struct cudart *rt, uint64_t executable, uint64_t node);
void cudart_forget_graphs(struct cudart *rt); /* the device is reset */

#endif
