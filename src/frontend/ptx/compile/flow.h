/* SPDX-License-Identifier: BSD-3-Clause */
/* Control-flow graph of a decoded function's basic blocks; positions of operations are counted from the function's
 * first one. */
#ifndef FRONTEND_PTX_COMPILE_FLOW_H
#define FRONTEND_PTX_COMPILE_FLOW_H

#include "frontend/ptx/compile/builder.h"

struct ptx_edge {
    uint32_t from, to;
};

/* Basic blocks in the order of the code. Block b consists of the operations from block_first[b] up to block_first[b +
 * 1], exclusive; its successors are out[out_first[b]] up to out[out_first[b + 1]], exclusive, and its predecessors
 * likewise in `in`. */
struct ptx_graph {
    uint32_t first_op, op_count, block_count;
    uint32_t *block_of;    /* [op_count] */
    uint32_t *block_first; /* [block_count + 1] */
    struct mnp_array edges;
    uint32_t *out_first, *in_first; /* [block_count + 1] into `out` and `in` */
    uint32_t *out, *in;
};

bool ptx_ends_block(const struct execute_op *op);
void ptx_graph_make(struct ptx_graph *graph, const struct execute_code *code, uint32_t first, uint32_t count);
void ptx_graph_free(struct ptx_graph *graph);
/* Computes each block's immediate dominator; that of the first block is the block itself. PTX_NONE: the block is
 * unreachable. */
void ptx_graph_dominators(const struct ptx_graph *graph, uint32_t *dominator);
/* Post-dominators: dominators of the reversed graph. PTX_NONE: the last block cannot be reached. */
void ptx_graph_post_dominators(const struct ptx_graph *graph, uint32_t *dominator);

/* Fills in the reconvergence points of branches. */
void ptx_flow(struct ptx_decoder *decoder);
/* Updates labels after the operations of a function have moved, each to `to` [old position in the function]. `made`:
 * NULL, or marks those operations, by new position, whose targets are new positions already. */
void ptx_move_labels(struct execute_code *code, const struct execute_code_function *place, const uint32_t *to,
                     const bool *made, uint32_t first_target);

#endif
