/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions an assembler makes of a function's operations. NVIDIA's coalesces moves, leaves out what nobody
 * reads, and fuses: so does this, on the decoded operations, between the decoder and the places of registers. Every
 * fused operation computes the same bits as those that it replaces; what it is in time says execute_op.sass.
 */
#ifndef FRONTEND_PTX_COMPILE_SELECT_H
#define FRONTEND_PTX_COMPILE_SELECT_H

#include "frontend/ptx/compile/builder.h"

/* The whole of it, for the function that has just been decoded. `first_target`: its first place in code.targets. */
void ptx_select(struct ptx_decoder *decoder, uint32_t first_target);

#endif
