/* SPDX-License-Identifier: BSD-3-Clause */
/* The source statement of an operation, and the facts about its opcode. */
#ifndef FRONTEND_PTX_OPERATIONS_ORIGIN_H
#define FRONTEND_PTX_OPERATIONS_ORIGIN_H

#include "frontend/ptx/program.h"

static inline const struct ptx_program *ptx_program_of(const struct execute_code *code)
{
    return (const struct ptx_program *)code->module;
}

/* The statement that an operation comes from; NULL: the end of a function, which has none. */
static inline const struct ptx_statement *ptx_statement_of(const struct execute_code *code, const struct execute_op *op)
{
    const struct ptx_module *module = ptx_program_of(code)->module;
    return op->statement < module->statements.count ? ptx_statement_at(module, op->statement) : NULL;
}

/* The same as a place in the source. */
struct execute_location ptx_locate(const struct execute_code *code, uint32_t op);

/* Writes the statement with its operands, its white space as single blanks. */
void ptx_print(const struct execute_code *code, uint32_t op, char text[EXECUTE_TEXT]);

/* The facts about its opcode. */
const struct ptx_opcode *ptx_opcode_of(const struct execute_code *code, const struct execute_op *op);

#endif
