/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/print.h"

#include "base/allocate.h"
#include "base/error.h"
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ===== one text ===== */

void mnp_put_text(const char *text, FILE *out)
{
    size_t room = 4 * strlen(text) + 1;
    char *escaped = mnp_allocate(room, 1);
    fputs(mnp_escape(escaped, room, text), out);
    free(escaped);
}

void mnp_put_lines(const char *text, FILE *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        mnp_put_text(line, out);
        free(line);
        text += length;
        if (*text == '\n')
            putc(*text++, out);
    }
}

/* Writes a printable character, or U+FFFD for one that no page may contain. Returns its length in bytes. */
static size_t put_character(const char *at, FILE *out)
{
    size_t steering = *at == '\t' || *at == '\n' ? 0 : mnp_steering_bytes(at);
    if (steering) {
        fputs("\xef\xbf\xbd", out);
        return steering;
    }
    size_t length = mnp_utf8_length(at);
    fwrite(at, 1, length, out);
    return length;
}

static const char *entity(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

enum { MOST_ON_PAGE = 1000 }; /* texts are truncated to so many bytes */

void mnp_put_html(const char *text, FILE *out)
{
    for (const char *start = text; *text;) {
        if (text - start >= MOST_ON_PAGE) {
            fputs("\xe2\x80\xa6", out);
            return;
        }
        const char *name = entity(*text);
        if (name)
            fputs(name, out);
        text += name ? 1 : put_character(text, out);
    }
}

/* Whether an underscore is markup; inside a word it is not. */
static bool is_markup(const char *start, const char *at)
{
    if (*at == '_')
        return at == start || !isalnum((unsigned char)at[-1]) || !isalnum((unsigned char)at[1]);
    return strchr("\\`*[]|~!#", *at);
}

void mnp_put_markdown(const char *text, FILE *out)
{
    for (const char *start = text; *text;) {
        const char *name = *text == '"' || *text == '\'' ? NULL : entity(*text);
        if (name) {
            fputs(name, out);
            text++;
        } else if (strchr("\n\r\t", *text)) {
            putc(' ', out);
            text++;
        } else {
            if (is_markup(start, text))
                putc('\\', out);
            text += put_character(text, out);
        }
    }
}

void mnp_put_code(const char *text, FILE *out)
{
    size_t most = 0;
    for (const char *at = text; *at; at++) {
        size_t run = strspn(at, "`");
        most = run > most ? run : most;
    }
    bool apart = *text == '`' || (*text && text[strlen(text) - 1] == '`');
    for (size_t i = 0; i <= most; i++)
        putc('`', out);
    fputs(apart ? " " : "", out);
    while (*text) {
        if (strchr("\n\r\t", *text)) {
            putc(' ', out);
            text++;
        } else {
            text += put_character(text, out);
        }
    }
    fputs(apart ? " " : "", out);
    for (size_t i = 0; i <= most; i++)
        putc('`', out);
}

void mnp_put_csv(const char *text, FILE *out)
{
    bool plain = !text[strcspn(text, ",\"\r\n")];
    if (!plain)
        putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    if (!plain)
        putc('"', out);
}

void mnp_put_shell(const char *text, FILE *out)
{
    if (*text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-")]) {
        fputs(text, out);
        return;
    }
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    }
    putc('\'', out);
}

char *mnp_shell_word(const char *text)
{
    char *word = NULL;
    size_t length;
    FILE *out = open_memstream(&word, &length);
    MNP_NEED_MEMORY(out, "a word");
    mnp_put_shell(text, out);
    fclose(out);
    return word;
}

/* ===== formats ===== */

typedef void put_function(const char *text, FILE *out);

/* A parsed conversion specification of a format. */
struct conversion {
    char flags[8];
    int width, precision; /* precision -1: none */
    unsigned longs;       /* 1: long; 2: long long */
    char letter;
};

/* Parses a width or precision: digits, or `*` for an argument. */
static const char *take_number(const char *at, int *number, va_list *arguments)
{
    if (*at == '*') {
        *number = va_arg(*arguments, int);
        return at + 1;
    }
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        *number = 10 * *number + (*at - '0');
    return at;
}

/* Parses a conversion, with `at` behind its percent sign. Returns the position behind the conversion. */
static const char *take_conversion(const char *at, struct conversion *c, va_list *arguments)
{
    size_t flags = strspn(at, "-+ #0");
    MNP_REQUIRE(flags < sizeof c->flags, "a format with %zu flags", flags);
    *c = (struct conversion){.precision = -1};
    memcpy(c->flags, at, flags);
    at = take_number(at + flags, &c->width, arguments);
    if (*at == '.')
        at = take_number(at + 1, &c->precision, arguments);
    for (; *at == 'l' || *at == 'z'; at++)
        c->longs++;
    c->letter = *at;
    return at + 1;
}

