/* SPDX-License-Identifier: BSD-3-Clause */
/* What an atomic operation leaves in memory; whoever performs it, a warp or an L2 slice, calls this. */
#ifndef EXECUTE_ATOMIC_H
#define EXECUTE_ATOMIC_H

#include "execute/warp/warp.h"

/* `old`: what memory holds; `b`, `c`: the operands. Values of types below 64 bits are in the low bits. `flush`: .f32
 * subnormals count as zero. */
uint64_t execute_atomic_result(enum execute_atomic_operation operation, enum execute_type type, bool flush,
                               uint64_t old, uint64_t b, uint64_t c);

void execute_step_wide_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

#endif
