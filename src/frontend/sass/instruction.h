/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A decoded instruction: the row of its form, its modifiers, and its operands in the order of the text. It contains
 * exactly the information of the text.
 */
#ifndef FRONTEND_SASS_INSTRUCTION_H
#define FRONTEND_SASS_INSTRUCTION_H

#include "frontend/sass/form.h"
#include "frontend/sass/word.h"

enum { SASS_RZ = 255, SASS_PT = 7, SASS_OPERANDS = 10, SASS_MODIFIERS = 12, SASS_SUFFIXES = 4 };

enum sass_operand_kind {
    SASS_REGISTER,
    SASS_UNIFORM, /* register of the uniform datapath */
    SASS_PREDICATE,
    SASS_UNIFORM_PREDICATE,
    SASS_IMMEDIATE,  /* `value`; how it is written: `format` */
    SASS_CONSTANT,   /* bank, offset, and a register or uniform register that is added */
    SASS_ADDRESS,    /* a register, a uniform register and an offset; parts that are not there are RZ */
    SASS_BARRIER,    /* convergence barrier */
    SASS_SPECIAL,    /* special register, by number */
    SASS_BRACKETED,  /* a uniform register in brackets, behind `text`: [UR4], desc[UR4] */
    SASS_SCOREBOARD, /* a counter that is waited for: SB0 */
    SASS_SET,        /* counters, one bit each: {2,1} */
    SASS_TARGET,     /* branch: offset in bytes from the next instruction */
    SASS_TEXT,
};

enum sass_operand_flag {
    SASS_NEGATED = 1,
    SASS_ABSOLUTE = 2,
    SASS_INVERTED = 4,
    SASS_REUSED = 8,
    SASS_HIDDEN = 16,       /* omitted in the text */
    SASS_WIDE = 32,         /* address: its register is a pair */
    SASS_DESCRIBED = 64,    /* address: the uniform register holds a descriptor, and is not added */
    SASS_ADDED = 128,       /* address: the uniform register is added; constant: a register is added */
    SASS_NARROW = 256,      /* address: a 32-bit register, with a uniform register that is added */
    SASS_BOUND = 512,       /* constant: the uniform register names the bank (cx[UR]) */
    SASS_FIXED = 1024,      /* target: relative to the beginning of the code */
    SASS_PACKED = 2048,     /* two halves, see `half` */
    SASS_OF_UNIFORM = 4096, /* constant: the added register is uniform, including URZ */
};

/* A part of the text, inside the form's row; `length` gives its end. */
struct sass_modifier {
    const char *text;
    uint8_t length;
};

/* The halves of a packed operand that are used. */
enum sass_half { SASS_H1_H0, SASS_F32, SASS_H0_H0, SASS_H1_H1 };

struct sass_operand {
    uint8_t kind;
    uint16_t flags;
    /* number of the register, predicate, barrier or special register; address: number of its register */
    uint8_t index;
    uint8_t uniform; /* address or constant: its uniform register; 255: none */
    uint8_t bank;    /* constant: bank; shared memory: left shift of the register */
    uint8_t half;    /* enum sass_half */
    char format;     /* immediate: 'u', 's', 'f', 'd', 'h' */
    int64_t value;   /* immediate, offset, target */
    struct sass_modifier text, suffixes[SASS_SUFFIXES];
};

struct sass_instruction {
    const struct sass_form *form;
    struct sass_word word;
    struct sass_word named; /* bits that the form accounts for */
    struct sass_word odd;   /* bits of fields with numbers that no compiler writes */
    struct sass_control control;
    uint8_t guard; /* predicate; SASS_PT: none */
    uint8_t guard_inverted;
    uint8_t modifier_count, operand_count;
    struct sass_modifier modifiers[SASS_MODIFIERS];
    struct sass_operand operands[SASS_OPERANDS];
};

#endif
