/* SPDX-License-Identifier: BSD-3-Clause */
/* A32 instructions as text, in the manual's unified syntax (DDI 0100, with the mnemonics of its later editions). */
#ifndef MANYCORE_DISASSEMBLE_H
#define MANYCORE_DISASSEMBLE_H

#include <stdint.h>

enum { A32_TEXT = 96 };

/* Writes the instruction `word` at `address` as text; "undefined" where manycore_decode knows none. */
void manycore_disassemble(uint32_t word, uint32_t address, char text[A32_TEXT]);

#endif
