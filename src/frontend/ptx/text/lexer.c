/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/text/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ptx_lexer_open(struct ptx_lexer *lexer, const char *name, const char *text, size_t length, uint32_t line,
                    struct mnp_error *error)
{
    *lexer = (struct ptx_lexer){.name = name,
                                .start = text,
                                .next = text,
                                .end = text + length,
                                .line_start = text,
                                .line = line,
                                .error = error};
    ptx_lexer_next(lexer);
}

bool ptx_lexer_fail(struct ptx_lexer *lexer, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct ptx_token *token = &lexer->token;
    return mnp_fail(lexer->error, "%s:%u:%u: %s", lexer->name, token->line, token->column, text);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

/* False: it has no end; the lexer then stays at its beginning. */
static bool skip_comment(struct ptx_lexer *lexer)
{
    struct ptx_lexer start = *lexer;
    for (lexer->next += 2; lexer->end - lexer->next >= 2; lexer->next++) {
        if (lexer->next[0] == '*' && lexer->next[1] == '/') {
            lexer->next += 2;
            return true;
        }
        if (*lexer->next == '\n') {
            lexer->line++;
            lexer->line_start = lexer->next + 1;
        }
    }
    *lexer = start;
    return false;
}

/* False: a comment without an end. */
static bool skip_blanks(struct ptx_lexer *lexer)
{
    while (lexer->next < lexer->end) {
        const char *p = lexer->next;
        size_t left = (size_t)(lexer->end - p);
        if (*p == '\n') {
            lexer->line++;
            lexer->line_start = ++lexer->next;
        } else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\v') {
            lexer->next++;
        } else if (left >= 2 && p[0] == '/' && p[1] == '/') {
            const char *end = memchr(p, '\n', left);
            lexer->next = end ? end : lexer->end;
        } else if (left >= 2 && p[0] == '/' && p[1] == '*') {
            if (!skip_comment(lexer))
                return false;
        } else {
            break;
        }
    }
    return true;
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static const char *scan_digits(const char *p, const char *end, int base, uint64_t *value, bool *too_large)
{
    *value = 0;
    *too_large = false;
    for (; p < end && digit_value(*p) < base; p++) {
        uint64_t product;
        *too_large |= __builtin_mul_overflow(*value, (uint64_t)base, &product);
        *too_large |= __builtin_add_overflow(product, (uint64_t)digit_value(*p), value);
    }
    return p;
}

/* 10^n by exact steps, then one rounding each: good to an ulp or two, and PTX from compilers writes floats in hex. */
static double decimal(uint64_t digits, int exponent)
{
    double value = (double)digits;
    for (; exponent > 0 && value < 1e308; exponent--)
        value *= 10;
    double divisor = 1;
    for (; exponent < 0 && divisor < 1e300; exponent++)
        divisor *= 10;
    return value / divisor;
}

static const char *scan_decimal_float(const char *p, const char *end, uint64_t *bits)
{
    uint64_t digits = 0;
    int exponent = 0;
    bool point = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (digits < UINT64_MAX / 10 - 10) {
            digits = digits * 10 + (uint64_t)(*p - '0');
            exponent -= point;
        } else {
            exponent += !point;
        }
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        bool negative = q < end && *q == '-';
        q += q < end && (*q == '-' || *q == '+');
        uint64_t value;
        bool large;
        const char *after = scan_digits(q, end, 10, &value, &large);
        if (after > q) {
            int step = large || value > 1000 ? 1000 : (int)value;
            exponent += negative ? -step : step;
            p = after;
        }
    }
    double value = decimal(digits, exponent);
    memcpy(bits, &value, sizeof value);
    return p;
}

static bool is_decimal_float(const char *p, const char *end)
{
    while (p < end && is_digit(*p))
        p++;
    return p + 1 < end && ((*p == '.' && is_digit(p[1])) || *p == 'e' || *p == 'E');
}

