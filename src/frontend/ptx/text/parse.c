/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules: directives, and functions from outside. */
#include "frontend/ptx/text/parser.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { OLDEST_VERSION = 30, NEWEST_VERSION = 99 };

/* ===== functions ===== */

/* `( .param .b32 a, .param .b32 b )`; the variables come one after another. */
static bool parse_parameters(struct ptx_parser *parser, uint32_t *first, uint32_t *count)
{
    *first = parser->module->variables.count;
    *count = 0;
    if (!ptx_accept(parser, '('))
        return true;
    while (!ptx_is(parser, ')')) {
        enum execute_space space = ptx_space_word(parser);
        if (space == EXECUTE_SPACE_REG)
            return ptx_lexer_fail(&parser->lexer, "parameters in registers are not supported; use .param");
        if (space != EXECUTE_SPACE_PARAM)
            return ptx_lexer_fail(&parser->lexer, "a parameter begins with .param");
        if (!ptx_parse_variables(parser, PTX_LINKAGE_NONE, true))
            return false;
        if (!ptx_accept(parser, ','))
            break;
    }
    *count = parser->module->variables.count - *first;
    return ptx_expect(parser, ')', "after the parameters");
}

static bool parse_tuning(struct ptx_parser *parser, struct ptx_function *function)
{
    struct {
        const char *word;
        uint32_t *values;
        uint32_t count;
        bool positive;
    } const rows[] = {
        {".maxntid", function->maxntid, 3, true},          {".reqntid", function->reqntid, 3, true},
        {".minnctapersm", &function->minnctapersm, 1},     {".maxnctapersm", &function->minnctapersm, 1},
        {".maxnreg", &function->maxnreg, 1, true},         {".reqnctapercluster", function->cluster, 3},
        {".maxclusterrank", &function->maxclusterrank, 1},
    };
    for (;;) {
        size_t row = 0;
        while (row < sizeof rows / sizeof *rows && !ptx_is_word(parser, rows[row].word))
            row++;
        if (row == sizeof rows / sizeof *rows) {
            if (ptx_accept_word(parser, ".noreturn") || ptx_accept_word(parser, ".abi_preserve"))
                continue;
            if (ptx_accept_word(parser, ".explicitcluster")) {
                function->explicit_cluster = true;
                continue;
            }
            if (ptx_accept_word(parser, ".blocksareclusters")) {
                function->counts_clusters = true;
                continue;
            }
            if (ptx_is_word(parser, ".pragma")) {
                if (!ptx_parse_pragma(parser))
                    return false;
                continue;
            }
            return true;
        }
        ptx_lexer_next(&parser->lexer);
        for (uint32_t i = 0; i < rows[row].count; i++) {
            uint64_t value;
            if (i && !ptx_accept(parser, ',')) {
                rows[row].values[i] = 1;
                continue;
            }
            if (!ptx_take_number(parser, UINT32_MAX, &value, "a number"))
                return false;
            if (!value && rows[row].positive)
                return ptx_lexer_fail(&parser->lexer, "%s 0 is not positive", rows[row].word);
            rows[row].values[i] = (uint32_t)value;
        }
    }
}

/* The function of a name: one that was declared before, or a new one. */
static bool function_for(struct ptx_parser *parser, uint32_t name, uint32_t *index)
{
    const struct ptx_binding *bound = ptx_bound(parser, name);
    if (bound && bound->kind != PTX_BOUND_FUNCTION)
        return ptx_lexer_fail(&parser->lexer, "`%s` is a variable already; rename one of them",
                              ptx_name_text(parser->module, name));
    if (bound) {
        *index = bound->index;
        return true;
    }
    *index = parser->module->functions.count;
    struct ptx_function *function = mnp_array_add(&parser->module->functions, 1, sizeof *function);
    function->name = name;
    ptx_bind(parser, name, PTX_BOUND_FUNCTION, *index);
    return true;
}

/* Decides how a repeated definition of a name is treated: it replaces the first, becomes unreachable, or is an
 * error. */
static bool choose_definition(struct ptx_parser *parser, const struct ptx_function *made, uint32_t *index)
{
    struct ptx_function *function = ptx_function_at(parser->module, *index);
    bool weak = made->linkage == PTX_LINKAGE_WEAK;
    if (function->defined && function->linkage == PTX_LINKAGE_WEAK && !weak)
        function->defined = false;
    if (!function->defined)
        return true;
    if (!weak)
        return ptx_lexer_fail(&parser->lexer, "`%s` is defined twice", ptx_name_text(parser->module, made->name));
    *index = parser->module->functions.count;
    mnp_array_add(&parser->module->functions, 1, sizeof(struct ptx_function));
    return true;
}

