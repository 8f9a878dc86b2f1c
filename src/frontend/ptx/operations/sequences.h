/* SPDX-License-Identifier: BSD-3-Clause */
/* Instruction sequences of PTX statements that are not a single machine instruction: divisions, roots, 64-bit
 * integers. */
#ifndef FRONTEND_PTX_OPERATIONS_SEQUENCES_H
#define FRONTEND_PTX_OPERATIONS_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

/* The sequence for an opcode such as "div.rn.f32": two characters per instruction, explained by letter() and
 * docs/ptx-compiler.md. NULL: it is a single instruction. */
const char *ptx_sequence_of(const char *opcode);

/* The sequence if the second source is constant: such divisions are shorter. */
const char *ptx_sequence_by_constant(const char *opcode);

/* The sequence of a whole division whose divisor's reciprocal is there already; NULL: there is none. */
const char *ptx_sequence_again(const char *opcode);

/* The reciprocal that such divisions share. */
const char *ptx_sequence_reciprocal(bool is_signed);

/* The instruction, an enum ptx_sass, that a letter of a sequence stands for. */
uint8_t ptx_sequence_sass(char letter);

#endif
