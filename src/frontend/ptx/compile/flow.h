/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a decoded function's basic blocks; places of operations are counted from the function's first one. */
#ifndef FRONTEND_PTX_COMPILE_FLOW_H
#define FRONTEND_PTX_COMPILE_FLOW_H

#include "frontend/ptx/compile/builder.h"

struct ptx_edge {
    uint32_t from, to;
};

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
/* The same with the graph turned round: PTX_NONE where the last block is never reached. */
void ptx_graph_post_dominators(const struct ptx_graph *graph, uint32_t *dominator);

/* Fills in where branches meet again. */
void ptx_flow(struct ptx_decoder *decoder);
/* The operations of a function have moved, each to `to` [its old place in the function]; its labels follow. `made`:
 * NULL, or which of the function's operations, as they are now, name a place as it is now. */
void ptx_move_labels(struct execute_code *code, const struct execute_code_function *place, const uint32_t *to,
                     const bool *made, uint32_t first_target);

#endif
