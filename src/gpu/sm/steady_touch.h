/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports to the L2 about passed-over stretches of an executed program (steady.h): each line that an instruction reads
 * or writes, unless it is among the last ones, which stand for the L1. So the L2 holds what it would hold, and the next
 * kernel finds the data of this one. An SM reports as many lines as it could have requested in the time; further lines
 * are dropped.
 */
#ifndef GPU_SM_STEADY_TOUCH_H
#define GPU_SM_STEADY_TOUCH_H

#include "gpu/sm/state.h"

/* Whether the L2 is told of an instruction that is passed over. */
static inline bool sm_steady_tells(const struct sm *sm, const struct mnp_static_instruction *instruction)
{
    return sm->steady.touches && instruction->class == MNP_CLASS_MEMORY && instruction->space == MNP_SPACE_GLOBAL;
}

/* Tells of what was put off: cycles are simulated again. */
void sm_steady_tell_all(struct sm *sm, uint64_t cycle);

/* A live warp has executed such an instruction just now, which is not performed at the L2. */
void sm_steady_tell(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle);

#endif
