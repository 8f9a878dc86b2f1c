/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of an atomic operation in memory, for the performing warp or L2 slice. */
#ifndef EXECUTE_ATOMIC_H
#define EXECUTE_ATOMIC_H

#include "execute/warp/warp.h"

/* `old`: the value in memory; `b`, `c`: operands. Values of types below 64 bits are in the low bits. `flush`: .f32
 * subnormals count as zero. */
uint64_t execute_atomic_result(enum execute_atomic_operation operation, enum execute_type type, bool flush,
                               uint64_t old, uint64_t b, uint64_t c);

void execute_step_wide_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

#endif
