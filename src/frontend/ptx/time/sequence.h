/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of PTX that are sequences of instructions on silicon: divisions, roots, whole numbers of 64 bits. The
 * operation itself computes everything, as the last of its sequence; before it stand operations that do nothing
 * (EXECUTE_KIND_PART) and take the time, the registers and the place in memory of the other instructions.
 */
#ifndef FRONTEND_PTX_TIME_SEQUENCE_H
#define FRONTEND_PTX_TIME_SEQUENCE_H

#include "frontend/ptx/compile/decode.h"

/* Puts the sequences into the function that has just been decoded. `first_target`: its first place in code.targets. */
void ptx_expand(struct ptx_decoder *decoder, uint32_t first_target);

/* The sequence of a statement with that opcode, "div.rn.f32": two characters for each instruction, which letter() and
 * docs/ptx.md explain. NULL: it is one instruction. */
const char *ptx_sequence_of(const char *opcode);

/* The instruction, an enum ptx_sass, that a letter of a sequence stands for. */
uint8_t ptx_sequence_sass(char letter);

#endif
