/* SPDX-License-Identifier: BSD-3-Clause */
/* How many registers the operands of an instruction take: a trace names only the first of a pair or quad. */
#ifndef ISA_WIDTHS_H
#define ISA_WIDTHS_H

#include "isa/opcodes.h"

enum { MOST_OPERANDS = 8 };

struct widths {
    uint8_t destination, source[MOST_OPERANDS];
};

/* Whether ".modifier" stands in the opcode as a whole word. */
bool opcode_has(const char *opcode, const char *modifier);

/* Bytes of each lane that an instruction of MNP_CLASS_MEMORY moves. */
uint8_t memory_width(const char *opcode, const struct opcode_row *row);

/* Fills in the widths of the operands, and the cost of a matrix shape. */
void find_widths(const char *opcode, const struct opcode_row *row, struct mnp_static_instruction *instruction,
                 struct widths *widths);

#endif
