/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/operations/origin.h"

#include <string.h>

const struct ptx_opcode *ptx_opcode_of(const struct execute_code *code, const struct execute_op *op)
{
    static const struct ptx_opcode none = {.class = MNP_CLASS_INT, .instruction = "IADD3"};
    const struct ptx_statement *statement = ptx_statement_of(code, op);
    const struct ptx_opcodes *opcodes = &ptx_program_of(code)->opcodes;
    return statement ? (const struct ptx_opcode *)opcodes->read.items + opcodes->place[statement->name] : &none;
}

static struct execute_source_line source_line(const struct ptx_module *module, uint32_t index, uint32_t *caller)
{
    *caller = PTX_NONE;
    if (index == PTX_NONE)
        return (struct execute_source_line){NULL, 0};
    const struct ptx_source_line *line = (const struct ptx_source_line *)module->source_lines.items + index;
    *caller = line->caller;
    return (struct execute_source_line){
        line->file == PTX_NONE || !line->line ? NULL : ptx_name_text(module, line->file), line->line};
}

struct execute_location ptx_locate(const struct execute_code *code, uint32_t op)
{
    const struct ptx_module *module = ptx_program_of(code)->module;
    const struct ptx_statement *statement = ptx_statement_of(code, execute_op_at(code, op));
    uint32_t caller, none;
    struct execute_location location = {.file = module->source_name,
                                        .line = statement ? statement->line : 0,
                                        .text = statement ? ptx_name_text(module, statement->name) : "ret"};
    location.source = source_line(module, statement ? statement->source : PTX_NONE, &caller);
    location.caller = source_line(module, caller, &none);
    return location;
}

void ptx_print(const struct execute_code *code, uint32_t op, char text[EXECUTE_TEXT])
{
    const struct ptx_module *module = ptx_program_of(code)->module;
    const struct ptx_statement *statement = ptx_statement_of(code, execute_op_at(code, op));
    const char *from = statement ? (const char *)module->bodies.items + statement->text : "ret";
    const char *end = from + (statement ? statement->text_length : 3);
    size_t length = 0;
    for (; from < end && length + 1 < EXECUTE_TEXT; from++) {
        bool blank = strchr(" \t\r\n", *from) != NULL;
        if (!blank || (length && text[length - 1] != ' '))
            text[length++] = blank ? ' ' : *from;
    }
    while (length && text[length - 1] == ' ')
        length--;
    text[length] = 0;
}
