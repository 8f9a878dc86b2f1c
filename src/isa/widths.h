/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of registers of an instruction's operands: a trace names only the first register of a pair or quad. */
#ifndef ISA_WIDTHS_H
#define ISA_WIDTHS_H

#include "isa/opcodes.h"

enum { ISA_MOST_OPERANDS = 8 };

/* Relative cost, in units of tensor_cycles, of issuing a wgmma to the tensor cores if its descriptors are in general
 * registers: 12 cycles on Hopper, because compiled code first moves both to uniform registers (FlashGPU-Sim, H200 NVL:
 * groups of 8, their issue). Machine code contains those moves as instructions. */
enum { ISA_PRODUCT_ISSUE = 6, ISA_PRODUCT_ISSUE_UNIFORM = 1 };

struct isa_widths {
    uint8_t destination, source[ISA_MOST_OPERANDS];
};

/* Whether ".modifier" occurs in the opcode as a whole word. */
bool isa_opcode_has(const char *opcode, const char *modifier);

/* Bytes per lane that an instruction of MNP_CLASS_MEMORY moves. */
uint8_t isa_memory_width(const char *opcode, const struct isa_opcode_row *row);

/* Relative cost, in units of tensor_cycles, of a warp's matrix instruction that makes so many products of elements of
 * so many bits. The cost is proportional to the bits multiplied. That of doubles is an A100's (a quarter of that rate:
 * 19.5 of 312 Tflop/s); an SM takes sm.tensor.fp64 in its place. */
uint8_t isa_product_cost(uint32_t products, uint32_t bits);

/* The group of arithmetic that an opcode belongs to: enum mnp_operation_group. */
uint8_t isa_operation_group(const char *opcode);

/* Whether instructions of a class have such a group: enum mnp_execution_class. */
bool isa_has_operation_group(uint8_t class);

/* Takes the group from a high half of a product by a number, with which ptxas divides by a constant. The instruction
 * has its registers. */
void isa_regroup(struct mnp_static_instruction *instruction);

/* Sets the widths of the operands and, in the instruction, the cost of a matrix shape and the operation group. */
void isa_find_widths(const char *opcode, const struct isa_opcode_row *row, struct mnp_static_instruction *instruction,
                     struct isa_widths *widths);

#endif
