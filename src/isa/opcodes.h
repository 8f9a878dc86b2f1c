/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of each SASS opcode, Volta to Hopper: one row per mnemonic, without its modifiers. */
#ifndef ISA_OPCODES_H
#define ISA_OPCODES_H

#include "contract/instruction.h"

#include <stddef.h>

enum opcode_operands { /* how many registers the operands take, where it is not one each */
                       OPERANDS_SINGLE,
                       OPERANDS_WIDE,           /* .WIDE: destination and third source are pairs */
                       OPERANDS_DOUBLE,         /* all are pairs */
                       OPERANDS_DOUBLE_SOURCES, /* sources are pairs (DSETP) */
                       OPERANDS_GLOBAL,         /* memory: 64-bit address (.E or generic), data by width */
                       OPERANDS_LOCAL,          /* memory: 32-bit address, data by width */
                       OPERANDS_MATRIX,         /* HMMA and the like: by shape and type */
                       OPERANDS_LDSM,           /* shared memory: data by the number of matrices */
                       OPERANDS_CONVERT,        /* pairs where .F64, .S64, .U64 say so */
                       OPERANDS_CLOCK,          /* CS2R: a pair unless .32 */
                       OPERANDS_TEXTURE,        /* up to four destinations */
};

struct opcode_row {
    const char *name;
    uint8_t class;     /* enum mnp_execution_class */
    uint8_t space;     /* enum mnp_memory_space */
    uint8_t operation; /* enum mnp_memory_operation */
    uint8_t flags;     /* enum mnp_instruction_flag */
    uint8_t operands;  /* enum opcode_operands */
    uint8_t from;      /* architecture that has it first: 70, 75, 80, 90 */
};

extern const struct opcode_row opcode_table[];
extern const uint32_t opcode_count;

/* The row of a mnemonic without modifiers, or NULL. */
const struct opcode_row *opcode_find(const char *name, size_t length);

#endif
