/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/look.h"
#include "gpu/sm/depend_inline.h"
#include "gpu/sm/events.h"

void sm_look(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    sm_depend_next(sm, sm_subcore_of(sm, warp), warp, &sm->warps[warp], sm_bit_of(sm, warp), cycle);
}

void sm_look_at_events(struct sm *sm, uint64_t cycle)
{
    uint32_t warp;
    while (sm_next_recheck(sm, &warp)) {
        if (sm->warps[warp].cta.slot == SM_NONE || sm->warps[warp].hold.why == SM_HOLD_ENDED)
            continue;                  /* it was passed over (steady.h) since it waited for something */
        sm_wake_warp(sm, warp, cycle); /* an instruction of the last cycle may have brought this about */
        sm_look(sm, warp, cycle);
    }
}

static void start(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t at = sm->warps[warp].buffer.redirect;
    if (at > cycle)
        sm_hold_set_timer(&s->holds, sm_bit_of(sm, warp), at, cycle);
    else
        sm_buffer_start(&s->buffers, sm_bit_of(sm, warp));
}

void sm_look_at_timer(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    enum sm_hold hold = sm->warps[warp].hold.why;
    const struct sm_depend_view *view = &sm->views[warp].depend;
    if (hold == SM_HOLD_FETCH) /* the timer of its start */
        start(sm, warp, cycle);
    else if (hold == SM_HOLD_TIMER && view->slowly && view->at <= cycle)
        sm_hold_release(&sm_subcore_of(sm, warp)->holds, &sm->warps[warp].hold, sm_bit_of(sm, warp), view->slowly - 1u);
    else if (hold == SM_HOLD_TIMER || (hold == SM_HOLD_NONE && view->again))
        sm_look(sm, warp, cycle);
}
