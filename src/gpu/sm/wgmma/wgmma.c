/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/wgmma/wgmma.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"

void sm_wgmma_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    struct sm_wgmma *wgmma = &sm->live->wgmma;
    wgmma->state = mnp_arena_take(arena, 1, sizeof *wgmma->state);
    wgmma->groups = mnp_arena_take(arena, sm->parameters->warps, sizeof *wgmma->groups);
    wgmma->flight = mnp_arena_take(arena, SM_WGMMA_FLYING, sizeof *wgmma->flight);
}

void sm_wgmma_launch(struct sm *sm, uint32_t slot)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++)
        if (sm->warps[warp].cta.slot == slot && sm->warps[warp].cta.number % SM_WGMMA_PARTS == 0)
            sm->live->wgmma.groups[warp] = (struct sm_wgmma_group){.begun = 0};
}

/* ===== warpgroups ===== */

/* The slot of a warp of the same CTA, by its number there; warps of a CTA are started in the order of slots. */
static uint32_t slot_of(const struct sm *sm, uint32_t warp, uint32_t number)
{
    uint16_t cta = sm->warps[warp].cta.slot;
    uint32_t step = number < sm->warps[warp].cta.number ? UINT32_MAX : 1;
    while (sm->warps[warp].cta.slot != cta || sm->warps[warp].cta.number != number)
        warp += step;
    return warp;
}

static uint32_t group_of(const struct sm *sm, uint32_t warp)
{
    return slot_of(sm, warp, sm->warps[warp].cta.number / SM_WGMMA_PARTS * SM_WGMMA_PARTS);
}

/* Products that all warps of the group have issued, of those that have not begun. */
static uint32_t formed_of(const struct sm_wgmma_group *group)
{
    uint32_t least = group->issued[0] - group->begun;
    for (uint32_t i = 1; i < SM_WGMMA_PARTS; i++)
        least = group->issued[i] - group->begun < least ? group->issued[i] - group->begun : least;
    return least;
}

uint32_t sm_wgmma_room(const struct sm *sm, uint32_t warp)
{
    const struct sm_wgmma_group *group = &sm->live->wgmma.groups[group_of(sm, warp)];
    uint32_t ahead = group->issued[sm->warps[warp].cta.number % SM_WGMMA_PARTS] - group->begun;
    return (uint32_t)sm->parameters->wgmma_queue - ahead;
}

void sm_wgmma_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_wgmma *wgmma = &sm->live->wgmma;
    struct sm_wgmma_state *state = wgmma->state;
    uint32_t first = group_of(sm, warp), before;
    struct sm_wgmma_group *group = &wgmma->groups[first];
    before = formed_of(group);
    uint32_t number = group->issued[sm->warps[warp].cta.number % SM_WGMMA_PARTS]++;
    group->waiting[number % SM_WGMMA_QUEUE] = sm->live->core.product;
    if (formed_of(group) == before)
        return;
    group->order[number % SM_WGMMA_QUEUE] = state->order++;
    if (!state->formed++ && state->begin_at < cycle)
        state->begin_at = cycle;
    state->groups[first / 64] |= UINT64_C(1) << first % 64;
    sm_cta_engine_begins(sm, sm->warps[warp].cta.slot);
}

/* ===== the tensor cores ===== */

bool sm_wgmma_works(const struct sm *sm)
{
    return sm->live->wgmma.state->formed || sm->live->wgmma.state->count;
}

/* The group whose next product was issued first. */
static uint32_t first_group(const struct sm_wgmma *wgmma)
{
    uint32_t best = SM_NONE;
    uint64_t order = UINT64_MAX;
    for (uint32_t word = 0; word < SM_MAX_WARPS / 64; word++)
        for (uint64_t rest = wgmma->state->groups[word]; rest; rest &= rest - 1) {
            uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(rest);
            const struct sm_wgmma_group *g = &wgmma->groups[group];
            if (g->order[g->begun % SM_WGMMA_QUEUE] < order) {
                order = g->order[g->begun % SM_WGMMA_QUEUE];
                best = group;
            }
        }
    return best;
}

static void begin(struct sm *sm, uint64_t cycle)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_wgmma *wgmma = &sm->live->wgmma;
    struct sm_wgmma_state *state = wgmma->state;
    uint32_t first = first_group(wgmma);
    struct sm_wgmma_group *group = &wgmma->groups[first];
    struct mnp_product product = group->waiting[group->begun++ % SM_WGMMA_QUEUE];
    uint64_t cores = product.n / 2, latency = p->wgmma_latency - (product.registers ? p->wgmma_registers : 0);
    uint64_t port = (product.registers ? 0 : 16) + (product.sparse ? product.n / 2 : product.n / 4);
    uint64_t takes = sm_later(sm_later(cores, port), p->wgmma_interval);
    state->begin_at = cycle + takes;
    state->done_at = sm_later(state->done_at, cycle + latency + cores);
    wgmma->flight[(state->first + state->count++) % SM_WGMMA_FLYING] =
        (struct sm_wgmma_flight){.done = state->done_at, .group = first};
    state->formed--;
    if (!formed_of(group))
        state->groups[first / 64] &= ~(UINT64_C(1) << first % 64);
    sm_lsu_keep(sm, cycle, port);
    uint64_t *counters = sm_counters_of(sm, first);
    counters[SM_WGMMA_PRODUCTS]++;
    counters[SM_WGMMA_CYCLES] += cores;
    counters[SM_WGMMA_WAVEFRONTS] += port;
    sm_park_room(sm, cycle);
}

/* The oldest product is done: the sums are in the registers of the four warps. */
static void end(struct sm *sm, uint64_t cycle)
{
    struct sm_wgmma *wgmma = &sm->live->wgmma;
    struct mnp_live_core *core = &sm->live->core;
    uint32_t first = (uint32_t)wgmma->flight[wgmma->state->first].group, warp = first;
    uint32_t number = sm->warps[first].cta.number;
    wgmma->state->first = (wgmma->state->first + 1) % SM_WGMMA_FLYING;
    wgmma->state->count--;
    for (uint32_t i = 0; i < SM_WGMMA_PARTS; i++) {
        warp = slot_of(sm, warp, number + i);
        if (!core->engines->multiply(sm->views[warp].live))
            mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &core->error);
        sm_park_done(sm, warp, MNP_PARK_PRODUCTS, cycle);
        if (sm->warps[warp].hold.why == SM_HOLD_MEMORY)
            sm_recheck(sm, warp, cycle);
    }
    sm_progress(sm);
    sm_cta_engine_done(sm, sm->warps[first].cta.slot, cycle);
}

void sm_wgmma_cycle(struct sm *sm, uint64_t cycle)
{
    const struct sm_wgmma *wgmma = &sm->live->wgmma;
    const struct sm_wgmma_state *state = wgmma->state;
    while (state->count && wgmma->flight[state->first].done <= cycle)
        end(sm, cycle);
    if (state->formed && state->begin_at <= cycle && state->count < SM_WGMMA_FLYING)
        begin(sm, cycle);
}

uint64_t sm_wgmma_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_wgmma *wgmma = &sm->live->wgmma;
    const struct sm_wgmma_state *state = wgmma->state;
    uint64_t next = state->count ? wgmma->flight[state->first].done : MNP_NEVER;
    if (state->formed && state->count < SM_WGMMA_FLYING && state->begin_at < next)
        next = state->begin_at;
    return next > cycle ? next : cycle + 1;
}
