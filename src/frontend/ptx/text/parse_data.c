/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations of variables and registers, and initialisers. */
#include "frontend/ptx/text/names.h"
#include "frontend/ptx/text/parser.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIMENSIONS = 16, MAX_ELEMENT = 16 };

struct declaration {
    uint8_t space, type;
    uint32_t align;
    uint32_t vector; /* elements */
    enum ptx_linkage linkage;
    bool parameter;
};

struct shape {
    uint32_t dimensions;
    uint64_t count[MAX_DIMENSIONS];
    bool open; /* the first one is not stated */
};

enum execute_space ptx_space_word(struct ptx_parser *parser)
{
    static const struct {
        const char *word;
        enum execute_space space;
    } spaces[] = {{".const", EXECUTE_SPACE_CONST}, {".global", EXECUTE_SPACE_GLOBAL}, {".local", EXECUTE_SPACE_LOCAL},
                  {".param", EXECUTE_SPACE_PARAM}, {".shared", EXECUTE_SPACE_SHARED}, {".reg", EXECUTE_SPACE_REG}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_is_word(parser, spaces[i].word))
            return spaces[i].space;
    return EXECUTE_SPACE_GENERIC;
}

/* `.ptr .global .align 8` of a kernel's parameter says nothing that execution needs. */
static bool skip_pointer(struct ptx_parser *parser)
{
    ptx_lexer_next(&parser->lexer);
    if (ptx_space_word(parser) != EXECUTE_SPACE_GENERIC)
        ptx_lexer_next(&parser->lexer);
    uint64_t ignored;
    return !ptx_accept_word(parser, ".align") || ptx_take_number(parser, UINT32_MAX, &ignored, "an alignment");
}

static bool parse_attributes(struct ptx_parser *parser, struct declaration *declaration)
{
    struct ptx_token *token = ptx_token(parser);
    while (token->kind == PTX_TOKEN_WORD && token->text[0] == '.') {
        uint64_t align = 0;
        enum execute_type type = ptx_type_of(token->text + 1, token->length - 1);
        if (type != EXECUTE_NO_TYPE) {
            declaration->type = (uint8_t)type;
            ptx_lexer_next(&parser->lexer);
        } else if (ptx_accept_word(parser, ".align")) {
            if (!ptx_take_number(parser, PTX_MAX_ALIGN, &align, "an alignment"))
                return false;
            if (!align || (align & (align - 1)))
                return ptx_lexer_fail(&parser->lexer, "an alignment is a power of two, not %lu", (unsigned long)align);
            declaration->align = (uint32_t)align;
        } else if (ptx_is_word(parser, ".v2") || ptx_is_word(parser, ".v4")) {
            declaration->vector = (uint32_t)(token->text[2] - '0');
            ptx_lexer_next(&parser->lexer);
        } else if (ptx_accept_word(parser, ".attribute")) {
            if (!ptx_skip_group(parser, '(', ')'))
                return false;
        } else if (ptx_is_word(parser, ".ptr")) {
            if (!skip_pointer(parser))
                return false;
        } else {
            return ptx_lexer_fail(&parser->lexer, "`%.*s` is not supported in a declaration", (int)token->length,
                                  token->text);
        }
    }
    if (declaration->type == EXECUTE_NO_TYPE)
        return ptx_lexer_fail(&parser->lexer, "this declaration has no type; write .b32, .f64, …");
    return true;
}

static bool parse_shape(struct ptx_parser *parser, struct shape *shape)
{
    *shape = (struct shape){0};
    while (ptx_accept(parser, '[')) {
        if (shape->dimensions == MAX_DIMENSIONS)
            return ptx_lexer_fail(&parser->lexer, "an array has at most %d dimensions", MAX_DIMENSIONS);
        struct ptx_operand count = {0};
        if (ptx_is(parser, ']') && shape->dimensions == 0)
            shape->open = true;
        else if (!ptx_parse_constant(parser, &count))
            return false;
        if (count.kind != PTX_OPERAND_INTEGER && !shape->open)
            return ptx_lexer_fail(&parser->lexer, "an array's length is a whole number");
        shape->count[shape->dimensions++] = count.value;
        if (!ptx_expect(parser, ']', "after an array's length"))
            return false;
    }
    return true;
}

/* ===== initialisers ===== */

struct initialiser {
    struct ptx_parser *parser;
    const struct shape *shape;
    uint32_t element; /* bytes */
    uint8_t type;
    uint64_t written; /* bytes, the end of the last element */
    struct mnp_array data;
    uint32_t first_relocation;
};

