/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of depend.c that runs for every instruction, to be compiled into the stages that ask. */
#ifndef GPU_SM_DEPEND_INLINE_H
#define GPU_SM_DEPEND_INLINE_H

#include "gpu/sm/state.h"

/* depend.c: as sm_depend_next, for a warp that is `slow` or executes, and has fetched its next instruction. */
void sm_depend_next_slow(struct sm *sm, struct sm_subcore *s, uint32_t warp, struct sm_warp *w, uint64_t bit,
                         uint64_t cycle);

/* depend.c: as sm_stall_settle, for an instruction that may wait for other things than registers too. */
bool sm_depend_settle_special(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                              uint32_t mask, uint64_t at, uint64_t cycle);

/* Looks at the next instruction of a warp, that of `view`, and puts the warp where it belongs. `w`, `s` and `bit` are
 * the warp's. */
static inline void sm_depend_next(struct sm *sm, struct sm_subcore *s, struct sm_warp_view *view, struct sm_warp *w,
                                  uint64_t bit, uint64_t cycle)
{
    uint32_t warp = view->number;
    view->depend.sure = 0;
    if (w->buffer.fetched == 0) {
        sm_stall_put(&s->stalls, &w->stall, bit, SM_STALL_FETCH);
        return;
    }
    if (__builtin_expect(view->silent, 0)) {
        sm_depend_next_slow(sm, s, warp, w, bit, cycle);
        return;
    }
    const struct mnp_record *record = sm_record(view, w->issue.next);
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    uint64_t at = sm_later(w->buffer.fetched_at[w->issue.next % SM_BUFFER_ENTRIES], w->stall.not_before);
    at = sm_scoreboard_registers(&sm->dependence.scoreboard, view->ready, &w->dependence.scoreboard, warp, instruction,
                                 at);
    if (sm_scoreboard_lost(&w->dependence.scoreboard, record->mask) | sm_depend_is_special(instruction)) {
        sm_depend_settle_special(sm, warp, instruction, record->mask, at, cycle);
        return;
    }
    bool sure = sm_stall_settle(&s->stalls, &w->stall, bit, instruction->class, at, cycle);
    view->depend.sure = (uint8_t)(sure * (instruction->class + 1));
}

#endif
