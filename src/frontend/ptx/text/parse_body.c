/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of functions: nested scopes, labels, statements and their operands. */
#include "execute/code/special.h"
#include "frontend/ptx/text/parser.h"

#include <string.h>

enum { MAX_OPERANDS = 32 };

struct reading { /* parsing state of one statement */
    struct ptx_parser *parser;
    struct ptx_operand operands[MAX_OPERANDS];
    struct ptx_fixup fixups[MAX_OPERANDS]; /* indexed by operand; name PTX_NONE: none */
    uint32_t count;
    bool call;   /* parentheses hold arguments, not a constant expression */
    bool access; /* for a load or store, an array element denotes its contents, not its address */
};

static bool parse_operand(struct reading *reading, bool elements);

static bool add_operand(struct reading *reading, const struct ptx_operand *operand, uint32_t name)
{
    struct ptx_parser *parser = reading->parser;
    if (reading->count == MAX_OPERANDS)
        return ptx_lexer_fail(&parser->lexer, "an instruction has at most %d operands", MAX_OPERANDS);
    reading->fixups[reading->count] = (struct ptx_fixup){
        .name = name, .depth = parser->depth, .line = ptx_token(parser)->line, .column = ptx_token(parser)->column};
    reading->operands[reading->count++] = *operand;
    return true;
}

/* A name: register, special register, variable, function; anything else may be a label that comes later. */
static bool parse_name(struct ptx_parser *parser, struct ptx_operand *operand, uint32_t *unknown)
{
    const struct ptx_token *token = ptx_token(parser);
    uint32_t special;
    *unknown = PTX_NONE;
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_SINK, .count = 1};
    if (token->length == 1 && token->text[0] == '_') {
        ptx_lexer_next(&parser->lexer);
        return true;
    }
    if (ptx_register_named(parser, token->text, token->length, operand)) {
        if (operand->count > 1) { /* a whole vector register */
            uint32_t first = operand->index, count = operand->count, at = parser->module->operands.count;
            struct ptx_operand *elements = mnp_array_add(&parser->module->operands, count, sizeof *elements);
            for (uint32_t i = 0; i < count; i++)
                elements[i] = (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .index = first + i, .count = 1};
            *operand = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .index = at, .count = count};
        }
        ptx_lexer_next(&parser->lexer);
        return true;
    }
    if (ptx_part_named(parser, token->text, token->length, operand)) {
        ptx_lexer_next(&parser->lexer);
        return true;
    }
    if (ptx_special_named(token->text, token->length, &special)) {
        operand->kind = PTX_OPERAND_SPECIAL;
        operand->index = special;
        ptx_lexer_next(&parser->lexer);
        return true;
    }
    uint32_t name;
    if (!ptx_take_name(parser, &name, "an operand"))
        return false;
    const struct ptx_binding *binding = ptx_bound(parser, name);
    if (binding && (binding->kind == PTX_BOUND_VARIABLE || binding->kind == PTX_BOUND_FUNCTION)) {
        operand->kind = binding->kind == PTX_BOUND_VARIABLE ? PTX_OPERAND_VARIABLE : PTX_OPERAND_FUNCTION;
        operand->index = binding->index;
    } else {
        operand->kind = PTX_OPERAND_LABEL;
        *unknown = name;
    }
    return true;
}

/* `+4`, `-4`, `+-4` after an address or a variable's name. */
static bool parse_offset(struct ptx_parser *parser, struct ptx_operand *operand)
{
    if (!ptx_is(parser, '+') && !ptx_is(parser, '-'))
        return true;
    struct ptx_operand offset;
    if (!ptx_parse_constant(parser, &offset))
        return false;
    if (offset.kind != PTX_OPERAND_INTEGER)
        return ptx_lexer_fail(&parser->lexer, "an offset is a whole number");
    operand->value += offset.value;
    return true;
}

/* Parses `[3]` behind an array's name: the address of its fourth element or, in a load or store, its contents. Elements
 * are counted in scalars, also for .v4, and within one row of a table. */
static bool parse_element(struct reading *reading, struct ptx_operand *operand)
{
    struct ptx_parser *parser = reading->parser;
    struct ptx_operand place;
    const struct ptx_variable *array =
        operand->kind == PTX_OPERAND_VARIABLE ? ptx_variable_at(parser->module, operand->index) : NULL;
    if (!array || (array->sized && array->bytes <= execute_type_bytes(array->type)))
        return ptx_lexer_fail(&parser->lexer, "only an array's name can have an index");
    ptx_lexer_next(&parser->lexer);
    if (ptx_token(parser)->kind == PTX_TOKEN_WORD)
        return ptx_lexer_fail(&parser->lexer, "an index that is no constant is not supported; add it to the address");
    if (!ptx_parse_constant(parser, &place))
        return false;
    if (place.kind != PTX_OPERAND_INTEGER)
        return ptx_lexer_fail(&parser->lexer, "an index is a whole number");
    operand->value += place.value * execute_type_bytes(array->type);
    operand->memory = reading->access;
    return ptx_expect(parser, ']', "after an index");
}

