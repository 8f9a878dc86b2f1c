/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reordering of operations, as done by an assembler: independent loads are issued together, so that their latencies
 * overlap, and their users follow. Operations move inside their block, never across a branch, a call, a guarded exit, a
 * fence, or a read of the clock. Values, and the order of accesses required by the memory model, are preserved
 * (dependences.h).
 */
#ifndef FRONTEND_PTX_COMPILE_SCHEDULE_H
#define FRONTEND_PTX_COMPILE_SCHEDULE_H

#include "frontend/ptx/compile/builder.h"

/* Reorders the decoder's current function, whose references are still virtual and whose branch targets are resolved. */
void ptx_schedule(struct ptx_decoder *decoder);

#endif
