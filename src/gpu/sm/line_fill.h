/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills of the L0 instruction caches and the constant cache with lines from the L1 instruction cache. */
#ifndef GPU_SM_LINE_FILL_H
#define GPU_SM_LINE_FILL_H

#include <stdint.h>

struct sm;

/* Delivers lines that the L1 instruction cache returns, and lets it look up the next. */
void sm_line_fill_cycle(struct sm *sm, uint64_t cycle);

/* The next cycle in which a request or a line arrives. */
uint64_t sm_line_fill_next(const struct sm *sm, uint64_t cycle);

#endif
