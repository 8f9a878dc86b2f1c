/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions an assembler makes of a function's operations. NVIDIA's coalesces moves, leaves out what nobody
 * reads, and fuses; so does the selection, on the decoded operations, between the decoder and the places of registers.
 * A fused operation computes the same bits as the operations that it replaces; execute_op.sass names the instruction
 * that sets its timing.
 */
#ifndef FRONTEND_PTX_COMPILE_SELECT_H
#define FRONTEND_PTX_COMPILE_SELECT_H

#include "frontend/ptx/compile/builder.h"

/* The whole of it, for the function that has just been decoded. `first_target`: its first place in code.targets. */
void ptx_select(struct ptx_decoder *decoder, uint32_t first_target);

#endif
