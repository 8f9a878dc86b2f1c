/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction selection: the machine instructions that an assembler generates for a function's operations. Like
 * NVIDIA's assembler, the selection coalesces moves, removes dead operations, and fuses operations. It works on the
 * decoded operations, between decoding and register allocation. A fused operation computes the same bits as the
 * operations that it replaces, but for contracted products and sums (select_contract.c); execute_op.sass names the
 * instruction that determines its timing.
 */
#ifndef FRONTEND_PTX_COMPILE_SELECT_H
#define FRONTEND_PTX_COMPILE_SELECT_H

#include "frontend/ptx/compile/builder.h"

/* The variant of a division (EXECUTE_KIND_LANES) whose divisor's reciprocal is there. */
enum { PTX_KNOWN_DIVISOR = 1 };

/* Runs all passes on the function that has just been decoded. `first_target`: its first entry in code.targets. */
void ptx_select(struct ptx_decoder *decoder, uint32_t first_target);

#endif
