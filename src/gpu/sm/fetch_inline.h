/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of fetch.c that runs for every instruction, to be compiled into issue. */
#ifndef GPU_SM_FETCH_INLINE_H
#define GPU_SM_FETCH_INLINE_H

#include "gpu/sm/reevaluate.h"
#include "gpu/sm/state.h"

/* Records of a warp that the host asks its memory for ahead: the streams of all warps do not fit its caches, and are
 * too many for it to see that each is read in order. */
enum { SM_FETCH_AHEAD = 24 };

/* fetch.c: a warp goes on in another line of code. False: it has to wait for it. */
bool sm_fetch_enter(struct sm *sm, uint32_t subcore, uint32_t warp, uint32_t line);

/* fetch.c: asks for a line; sm_fetch_may_ask. */
void sm_fetch_ask(struct sm *sm, uint32_t subcore, uint64_t cycle);

/* fetch.c: whether the warp goes on somewhere else than behind the instruction at `place` of its stream, which is not
 * the last. */
bool sm_fetch_leaves(const struct sm_warp_view *view, uint64_t place);

/* Whether there is a line to ask for, and room for it to be on its way. */
static inline bool sm_fetch_may_ask(const struct sm *sm, const struct sm_subcore *s)
{
    return (s->fetch.unsent || s->fetch.stream + s->fetch.stream_asked < s->fetch.stream_end) &&
           s->l1i.lines_asked < sm->parameters->l0i_misses;
}

/* Fetches an instruction: some warp of the sub-core, whose first view is `views`, has room. */
static inline void sm_fetch_instruction(struct sm *sm, struct sm_subcore *s, struct sm_warp_view *views,
                                        uint32_t subcore, uint64_t cycle)
{
    uint32_t place = s->issue.last;
    if (!(s->buffers.room >> place & 1))
        place = sm_round_robin(s->buffers.room, s->fetch.last);
    const struct sm_warp_view *view = sm_view_at(sm, views, place);
    struct sm_warp *w = view->warp;
    uint64_t at = w->issue.next + w->buffer.fetched;
    __builtin_prefetch((const void *)((uintptr_t)view->records + (at + SM_FETCH_AHEAD) * sizeof *view->records));
    const struct mnp_static_instruction *instruction = &view->instructions[sm_record(view, at)->index];
    uint32_t line = instruction->pc >> sm->code_shift;
    s->fetch.last = place;
    if (w->buffer.line != line + 1 && !sm_fetch_enter(sm, subcore, view->number, line))
        return;
    uint64_t ready = sm_later(cycle, w->buffer.redirect) + sm->parameters->fetch_latency;
    bool last = at + 1 == view->count;
    bool stops = (instruction->flags & MNP_FLAG_BRANCH) && !last && sm_fetch_leaves(view, at);
    sm_buffer_fill(&s->buffers, &w->buffer, place, at, ready, stops, last, sm->parameters->buffer);
    if (w->stall.why == SM_STALL_FETCH)
        sm_reevaluate(sm, view->number, cycle);
}

#endif
