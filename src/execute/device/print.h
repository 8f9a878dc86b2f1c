/* SPDX-License-Identifier: BSD-3-Clause */
/* Device printf: a format and its arguments, in the simulated memory, as text. */
#ifndef EXECUTE_PRINT_H
#define EXECUTE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execute_warp;

/* Writes what a lane prints into `text`, which ends with a zero byte; returns its whole length, or -1 after a fault. */
int64_t execute_print(struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments, char *text,
                      size_t size);

/* One number by a conversion's flags and widths (`prefix`, beginning with '%', without length letters). */
void execute_format_number(char *out, size_t size, const char *prefix, size_t length, char letter, unsigned bytes,
                           uint64_t value, bool real, bool number);
/* A width as digits; returns how many. */
size_t execute_format_width(char *out, size_t size, int32_t width);

#endif