/* `{a, b, c, d}`, or the arguments of a call in parentheses. Elements lie together in module.operands. */
static bool parse_vector(struct ptx_parser *parser, char close, struct ptx_operand *vector)
{
    uint32_t base = parser->pending.count;
    ptx_lexer_next(&parser->lexer);
    while (!ptx_is(parser, close)) {
        struct ptx_operand element;
        uint32_t unknown = PTX_NONE;
        bool negated = ptx_accept(parser, '!');
        if (ptx_token(parser)->kind == PTX_TOKEN_WORD && !ptx_is_word(parser, "WARP_SZ")) {
            if (!parse_name(parser, &element, &unknown) || !parse_offset(parser, &element))
                return false;
        } else if (!ptx_parse_constant(parser, &element)) {
            return false;
        }
        if (unknown != PTX_NONE || element.kind == PTX_OPERAND_VECTOR)
            return ptx_lexer_fail(&parser->lexer, "`%s` cannot be an element; is it declared?",
                                  unknown != PTX_NONE ? ptx_name_text(parser->module, unknown) : "a vector");
        element.negated = negated;
        *(struct ptx_operand *)mnp_array_add(&parser->pending, 1, sizeof element) = element;
        if (!ptx_accept(parser, ','))
            break;
    }
    uint32_t count = parser->pending.count - base;
    *vector = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .index = parser->module->operands.count, .count = count};
    struct ptx_operand *elements = mnp_array_add(&parser->module->operands, count, sizeof *elements);
    if (count)
        memcpy(elements, (struct ptx_operand *)parser->pending.items + base, count * sizeof *elements);
    parser->pending.count = base;
    return ptx_expect(parser, close, "at the end of the list");
}

static bool parse_brackets(struct reading *reading)
{
    struct ptx_parser *parser = reading->parser;
    uint32_t first = reading->count;
    ptx_lexer_next(&parser->lexer);
    do {
        if (!parse_operand(reading, true))
            return false;
    } while (ptx_accept(parser, ','));
    if (reading->count > first)
        reading->operands[first].memory = true;
    return ptx_expect(parser, ']', "after an address");
}

/* Whether a name comes behind that sign, which then is taken. */
static bool sign_before_name(struct ptx_parser *parser, char sign)
{
    struct ptx_lexer ahead = parser->lexer;
    if (!ptx_is(parser, sign))
        return false;
    ptx_lexer_next(&ahead);
    if (ahead.token.kind != PTX_TOKEN_WORD ||
        (ahead.token.length == 7 && memcmp(ahead.token.text, "WARP_SZ", 7) == 0)) /* a constant */
        return false;
    ptx_lexer_next(&parser->lexer);
    return true;
}

static bool parse_operand(struct reading *reading, bool inside)
{
    struct ptx_parser *parser = reading->parser;
    struct ptx_operand operand;
    uint32_t unknown = PTX_NONE;
    if (ptx_is(parser, '[')) {
        if (inside)
            return ptx_lexer_fail(&parser->lexer, "an address inside an address");
        return parse_brackets(reading);
    }
    if (ptx_is(parser, '{') || (ptx_is(parser, '(') && !inside && reading->call)) {
        char close = ptx_is(parser, '{') ? '}' : ')';
        return parse_vector(parser, close, &operand) && add_operand(reading, &operand, PTX_NONE);
    }
    bool negated = sign_before_name(parser, '!'), minus = sign_before_name(parser, '-');
    if (ptx_token(parser)->kind == PTX_TOKEN_WORD && !ptx_is_word(parser, "WARP_SZ")) {
        if (!parse_name(parser, &operand, &unknown))
            return false;
        bool indexed = !inside && ptx_is(parser, '[');
        if (!(indexed ? parse_element(reading, &operand) : parse_offset(parser, &operand)))
            return false;
    } else if (!ptx_parse_constant(parser, &operand)) {
        return false;
    }
    operand.negated = negated;
    if (minus && operand.kind != PTX_OPERAND_REGISTER)
        return ptx_lexer_fail(&parser->lexer, "a constant or a register is expected behind `-`");
    operand.parts |= minus ? PTX_PARTS_MINUS : 0;
    if (ptx_accept(parser, '|')) {
        operand.paired = true;
        return add_operand(reading, &operand, unknown) && parse_operand(reading, inside);
    }
    return add_operand(reading, &operand, unknown);
}