static bool store(struct initialiser *init, uint64_t offset, const void *value)
{
    uint64_t end = offset + init->element;
    if (end > UINT32_MAX / 2)
        return ptx_lexer_fail(&init->parser->lexer, "this initialiser is too long");
    if (end > init->data.count)
        mnp_array_add(&init->data, (uint32_t)(end - init->data.count), 1);
    memcpy((char *)init->data.items + offset, value, init->element);
    init->written = end > init->written ? end : init->written;
    return true;
}

/* Converts a number to the bytes of an element. Floating-point elements convert integers by value, not by bits. */
static uint64_t convert(const struct initialiser *init, const struct ptx_operand *operand)
{
    double wide = 0;
    float narrow;
    uint64_t bits = operand->value;
    if (operand->kind == PTX_OPERAND_DOUBLE)
        memcpy(&wide, &bits, sizeof wide);
    else if (operand->kind == PTX_OPERAND_SINGLE) {
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof narrow);
        wide = (double)narrow;
    } else {
        wide = (double)(int64_t)bits;
    }
    if (init->type == EXECUTE_f64 || (operand->kind == PTX_OPERAND_DOUBLE && init->element == 8))
        memcpy(&bits, &wide, sizeof bits);
    if (init->type == EXECUTE_f32 || (operand->kind == PTX_OPERAND_DOUBLE && init->element == 4)) {
        narrow = (float)wide;
        uint32_t low;
        memcpy(&low, &narrow, sizeof low);
        bits = operand->kind == PTX_OPERAND_SINGLE ? operand->value : low;
    }
    return bits;
}

static bool has_address(const struct ptx_variable *variable)
{
    return variable->space == EXECUTE_SPACE_GLOBAL || variable->space == EXECUTE_SPACE_CONST;
}

/* `name`, `name+8`, `generic(name)+8`, `0xff00(name)`. */
static bool parse_address(struct initialiser *init, uint64_t offset, uint64_t mask)
{
    struct ptx_parser *parser = init->parser;
    bool inside = ptx_accept_word(parser, "generic");
    if (inside && !ptx_expect(parser, '(', "after generic"))
        return false;
    uint32_t name;
    if (!ptx_take_name(parser, &name, "a variable or function"))
        return false;
    const struct ptx_binding *binding = ptx_bound(parser, name);
    if (!binding || (binding->kind != PTX_BOUND_VARIABLE && binding->kind != PTX_BOUND_FUNCTION))
        return ptx_lexer_fail(&parser->lexer, "`%s` is not a variable or function declared before",
                              ptx_name_text(parser->module, name));
    if (binding->kind == PTX_BOUND_VARIABLE && !has_address(ptx_variable_at(parser->module, binding->index)))
        return ptx_lexer_fail(&parser->lexer, "`%s` does not lie in .global or .const memory, and has no address here",
                              ptx_name_text(parser->module, name));
    struct ptx_relocation relocation = {.offset = (uint32_t)offset,
                                        .bytes = (uint8_t)init->element,
                                        .generic = inside,
                                        .variable = PTX_NONE,
                                        .function = PTX_NONE};
    *(binding->kind == PTX_BOUND_VARIABLE ? &relocation.variable : &relocation.function) = binding->index;
    if (mask) {
        relocation.shift = (uint8_t)__builtin_ctzll(mask);
        relocation.bytes = 1;
    }
    if (inside && !ptx_expect(parser, ')', "after generic(name"))
        return false;
    if (ptx_is(parser, '+') || ptx_is(parser, '-')) {
        struct ptx_operand addend;
        if (!ptx_parse_constant(parser, &addend))
            return false;
        relocation.addend = (int64_t)addend.value;
    }
    uint64_t zero[2] = {0, 0};
    if (init->element > 8 || !store(init, offset, zero))
        return init->element > 8 ? ptx_lexer_fail(&parser->lexer, "an address does not go into this type") : false;
    *(struct ptx_relocation *)mnp_array_add(&parser->module->relocations, 1, sizeof relocation) = relocation;
    return true;
}

static bool parse_element(struct initialiser *init, uint64_t offset)
{
    struct ptx_parser *parser = init->parser;
    if (ptx_token(parser)->kind == PTX_TOKEN_WORD && !ptx_is_word(parser, "WARP_SZ"))
        return parse_address(init, offset, 0);
    struct ptx_operand operand;
    if (!ptx_parse_constant(parser, &operand))
        return false;
    if (operand.kind == PTX_OPERAND_INTEGER && operand.value && ptx_accept(parser, '(')) /* a mask operator */
        return parse_address(init, offset, operand.value) && ptx_expect(parser, ')', "after a mask operator");
    uint64_t value[2] = {convert(init, &operand), 0};
    return store(init, offset, value);
}

