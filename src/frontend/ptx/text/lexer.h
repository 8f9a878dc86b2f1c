/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tokens of PTX text. A word includes its suffixes: `add.rn.f32`, `%tid.x`, `.global`, `ld.global.L2::128B` are one
 * token each, so that an instruction's full name is one string.
 */
#ifndef FRONTEND_PTX_TEXT_LEXER_H
#define FRONTEND_PTX_TEXT_LEXER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,    /* identifier, opcode, directive or special register */
    PTX_TOKEN_INTEGER, /* value: the number */
    PTX_TOKEN_FLOAT,   /* value: bits of a double; 0f… constants are PTX_TOKEN_SINGLE */
    PTX_TOKEN_SINGLE,  /* value: bits of a float */
    PTX_TOKEN_STRING,  /* text between the quotes */
    PTX_TOKEN_PUNCTUATION,
    PTX_TOKEN_BAD, /* the error has been recorded */
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *text; /* inside the source */
    uint32_t length;
    uint32_t line, column; /* from 1 */
    uint64_t value;
    char punctuation;
};

struct ptx_lexer {
    const char *name; /* name of the source, for messages */
    const char *start, *next, *end;
    const char *line_start;
    uint32_t line;
    struct ptx_token token; /* the present one */
    struct mnp_error *error;
};

/* Begins at the first token. `text` need not end with a zero byte; `line` is the number of its first line. */
void ptx_lexer_open(struct ptx_lexer *lexer, const char *name, const char *text, size_t length, uint32_t line,
                    struct mnp_error *error);

/* Goes to the next token. */
void ptx_lexer_next(struct ptx_lexer *lexer);

/* Skips the rest of the present token's line. */
void ptx_lexer_skip_line(struct ptx_lexer *lexer);

/* Records an error at the current token ("file:line:column: …"), and returns false. */
bool ptx_lexer_fail(struct ptx_lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
