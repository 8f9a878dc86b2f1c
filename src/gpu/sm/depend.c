/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a warp's next instruction can issue: its registers, by the scheme that the warp follows; predicates, fences and
 * lines of constants; for warps that execute while they are simulated, values from the L2.
 */
#include "gpu/sm/constant.h"
#include "gpu/sm/depend_inline.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"

/* ===== the schemes ===== */

void sm_depend_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    const struct sm_parameters *p = sm->parameters;
#define SM_DEPENDENCE_LAYS_OUT(KIND, MEMBER, FUNCTION)                                                                 \
    if (KIND == SM_DEPENDENCE_SCOREBOARD || KIND == p->dependence)                                                     \
        FUNCTION(&sm->dependence.MEMBER, p, arena);
#include "gpu/sm/dependence/list.h"
}

void sm_depend_init(struct sm *sm)
{
    sm_scoreboard_init(&sm->dependence.scoreboard, sm->parameters);
}

static bool applies(uint64_t scheme, const struct mnp_kernel *kernel)
{
#define SM_DEPENDENCE_APPLIES(KIND, MEMBER, FUNCTION)                                                                  \
    case KIND:                                                                                                         \
        return FUNCTION(kernel);
    switch (scheme) {
#include "gpu/sm/dependence/list.h"
    }
    __builtin_unreachable(); /* the machine file's choice is one of them */
}

void sm_depend_start(struct sm *sm, uint32_t warp, const struct mnp_kernel *kernel)
{
    uint64_t chosen = sm->parameters->dependence;
    struct sm_depend_view *view = &sm->views[warp].depend;
    *view = (struct sm_depend_view){.scheme = SM_DEPENDENCE_SCOREBOARD};
    if (applies(chosen, kernel))
        view->scheme = (uint8_t)chosen;
#define SM_DEPENDENCE_START(KIND, MEMBER, FUNCTION)                                                                    \
    if (KIND == SM_DEPENDENCE_SCOREBOARD || KIND == chosen)                                                            \
        FUNCTION(&sm->dependence.MEMBER, warp);
#include "gpu/sm/dependence/list.h"
}

static uint64_t ready_at(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t at,
                         uint64_t cycle, struct sm_outlook *outlook)
{
#define SM_DEPENDENCE_READY(KIND, MEMBER, FUNCTION)                                                                    \
    case KIND:                                                                                                         \
        return FUNCTION(&sm->dependence.MEMBER, &sm->warps[warp].dependence.MEMBER, warp, instruction, at, cycle,      \
                        outlook);
    switch (sm->views[warp].depend.scheme) {
#include "gpu/sm/dependence/list.h"
    }
    __builtin_unreachable();
}

static uint64_t guarded(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint32_t mask,
                        uint64_t at)
{
#define SM_DEPENDENCE_GUARDED(KIND, MEMBER, FUNCTION)                                                                  \
    case KIND:                                                                                                         \
        return FUNCTION(&sm->dependence.MEMBER, &sm->warps[warp].dependence.MEMBER, instruction, mask, at);
    switch (sm->views[warp].depend.scheme) {
#include "gpu/sm/dependence/list.h"
    }
    __builtin_unreachable();
}

/* ===== what happens to an instruction ===== */

void sm_depend_issued(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                      uint64_t cycle)
{
    uint64_t until = 0;
#define SM_DEPENDENCE_ISSUED(KIND, MEMBER, FUNCTION)                                                                   \
    case KIND:                                                                                                         \
        until = FUNCTION(&sm->dependence.MEMBER, &sm->warps[warp].dependence.MEMBER, warp, instruction, ready, cycle); \
        break;
    switch (sm->views[warp].depend.scheme) {
#include "gpu/sm/dependence/list.h"
    }
    if (until > sm->warps[warp].stall.not_before)
        sm_stall_until(&sm->warps[warp].stall, until);
}

/* The warp is looked at again if it is held in one of these ways. */
static void recheck_stalled(struct sm *sm, uint32_t warp, uint32_t stalls, uint64_t cycle)
{
    if (stalls >> sm->warps[warp].stall.why & 1)
        sm_recheck(sm, warp, cycle);
}

void sm_depend_read(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    uint32_t stalls = 0;
#define SM_DEPENDENCE_READ(KIND, MEMBER, FUNCTION)                                                                     \
    case KIND:                                                                                                         \
        stalls = FUNCTION(&sm->dependence.MEMBER, &sm->warps[warp].dependence.MEMBER, warp, instruction, cycle);       \
        break;
    switch (sm->views[warp].depend.scheme) {
#include "gpu/sm/dependence/list.h"
    }
    recheck_stalled(sm, warp, stalls, cycle);
}

void sm_depend_written(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                       uint64_t cycle)
{
    uint64_t *words = sm->views[warp].ready + instruction->destination.first;
    for (uint32_t i = 0; i < instruction->destination.count; i++)
        words[i] = ready << SM_PIPE_BITS;
    uint32_t stalls = 0;
#define SM_DEPENDENCE_WRITTEN(KIND, MEMBER, FUNCTION)                                                                  \
    case KIND:                                                                                                         \
        stalls =                                                                                                       \
            FUNCTION(&sm->dependence.MEMBER, &sm->warps[warp].dependence.MEMBER, warp, instruction, ready, cycle);     \
        break;
    switch (sm->views[warp].depend.scheme) {
#include "gpu/sm/dependence/list.h"
    }
    recheck_stalled(sm, warp, stalls, cycle);
}