/* Parses the elements of dimension `level`, which begin at `offset` and are `stride` bytes apart. */
static bool parse_list(struct initialiser *init, uint32_t level, uint64_t offset)
{
    struct ptx_parser *parser = init->parser;
    uint64_t stride = init->element, limit = level < init->shape->dimensions ? init->shape->count[level] : 1;
    for (uint32_t i = level + 1; i < init->shape->dimensions; i++)
        stride *= init->shape->count[i];
    if (!ptx_accept(parser, '{'))
        return parse_element(init, offset);
    if (level == 0 && init->shape->open)
        limit = UINT64_MAX;
    uint64_t inner = level + 1 < init->shape->dimensions ? stride / init->element : 1;
    uint64_t flat = 0; /* elements so far: nested braces are optional */
    while (!ptx_is(parser, '}')) {
        bool nested = ptx_is(parser, '{');
        if (flat >= (limit == UINT64_MAX ? limit : limit * inner) || level >= MAX_DIMENSIONS)
            return ptx_lexer_fail(&parser->lexer, "this initialiser has more elements than the array");
        if (!(nested ? parse_list(init, level + 1, offset + flat * init->element)
                     : parse_element(init, offset + flat * init->element)))
            return false;
        flat += nested ? inner : 1;
        if (!ptx_accept(parser, ','))
            break;
    }
    return ptx_expect(parser, '}', "at the end of the initialiser");
}

static bool parse_initialiser(struct ptx_parser *parser, struct ptx_variable *variable, struct shape *shape,
                              const struct declaration *declaration)
{
    struct shape vectors = *shape;
    if (declaration->vector > 1 && vectors.dimensions < MAX_DIMENSIONS)
        vectors.count[vectors.dimensions++] = declaration->vector;
    struct initialiser init = {.parser = parser,
                               .shape = &vectors,
                               .element = execute_type_bytes(declaration->type),
                               .type = declaration->type,
                               .first_relocation = parser->module->relocations.count};
    if (variable->space != EXECUTE_SPACE_GLOBAL && variable->space != EXECUTE_SPACE_CONST)
        return ptx_lexer_fail(&parser->lexer, "only .global and .const variables can be initialised");
    bool good = parse_list(&init, 0, 0);
    variable->initial = init.data.items;
    variable->initial_bytes = init.written;
    variable->first_relocation = init.first_relocation;
    variable->relocation_count = parser->module->relocations.count - init.first_relocation;
    if (good && shape->open)
        variable->bytes = init.written;
    if (good && variable->initial_bytes > variable->bytes)
        return ptx_lexer_fail(&parser->lexer, "this initialiser is longer than its variable");
    return good;
}

/* ===== variables ===== */

static bool size_of(struct ptx_parser *parser, const struct declaration *declaration, const struct shape *shape,
                    uint64_t *bytes)
{
    *bytes = (uint64_t)execute_type_bytes(declaration->type) * declaration->vector;
    for (uint32_t i = 0; i < shape->dimensions; i++)
        if (__builtin_mul_overflow(*bytes, shape->open && i == 0 ? 1 : shape->count[i], bytes) ||
            *bytes > PTX_MAX_OBJECT)
            return ptx_lexer_fail(&parser->lexer, "this variable is larger than 64 GiB");
    if (shape->open)
        *bytes = 0;
    return true;
}

/* How much a declaration outside functions says: nothing but that there is one, a weak definition, a definition. */
static unsigned strength_of(const struct ptx_variable *variable)
{
    if (variable->linkage == PTX_LINKAGE_EXTERN || !variable->sized)
        return 0;
    return variable->linkage == PTX_LINKAGE_WEAK || variable->linkage == PTX_LINKAGE_COMMON ? 1 : 2;
}

/* Selects the variable for a declaration: a new one; an existing one that is shared between modules, which is completed
 * if the new declaration says more; or one that no name refers to. */
static bool variable_for(struct ptx_parser *parser, const struct ptx_variable *made, uint32_t *index)
{
    const struct ptx_binding *bound = parser->depth == 0 ? ptx_bound(parser, made->name) : NULL;
    const char *name = ptx_name_text(parser->module, made->name);
    if (bound && bound->kind != PTX_BOUND_VARIABLE)
        return ptx_lexer_fail(&parser->lexer, "`%s` is a function already; rename one of them", name);
    if (bound) {
        struct ptx_variable *old = ptx_variable_at(parser->module, bound->index);
        unsigned before = strength_of(old), now = strength_of(made);
        if (old->space != made->space)
            return ptx_lexer_fail(&parser->lexer, "`%s` is declared in another space before", name);
        if (before == 2 && now == 2)
            return ptx_lexer_fail(&parser->lexer, "`%s` is defined twice", name);
        if (old->linkage == PTX_LINKAGE_COMMON && made->linkage == PTX_LINKAGE_COMMON && made->bytes > old->bytes)
            old->bytes = made->bytes; /* the larger one has room for both */
        if (now > before || (now == 0 && before == 0 && made->align >= old->align)) {
            *index = bound->index;
            free(old->initial);
            old->initial = NULL;
            return true;
        }
    }
    mnp_array_add(&parser->module->variables, 1, sizeof(struct ptx_variable));
    *index = parser->module->variables.count - 1;
    if (parser->depth)
        return ptx_bind_new(parser, made->name, PTX_BOUND_VARIABLE, *index) != NULL;
    if (!bound)
        ptx_bind(parser, made->name, PTX_BOUND_VARIABLE, *index);
    return true;
}

