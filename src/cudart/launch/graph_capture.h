/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams that become a graph: the beginning and the end of a capture. */
#ifndef CUDART_GRAPH_CAPTURE_H
#define CUDART_GRAPH_CAPTURE_H

#include "cudart/stream/graphs.h"

/* `graph` 0: a new one, and no dependencies. */
enum cuda_error cudart_begin_capture(struct cudart *rt, uint64_t stream, enum cuda_capture_mode mode, uint64_t graph,
                                     const uint64_t *dependencies, size_t count);
/* `*graph` 0: the capture is spoilt. */
enum cuda_error cudart_end_capture(struct cudart *rt, uint64_t stream, uint64_t *graph);

#endif
