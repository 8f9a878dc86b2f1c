/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of code and constants that come from the L1 instruction cache of an SM, and who has asked for them. */
#ifdef SM_STAGE_ROWS
SM_STAGE_TURN(lines)
#elif !defined(GPU_SM_LINES_H)
#define GPU_SM_LINES_H

#include <stdint.h>

struct sm;

/* Lines come back from the L1 instruction cache, which then looks up the next. */
void sm_lines_cycle(struct sm *sm, uint64_t cycle);

/* The next cycle in which a request or a line arrives. */
uint64_t sm_lines_next(const struct sm *sm, uint64_t cycle);

#endif