static bool parse_declarator(struct ptx_parser *parser, const struct declaration *declaration)
{
    uint32_t name, line = ptx_token(parser)->line;
    struct shape shape;
    struct ptx_variable made = {0};
    if (!ptx_take_name(parser, &name, "a variable's name"))
        return false;
    uint64_t count = 1;
    if (ptx_accept(parser, '<')) /* .param .b32 a<4> */
        return ptx_take_number(parser, 1, &count, "1") && ptx_expect(parser, '>', "after a count");
    if (!parse_shape(parser, &shape) || !size_of(parser, declaration, &shape, &made.bytes))
        return false;
    uint32_t natural = execute_type_bytes(declaration->type) * declaration->vector;
    made.name = name;
    made.space = declaration->space;
    made.type = declaration->type;
    made.linkage = (uint8_t)declaration->linkage;
    made.sized = !shape.open;
    made.parameter = declaration->parameter;
    made.align = declaration->align > natural || declaration->align ? declaration->align : natural;
    made.align = made.align ? made.align : 1;
    made.function = parser->function;
    made.line = line;
    uint32_t index = PTX_NONE;
    if (!variable_for(parser, &made, &index))
        return false;
    if (ptx_accept(parser, '=')) {
        bool good = parse_initialiser(parser, &made, &shape, declaration);
        /* the module takes ownership of the bytes, whether valid or not */
        *ptx_variable_at(parser->module, index) = made;
        return good;
    }
    *ptx_variable_at(parser->module, index) = made;
    bool placed = made.space != EXECUTE_SPACE_PARAM && made.linkage != PTX_LINKAGE_EXTERN;
    return !placed || made.bytes ||
           ptx_lexer_fail(&parser->lexer, "`%s` has no length; state one, or declare it .extern",
                          ptx_name_text(parser->module, name));
}

bool ptx_parse_variables(struct ptx_parser *parser, enum ptx_linkage linkage, bool parameter)
{
    struct declaration declaration = {
        .space = (uint8_t)ptx_space_word(parser), .vector = 1, .linkage = linkage, .parameter = parameter};
    ptx_lexer_next(&parser->lexer);
    if (!parse_attributes(parser, &declaration))
        return false;
    if (declaration.type == EXECUTE_pred)
        return ptx_lexer_fail(&parser->lexer,
                              "a predicate is a register; no variable or parameter in memory has its type");
    do {
        if (!parse_declarator(parser, &declaration))
            return false;
    } while (!parameter && ptx_accept(parser, ','));
    return parameter || ptx_expect(parser, ';', "after a declaration");
}

bool ptx_parse_registers(struct ptx_parser *parser)
{
    struct declaration declaration = {.vector = 1};
    ptx_lexer_next(&parser->lexer);
    if (!parse_attributes(parser, &declaration))
        return false;
    struct ptx_function *function = ptx_function_at(parser->module, parser->function);
    do {
        uint32_t name;
        uint64_t count = 1;
        if (!ptx_take_name(parser, &name, "a register's name"))
            return false;
        bool range = ptx_accept(parser, '<');
        if (range && (!ptx_take_number(parser, PTX_MAX_REGISTERS, &count, "a number of registers") ||
                      !ptx_expect(parser, '>', "after a number of registers")))
            return false;
        count *= range ? 1 : declaration.vector;
        if (function->register_count + count > PTX_MAX_REGISTERS)
            return ptx_lexer_fail(&parser->lexer, "a function has at most %d registers", PTX_MAX_REGISTERS);
        struct ptx_binding *binding =
            ptx_bind_new(parser, name, range ? PTX_BOUND_RANGE : PTX_BOUND_REGISTER, function->register_count);
        if (!binding)
            return false;
        binding->count = (uint32_t)count;
        binding->type = declaration.type;
        struct ptx_register *registers = mnp_array_add(&parser->module->registers, (uint32_t)count, sizeof *registers);
        for (uint64_t i = 0; i < count; i++)
            registers[i].type = declaration.type;
        function->register_count += (uint32_t)count;
    } while (ptx_accept(parser, ','));
    return ptx_expect(parser, ';', "after a declaration");
}
