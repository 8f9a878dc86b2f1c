/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of fetch.c that runs for every instruction, to be compiled into issue. */
#ifndef GPU_SM_FETCH_H
#define GPU_SM_FETCH_H

#include "gpu/sm/live.h"

/* Records of a warp that the host asks its memory for ahead: the streams of all warps do not fit its caches, and are
 * too many for it to see that each is read in order. */
enum { SM_FETCH_AHEAD = 24 };

/* A warp goes on in another line of code. False: it has to wait for it. */
bool sm_fetch_enter(struct sm *sm, uint32_t subcore, uint32_t warp, uint32_t line);

/* Whether the warp goes on somewhere else than behind the instruction at `place` of its stream, which is not the
 * last. */
bool sm_fetch_leaves(const struct sm_warp_view *view, uint64_t place);

/* The first place of a mask after `last`, going round. */
static inline uint32_t sm_round_robin(uint64_t mask, uint32_t last)
{
    uint64_t above = mask & ~UINT64_C(1) << (last & 63);
    return (uint32_t)__builtin_ctzll(above ? above : mask);
}

/* Fetches an instruction: some warp of the sub-core has room. */
static inline void sm_fetch_instruction(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint64_t cycle)
{
    uint32_t place = s->last_issued;
    if (!(s->room >> place & 1))
        place = sm_round_robin(s->room, s->last_fetched);
    uint32_t warp = sm_warp_of(sm, subcore, place);
    struct sm_warp *w = &sm->warps[warp];
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t at = w->next + w->fetched;
    __builtin_prefetch((const void *)((uintptr_t)view->records + (at + SM_FETCH_AHEAD) * sizeof *view->records));
    const struct mnp_static_instruction *instruction = &view->instructions[sm_record(view, at)->index];
    uint32_t line = instruction->pc >> sm->code_shift;
    s->last_fetched = (uint16_t)place;
    if (w->line != line + 1 && !sm_fetch_enter(sm, subcore, warp, line))
        return;
    uint64_t from = cycle > w->redirect ? cycle : w->redirect;
    w->fetched_at[at % 4] = from + sm->parameters->fetch_latency;
    w->fetched++;
    bool last = at + 1 == view->count;
    if ((instruction->flags & MNP_FLAG_BRANCH) && !last && sm_fetch_leaves(view, at))
        w->stopped = 1;
    uint64_t full = (w->fetched == sm->parameters->buffer) | last | w->stopped;
    s->room &= ~(full << place);
    if (w->hold == SM_HOLD_FETCH)
        sm_depend_update(sm, warp, cycle);
}

/* An instruction of the warp has issued: its buffer has room, unless a branch or the end of its stream stands there. */
static inline void sm_fetch_refill(const struct sm *sm, struct sm_subcore *s, struct sm_warp *w,
                                   const struct sm_warp_view *view, uint64_t bit, uint64_t cycle)
{
    w->fetched--;
    if (w->stopped) {
        if (w->fetched)
            return; /* the branch is the last of the buffer */
        w->stopped = 0;
        bool jumped = !view->live || sm->live->jumped;
        w->redirect = jumped ? cycle + sm->parameters->branch_latency : cycle;
    }
    uint64_t more = w->next + w->fetched < view->count;
    s->room |= bit & ~s->missing & (0 - more);
}

#endif