static void finish_statement(struct reading *reading, struct ptx_statement *statement)
{
    struct ptx_module *module = reading->parser->module;
    statement->first_operand = module->operands.count;
    statement->operand_count = (uint8_t)reading->count;
    struct ptx_operand *operands = mnp_array_add(&module->operands, reading->count, sizeof *operands);
    for (uint32_t i = 0; i < reading->count; i++) {
        operands[i] = reading->operands[i];
        if (reading->fixups[i].name == PTX_NONE)
            continue;
        struct ptx_fixup *fixup = mnp_array_add(&reading->parser->fixups, 1, sizeof *fixup);
        *fixup = reading->fixups[i];
        fixup->operand = statement->first_operand + i;
    }
    *(struct ptx_statement *)mnp_array_add(&module->statements, 1, sizeof *statement) = *statement;
    ptx_function_at(module, reading->parser->function)->statement_count++;
}

static bool parse_guard(struct ptx_parser *parser, struct ptx_statement *statement)
{
    struct ptx_operand guard;
    statement->guard = PTX_NONE;
    if (!ptx_accept(parser, '@'))
        return true;
    statement->guard_negated = ptx_accept(parser, '!');
    const struct ptx_token *token = ptx_token(parser);
    if (token->kind != PTX_TOKEN_WORD || !ptx_register_named(parser, token->text, token->length, &guard))
        return ptx_lexer_fail(&parser->lexer, "a predicate register is expected after @");
    const struct ptx_function *function = ptx_function_at(parser->module, parser->function);
    const struct ptx_register *registers = parser->module->registers.items;
    if (registers[function->first_register + guard.index].type != EXECUTE_pred)
        return ptx_lexer_fail(&parser->lexer, "`%.*s` is not a predicate; declare it .pred", (int)token->length,
                              token->text);
    statement->guard = guard.index;
    ptx_lexer_next(&parser->lexer);
    return true;
}

/* Keeps the text from `from` to the current token. */
static void keep_text(struct ptx_parser *parser, const char *from, struct ptx_statement *statement)
{
    struct mnp_array *bodies = &parser->module->bodies;
    statement->text = bodies->count;
    statement->text_length = (uint32_t)(ptx_token(parser)->text - from);
    memcpy(mnp_array_add(bodies, statement->text_length, 1), from, statement->text_length);
}

static bool parse_statement(struct ptx_parser *parser)
{
    struct reading reading = {.parser = parser};
    const char *from = ptx_token(parser)->text;
    struct ptx_statement statement = {.line = ptx_token(parser)->line,
                                      .column = ptx_token(parser)->column,
                                      .source = parser->source,
                                      .nounroll = parser->nounroll};
    parser->nounroll = false;
    if (!parse_guard(parser, &statement) || !ptx_take_name(parser, &statement.name, "an instruction"))
        return false;
    const char *name = ptx_name_text(parser->module, statement.name);
    reading.call = strncmp(name, "call", 4) == 0;
    reading.access = strncmp(name, "ld.", 3) == 0 || strncmp(name, "st.", 3) == 0;
    while (!ptx_is(parser, ';')) {
        if (!parse_operand(&reading, false))
            return false;
        if (!ptx_accept(parser, ','))
            break;
        if (ptx_is(parser, ';'))
            return ptx_lexer_fail(&parser->lexer, "an operand is expected behind the comma");
    }
    keep_text(parser, from, &statement);
    if (!ptx_expect(parser, ';', "at the end of an instruction"))
        return false;
    finish_statement(&reading, &statement);
    return true;
}

/* `.branchtargets L1, L2;` and `.calltargets f, g;` after a label. */
static bool parse_targets(struct ptx_parser *parser, struct ptx_list *list)
{
    struct ptx_module *module = parser->module;
    list->first = module->list_items.count;
    do {
        uint32_t line = ptx_token(parser)->line, column = ptx_token(parser)->column, name;
        if (!ptx_take_name(parser, &name, "a label"))
            return false;
        *(uint32_t *)mnp_array_add(&module->list_items, 1, sizeof(uint32_t)) = PTX_NONE;
        const struct ptx_binding *bound = ptx_bound(parser, name);
        if (bound && bound->kind == PTX_BOUND_FUNCTION) {
            ((uint32_t *)module->list_items.items)[module->list_items.count - 1] = bound->index;
            continue;
        }
        struct ptx_fixup *fixup = mnp_array_add(&parser->fixups, 1, sizeof *fixup);
        *fixup = (struct ptx_fixup){.name = name,
                                    .operand = module->list_items.count - 1,
                                    .depth = parser->depth,
                                    .line = line,
                                    .column = column,
                                    .in_list = true};
    } while (ptx_accept(parser, ','));
    list->count = module->list_items.count - list->first;
    return ptx_expect(parser, ';', "after the targets");
}

