/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of machine code as NVIDIA's disassembler writes them. */
#ifndef FRONTEND_SASS_TEXT_H
#define FRONTEND_SASS_TEXT_H

#include "frontend/sass/instruction.h"

enum { SASS_TEXT_MOST = 256 };

/* Writes the instruction that lies at `address` without a semicolon; branch targets are numbers. */
void sass_text(const struct sass_instruction *instruction, uint64_t address, char text[static SASS_TEXT_MOST]);

/* Writes its opcode alone: name and modifiers. */
void sass_opcode_text(const struct sass_instruction *instruction, char text[static SASS_TEXT_MOST]);

/* Writes which bits are set that the instruction's form does not account for (SASS_UNNAMED): "bits 72, 85-87". */
enum { SASS_BITS_MOST = 160 };
void sass_unnamed_text(const struct sass_instruction *instruction, char text[static SASS_BITS_MOST]);

/* The name of a special register of sm_`architecture`, or NULL. */
const char *sass_special_name(unsigned architecture, unsigned number);

#endif
