/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/reevaluate.h"
#include "gpu/sm/depend_inline.h"
#include "gpu/sm/events.h"

void sm_reevaluate(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    sm_depend_next(sm, sm_subcore_of(sm, warp), &sm->views[warp], &sm->warps[warp], sm_bit_of(sm, warp), cycle);
}

void sm_reevaluate_marked(struct sm *sm, uint64_t cycle)
{
    uint32_t warp;
    while (sm_next_recheck(sm, &warp)) {
        if (sm->warps[warp].cta.slot == SM_NONE || sm->warps[warp].stall.why == SM_STALL_ENDED)
            continue;                  /* the warp was passed over (steady.h) after it began to wait */
        sm_wake_warp(sm, warp, cycle); /* an instruction of the last cycle may have brought this about */
        sm_reevaluate(sm, warp, cycle);
    }
}

static void start(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t at = sm->warps[warp].buffer.redirect;
    if (at > cycle)
        sm_stall_set_timer(&s->stalls, sm_bit_of(sm, warp), at, cycle);
    else
        sm_buffer_start(&s->buffers, sm_bit_of(sm, warp));
}

void sm_reevaluate_timer(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    enum sm_stall stall = sm->warps[warp].stall.why;
    const struct sm_depend_view *view = &sm->views[warp].depend;
    if (stall == SM_STALL_FETCH) /* the timer of its start */
        start(sm, warp, cycle);
    else if (stall == SM_STALL_TIMER && view->slowly && view->at <= cycle)
        sm_stall_release(&sm_subcore_of(sm, warp)->stalls, &sm->warps[warp].stall, sm_bit_of(sm, warp),
                         view->slowly - 1u);
    else if (stall == SM_STALL_TIMER || (stall == SM_STALL_NONE && view->again))
        sm_reevaluate(sm, warp, cycle);
}
