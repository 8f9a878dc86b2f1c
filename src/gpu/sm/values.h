/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How active the values of live warps are (energy.values). The bits that toggle in an instruction that is looked at
 * (struct mnp_live_values), of those that were compared, are taken in proportion to what random data have. Until the
 * warp's next instruction of that group is looked at, all of its have that activity. The word of an instruction, which
 * is looked at with it, says so of lines of code that the warp goes on in. Registers are told apart by the
 * class of what reads or writes them. Before a warp's first, what was looked at last on the SM stands for it; before
 * that, random data.
 */
#ifndef GPU_SM_VALUES_H
#define GPU_SM_VALUES_H

#include "contract/instruction.h"
#include "gpu/sm/live.h"

struct sm;

/* The group of a class's units, SM_VALUES_GROUPS: none. */
static inline uint32_t sm_values_group_of_unit(uint32_t class)
{
    static const uint8_t groups[MNP_CLASS_COUNT] = {
        [MNP_CLASS_INT] = SM_VALUES_INT + 1,         [MNP_CLASS_IMAD] = SM_VALUES_IMAD + 1,
        [MNP_CLASS_FP32] = SM_VALUES_FP32 + 1,       [MNP_CLASS_HALF] = SM_VALUES_HALF + 1,
        [MNP_CLASS_FP64] = SM_VALUES_FP64 + 1,       [MNP_CLASS_SFU] = SM_VALUES_SFU + 1,
        [MNP_CLASS_CONVERT] = SM_VALUES_CONVERT + 1, [MNP_CLASS_TENSOR] = SM_VALUES_TENSOR + 1};
    return groups[class] ? groups[class] - 1u : SM_VALUES_GROUPS;
}

/* The machine begins; a live warp begins. */
void sm_values_init(struct sm *sm);
void sm_values_start(struct sm *sm, uint32_t warp);

/* The activity at a place of struct sm_live_warp.activity. */
static inline uint64_t sm_values_activity(const struct sm_live *live, uint32_t warp, uint32_t place)
{
    uint8_t activity = live->warps[warp].activity[place];
    return activity != SM_ACTIVITY_NONE ? activity : live->state->activity[place];
}

/* The warp's instruction that has just been executed, or to which values have come from the L2, was looked at: counts
 * its bits, and takes its activities. */
void sm_values_take(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction);

#endif
