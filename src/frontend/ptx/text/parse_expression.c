/* SPDX-License-Identifier: BSD-3-Clause */
/* Constant expressions (ISA 9.0, section 4.5): 64-bit integers with operators of C, or one floating-point number. */
#include "frontend/ptx/text/parser.h"

#include <string.h>

static bool parse_level(struct ptx_parser *parser, int level, unsigned depth, uint64_t *value);

static bool parse_unary(struct ptx_parser *parser, unsigned depth, uint64_t *value)
{
    struct ptx_token *token = ptx_token(parser);
    if (depth > PTX_MAX_DEPTH)
        return ptx_lexer_fail(&parser->lexer, "this expression is nested too deeply");
    if (ptx_accept(parser, '-')) {
        if (!parse_unary(parser, depth + 1, value))
            return false;
        *value = -*value;
        return true;
    }
    if (ptx_accept(parser, '+'))
        return parse_unary(parser, depth + 1, value);
    if (ptx_accept(parser, '~')) {
        if (!parse_unary(parser, depth + 1, value))
            return false;
        *value = ~*value;
        return true;
    }
    if (ptx_accept(parser, '!')) {
        if (!parse_unary(parser, depth + 1, value))
            return false;
        *value = !*value;
        return true;
    }
    if (ptx_accept(parser, '('))
        return parse_level(parser, 0, depth + 1, value) && ptx_expect(parser, ')', "at the end of the expression");
    if (token->kind == PTX_TOKEN_WORD && ptx_accept_word(parser, "WARP_SZ")) {
        *value = 32;
        return true;
    }
    if (token->kind != PTX_TOKEN_INTEGER)
        return ptx_lexer_fail(&parser->lexer, "a constant is expected here, not `%.*s`", (int)token->length,
                              token->text);
    *value = token->value;
    ptx_lexer_next(&parser->lexer);
    return true;
}

static bool apply(struct ptx_parser *parser, char operator, uint64_t right, uint64_t *value)
{
    switch (operator) {
    case '+':
        *value += right;
        return true;
    case '-':
        *value -= right;
        return true;
    case '*':
        *value *= right;
        return true;
    case '&':
        *value &= right;
        return true;
    case '^':
        *value ^= right;
        return true;
    default:
        if (right == 0)
            return ptx_lexer_fail(&parser->lexer, "this constant expression divides by zero");
        *value = (int64_t)right == -1 ? -*value : (uint64_t)((int64_t)*value / (int64_t)right);
        return true;
    }
}

/* Levels of precedence: 0 ^, 1 &, 2 + -, 3 * /. */
static bool parse_level(struct ptx_parser *parser, int level, unsigned depth, uint64_t *value)
{
    static const char *const operators[] = {"^", "&", "+-", "*/"};
    if (level == 4)
        return parse_unary(parser, depth, value);
    if (!parse_level(parser, level + 1, depth, value))
        return false;
    while (ptx_token(parser)->kind == PTX_TOKEN_PUNCTUATION &&
           strchr(operators[level], ptx_token(parser)->punctuation)) {
        char operator= ptx_token(parser)->punctuation;
        uint64_t right;
        ptx_lexer_next(&parser->lexer);
        if (!parse_level(parser, level + 1, depth, &right) || !apply(parser, operator, right, value))
            return false;
    }
    return true;
}

bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_operand *operand)
{
    struct ptx_token *token = ptx_token(parser);
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .count = 1};
    bool negative = false;
    if (ptx_is(parser, '-')) { /* negation of a floating-point number: flips its sign bit */
        struct ptx_lexer ahead = parser->lexer;
        ptx_lexer_next(&ahead);
        negative = ahead.token.kind == PTX_TOKEN_FLOAT || ahead.token.kind == PTX_TOKEN_SINGLE;
        if (negative)
            ptx_lexer_next(&parser->lexer);
    }
    if (token->kind == PTX_TOKEN_FLOAT || token->kind == PTX_TOKEN_SINGLE) {
        bool single = token->kind == PTX_TOKEN_SINGLE;
        operand->kind = single ? PTX_OPERAND_SINGLE : PTX_OPERAND_DOUBLE;
        operand->value = token->value ^ (negative ? (single ? UINT64_C(1) << 31 : UINT64_C(1) << 63) : 0);
        ptx_lexer_next(&parser->lexer);
        return true;
    }
    return parse_level(parser, 0, 0, &operand->value);
}