static bool scan_number(struct ptx_lexer *lexer)
{
    struct ptx_token *token = &lexer->token;
    const char *p = lexer->next, *end = lexer->end, *first = p;
    char second = end - p >= 2 && *p == '0' ? (char)(p[1] | 0x20) : 0;
    bool large = false;
    token->kind = PTX_TOKEN_INTEGER;
    int base = 10;
    if (second == 'f' || second == 'd') {
        unsigned digits = second == 'f' ? 8 : 16;
        token->kind = second == 'f' ? PTX_TOKEN_SINGLE : PTX_TOKEN_FLOAT;
        first = p + 2;
        p = scan_digits(first, end, 16, &token->value, &large);
        if (p - first != digits)
            return ptx_lexer_fail(lexer, "a 0%c constant has %u hexadecimal digits, not %d", second, digits,
                                  (int)(p - first));
    } else if (second == 'x' || second == 'b') {
        base = second == 'x' ? 16 : 2;
        first = p + 2;
        p = scan_digits(first, end, base, &token->value, &large);
    } else if (is_decimal_float(p, end)) {
        token->kind = PTX_TOKEN_FLOAT;
        p = scan_decimal_float(p, end, &token->value);
    } else {
        base = *p == '0' && end - p >= 2 && is_digit(p[1]) ? 8 : 10;
        p = scan_digits(p, end, base, &token->value, &large);
    }
    if (p < end && *p == 'U')
        p++;
    token->length = (uint32_t)(p - token->text);
    if (p == first || (p < end && is_word(*p)))
        return ptx_lexer_fail(lexer, "`%.*s` is not a number", (int)(p - token->text + (p < end)), token->text);
    if (large)
        return ptx_lexer_fail(lexer, "`%.*s` does not fit 64 bits", (int)token->length, token->text);
    lexer->next = p;
    return true;
}

/* Scans an identifier with all suffixes after dots and double colons; but `.reg.b16` is two directives. */
static void scan_word(struct ptx_lexer *lexer, bool directive)
{
    const char *p = lexer->next, *end = lexer->end;
    for (;;) {
        while (p < end && is_word(*p))
            p++;
        if (!directive && end - p >= 2 && *p == '.' && is_word(p[1]))
            p++;
        else if (end - p >= 3 && p[0] == ':' && p[1] == ':' && is_word(p[2]))
            p += 2;
        else
            break;
    }
    lexer->token.kind = PTX_TOKEN_WORD;
    lexer->token.length = (uint32_t)(p - lexer->next);
    lexer->next = p;
}

static bool scan_string(struct ptx_lexer *lexer)
{
    const char *p = lexer->next + 1;
    while (p < lexer->end && *p != '"' && *p != '\n')
        p += *p == '\\' && lexer->end - p >= 2 ? 2 : 1;
    if (p >= lexer->end || *p != '"')
        return ptx_lexer_fail(lexer, "this string has no end on its line; close it with \"");
    lexer->token.kind = PTX_TOKEN_STRING;
    lexer->token.text++;
    lexer->token.length = (uint32_t)(p - lexer->token.text);
    lexer->next = p + 1;
    return true;
}

void ptx_lexer_next(struct ptx_lexer *lexer)
{
    struct ptx_token *token = &lexer->token;
    if (token->kind == PTX_TOKEN_BAD)
        return;
    bool closed = skip_blanks(lexer);
    *token = (struct ptx_token){
        .text = lexer->next, .line = lexer->line, .column = (uint32_t)(lexer->next - lexer->line_start) + 1};
    bool good = closed || ptx_lexer_fail(lexer, "this comment has no end; close it with */");
    if (!good || lexer->next == lexer->end) {
        token->kind = good ? PTX_TOKEN_END : PTX_TOKEN_BAD;
        return;
    }
    char c = *lexer->next;
    bool dotted = c == '.' && lexer->end - lexer->next >= 2 && is_word(lexer->next[1]);
    if (is_digit(c)) {
        good = scan_number(lexer);
    } else if (is_letter(c) || dotted) {
        lexer->next += dotted;
        scan_word(lexer, dotted);
        token->length += dotted;
    } else if (c == '"') {
        good = scan_string(lexer);
    } else if (strchr("{}()[]<>,;:@!|=+-*/&^~?.", c)) {
        token->kind = PTX_TOKEN_PUNCTUATION;
        token->punctuation = c;
        token->length = 1;
        lexer->next++;
    } else {
        good = ptx_lexer_fail(lexer, "byte %#x does not belong in PTX", (unsigned char)c);
    }
    if (!good)
        token->kind = PTX_TOKEN_BAD;
}

void ptx_lexer_skip_line(struct ptx_lexer *lexer)
{
    if (lexer->token.kind == PTX_TOKEN_BAD || lexer->token.kind == PTX_TOKEN_END)
        return;
    const char *end = memchr(lexer->next, '\n', (size_t)(lexer->end - lexer->next));
    lexer->next = lexer->line == lexer->token.line ? (end ? end : lexer->end) : lexer->next;
    ptx_lexer_next(lexer);
}
