/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/engines.h"
#include "gpu/sm/live.h"
#include "gpu/sm/state.h"

void sm_engines_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (!sm->live)
        return;
    sm_tma_lay_out(sm, arena);
    sm_wgmma_lay_out(sm, arena);
}

void sm_engines_init(struct sm *sm)
{
    if (sm->live)
        sm_tma_init(sm);
}

void sm_engines_launch(struct sm *sm, uint32_t slot)
{
    if (sm->live)
        sm_wgmma_launch(sm, slot);
}

void sm_engines_invalidate(struct sm *sm)
{
    if (sm->live)
        sm_tma_invalidate(sm);
}

void sm_engines_prepare(struct sm *sm, uint32_t warp, uint32_t execution)
{
    if (execution == MNP_CLASS_TENSOR)
        sm->live->core.product_room = sm_wgmma_room(sm, warp);
}

void sm_engines_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (sm->live->core.copy_count)
        sm_tma_take(sm, warp, cycle);
    if (sm->live->core.product.n)
        sm_wgmma_take(sm, warp, cycle);
    sm->live->commands = false;
}

void sm_engines_cycle(struct sm *sm, uint64_t cycle)
{
    if (sm_tma_works(sm))
        sm_tma_cycle(sm, cycle);
    if (sm_wgmma_works(sm))
        sm_wgmma_cycle(sm, cycle);
    if (sm->live->state->park.next && sm->live->state->park.next <= cycle)
        sm_park_cycle(sm, cycle);
}

uint64_t sm_engines_next(const struct sm *sm, uint64_t cycle)
{
    uint64_t next = sm->live->state->park.next ? sm->live->state->park.next : MNP_NEVER, at = MNP_NEVER;
    if (sm_tma_works(sm))
        at = sm_tma_next(sm, cycle);
    next = at < next ? at : next;
    if (sm_wgmma_works(sm))
        at = sm_wgmma_next(sm, cycle);
    next = at < next ? at : next;
    return next > cycle ? next : cycle + 1;
}

void sm_engines_report(const struct sm *sm, FILE *out)
{
    if (sm->live)
        sm_tma_report(sm, out);
}
