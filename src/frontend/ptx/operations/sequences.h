/* SPDX-License-Identifier: BSD-3-Clause */
/* What statements are on silicon that are sequences of instructions: divisions, roots, whole numbers of 64 bits. */
#ifndef FRONTEND_PTX_OPERATIONS_SEQUENCES_H
#define FRONTEND_PTX_OPERATIONS_SEQUENCES_H

#include <stdint.h>

/* The sequence of a statement with that opcode, "div.rn.f32": two characters for each instruction, which letter() and
 * docs/ptx-compiler.md explain. NULL: it is one instruction. */
const char *ptx_sequence_of(const char *opcode);

/* Where the second source is a constant: divisions then have less to do. */
const char *ptx_sequence_by_constant(const char *opcode);

/* The instruction, an enum ptx_sass, that a letter of a sequence stands for. */
uint8_t ptx_sequence_sass(char letter);

#endif
