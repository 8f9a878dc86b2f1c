/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interface of the parser: its state, scopes of names, and functions shared by its files. */
#ifndef FRONTEND_PTX_TEXT_PARSER_H
#define FRONTEND_PTX_TEXT_PARSER_H

#include "frontend/ptx/text/lexer.h"
#include "frontend/ptx/text/module.h"

enum ptx_bound {
    PTX_BOUND_REGISTER,
    PTX_BOUND_RANGE,
    PTX_BOUND_VARIABLE,
    PTX_BOUND_FUNCTION,
    PTX_BOUND_LABEL,
    PTX_BOUND_LIST
};

/* The meaning of a name in a scope. */
struct ptx_binding {
    uint32_t name;
    uint32_t hidden; /* binding of the same name in an outer scope */
    /* index of the register, first register, variable, …; registers are numbered within their function */
    uint32_t index;
    uint32_t count; /* PTX_BOUND_RANGE: registers; PTX_BOUND_REGISTER: elements of a vector */
    uint8_t kind;
    uint8_t type;
};

/* An operand with a name that is not declared yet, most likely a label. */
struct ptx_fixup {
    uint32_t name;
    uint32_t operand; /* index in module.operands; for a list, in module.list_items */
    uint32_t depth;   /* depth of its scope */
    uint32_t line, column;
    bool in_list;
};

enum { PTX_MAX_DEPTH = 64 };

struct ptx_parser {
    struct ptx_lexer lexer;
    struct ptx_module *module;
    struct mnp_array bindings; /* struct ptx_binding */
    struct mnp_array fixups;   /* struct ptx_fixup */
    struct mnp_array pending;  /* struct ptx_operand: elements of the vector being read */
    struct mnp_array files;    /* struct ptx_source_file: of the present text */
    uint32_t source;           /* source line of the following statements: index in module.source_lines, or PTX_NONE */
    bool versioned;            /* .version of the present text has been read */
    bool targeted;             /* the text has had its .target directive */
    uint32_t version;          /* PTX version of the current text, for example 78 */
    uint32_t scope;            /* bindings when the present scope of a function began */
    uint32_t function;         /* being read, or PTX_NONE */
    uint32_t depth;
    bool nounroll; /* .pragma "nounroll" has been read, and no statement behind it */
};

static inline struct ptx_token *ptx_token(struct ptx_parser *parser)
{
    return &parser->lexer.token;
}

/* Characters of a token that messages show. */
static inline int ptx_shown(const struct ptx_token *token)
{
    return token->length < 60 ? (int)token->length : 60;
}

/* ===== parse_token.c ===== */
bool ptx_is(struct ptx_parser *parser, char punctuation);
bool ptx_is_word(struct ptx_parser *parser, const char *word);
bool ptx_accept(struct ptx_parser *parser, char punctuation);
bool ptx_accept_word(struct ptx_parser *parser, const char *word);
bool ptx_expect(struct ptx_parser *parser, char punctuation, const char *where);
/* Takes the current token as a name; returns false with an error that states what was expected. */
bool ptx_take_name(struct ptx_parser *parser, uint32_t *name, const char *what);
bool ptx_take_number(struct ptx_parser *parser, uint64_t greatest, uint64_t *value, const char *what);
bool ptx_skip_group(struct ptx_parser *parser, char open, char close);

/* ===== parse_scope.c ===== */
struct ptx_binding *ptx_bind(struct ptx_parser *parser, uint32_t name, enum ptx_bound kind, uint32_t index);
/* The same in a function, for a name that the present scope must not have; NULL: it has, an error. `kind`: a range and
 * another thing may share a name. */
struct ptx_binding *ptx_bind_new(struct ptx_parser *parser, uint32_t name, enum ptx_bound kind, uint32_t index);
const struct ptx_binding *ptx_bound(struct ptx_parser *parser, uint32_t name);
bool ptx_scope_close(struct ptx_parser *parser, uint32_t first_binding);
/* The register that a word names, as an operand (a vector register becomes a vector). False: none. */
bool ptx_register_named(struct ptx_parser *parser, const char *text, uint32_t length, struct ptx_operand *operand);
/* `%r1.b2`: bytes or halves of a register. */
bool ptx_part_named(struct ptx_parser *parser, const char *text, uint32_t length, struct ptx_operand *operand);
bool ptx_special_named(const char *text, uint32_t length, uint32_t *special);

/* ===== parse_data.c ===== */
/* Parses `.space … name = …, name …;` beginning at the current token. */
bool ptx_parse_variables(struct ptx_parser *parser, enum ptx_linkage linkage, bool parameter);
bool ptx_parse_registers(struct ptx_parser *parser);
enum execute_space ptx_space_word(struct ptx_parser *parser);

/* ===== parse_expression.c ===== */
/* A constant expression of integers, or one floating-point number. */
bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_operand *operand);

/* ===== parse_source.c ===== */
/* Parses `.pragma "name", …;`. Pragmas have no effect here, except `nounroll`, for the
 * statement behind it, and one of our own. */
bool ptx_parse_pragma(struct ptx_parser *parser);
/* Parses `.file` or `.loc` beginning at the current token. */
bool ptx_parse_source_file(struct ptx_parser *parser);
bool ptx_parse_source_line(struct ptx_parser *parser);
/* At the end of a text, whose source lines begin at `first`: replaces file numbers by names. */
void ptx_name_source_files(struct ptx_parser *parser, uint32_t first);

/* ===== parse_body.c ===== */
bool ptx_parse_body(struct ptx_parser *parser);

#endif