static size_t pad(const struct conversion *c, size_t written, FILE *out)
{
    for (; written < (size_t)abs(c->width); written++)
        putc(' ', out);
    return written;
}

/* Returns what `put` writes of a text, in memory to be freed. */
static char *written_by(put_function *put, const char *text, size_t *length)
{
    char *written = NULL;
    if (put == mnp_put_text) { /* without a stream, whose buffer costs more than the text */
        size_t room = 4 * strlen(text) + 1;
        written = mnp_allocate(room, 1);
        mnp_escape(written, room, text);
        *length = strlen(written);
        return written;
    }
    FILE *out = open_memstream(&written, length);
    MNP_NEED_MEMORY(out, "a text");
    put(text, out);
    fclose(out);
    return written;
}

/* Prints a text and its padding. Returns their length. */
static size_t print_string(put_function *put, const struct conversion *c, const char *text, FILE *out)
{
    char *cut = c->precision >= 0 ? strndup(text, (size_t)c->precision) : NULL;
    size_t length = 0, padded = 0;
    char *escaped = written_by(put, cut ? cut : text, &length);
    bool left = c->width < 0 || strchr(c->flags, '-');
    if (!left)
        padded = pad(c, length, out);
    fwrite(escaped, 1, length, out);
    if (left)
        padded = pad(c, length, out);
    free(escaped);
    free(cut);
    return padded;
}

/* Prints a number by building a format with only this conversion. Returns its length. */
static size_t print_number(const struct conversion *c, va_list *arguments, FILE *out)
{
    char format[24];
    bool real = strchr("feg", c->letter);
    int length;
    snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, real ? "" : "j", c->letter);
    if (real)
        length = fprintf(out, format, c->width, c->precision, va_arg(*arguments, double));
    else if (strchr("di", c->letter))
        length = fprintf(out, format, c->width, c->precision,
                         c->longs > 1    ? (intmax_t)va_arg(*arguments, long long)
                         : c->longs == 1 ? (intmax_t)va_arg(*arguments, long)
                                         : (intmax_t)va_arg(*arguments, int));
    else
        length = fprintf(out, format, c->width, c->precision,
                         c->longs > 1    ? (uintmax_t)va_arg(*arguments, unsigned long long)
                         : c->longs == 1 ? (uintmax_t)va_arg(*arguments, unsigned long)
                                         : (uintmax_t)va_arg(*arguments, unsigned));
    return length > 0 ? (size_t)length : 0;
}

/* Prints one conversion. Returns its length. */
static size_t print_one(put_function *put, const struct conversion *c, va_list *arguments, FILE *out)
{
    if (c->letter == 'c')
        return print_string(put, c, (char[]){(char)va_arg(*arguments, int), 0}, out);
    if (c->letter == 's')
        return print_string(put, c, va_arg(*arguments, const char *), out);
    if (c->letter == '%')
        return putc('%', out) != EOF;
    if (!c->letter || !strchr("diuxXfeg", c->letter))
        mnp_bug(__FILE__, __LINE__, "a format with %%%c", c->letter);
    return print_number(c, arguments, out);
}

static size_t print_all(put_function *put, FILE *out, const char *format, va_list *arguments)
{
    size_t length = 0;
    while (*format) {
        size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, out);
        length += plain;
        format += plain;
        if (!*format)
            break;
        struct conversion c;
        format = take_conversion(format + 1, &c, arguments);
        length += print_one(put, &c, arguments, out);
    }
    return length;
}

/* A message is written to standard error in one piece, as other processes write there, too. */
static int print(put_function *put, FILE *out, const char *format, va_list *arguments)
{
    if (out != stderr)
        return (int)print_all(put, out, format, arguments);
    char *text = NULL;
    size_t length = 0;
    FILE *room = open_memstream(&text, &length);
    MNP_NEED_MEMORY(room, "a text");
    print_all(put, room, format, arguments);
    fclose(room);
    fwrite(text, 1, length, out);
    free(text);
    return (int)length;
}

#define PRINTER(function, put)                                                                                         \
    int function(FILE *out, const char *format, ...)                                                                   \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        int written = print(put, out, format, &arguments);                                                             \
        va_end(arguments);                                                                                             \
        return written;                                                                                                \
    }

PRINTER(mnp_print_text, mnp_put_text)
PRINTER(mnp_print_html, mnp_put_html)
PRINTER(mnp_print_markdown, mnp_put_markdown)
PRINTER(mnp_print_csv, mnp_put_csv)

int mnp_terminal_columns(int least, int usual)
{
    enum { MOST = 1000 };
    const char *stated = getenv("COLUMNS");
    char *end = NULL;
    long columns = stated ? strtol(stated, &end, 10) : 0;
    return stated && *stated && !*end && columns >= least && columns <= MOST ? (int)columns : usual;
}
