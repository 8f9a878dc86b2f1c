/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unrolling of counted loops, as done by an assembler: a loop of one block whose counter goes by a constant step to a
 * bound is copied four times for as long as more than three turns are left, and twice if more than one is. The loop
 * itself does the rest. Copies are joined to one block, so that the loads of four turns are issued together
 * (schedule.h). Observed with ptxas of CUDA 13.0; docs/ptx-compiler.md has its limits.
 */
#ifndef FRONTEND_PTX_COMPILE_UNROLL_H
#define FRONTEND_PTX_COMPILE_UNROLL_H

#include "frontend/ptx/compile/builder.h"

/* Unrolls the loops of the decoder's current function, whose references are still virtual and whose branch targets are
 * resolved; `first_target`: the function's first entry in code.targets. Values do not change. */
void ptx_unroll(struct ptx_decoder *decoder, uint32_t first_target);

#endif
