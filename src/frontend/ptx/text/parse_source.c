/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directives without effect on execution: pragmas, except `nounroll` and one of ours; and source locations, `.file` and
 * `.loc` (PTX ISA 9.0, 11.5), as written by `nvcc -lineinfo`.
 */
#include "frontend/ptx/text/parser.h"

#include <string.h>

enum { MOST_ALLOCATED = 255 /* registers of a thread */ };

/* `.file 1 "name"`, `.file 1 "name", 1700000000, 4096`: the time and the size of the file are of no use here. */
bool ptx_parse_source_file(struct ptx_parser *parser)
{
    uint64_t number, ignored;
    ptx_lexer_next(&parser->lexer);
    if (!ptx_take_number(parser, UINT32_MAX - 1, &number, "a file's number"))
        return false;
    const struct ptx_token *token = ptx_token(parser);
    if (token->kind != PTX_TOKEN_STRING)
        return ptx_lexer_fail(&parser->lexer, "a file's name in quotes is expected here");
    struct ptx_source_file *file = mnp_array_add(&parser->files, 1, sizeof *file);
    *file = (struct ptx_source_file){(uint32_t)number, ptx_name_of(parser->module, token->text, token->length)};
    ptx_lexer_next(&parser->lexer);
    if (ptx_accept(parser, ',') &&
        (!ptx_take_number(parser, UINT64_MAX, &ignored, "a time") || !ptx_expect(parser, ',', "after a file's time") ||
         !ptx_take_number(parser, UINT64_MAX, &ignored, "a size")))
        return false;
    return true;
}

/* Parses `maniple.registers KERNEL 40`: the number of registers that an assembler has allocated, which the runtime
 * finds beside the text. */
static void take_registers(struct ptx_parser *parser, const struct ptx_token *token)
{
    static const char word[] = "maniple.registers ";
    const size_t skip = sizeof word - 1;
    if (token->length <= skip || memcmp(token->text, word, skip) != 0)
        return;
    const char *name = token->text + skip, *end = token->text + token->length;
    const char *space = memchr(name, ' ', (size_t)(end - name));
    uint32_t registers = 0;
    for (const char *digit = space ? space + 1 : end; digit < end && *digit >= '0' && *digit <= '9'; digit++)
        registers = registers < MOST_ALLOCATED ? registers * 10 + (uint32_t)(*digit - '0') : registers;
    if (!space || registers > MOST_ALLOCATED)
        return;
    uint32_t number = ptx_name_of(parser->module, name, (uint32_t)(space - name));
    const struct ptx_binding *binding = ptx_bound(parser, number);
    if (binding && binding->kind == PTX_BOUND_FUNCTION)
        ptx_function_at(parser->module, binding->index)->allocated = registers;
}

static bool is_string(const struct ptx_token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

bool ptx_parse_pragma(struct ptx_parser *parser)
{
    do {
        ptx_lexer_next(&parser->lexer);
        if (ptx_token(parser)->kind != PTX_TOKEN_STRING)
            return ptx_lexer_fail(&parser->lexer, "a pragma's name in quotes is expected here");
        take_registers(parser, ptx_token(parser));
        parser->nounroll |= is_string(ptx_token(parser), "nounroll");
        ptx_lexer_next(&parser->lexer);
    } while (ptx_is(parser, ','));
    return ptx_expect(parser, ';', "after .pragma");
}

/* `1 12 3`: file, line, column. */
static bool take_place(struct ptx_parser *parser, struct ptx_source_line *place)
{
    uint64_t file, line, column;
    if (!ptx_take_number(parser, UINT32_MAX - 1, &file, "a file's number") ||
        !ptx_take_number(parser, UINT32_MAX, &line, "a line") ||
        !ptx_take_number(parser, UINT32_MAX, &column, "a column"))
        return false;
    *place = (struct ptx_source_line){.file = (uint32_t)file, .line = (uint32_t)line, .caller = PTX_NONE};
    return true;
}

static uint32_t add_place(struct ptx_parser *parser, const struct ptx_source_line *place)
{
    *(struct ptx_source_line *)mnp_array_add(&parser->module->source_lines, 1, sizeof *place) = *place;
    return parser->module->source_lines.count - 1;
}

/* `.loc 1 12 3`, `.loc 1 12 3, function_name $L__info_string0, inlined_at 1 30 5`; function_name can be a label + 4. */
bool ptx_parse_source_line(struct ptx_parser *parser)
{
    struct ptx_source_line place, caller;
    uint32_t label;
    uint64_t offset;
    ptx_lexer_next(&parser->lexer);
    if (!take_place(parser, &place))
        return false;
    while (ptx_accept(parser, ',')) {
        if (ptx_accept_word(parser, "function_name")) {
            if (!ptx_take_name(parser, &label, "a label") ||
                (ptx_accept(parser, '+') && !ptx_take_number(parser, UINT64_MAX, &offset, "an offset")))
                return false;
        } else if (ptx_accept_word(parser, "inlined_at")) {
            if (!take_place(parser, &caller))
                return false;
            place.caller = add_place(parser, &caller);
        } else {
            return ptx_lexer_fail(&parser->lexer, "function_name or inlined_at is expected after a .loc");
        }
    }
    parser->source = add_place(parser, &place);
    return true;
}

void ptx_name_source_files(struct ptx_parser *parser, uint32_t first)
{
    struct ptx_source_line *lines = parser->module->source_lines.items;
    const struct ptx_source_file *files = parser->files.items;
    for (uint32_t i = first; i < parser->module->source_lines.count; i++) {
        uint32_t number = lines[i].file;
        lines[i].file = PTX_NONE;
        for (uint32_t j = 0; j < parser->files.count && lines[i].file == PTX_NONE; j++)
            if (files[j].number == number)
                lines[i].file = files[j].name;
    }
    parser->files.count = 0;
}
