/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/wgmma/wgmma.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"

void sm_wgmma_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (!sm->live)
        return;
    sm->wgmma.groups = mnp_arena_take(arena, sm->parameters->warps, sizeof *sm->wgmma.groups);
    sm->wgmma.flight = mnp_arena_take(arena, SM_WGMMA_FLYING, sizeof *sm->wgmma.flight);
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

/* The warpgroup of a warp, at the slot of its first one; nothing is known of it when its CTA is another than before. */
static uint32_t group_of(struct sm *sm, uint32_t warp)
{
    uint32_t first = slot_of(sm, warp, sm->warps[warp].cta.number / SM_WGMMA_PARTS * SM_WGMMA_PARTS);
    struct sm_wgmma_group *group = &sm->wgmma.groups[first];
    uint64_t cta = sm->ctas[sm->warps[warp].cta.slot].number + 1;
    uint32_t launch = sm->codes[sm->warps[warp].cta.slot].kernel->id;
    if (group->cta != cta || group->launch != launch)
        *group = (struct sm_wgmma_group){.cta = cta, .launch = launch};
    return first;
}

/* Products that all warps of the group have issued, of those that have not begun. */
static uint32_t formed_of(const struct sm_wgmma_group *group)
{
    uint32_t least = group->issued[0] - group->begun;
    for (uint32_t i = 1; i < SM_WGMMA_PARTS; i++)
        least = group->issued[i] - group->begun < least ? group->issued[i] - group->begun : least;
    return least;
}

uint32_t sm_wgmma_room(struct sm *sm, uint32_t warp)
{
    const struct sm_wgmma_group *group = &sm->wgmma.groups[group_of(sm, warp)];
    uint32_t ahead = group->issued[sm->warps[warp].cta.number % SM_WGMMA_PARTS] - group->begun;
    return (uint32_t)sm->parameters->wgmma_queue - ahead;
}

void sm_wgmma_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_wgmma *wgmma = &sm->wgmma;
    struct sm_wgmma_state *state = &sm->state->wgmma;
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
    sm_wake_stage(sm, SM_TURN_WGMMA, cycle);
    sm_cta_async_begins(sm, sm->warps[warp].cta.slot);
}

/* ===== the tensor cores ===== */

/* The group whose next product was issued first. */
static uint32_t first_group(const struct sm *sm)
{
    uint32_t best = SM_NONE;
    uint64_t order = UINT64_MAX;
    for (uint32_t word = 0; word < SM_MAX_WARPS / 64; word++)
        for (uint64_t rest = sm->state->wgmma.groups[word]; rest; rest &= rest - 1) {
            uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(rest);
            const struct sm_wgmma_group *g = &sm->wgmma.groups[group];
            if (g->order[g->begun % SM_WGMMA_QUEUE] < order) {
                order = g->order[g->begun % SM_WGMMA_QUEUE];
                best = group;
            }
        }
    return best;
}

/* Its sums are read from registers and written back: half a word or one for each of 64 x n. */
static void tell(struct sm *sm, uint32_t warp, const struct mnp_product *product, uint64_t cycle)
{
    uint32_t words = UINT32_C(64) * product->n >> product->halves;
    struct gpu_product told = {.operations = UINT64_C(2) * 64 * product->n * product->k >> product->sparse,
                               .bits = (product->sparse ? 512U : 256U) / product->k,
                               .read = product->fresh ? 0 : words,
                               .written = words};
    gpu_tell_multiplied(&sm->listeners, sm, warp, &told, cycle);
}

static void begin(struct sm *sm, uint64_t cycle)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_wgmma *wgmma = &sm->wgmma;
    struct sm_wgmma_state *state = &sm->state->wgmma;
    uint32_t first = first_group(sm);
    struct sm_wgmma_group *group = &wgmma->groups[first];
    struct mnp_product product = group->waiting[group->begun++ % SM_WGMMA_QUEUE];
    uint64_t cores = p->wgmma_slower * product.n / 2,
             latency = p->wgmma_latency - (product.registers ? p->wgmma_registers : 0);
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
    counters[SM_MATRIX_OPERATIONS] += UINT64_C(2) * 64 * product.n * product.k;
    counters[SM_WGMMA_WAVEFRONTS] += port;
    if (GPU_HEARS(sm, sm.multiplied))
        tell(sm, first, &product, cycle);
    sm_wait_room(sm, MNP_PARK_ROOM, cycle);
}

/* The oldest product is done: the sums are in the registers of the four warps. */
static void end(struct sm *sm, uint64_t cycle)
{
    struct sm_wgmma *wgmma = &sm->wgmma;
    struct sm_wgmma_state *state = &sm->state->wgmma;
    struct mnp_live_core *core = &sm->live->core;
    uint32_t first = (uint32_t)wgmma->flight[state->first].group, warp = first;
    uint32_t number = sm->warps[first].cta.number;
    state->first = (state->first + 1) % SM_WGMMA_FLYING;
    state->count--;
    for (uint32_t i = 0; i < SM_WGMMA_PARTS; i++) {
        warp = slot_of(sm, warp, number + i);
        if (!core->async->multiply(sm->views[warp].live))
            mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &core->error);
        sm_wait_done(sm, warp, MNP_PARK_PRODUCTS, cycle);
        if (sm->warps[warp].stall.why == SM_STALL_MEMORY)
            sm_recheck(sm, warp, cycle);
    }
    sm_progress(sm);
    sm_cta_async_done(sm, sm->warps[first].cta.slot, cycle);
}

void sm_wgmma_cycle(struct sm *sm, uint64_t cycle)
{
    const struct sm_wgmma *wgmma = &sm->wgmma;
    const struct sm_wgmma_state *state = &sm->state->wgmma;
    while (state->count && wgmma->flight[state->first].done <= cycle)
        end(sm, cycle);
    if (state->formed && state->begin_at <= cycle && state->count < SM_WGMMA_FLYING)
        begin(sm, cycle);
}

uint64_t sm_wgmma_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_wgmma *wgmma = &sm->wgmma;
    const struct sm_wgmma_state *state = &sm->state->wgmma;
    uint64_t next = state->count ? wgmma->flight[state->first].done : MNP_NEVER;
    if (state->formed && state->count < SM_WGMMA_FLYING && state->begin_at < next)
        next = state->begin_at;
    return next > cycle ? next : cycle + 1;
}
