/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/arrivals.h"

#include "base/range.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"

void sm_arrivals_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (sm->live)
        sm->arrivals.warps = mnp_arena_take(arena, sm->parameters->warps, sizeof *sm->arrivals.warps);
}

static void perform(struct sm *sm, uint32_t warp, uint32_t token, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    if (!core->async->landed(core, token))
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &core->error);
    if (core->flipped)
        sm_wait_flipped(sm, sm->warps[warp].cta.slot, core->flipped, cycle);
    sm_progress(sm);
}

void sm_arrivals_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_arrivals_warp *w = &sm->arrivals.warps[warp];
    uint32_t token = sm->live->core.arrival - 1;
    sm->live->core.arrival = 0;
    if (w->first == w->end && sm_copies_have_landed(sm, warp, cycle)) {
        perform(sm, warp, token, cycle);
        return;
    }
    w->tokens[w->end++ % SM_COPY_GROUPS] = token;
    sm_copies_end_part(sm, warp);
    sm->state->arrivals.waiting[warp / 64] |= UINT64_C(1) << warp % 64;
    sm_cta_async_begins(sm, sm->warps[warp].cta.slot);
    sm_wake_stage(sm, SM_TURN_ARRIVALS, cycle);
}

/* Performs the arrivals of a warp whose time has come. */
static void step(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_arrivals_warp *w = &sm->arrivals.warps[warp];
    while (w->first != w->end && sm_copies_part_landed(sm, warp, w->first) <= cycle) {
        perform(sm, warp, w->tokens[w->first++ % SM_COPY_GROUPS], cycle);
        sm_wait_done(sm, warp, MNP_PARK_ROOM, cycle);
        sm_cta_async_done(sm, sm->warps[warp].cta.slot, cycle);
    }
    if (w->first == w->end)
        sm->state->arrivals.waiting[warp / 64] &= ~(UINT64_C(1) << warp % 64);
}

void sm_arrivals_cycle(struct sm *sm, uint64_t cycle)
{
    for (uint32_t word = 0; word < SM_MAX_WARPS / 64; word++)
        for (uint64_t rest = sm->state->arrivals.waiting[word]; rest; rest &= rest - 1)
            step(sm, word * 64 + (uint32_t)__builtin_ctzll(rest), cycle);
}

uint64_t sm_arrivals_next(const struct sm *sm, uint64_t cycle)
{
    uint64_t next = MNP_NEVER;
    for (uint32_t word = 0; word < SM_MAX_WARPS / 64; word++)
        for (uint64_t rest = sm->state->arrivals.waiting[word]; rest; rest &= rest - 1) {
            uint32_t warp = word * 64 + (uint32_t)__builtin_ctzll(rest);
            mnp_lower(&next, sm_copies_part_landed(sm, warp, sm->arrivals.warps[warp].first));
        }
    return sm_later(next, cycle + 1); /* until copies land, nothing is due */
}
