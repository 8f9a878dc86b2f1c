/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing of foreign text: names of kernels, files, machines, columns of a database. There is one pair of functions
 * for each output language. Every text printed by %s is escaped as that language requires, so that it cannot control a
 * terminal, end a cell or start a script. The format string itself is trusted and not escaped. tests/style/foreign.py
 * finds writers that do not use these functions.
 *
 *   text      control characters, bidirectional controls and invalid UTF-8 become \xNN
 *   html      also for SVG and XML: markup becomes entities; characters that such a page may not contain become U+FFFD
 *   markdown  in a line or a cell of a table: markup gets a backslash or becomes an entity, newlines become spaces
 *   csv       a field, in quotes if necessary
 *
 * Formats support the conversions s, c, d, i, u, x, X, f, e, g and % with flags, width and precision. The precision of
 * %s counts bytes before escaping, the width counts bytes after escaping. Like those of stdio, the printers return the
 * number of bytes written.
 */
#ifndef MNP_BASE_PRINT_H
#define MNP_BASE_PRINT_H

#include <stdio.h>

void mnp_put_text(const char *text, FILE *out);
void mnp_put_lines(const char *text, FILE *out); /* like mnp_put_text, but keeps newlines */
void mnp_put_html(const char *text, FILE *out);
void mnp_put_markdown(const char *text, FILE *out);
void mnp_put_csv(const char *text, FILE *out);

/* Writes a word for a shell, in single quotes if it needs them. */
void mnp_put_shell(const char *text, FILE *out);
/* Returns a word for a shell as text, which must still be escaped for the output language. The caller frees it. */
char *mnp_shell_word(const char *text);

/* Writes code in Markdown, between as many backticks as it needs. */
void mnp_put_code(const char *text, FILE *out);

int mnp_print_text(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mnp_print_html(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mnp_print_markdown(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mnp_print_csv(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Columns of the terminal, as the variable COLUMNS of the environment states them; `usual` where it states no number
 * from `least` to 1000. */
int mnp_terminal_columns(int least, int usual);

#endif
