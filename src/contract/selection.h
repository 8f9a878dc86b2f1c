/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of launches: a list of numbers from 1 on, ranges, every n-th launch, names, launches between two names, and
 * ranges that the program itself marks. */
#ifndef MNP_CONTRACT_SELECTION_H
#define MNP_CONTRACT_SELECTION_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct mnp_selection;

/* Parses a selection. Items are separated by commas:
 *     "3", "3-7"                  launch numbers
 *     "every:10"                  launches 1, 11, 21, …
 *     "name:REGEX"                extended regular expression, matched against the kernel's name, mangled and demangled
 *     "from:REGEX to:REGEX"       from a launch of the first name to the next one of the second, both included,
 *                                 repeatedly; without " to:…", to the end
 *     "profiler"                  between the program's cudaProfilerStart and cudaProfilerStop
 *     "nvtx:REGEX"                inside an NVTX range whose name matches
 * Returns NULL on an error. */
struct mnp_selection *mnp_selection_read(const char *text, struct mnp_error *error);
void mnp_selection_free(struct mnp_selection *selection); /* may be NULL */

/* Records a launch. Items of the form "from:… to:…" begin and end only at launches that are recorded in order.
 * Recording a launch again has no effect. */
void mnp_selection_meet(struct mnp_selection *selection, uint32_t launch, const char *name);

/* Whether a recorded launch is selected. If `name` is NULL (not known yet): whether it may be. */
bool mnp_selection_has(const struct mnp_selection *selection, uint32_t launch, const char *name);
/* Whether launches inside an NVTX range are selected; if `range` is NULL: launches between the profiler's start and
 * stop. */
bool mnp_selection_has_range(const struct mnp_selection *selection, const char *range);
/* Whether the list has NVTX items (`named`), or items of either kind. */
bool mnp_selection_needs_ranges(const struct mnp_selection *selection, bool named);
/* The largest number that the list states as a launch or as the beginning of a range; 0: none. */
uint32_t mnp_selection_last(const struct mnp_selection *selection);

#endif
