/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimate of the number of registers that an assembler would allocate to a decoded function, since its machine code is
 * not available. Values are coloured as in machine code of Volta and later (registers.c has the details). This is
 * independent of the function's frame, which liveness.c lays out.
 */
#ifndef FRONTEND_PTX_COMPILE_REGISTERS_H
#define FRONTEND_PTX_COMPILE_REGISTERS_H

#include "frontend/ptx/compile/live_sets.h"

/* Registers of 32 bits per thread, before bounds such as .maxnreg; `sets` are of the decoder's present function. */
uint32_t ptx_estimate_registers(const struct ptx_decoder *decoder, const struct ptx_live_sets *sets);

#endif