/* A prototype is needed for checks only: the callee's own parameters say everything. */
static bool skip_prototype(struct ptx_parser *parser)
{
    while (!ptx_is(parser, ';')) {
        enum ptx_token_kind kind = ptx_token(parser)->kind;
        if (kind == PTX_TOKEN_BAD)
            return false;
        if (kind == PTX_TOKEN_END)
            return ptx_lexer_fail(&parser->lexer, "the text ends inside a prototype; is it truncated?");
        ptx_lexer_next(&parser->lexer);
    }
    ptx_lexer_next(&parser->lexer);
    return true;
}

static bool parse_label(struct ptx_parser *parser, uint32_t name)
{
    struct ptx_module *module = parser->module;
    const struct ptx_binding *bound = ptx_bound(parser, name);
    if (bound && (bound->kind == PTX_BOUND_REGISTER || bound->kind == PTX_BOUND_VARIABLE))
        return ptx_lexer_fail(&parser->lexer, "the label `%s` has the name of a register or variable",
                              ptx_name_text(module, name));
    bool targets = ptx_is_word(parser, ".branchtargets") || ptx_is_word(parser, ".calltargets");
    bool prototype = ptx_is_word(parser, ".callprototype");
    if (!targets && !prototype) {
        uint32_t statement = ptx_function_at(module, parser->function)->statement_count;
        return ptx_bind_new(parser, name, PTX_BOUND_LABEL, statement) != NULL;
    }
    ptx_lexer_next(&parser->lexer);
    struct ptx_list list = {0};
    if (!(targets ? parse_targets(parser, &list) : skip_prototype(parser)))
        return false;
    *(struct ptx_list *)mnp_array_add(&module->lists, 1, sizeof list) = list;
    return ptx_bind_new(parser, name, PTX_BOUND_LIST, module->lists.count - 1) != NULL;
}

static bool parse_inner_directive(struct ptx_parser *parser)
{
    struct ptx_token *token = ptx_token(parser);
    if (ptx_is_word(parser, ".reg"))
        return ptx_parse_registers(parser);
    if (ptx_is_word(parser, ".loc"))
        return ptx_parse_source_line(parser);
    if (ptx_is_word(parser, ".file"))
        return ptx_parse_source_file(parser);
    if (ptx_is_word(parser, ".pragma"))
        return ptx_parse_pragma(parser);
    if (ptx_is_word(parser, ".extern"))
        ptx_lexer_next(&parser->lexer);
    if (ptx_space_word(parser) != EXECUTE_SPACE_GENERIC)
        return ptx_parse_variables(parser, PTX_LINKAGE_NONE, false);
    return ptx_lexer_fail(&parser->lexer, "`%.*s` is not supported inside a function", (int)token->length, token->text);
}

/* A word with a colon behind it is a label. */
static bool at_label(struct ptx_parser *parser)
{
    if (ptx_token(parser)->kind != PTX_TOKEN_WORD || ptx_token(parser)->text[0] == '.')
        return false;
    struct ptx_lexer ahead = parser->lexer;
    struct mnp_error ignored = {{0}};
    ahead.error = &ignored;
    ptx_lexer_next(&ahead);
    return ahead.token.kind == PTX_TOKEN_PUNCTUATION && ahead.token.punctuation == ':';
}

static bool parse_item(struct ptx_parser *parser)
{
    uint32_t name;
    if (at_label(parser))
        return ptx_take_name(parser, &name, "a label") && ptx_expect(parser, ':', "after a label") &&
               parse_label(parser, name);
    if (ptx_token(parser)->kind == PTX_TOKEN_WORD && ptx_token(parser)->text[0] == '.')
        return parse_inner_directive(parser);
    return parse_statement(parser);
}

bool ptx_parse_body(struct ptx_parser *parser)
{
    uint32_t scopes[PTX_MAX_DEPTH], depth = 0; /* bindings when each scope began */
    uint32_t outer = parser->scope;            /* the scope of the parameters is also that of the body */
    do {
        if (ptx_token(parser)->kind == PTX_TOKEN_END)
            return ptx_lexer_fail(&parser->lexer, "the text ends inside a function; is it truncated?");
        if (ptx_accept(parser, '{')) {
            if (depth == PTX_MAX_DEPTH)
                return ptx_lexer_fail(&parser->lexer, "blocks are nested too deeply");
            scopes[depth++] = parser->bindings.count;
            parser->depth = depth;
            parser->scope = depth > 1 ? parser->bindings.count : outer;
        } else if (ptx_accept(parser, '}')) {
            /* The outermost scope's end is the function's: names still unknown are errors there. */
            if (!ptx_scope_close(parser, scopes[--depth]))
                return false;
            parser->depth = depth ? depth : 1;
            parser->scope = depth > 1 ? scopes[depth - 1] : outer;
        } else if (!parse_item(parser)) {
            return false;
        }
    } while (depth);
    return true;
}
