/* SPDX-License-Identifier: BSD-3-Clause */
/* Which launches are wanted: a list of numbers from 1 on, ranges, every n-th one, names, what lies between two names,
 * and what a program marks. */
#ifndef MNP_CONTRACT_SELECTION_H
#define MNP_CONTRACT_SELECTION_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct mnp_selection;

/* `text`: "3", "3-7", "every:10" (1, 11, 21 …), "name:REGEX" (an extended regular expression, found in the kernel's
 * name, as it is or as C++ writes it), "from:REGEX to:REGEX" (from a launch of the first name to the next one of the
 * second, both included, as often as that comes; without " to:…" to the end), "profiler" (between a program's
 * cudaProfilerStart and Stop), "nvtx:REGEX" (inside a range of NVTX whose name has the expression in it), or several of
 * them with commas between them. NULL: an error. */
struct mnp_selection *mnp_selection_read(const char *text, struct mnp_error *error);
void mnp_selection_free(struct mnp_selection *selection); /* may be NULL */

/* A launch has been made: those that are not told of in their order are not seen to begin or end what lies between two
 * names. Told of again, it changes nothing. */
void mnp_selection_meet(struct mnp_selection *selection, uint32_t launch, const char *name);

/* Whether a launch, which has been told of, is wanted. `name` NULL: it is not known yet; then whether it could be. */
bool mnp_selection_has(const struct mnp_selection *selection, uint32_t launch, const char *name);
/* Whether launches are wanted that a program makes inside a range of NVTX; `range` NULL: between the profiler's start
 * and stop. */
bool mnp_selection_has_range(const struct mnp_selection *selection, const char *range);
/* Whether the list has such items at all, of NVTX alone or of both. */
bool mnp_selection_needs_ranges(const struct mnp_selection *selection, bool named);
/* The largest number that the list states as a launch or the beginning of a range; 0: none. */
uint32_t mnp_selection_last(const struct mnp_selection *selection);

#endif
