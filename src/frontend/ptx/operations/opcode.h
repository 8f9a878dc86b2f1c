/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about a statement's opcode, such as "div.rn.f32", that timing and traces need. The text is analysed once, when
 * the first kernel of a module that contains it is decoded.
 */
#ifndef FRONTEND_PTX_OPERATIONS_OPCODE_H
#define FRONTEND_PTX_OPERATIONS_OPCODE_H

#include "execute/code/op.h"
#include "frontend/ptx/text/module.h"

struct ptx_opcode {
    uint8_t class;           /* enum mnp_execution_class, of arithmetic */
    const char *instruction; /* arithmetic: the machine instruction that performs it */
    const char *sequence;    /* instruction sequence (sequences.h); NULL: a single instruction */
    const char *sequence_by_constant;
    const char *sequence_again; /* sequence of a division whose divisor's reciprocal is there; NULL: the same */
};

/* The opcodes of a module that have been read. */
struct ptx_opcodes {
    uint32_t *place;       /* [module names] in `read`; PTX_NONE: not read */
    struct mnp_array read; /* struct ptx_opcode */
};

struct ptx_opcode ptx_opcode_read(const char *text);

/* Reads a name of the module, if that has not been done. */
void ptx_opcodes_add(struct ptx_opcodes *opcodes, const struct ptx_module *module, uint32_t name);
void ptx_opcodes_release(struct ptx_opcodes *opcodes);

/* An operation's execution class, enum mnp_execution_class; `opcode`: of its statement. */
uint8_t ptx_execution_class(const struct execute_op *op, const struct ptx_opcode *opcode);

#endif
