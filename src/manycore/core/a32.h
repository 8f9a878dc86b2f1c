/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A32 instructions, predecoded: what the interpreter needs of one, without a look at its bits again.
 * Instruction set: the ARM Architecture Reference Manual for ARMv6 (DDI 0100), user mode, as of the ARM1136.
 */
#ifndef MANYCORE_A32_H
#define MANYCORE_A32_H

#include "base/device.h"

#include <stdbool.h>
#include <stdint.h>

/* Data processing: the opcode field of the encoding, and four forms of the second operand. */
enum a32_opcode {
    A32_AND,
    A32_EOR,
    A32_SUB,
    A32_RSB,
    A32_ADD,
    A32_ADC,
    A32_SBC,
    A32_RSC,
    A32_TST,
    A32_TEQ,
    A32_CMP,
    A32_CMN,
    A32_ORR,
    A32_MOV,
    A32_BIC,
    A32_MVN,
};
enum a32_form { A32_IMMEDIATE, A32_REGISTER, A32_SHIFTED, A32_SHIFTED_BY_REGISTER };

#define A32_DATA(opcode, form, flags) (((opcode)*4 + (form)) * 2 + (flags))

enum a32_handler {                       /* 0 … 127: A32_DATA */
                   A32_DATA_TO_PC = 128, /* data processing that writes the pc */
                   A32_BRANCH,
                   A32_BRANCH_LINK,
                   A32_LDR,
                   A32_STR, /* word, immediate offset, no write-back, not the pc */
                   A32_LDRB,
                   A32_STRB,         /* byte, the same */
                   A32_LDR_REGISTER, /* word, register offset shifted left, no write-back */
                   A32_LDR_POST,
                   A32_STR_POST, /* word, immediate offset added afterwards */
                   A32_LDR_PRE,
                   A32_STR_PRE, /* word, immediate offset added before, and kept */
                   A32_MUL,
                   A32_MLA,
                   A32_FAST, /* all before it are in the interpreter's own switch */

                   A32_TRANSFER = A32_FAST, /* any other single load or store, LDRD and STRD */
                   A32_BLOCK,               /* LDM, STM */
                   A32_SWAP,
                   A32_LOAD_EXCLUSIVE,
                   A32_STORE_EXCLUSIVE,
                   A32_CLEAR_EXCLUSIVE,
                   A32_BRANCH_EXCHANGE,
                   A32_BRANCH_LINK_EXCHANGE,
                   A32_UMAAL,
                   A32_UMULL,
                   A32_UMLAL,
                   A32_SMULL,
                   A32_SMLAL,
                   A32_SMLA_XY,
                   A32_SMLAW_Y,
                   A32_SMULW_Y,
                   A32_SMLAL_XY,
                   A32_SMUL_XY,
                   A32_SMLAD,
                   A32_SMLALD,
                   A32_SMMLA,
                   A32_USADA8,
                   A32_QADD,
                   A32_CLZ,
                   A32_MRS,
                   A32_MSR_IMMEDIATE,
                   A32_MSR_REGISTER,
                   A32_PARALLEL,
                   A32_PACK,
                   A32_SATURATE,
                   A32_SATURATE16,
                   A32_EXTEND,
                   A32_SELECT,
                   A32_REVERSE,
                   A32_COPROCESSOR_READ,
                   A32_COPROCESSOR_WRITE,
                   A32_NOTHING, /* hints and preloads */
                   A32_SUPERVISOR,
                   A32_BREAKPOINT,
                   A32_THUMB, /* a branch into Thumb code */
                   A32_UNDEFINED,
                   A32_END, /* stands behind the last instruction of a stretch of code */
                   A32_HANDLERS,
};

enum a32_class { /* classes of the instruction mix */
                 A32_CLASS_ALU,
                 A32_CLASS_MULTIPLY,
                 A32_CLASS_MEDIA,
                 A32_CLASS_LOAD,
                 A32_CLASS_STORE,
                 A32_CLASS_BRANCH,
                 A32_CLASS_SYNCHRONISATION,
                 A32_CLASS_OTHER,
                 A32_CLASSES,
};

enum { /* bits of `flags`, by handler */
       A32_LOAD = 1,
       A32_BYTE = 2,
       A32_HALF = 4,
       A32_SIGNED = 8,
       A32_DOUBLE = 16, /* transfers, exclusives */
       A32_PRE = 32,
       A32_UP = 64,
       A32_WRITE_BACK = 128, /* transfers, LDM, STM */
       A32_OFFSET_REGISTER = 256,
       A32_CARRY_OUT_IMMEDIATE = 512,
       A32_COUNTED = 1024,  /* loads: no branch of a loop around it depends on what it brings (counted.h) */
       A32_SET_FLAGS = 1, /* multiplies */
       A32_EXCHANGE = 2,
       A32_SUBTRACT = 4,
       A32_ROUND = 8,
       A32_ACCUMULATE = 16, /* SMLAD, SMMLA … */
       A32_TOP_A = 1,
       A32_TOP_B = 2, /* halves of SMLAxy */
};

struct a32_op {
    uint8_t handler; /* enum a32_handler */
    uint8_t condition;
    uint8_t mix;        /* enum a32_class */
    uint8_t d, n, m, s; /* registers, as the manual names them (transfers: d is Rt) */
    uint8_t shift;      /* type in bits 0–1, amount in bits 2–7 (0: as encoded; RRX is ROR by 0) */
    uint16_t flags;
    uint16_t uses;  /* registers that it reads, one bit each: for the load-use penalty */
    uint32_t value; /* immediate, offset, register list, target of a branch, function of a media instruction */
};

_Static_assert(sizeof(struct a32_op) == 16, "a decoded instruction fills a quarter of a cache line");

/* Decodes the instruction `word` at `address`. Never fails: what is not an instruction becomes A32_UNDEFINED. */
MNP_DEVICE struct a32_op manycore_decode(uint32_t word, uint32_t address);

/* The mark behind the last instruction of a stretch of code. */
MNP_DEVICE static inline struct a32_op a32_end(void)
{
    return (struct a32_op){.handler = A32_END, .condition = 14, .mix = A32_CLASS_OTHER};
}

/* Rotation of an immediate operand. */
MNP_DEVICE static inline uint32_t a32_rotate(uint32_t value, uint32_t by)
{
    by &= 31;
    return by ? value >> by | value << (32 - by) : value;
}

#endif
