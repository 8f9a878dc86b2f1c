/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/operations/origin.h"

const struct ptx_opcode *ptx_opcode_of(const struct execute_code *code, const struct execute_op *op)
{
    static const struct ptx_opcode none = {.class = MNP_CLASS_INT, .instruction = "IADD3"};
    const struct ptx_statement *statement = ptx_statement_of(code, op);
    const struct ptx_opcodes *opcodes = &ptx_program_of(code)->opcodes;
    return statement ? (const struct ptx_opcode *)opcodes->read.items + opcodes->place[statement->name] : &none;
}

struct execute_location ptx_locate(const struct execute_code *code, uint32_t op)
{
    const struct ptx_module *module = ptx_program_of(code)->module;
    const struct ptx_statement *statement = ptx_statement_of(code, execute_op_at(code, op));
    return (struct execute_location){.file = module->source_name,
                                     .line = statement ? statement->line : 0,
                                     .text = statement ? ptx_name_text(module, statement->name) : "ret"};
}
