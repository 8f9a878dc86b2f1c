/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing texts of others: names of kernels, files, machines, columns of a database. One pair of functions for each
 * output language; every text that a %s stands for is escaped as that language needs it, so that none can steer a
 * terminal, end a cell or begin a script. The format itself is ours, and is written as it is. tests/style/foreign.py
 * finds a writer that does not use them.
 *
 *   text      control characters, directions of writing and bytes that are no UTF-8 become \xNN
 *   html      also for SVG and XML: markup becomes entities; what such a page may not contain, U+FFFD
 *   markdown  in a line or a cell of a table: markup gets a backslash or becomes an entity, newlines become spaces
 *   csv       a field, in quotes where it needs them
 *
 * Formats have the conversions s, c, d, i, u, x, X, f, e, g and % with flags, width and precision. A precision of %s
 * counts bytes of the text before it is escaped, and a width bytes of what is written. As those of stdio, the printers
 * return how many bytes they have written.
 */
#ifndef MNP_BASE_PRINT_H
#define MNP_BASE_PRINT_H

#include <stdio.h>

void mnp_put_text(const char *text, FILE *out);
void mnp_put_lines(const char *text, FILE *out); /* the same, but newlines stay */
void mnp_put_html(const char *text, FILE *out);
void mnp_put_markdown(const char *text, FILE *out);
void mnp_put_csv(const char *text, FILE *out);

/* A word for a shell: in single quotes, unless it needs none. */
void mnp_put_shell(const char *text, FILE *out);
/* The same as a text, to be shown: another language's escapes are still due. To be freed. */
char *mnp_shell_word(const char *text);

/* A piece of code in Markdown, between as many backticks as it needs. */
void mnp_put_code(const char *text, FILE *out);

int mnp_print_text(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mnp_print_html(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mnp_print_markdown(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mnp_print_csv(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
