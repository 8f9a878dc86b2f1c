/* SPDX-License-Identifier: BSD-3-Clause */
/* Inspection of the current token, and functions that take an expected token. */
#include "frontend/ptx/text/parser.h"

#include <string.h>

bool ptx_is(struct ptx_parser *parser, char punctuation)
{
    const struct ptx_token *token = ptx_token(parser);
    return token->kind == PTX_TOKEN_PUNCTUATION && token->punctuation == punctuation;
}

bool ptx_is_word(struct ptx_parser *parser, const char *word)
{
    const struct ptx_token *token = ptx_token(parser);
    return token->kind == PTX_TOKEN_WORD && strlen(word) == token->length &&
           memcmp(word, token->text, token->length) == 0;
}

bool ptx_accept(struct ptx_parser *parser, char punctuation)
{
    bool is = ptx_is(parser, punctuation);
    if (is)
        ptx_lexer_next(&parser->lexer);
    return is;
}

bool ptx_accept_word(struct ptx_parser *parser, const char *word)
{
    bool is = ptx_is_word(parser, word);
    if (is)
        ptx_lexer_next(&parser->lexer);
    return is;
}

bool ptx_expect(struct ptx_parser *parser, char punctuation, const char *where)
{
    const struct ptx_token *token = ptx_token(parser);
    if (ptx_accept(parser, punctuation))
        return true;
    if (token->kind == PTX_TOKEN_END)
        return ptx_lexer_fail(&parser->lexer, "the text ends where `%c` is expected %s; is it truncated?", punctuation,
                              where);
    return ptx_lexer_fail(&parser->lexer, "`%c` is expected %s, not `%.*s`", punctuation, where, ptx_shown(token),
                          token->text);
}

bool ptx_take_name(struct ptx_parser *parser, uint32_t *name, const char *what)
{
    const struct ptx_token *token = ptx_token(parser);
    if (token->kind != PTX_TOKEN_WORD || token->text[0] == '.')
        return ptx_lexer_fail(&parser->lexer, "%s is expected here, not `%.*s`", what, ptx_shown(token), token->text);
    *name = ptx_name_of(parser->module, token->text, token->length);
    ptx_lexer_next(&parser->lexer);
    return true;
}

bool ptx_take_number(struct ptx_parser *parser, uint64_t greatest, uint64_t *value, const char *what)
{
    const struct ptx_token *token = ptx_token(parser);
    if (token->kind != PTX_TOKEN_INTEGER)
        return ptx_lexer_fail(&parser->lexer, "%s is expected here, not `%.*s`", what, ptx_shown(token), token->text);
    if (token->value > greatest)
        return ptx_lexer_fail(&parser->lexer, "%s is at most %lu", what, (unsigned long)greatest);
    *value = token->value;
    ptx_lexer_next(&parser->lexer);
    return true;
}

bool ptx_skip_group(struct ptx_parser *parser, char open, char close)
{
    uint32_t depth = 0;
    do {
        const struct ptx_token *token = ptx_token(parser);
        if (token->kind == PTX_TOKEN_BAD)
            return false;
        if (token->kind == PTX_TOKEN_END)
            return ptx_lexer_fail(&parser->lexer, "the text ends before `%c`; is it truncated?", close);
        depth += ptx_is(parser, open);
        depth -= ptx_is(parser, close);
        ptx_lexer_next(&parser->lexer);
    } while (depth);
    return true;
}