/* Takes the declaration into the module. The function's name is bound outside the scope of its parameters, which
 * began at `first_binding`: they are unbound, and bound again over it. `*outer`: bindings below them. */
static bool declare(struct ptx_parser *parser, const struct ptx_function *made, bool body, uint32_t first_binding,
                    uint32_t *index, uint32_t *outer)
{
    uint32_t kept = parser->bindings.count - first_binding;
    struct ptx_binding *own = mnp_allocate(kept + 1, sizeof *own);
    if (kept)
        memcpy(own, (struct ptx_binding *)parser->bindings.items + first_binding, kept * sizeof *own);
    bool good = ptx_scope_close(parser, first_binding) && function_for(parser, made->name, index);
    good = good && (!body || choose_definition(parser, made, index));
    struct ptx_function *function = good ? ptx_function_at(parser->module, *index) : NULL;
    if (good && !function->defined) {
        *function = *made;
        function->external = made->linkage == PTX_LINKAGE_EXTERN;
        function->defined = body;
    }
    *outer = parser->bindings.count;
    for (uint32_t i = 0; good && i < kept; i++)
        ptx_bind(parser, own[i].name, (enum ptx_bound)own[i].kind, own[i].index);
    free(own);
    return good;
}

static bool skip_attributes(struct ptx_parser *parser)
{
    while (ptx_is_word(parser, ".attribute") || ptx_is_word(parser, ".noreturn")) {
        bool group = ptx_is_word(parser, ".attribute");
        ptx_lexer_next(&parser->lexer);
        if (group && !ptx_skip_group(parser, '(', ')'))
            return false;
    }
    return true;
}

static bool parse_function(struct ptx_parser *parser, enum ptx_linkage linkage)
{
    struct ptx_function made = {.entry = ptx_is_word(parser, ".entry"),
                                .line = ptx_token(parser)->line,
                                .linkage = (uint8_t)linkage,
                                .first_register = parser->module->registers.count,
                                .first_statement = parser->module->statements.count};
    uint32_t first_binding = parser->bindings.count, index = PTX_NONE, outer = 0;
    ptx_lexer_next(&parser->lexer);
    parser->depth = 1;
    parser->scope = first_binding;
    if (!skip_attributes(parser) || !parse_parameters(parser, &made.first_result, &made.result_count) ||
        !ptx_take_name(parser, &made.name, "a function's name") ||
        !parse_parameters(parser, &made.first_parameter, &made.parameter_count) || !parse_tuning(parser, &made))
        return false;
    if (made.entry && made.result_count)
        return ptx_lexer_fail(&parser->lexer, "a kernel has no results");
    bool body = ptx_is(parser, '{');
    if (!declare(parser, &made, body, first_binding, &index, &outer))
        return false;
    for (uint32_t i = 0; body && i < made.result_count + made.parameter_count; i++) {
        uint32_t variable =
            i < made.result_count ? made.first_result + i : made.first_parameter + i - made.result_count;
        ptx_variable_at(parser->module, variable)->function = index;
    }
    parser->function = index;
    parser->source = PTX_NONE;
    parser->scope = outer;
    bool good = body ? ptx_parse_body(parser) : (ptx_accept(parser, ';'), true);
    good = good && ptx_scope_close(parser, outer);
    parser->function = PTX_NONE;
    parser->depth = 0;
    return good;
}

/* ===== directives ===== */

static bool parse_version(struct ptx_parser *parser)
{
    struct ptx_token *token = ptx_token(parser);
    unsigned major = 0, minor = 0;
    if (parser->versioned)
        return ptx_lexer_fail(&parser->lexer, "a PTX module has one .version");
    ptx_lexer_next(&parser->lexer);
    const char *p = token->text, *end = p + token->length;
    while (p < end && *p >= '0' && *p <= '9' && major < 1000)
        major = major * 10 + (unsigned)(*p++ - '0');
    if (p < end && *p == '.')
        for (p++; p < end && *p >= '0' && *p <= '9' && minor < 1000;)
            minor = minor * 10 + (unsigned)(*p++ - '0');
    uint32_t version = major * 10 + minor;
    if (token->kind != PTX_TOKEN_FLOAT || p != end || minor > 9 || version < OLDEST_VERSION || version > NEWEST_VERSION)
        return ptx_lexer_fail(&parser->lexer,
                              "PTX version `%.*s` is not supported: %d.%d to %d.%d are; compile with another toolkit",
                              ptx_shown(token), token->text, OLDEST_VERSION / 10, OLDEST_VERSION % 10,
                              NEWEST_VERSION / 10, NEWEST_VERSION % 10);
    parser->module->version = version > parser->module->version ? version : parser->module->version;
    parser->versioned = true;
    parser->version = version;
    ptx_lexer_next(&parser->lexer);
    return true;
}

