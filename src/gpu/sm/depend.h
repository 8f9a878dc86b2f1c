/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a warp's next instruction can issue: what all schemes of dependence/list.h have in common, and the choice
 * between them. The part that runs for every instruction is in depend_inline.h,
 * and reevaluate.c looks at warps at their timers and after events.
 */
#ifndef GPU_SM_DEPEND_H
#define GPU_SM_DEPEND_H

#include "contract/instruction.h"
#include "gpu/sm/dependence/headers.h"

#include <stdbool.h>

struct sm;

#define SM_DEPENDENCE(KIND, NAME, HELP, SOURCE) KIND,
enum sm_dependence_id {
#include "gpu/sm/dependence/list.h"
};

#define SM_DEPENDENCE_STATE(MEMBER, TYPE, WARP) TYPE MEMBER;
struct sm_dependence { /* the scoreboard is always there, the other only where the machine has chosen it */
#include "gpu/sm/dependence/list.h"
};

struct sm_depend_view {
    uint8_t scheme; /* enum sm_dependence_id that the warp's kernel follows */
    uint8_t sure;   /* memo: class of the next instruction, plus one, when the warp waits for its timer and for nothing
                       else; 0: it may */
    uint8_t slowly; /* … of a warp that is `slow` or executes, when the timer fires in cycle `at` or later */
    bool again;     /* a warp that is ready may have to wait after all when its timer fires */
    uint64_t at;
};

/* Whether the instruction may wait for other things than registers, however its lanes look. */
static inline uint32_t sm_depend_is_special(const struct mnp_static_instruction *instruction)
{
    if (instruction->simple)
        return 0;
    uint32_t special = instruction->flags & (MNP_FLAG_FENCE | MNP_FLAG_BRANCH);
    return special | (uint32_t)(instruction->space == MNP_SPACE_CONSTANT) | instruction->selects | instruction->guarded;
}

void sm_depend_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_depend_init(struct sm *sm);

/* A warp of the kernel starts. */
void sm_depend_start(struct sm *sm, uint32_t warp, const struct mnp_kernel *kernel);

/* An instruction has issued, to the memory pipeline if `ready` is MNP_NEVER; else its result can be used from `ready`
 * on. */
void sm_depend_issued(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                      uint64_t cycle);

/* Whether a fence is the end of a group of copies. */
static inline bool sm_depend_ends_group(const struct mnp_static_instruction *instruction)
{
    return !(instruction->wait & MNP_WAIT_DEPBAR) && instruction->fence & MNP_FENCE_CLOSES;
}

/* Whether a fence or a wait for copies, which has its operands, has still to wait. */
bool sm_depend_fence_holds(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                           uint64_t cycle);

/* The memory pipeline has read its sources. */
void sm_depend_read(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle);

/* The result of a memory instruction can be used from `ready` on. */
void sm_depend_written(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                       uint64_t cycle);

#endif
