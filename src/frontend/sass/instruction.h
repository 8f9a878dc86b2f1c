/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A decoded instruction: the row of its form, its modifiers, and its operands in the order of the text. It holds all that
 * the text says, and nothing that the text does not.
 */
#ifndef FRONTEND_SASS_INSTRUCTION_H
#define FRONTEND_SASS_INSTRUCTION_H

#include "frontend/sass/form.h"
#include "frontend/sass/word.h"

enum { SASS_RZ = 255, SASS_PT = 7, SASS_OPERANDS = 10, SASS_MODIFIERS = 12 };

enum sass_operand_kind {
    SASS_REGISTER,
    SASS_UNIFORM,           /* register of the uniform datapath */
    SASS_PREDICATE,
    SASS_UNIFORM_PREDICATE,
    SASS_IMMEDIATE,         /* `value`; how it is written: `format` */
    SASS_CONSTANT,          /* bank, offset, and a register or uniform register that is added */
    SASS_ADDRESS,           /* a register, a uniform register and an offset; parts that are not there are RZ */
    SASS_BARRIER,           /* for convergence */
    SASS_SPECIAL,           /* special register, by number */
    SASS_TARGET,            /* of a branch: bytes from the next instruction */
    SASS_TEXT,
};

enum sass_operand_flag {
    SASS_NEGATED = 1,
    SASS_ABSOLUTE = 2,
    SASS_INVERTED = 4,
    SASS_REUSED = 8,
    SASS_HIDDEN = 16,     /* it is not written */
    SASS_WIDE = 32,       /* of an address: its register is a pair */
    SASS_DESCRIBED = 64,  /* of an address: the uniform register holds a descriptor, and is not added */
    SASS_ADDED = 128,     /* of an address: the uniform register is added; of a constant, a register is */
    SASS_NARROW = 4,      /* of an address: its register is one, with a uniform one that is added */
    SASS_BOUND = 4,       /* of a constant: the uniform register names the bank (cx[UR]) */
};

struct sass_operand {
    uint8_t kind, flags;
    uint8_t index;   /* of the register, predicate, barrier or special register; of an address, its register */
    uint8_t uniform; /* of an address or constant: its uniform register; 255: none */
    uint8_t bank;    /* of a constant; of an operand in halves: enum sass_half; of shared memory: shift of the register */
    char format;     /* of an immediate: 'u', 's', 'f', 'd', 'h' */
    int64_t value;   /* immediate, offset, target */
    const char *text;
};

struct sass_modifier {
    const char *text; /* where its words begin in the form's row: one choice, ended by a blank, a bar or the end */
    uint8_t length;
};

struct sass_instruction {
    const struct sass_form *form;
    struct sass_word word;
    struct sass_control control;
    uint8_t guard; /* predicate; SASS_PT: none */
    uint8_t guard_inverted;
    uint8_t modifier_count, operand_count;
    struct sass_modifier modifiers[SASS_MODIFIERS];
    struct sass_operand operands[SASS_OPERANDS];
};

#endif
