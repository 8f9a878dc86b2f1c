/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of reports in a terminal of 80 columns, or of as many as COLUMNS says: paragraphs become wider and narrower,
 * columns of names wider. */
#ifndef MNP_RESULTS_LAYOUT_H
#define MNP_RESULTS_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

enum { RESULTS_REPORT_LINE = 80 };

/* Writes a text behind a label, in lines that end between words. */
void results_report_paragraph(const char *label, const char *text, FILE *out);

/* A text that takes at most `width` bytes, without what would steer a terminal: a longer one keeps its beginning and
 * its end. `fitted` has room for width + 1 bytes, and is returned. */
const char *results_report_fit(const char *text, char *fitted, size_t width);

/* The same, but a longer text keeps its beginning alone, as an instruction its opcode and first operands. */
const char *results_report_begin(const char *text, char *fitted, size_t width);

/* A kernel's name, as its source spells it, without parameters, in at most `width` bytes: a longer one without
 * namespaces, then shortened in the middle. */
const char *results_report_fit_name(const char *name, char *fitted, size_t width);

/* Place of an instruction: file and line of its source; of PTX without line information the kernel and the line of the
 * PTX; the kernel alone where no line is known. NULL and "": no source. */
const char *results_report_fit_where(const char *source, const char *kernel, char *fitted, size_t width);

/* A verdict's limit: one that is too long without what stands in parentheses. */
const char *results_report_fit_limit(const char *limit, char *fitted, size_t width);

#endif
