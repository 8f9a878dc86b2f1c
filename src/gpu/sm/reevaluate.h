/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Re-evaluates warps outside of their issue: when their timers fire, and when events concern them. Events mark warps
 * (sm_recheck of events.h), and these are seen to before the sub-cores of a cycle run.
 */
#ifndef GPU_SM_REEVALUATE_H
#define GPU_SM_REEVALUATE_H

#include <stdint.h>

struct sm;

/* Looks at a warp's next instruction and makes the warp ready, or stalls it. */
void sm_reevaluate(struct sm *sm, uint32_t warp, uint64_t cycle);

/* Re-evaluates all warps that events have marked in this cycle. */
void sm_reevaluate_marked(struct sm *sm, uint64_t cycle);

/* Fires the timer of a warp that may wait for more than its timer. */
void sm_reevaluate_timer(struct sm *sm, uint32_t warp, uint64_t cycle);

#endif