/* Whether the text's version has the target. Targets that are listed nowhere are not the assembler's. */
static bool check_target(struct ptx_parser *parser, uint32_t target)
{
    static const struct {
        uint16_t target, version; /* the first one (PTX ISA 9.0, 13: release history) */
    } rows[] = {{10, 10},  {11, 10},  {12, 12},  {13, 12},  {20, 20},  {30, 30}, {32, 40}, {35, 31},
                {37, 41},  {50, 40},  {52, 41},  {53, 42},  {60, 50},  {61, 50}, {62, 50}, {70, 60},
                {72, 61},  {75, 63},  {80, 70},  {86, 71},  {87, 74},  {88, 90}, {89, 78}, {90, 78},
                {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].target == target)
            return parser->version >= rows[i].version ||
                   ptx_lexer_fail(&parser->lexer, "sm_%u needs `.version %u.%u` or later", target, rows[i].version / 10,
                                  rows[i].version % 10);
    return ptx_lexer_fail(&parser->lexer, "there is no target sm_%u", target);
}

static bool parse_target(struct ptx_parser *parser)
{
    if (parser->targeted)
        return ptx_lexer_fail(&parser->lexer, "a PTX module has one .target; name all in it, with commas between");
    do {
        ptx_lexer_next(&parser->lexer);
        struct ptx_token *token = ptx_token(parser);
        if (token->kind != PTX_TOKEN_WORD)
            return ptx_lexer_fail(&parser->lexer, "a target is expected here, as in `.target sm_86`");
        if (token->length > 3 && memcmp(token->text, "sm_", 3) == 0) {
            uint32_t target = 0;
            for (uint32_t i = 3; i < token->length && i < 7 && token->text[i] >= '0' && token->text[i] <= '9'; i++)
                target = target * 10 + (uint32_t)(token->text[i] - '0');
            char last = token->text[token->length - 1];
            parser->module->specific |= last == 'a' || last == 'f';
            if (!check_target(parser, target))
                return false;
            if (target > parser->module->architecture)
                parser->module->architecture = target;
            parser->targeted = true;
        }
        ptx_lexer_next(&parser->lexer);
    } while (ptx_is(parser, ','));
    return true;
}

static bool parse_address_size(struct ptx_parser *parser)
{
    ptx_lexer_next(&parser->lexer);
    if (ptx_token(parser)->kind != PTX_TOKEN_INTEGER || ptx_token(parser)->value != 64)
        return ptx_lexer_fail(&parser->lexer, "only `.address_size 64` is supported; compile for 64 bits");
    parser->module->wide = true;
    ptx_lexer_next(&parser->lexer);
    return true;
}

static enum ptx_linkage parse_linkage(struct ptx_parser *parser)
{
    static const char *const words[] = {[PTX_LINKAGE_VISIBLE] = ".visible",
                                        [PTX_LINKAGE_EXTERN] = ".extern",
                                        [PTX_LINKAGE_WEAK] = ".weak",
                                        [PTX_LINKAGE_COMMON] = ".common"};
    for (size_t i = PTX_LINKAGE_NONE + 1; i < sizeof words / sizeof *words; i++)
        if (ptx_accept_word(parser, words[i]))
            return (enum ptx_linkage)i;
    return PTX_LINKAGE_NONE;
}

static bool parse_section(struct ptx_parser *parser)
{
    ptx_lexer_next(&parser->lexer);
    ptx_lexer_next(&parser->lexer);
    return ptx_is(parser, '{') ? ptx_skip_group(parser, '{', '}')
                               : ptx_lexer_fail(&parser->lexer, "a section's content in braces is expected here");
}

