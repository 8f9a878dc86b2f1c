/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many registers an assembler would give a decoded function: an estimate, since the machine code is not here. The
 * function's values are coloured as machine code of Volta and later would have them (registers.c says what is known of
 * that); the function's frame, which liveness.c lays out, is another matter.
 */
#ifndef FRONTEND_PTX_COMPILE_REGISTERS_H
#define FRONTEND_PTX_COMPILE_REGISTERS_H

#include "frontend/ptx/compile/live_sets.h"

/* Registers of 32 bits per thread, before bounds such as .maxnreg; `sets` are of the decoder's present function. */
uint32_t ptx_estimate_registers(const struct ptx_decoder *decoder, const struct ptx_live_sets *sets);

#endif
