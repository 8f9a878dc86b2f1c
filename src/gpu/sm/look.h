/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warps that are looked at outside of their issue: when their timers fire, and when events concern them. Events are
 * gathered (sm_recheck of events.h) and seen to before the sub-cores of a cycle run.
 */
#ifndef GPU_SM_LOOK_H
#define GPU_SM_LOOK_H

#include <stdint.h>

struct sm;

/* Looks at a warp's next instruction and puts the warp where it belongs: ready, or held. */
void sm_look(struct sm *sm, uint32_t warp, uint64_t cycle);

/* … of all warps that events have concerned in this cycle. */
void sm_look_at_events(struct sm *sm, uint64_t cycle);

/* The timer of a warp fires that may wait for more than its timer. */
void sm_look_at_timer(struct sm *sm, uint32_t warp, uint64_t cycle);

#endif