/* ===== the next instruction; what most need is in depend_inline.h ===== */

bool sm_depend_fence_holds(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                           uint64_t cycle)
{
    if (instruction->wait & MNP_WAIT_DEPBAR)
        return sm_copies_landed(sm, warp, instruction->counter_value) == SM_NOT_LANDED;
    if (sm_depend_ends_group(instruction))
        return sm_copies_are_full(sm, warp);
    if (sm->parameters->ideal_fences)
        return false;
    return sm->views[warp].live ? sm_live_fence_holds(sm, warp, cycle) : sm->warps[warp].cta.outstanding != 0;
}

bool sm_depend_settle_special(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                              uint32_t mask, uint64_t at, uint64_t cycle)
{
    bool fence = instruction->flags & MNP_FLAG_FENCE, constant = instruction->space == MNP_SPACE_CONSTANT;
    struct sm_stall_warp *stall = &sm->warps[warp].stall;
    struct sm_stalls *stalls = &sm_subcore_of(sm, warp)->stalls;
    uint64_t bit = sm_bit_of(sm, warp);
    at = guarded(sm, warp, instruction, mask, at);
    if (fence && instruction->wait & MNP_WAIT_DEPBAR) {
        uint64_t landed = sm_copies_landed(sm, warp, instruction->counter_value);
        at = landed != SM_NOT_LANDED ? sm_later(at, landed) : at;
    }
    sm->views[warp].depend.at = at;
    if (at <= cycle && fence && sm_depend_fence_holds(sm, warp, instruction, cycle))
        sm_stall_put(stalls, stall, bit, SM_STALL_FENCE);
    else if (at <= cycle && constant && !sm_constant_ready(sm, warp, cycle))
        sm_stall_put(stalls, stall, bit, SM_STALL_MEMORY);
    else
        return sm_stall_settle(stalls, stall, bit, instruction->class, at, cycle) && !fence && !constant;
    return false;
}

/* Whether a warp may have to wait for values from the L2, or follows another scheme than the scoreboard. */
static inline bool may_wait_elsewhere(const struct sm *sm, uint32_t warp, const struct sm_warp_view *view)
{
    return view->slow || sm->live->warps[warp].acquiring || view->live->pending;
}

/* The next instruction of a warp for which sm_depend_next_slow is. */
struct next {
    const struct mnp_static_instruction *instruction;
    uint64_t at;   /* the cycle before which it may not issue, its registers aside */
    uint32_t mask; /* its lanes */
};

/* A warp that may have to wait for other things than its registers. */
static __attribute__((noinline)) void next_elsewhere(struct sm *sm, uint32_t warp, const struct next *next,
                                                     uint64_t cycle)
{
    const struct mnp_static_instruction *instruction = next->instruction;
    struct sm_depend_view *view = &sm->views[warp].depend;
    struct sm_stalls *stalls = &sm_subcore_of(sm, warp)->stalls;
    uint64_t bit = sm_bit_of(sm, warp), at = SM_PENDING;
    struct sm_outlook outlook = {.again = MNP_NEVER};
    if (!sm->views[warp].live || !sm_live_waits(sm, warp))
        at = ready_at(sm, warp, instruction, next->at, cycle, &outlook);
    view->again = outlook.again != MNP_NEVER;
    if (view->again)
        sm_stall_set_timer(stalls, bit, outlook.again, cycle);
    view->at = at;
    bool sure = sm_depend_is_special(instruction)
                    ? sm_depend_settle_special(sm, warp, instruction, next->mask, at, cycle)
                    : sm_stall_settle(stalls, &sm->warps[warp].stall, bit, instruction->class, at, cycle);
    view->slowly = (uint8_t)((sure & outlook.final) * (instruction->class + 1));
}

void sm_depend_next_slow(struct sm *sm, struct sm_subcore *s, uint32_t warp, struct sm_warp *w, uint64_t bit,
                         uint64_t cycle)
{
    struct sm_warp_view *view = &sm->views[warp];
    const struct mnp_record *record = sm_record(view, w->issue.next);
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    uint64_t at = sm_later(w->buffer.fetched_at[w->issue.next % SM_BUFFER_ENTRIES], w->stall.not_before);
    if (may_wait_elsewhere(sm, warp, view)) {
        next_elsewhere(sm, warp, &(struct next){instruction, at, record->mask}, cycle);
        return;
    }
    at = sm_scoreboard_registers(&sm->dependence.scoreboard, view->ready, &w->dependence.scoreboard, warp, instruction,
                                 at);
    view->depend.at = at;
    bool sure = sm_depend_is_special(instruction)
                    ? sm_depend_settle_special(sm, warp, instruction, record->mask, at, cycle)
                    : sm_stall_settle(&s->stalls, &w->stall, bit, instruction->class, at, cycle);
    view->depend.slowly = (uint8_t)(sure * (instruction->class + 1));
}
