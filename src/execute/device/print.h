/* SPDX-License-Identifier: BSD-3-Clause */
/* Device printf: a format and its arguments, in the simulated memory, as text (CUDA C++ Programming Guide, "Formatted
 * output"). */
#ifndef EXECUTE_PRINT_H
#define EXECUTE_PRINT_H

#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execute_warp;

/* Appends the output of a lane to `text`, an array of char without a terminating zero. Returns the result of the lane's
 * call: the number of arguments that the format names, or -1 if the format is NULL. After a fault, `text` is
 * incomplete. */
int32_t execute_print(struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments,
                      struct mnp_array *text);

/* A text of the program's, with a zero byte behind it; it ends where it cannot be read. */
void execute_read_text(struct execute_warp *warp, uint32_t lane, uint64_t address, char *text, size_t size);

#endif