static bool parse_directive(struct ptx_parser *parser)
{
    struct ptx_token *token = ptx_token(parser);
    if (token->kind != PTX_TOKEN_WORD || token->text[0] != '.')
        return ptx_lexer_fail(&parser->lexer, "a directive (.entry, .global, …) is expected here, not `%.*s`",
                              ptx_shown(token), token->text);
    if (ptx_is_word(parser, ".version"))
        return parse_version(parser);
    if (ptx_is_word(parser, ".target"))
        return parse_target(parser);
    if (ptx_is_word(parser, ".address_size"))
        return parse_address_size(parser);
    if (!parser->versioned)
        return ptx_lexer_fail(&parser->lexer, "a PTX module begins with .version, not `%.*s`", ptx_shown(token),
                              token->text);
    if (ptx_is_word(parser, ".file"))
        return ptx_parse_source_file(parser);
    if (ptx_is_word(parser, ".section"))
        return parse_section(parser);
    if (ptx_is_word(parser, ".pragma"))
        return ptx_parse_pragma(parser);
    if (!parser->targeted)
        return ptx_lexer_fail(&parser->lexer, "a PTX module names its .target before `%.*s`", ptx_shown(token),
                              token->text);
    enum ptx_linkage linkage = parse_linkage(parser);
    if (ptx_is_word(parser, ".entry") || ptx_is_word(parser, ".func"))
        return parse_function(parser, linkage);
    enum execute_space space = ptx_space_word(parser);
    if (space == EXECUTE_SPACE_GLOBAL || space == EXECUTE_SPACE_CONST || space == EXECUTE_SPACE_SHARED)
        return ptx_parse_variables(parser, linkage, false);
    return ptx_lexer_fail(&parser->lexer, "`%.*s` is not supported here", ptx_shown(token), token->text);
}

/* The end of a module's text: names that are its own are forgotten. */
static void forget_own(struct ptx_parser *parser)
{
    const struct ptx_binding *bindings = parser->bindings.items;
    struct ptx_name *names = parser->module->names.items;
    for (uint32_t i = 0; i < parser->bindings.count; i++) {
        uint8_t linkage = PTX_LINKAGE_NONE;
        if (bindings[i].kind == PTX_BOUND_FUNCTION)
            linkage = ptx_function_at(parser->module, bindings[i].index)->linkage;
        else if (bindings[i].kind == PTX_BOUND_VARIABLE)
            linkage = ptx_variable_at(parser->module, bindings[i].index)->linkage;
        if (linkage == PTX_LINKAGE_NONE)
            names[bindings[i].name].binding = PTX_NONE;
    }
}

static bool parse_text(struct ptx_parser *parser, const struct execute_text *text, uint32_t line,
                       struct mnp_error *error)
{
    const char *name = parser->module->source_name;
    uint32_t first_line = parser->module->source_lines.count;
    parser->versioned = parser->targeted = false;
    ptx_lexer_open(&parser->lexer, name, text->text, text->length, line, error);
    while (parser->lexer.token.kind != PTX_TOKEN_END)
        if (!parse_directive(parser))
            return false;
    forget_own(parser);
    ptx_name_source_files(parser, first_line);
    return parser->versioned || mnp_fail(error, "%s: there is no PTX in it: .version is missing", name);
}

struct ptx_module *ptx_module_link(const char *name, const struct execute_text *texts, uint32_t count,
                                   struct mnp_error *error)
{
    struct ptx_parser parser = {.module = mnp_allocate(1, sizeof *parser.module), .function = PTX_NONE};
    struct ptx_module *module = parser.module;
    uint64_t bytes = 0;
    uint32_t line = 1;
    module->source_name = strdup(name);
    for (uint32_t i = 0; i < count; i++)
        bytes += texts[i].length < UINT32_MAX ? texts[i].length : UINT32_MAX;
    bool good = bytes < UINT32_MAX / 4 || mnp_fail(error, "%s: more than 1 GiB of PTX", name);
    for (uint32_t i = 0; good && i < count; i++) {
        good = parse_text(&parser, &texts[i], line, error);
        line = parser.lexer.line + 1;
    }
    free(parser.bindings.items);
    free(parser.fixups.items);
    free(parser.pending.items);
    free(parser.files.items);
    if (good)
        return module;
    ptx_module_free(module);
    return NULL;
}

struct ptx_module *ptx_module_parse(const char *name, const char *text, size_t length, struct mnp_error *error)
{
    return ptx_module_link(name, &(struct execute_text){text, length}, 1, error);
}
