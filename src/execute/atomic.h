/* SPDX-License-Identifier: BSD-3-Clause */
/* What an atomic operation leaves in memory; whoever performs it, a warp or an L2 slice, calls this. */
#ifndef EXECUTE_ATOMIC_H
#define EXECUTE_ATOMIC_H

#include "execute/warp.h"

/* `old`: what memory holds; `b`, `c`: the operands. Values of types below 64 bits are in the low bits. `flush`: .f32
 * subnormals count as zero. */
uint64_t execute_atomic_result(enum execute_atomic_operation operation, enum execute_type type, bool flush,
                               uint64_t old, uint64_t b, uint64_t c);

/* Whether its operand and what it returns are registers side by side: vectors, and 128 bits (atomic_wide.c). `count` of them
 * are in the list, `size` bytes of each; `type` has at most 8 bytes, one after the other of which are worked on, or is that
 * of a comparison of 128 bits. */
static inline bool execute_is_wide_atomic(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_ATOMIC && (op->access.count > 1 || op->access.slot == 16);
}

void execute_step_wide_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_deliver_wide_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                                 const unsigned char *data, size_t stride);

#endif
