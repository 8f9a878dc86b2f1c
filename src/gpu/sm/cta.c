/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTAs on an SM: their arrival, the start and end of their warps, and the news of their end. A CTA ends at the start of
 * the cycle after the last of its accesses is done or posted, so that within a cycle no sub-core depends on whether
 * another has had its turn.
 */
#include "base/range.h"
#include "base/text.h"
#include "engine/core/port.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/loads_inline.h"
#include "gpu/sm/lsu_inline.h"
#include "gpu/sm/parts/parts.h"

void sm_cta_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    sm->ctas = mnp_arena_take(arena, sm->parameters->ctas, sizeof *sm->ctas);
}

/* The view of a warp slot that is free: what stays the same for all its warps. */
static struct sm_warp_view free_view(const struct sm *sm, uint32_t warp)
{
    return (struct sm_warp_view){
        .warp = &sm->warps[warp], .ready = sm_scoreboard_words(&sm->dependence.scoreboard, warp), .number = warp};
}

void sm_cta_init(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    sm->codes = mnp_allocate(p->ctas, sizeof *sm->codes);
    sm->state->cta.news_at = MNP_NEVER;
    for (uint32_t i = 0; i < p->warps; i++) {
        sm->warps[i].cta.slot = SM_NONE;
        sm->views[i] = free_view(sm, i);
    }
}

void sm_cta_freeze(struct sm *sm)
{
    sm->finish = mnp_port_link(sm->unit, SM_FINISH);
}

/* ===== accounting ===== */

void sm_cta_account(struct sm *sm, uint64_t cycle)
{
    struct sm_cta_state *state = &sm->state->cta;
    uint64_t *counters = mnp_counters(sm->unit, state->owner);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        if (sm_is_passing(sm))
            sm_slots_pass(&sm->state->subcore[i].slots, cycle);
        else
            sm_slots_account(&sm->state->subcore[i].slots, counters, cycle);
    if (state->resident_ctas && cycle > state->owner_since) {
        counters[SM_ACTIVE_CYCLES] += cycle - state->owner_since;
        counters[SM_RESIDENT_WARP_CYCLES] += (cycle - state->owner_since) * state->resident_warps;
        counters[SM_POSSIBLE_WARP_CYCLES] += (cycle - state->owner_since) * sm->parameters->warps;
    }
    mnp_raise(&state->owner_since, cycle);
}

/* Chooses the kernel whose issue slots and occupancy are counted: the present owner while it has a CTA here, else the
 * kernel of the first CTA. */
static void choose_owner(struct sm *sm)
{
    uint16_t first = 0;
    for (uint32_t i = sm->parameters->ctas; i-- > 0;) {
        if (!sm->ctas[i].used)
            continue;
        if (sm->ctas[i].kernel == sm->state->cta.owner)
            return;
        first = sm->ctas[i].kernel;
    }
    sm->state->cta.owner = first;
}

/* ===== arrival ===== */

/* The view of warp `number` of a CTA in warp slot `warp`. */
static struct sm_warp_view view_of(const struct sm *sm, uint32_t warp, uint16_t slot, uint32_t number)
{
    const struct sm_code *code = &sm->codes[slot];
    const struct mnp_warp_stream *stream = &code->cta.warps[number];
    return (struct sm_warp_view){.warp = &sm->warps[warp],
                                 .ready = sm_scoreboard_words(&sm->dependence.scoreboard, warp),
                                 .number = warp,
                                 .records = stream->records,
                                 .addresses = stream->addresses,
                                 .paged = stream->paged,
                                 .live = stream->live,
                                 .instructions = code->instructions,
                                 .count = stream->count,
                                 .code_base = code->code_base,
                                 .counters = mnp_counters(sm->unit, sm->ctas[slot].kernel),
                                 .has_control = code->kernel->has_control,
                                 .asks_operands = sm_operands_ask(sm->parameters, code->kernel)};
}

static void start_warp(struct sm *sm, uint32_t warp, uint16_t slot, uint32_t number, uint64_t cycle)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    struct sm_warp *w = &sm->warps[warp];
    struct sm_warp_view *view = &sm->views[warp];
    uint64_t bit = sm_bit_of(sm, warp);
    uint64_t start = cycle + sm->parameters->start_latency + number * sm->parameters->warp_interval;
    *view = view_of(sm, warp, slot, number);
    *w = (struct sm_warp){.cta = {.slot = slot, .number = (uint16_t)number}};
    sm_buffer_redirect(&w->buffer, start);
    sm_depend_start(sm, warp, sm->codes[slot].kernel);
    view->slow = view->depend.scheme != SM_DEPENDENCE_SCOREBOARD;
    view->silent = view->slow || view->live;
    if (view->live)
        sm_live_start_warp(sm, warp);
    sm_scheduler_start(&s->scheduler, sm->parameters->scheduler, sm->place_of[warp], s->resident);
    sm_parts_warp_starts(sm, warp, cycle);
    s->resident |= bit;
    sm_stall_start(&s->stalls, &w->stall, bit, SM_STALL_FETCH);
    sm_stall_set_timer(&s->stalls, bit, start, cycle);
    sm_wake_warp(sm, warp, cycle);
    if (GPU_HEARS(sm, sm.warp_begins))
        gpu_tell_warp_begins(&sm->listeners, sm, warp, cycle);
}

static uint16_t free_slot(const struct sm *sm)
{
    uint16_t slot = 0;
    while (slot < sm->parameters->ctas && sm->ctas[slot].used)
        slot++;
    MNP_REQUIRE(slot < sm->parameters->ctas, "%s is given a CTA that it has no slot for", sm->unit->name);
    return slot;
}

/* Places the warps of a CTA in the lowest free warp slots. */
static void start_warps(struct sm *sm, uint16_t slot, uint64_t cycle)
{
    uint32_t warp = 0, count = sm->codes[slot].cta.warp_count;
    for (uint32_t number = 0; number < count; number++, warp++) {
        while (warp < sm->parameters->warps && sm->warps[warp].cta.slot != SM_NONE)
            warp++;
        MNP_REQUIRE(warp < sm->parameters->warps, "%s is given more warps than it has room for", sm->unit->name);
        start_warp(sm, warp, slot, number, cycle);
    }
    for (uint32_t other = 0; other < sm->parameters->warps; other++) /* a warp without instructions ends at once */
        if (sm->warps[other].cta.slot == slot && sm->views[other].count == 0)
            sm_cta_warp_ended(sm, other, cycle);
}

/* At 2^48 and beyond, out of the way of data, in 2^20 pieces of 16 MiB by its name, so that later launches of one
 * kernel find its code in the L2. */
uint64_t sm_code_base(const char *kernel)
{
    return (UINT64_C(1) << 48) + ((mnp_text_hash(0, kernel) >> 44) << 24);
}

const struct sm_code *sm_cta_launch(struct sm *sm, const struct gpu_launch *launch, uint64_t cycle)
{
    struct mnp_kernel *kernel = sm->device->kernels[launch->kernel];
    struct mnp_error error = {{0}};
    uint16_t slot = free_slot(sm);
    struct sm_code *code = &sm->codes[slot];
    code->kernel = kernel;
    code->cta.core = sm->live ? &sm->live->core : NULL;
    if (!sm->device->source->load_cta(sm->device->source, kernel, launch->cta, &code->cta, &error)) {
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &error);
        return NULL;
    }
    code->instructions = code->cta.instructions;
    code->code_base = sm_code_base(kernel->name);
    sm_cta_account(sm, cycle);
    uint32_t warps = code->cta.warp_count;
    sm->ctas[slot] = (struct sm_cta){.number = launch->cta,
                                     .live_warps = (uint16_t)warps,
                                     .outstanding = warps,
                                     .kernel = launch->kernel,
                                     .used = 1,
                                     .before = launch->before};
    sm_cluster_launch(sm, slot, launch);
    sm->state->cta.resident_warps += warps;
    sm->state->cta.resident_ctas++;
    choose_owner(sm);
    mnp_counters(sm->unit, launch->kernel)[SM_CTAS]++;
    if (GPU_HEARS(sm, sm.cta_begins))
        gpu_tell_cta_begins(&sm->listeners, sm, slot, cycle);
    start_warps(sm, slot, cycle);
    sm_wake_stage(sm, SM_TURN_STEADY, cycle);
    return code;
}

/* ===== ends ===== */

static void free_warps(struct sm *sm, uint32_t slot)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        struct sm_warp *w = &sm->warps[warp];
        if (w->cta.slot != slot)
            continue;
        struct sm_subcore *s = sm_subcore_of(sm, warp);
        uint64_t bit = sm_bit_of(sm, warp);
        s->resident &= ~bit;
        sm_buffer_end(&s->buffers, bit);
        sm_stall_end(&s->stalls, bit);
        *w = (struct sm_warp){.cta.slot = SM_NONE};
        sm->views[warp] = free_view(sm, warp);
    }
}

/* All warps have ended, and all accesses are done or posted: the CTA's resources go back to the dispatcher. */
static void finish_cta(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    struct sm_cta *cta = &sm->ctas[slot];
    sm_cta_account(sm, cycle);
    if (GPU_HEARS(sm, sm.cta_ends))
        gpu_tell_cta_ends(&sm->listeners, sm, slot, cycle);
    struct gpu_finish *finish = mnp_link_send(sm->finish, mnp_cursor_edge(&sm->unit->clock, cycle));
    finish->cta = cta->number;
    finish->kernel = cta->kernel;
    finish->released = cta->released;
    if (cta->posted) {
        finish->leaves = sm_load_leave(sm, slot);
        sm_lsu_leave(sm, slot);
    }
    sm->state->cta.resident_warps -= sm->codes[slot].cta.warp_count;
    sm->state->cta.resident_ctas--;
    sm_cluster_leave(sm, (uint16_t)slot, cycle);
    free_warps(sm, slot);
    *cta = (struct sm_cta){0};
    choose_owner(sm);
    sm->device->source->release_cta(sm->device->source, &sm->codes[slot].cta);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) /* the class of their slots has changed */
        sm_wake_subcore(sm, &sm->state->subcore[i], cycle);
}

/* One of what the CTA waits for is done. */
static void one_less(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    if (--sm->ctas[slot].outstanding == 0) {
        sm->state->cta.ending |= UINT64_C(1) << slot;
        sm_wake_ctas(sm, cycle);
    }
}

static void warp_may_be_done(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    if (w->stall.why != SM_STALL_ENDED || w->cta.outstanding > w->cta.posted || w->cta.done)
        return;
    w->cta.done = 1;
    one_less(sm, w->cta.slot, cycle);
}

void sm_cta_async_begins(struct sm *sm, uint32_t slot)
{
    sm->ctas[slot].outstanding++;
}

void sm_cta_async_done(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    one_less(sm, slot, cycle);
}

void sm_cta_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_cta_state *state = &sm->state->cta;
    if (state->news_at > cycle)
        return;
    sm_barrier_cycle(sm, cycle);
    state->news_at = MNP_NEVER;
    for (; state->ending; state->ending &= state->ending - 1)
        finish_cta(sm, (uint32_t)__builtin_ctzll(state->ending), cycle);
}

uint64_t sm_cta_next(const struct sm *sm, uint64_t cycle)
{
    (void)cycle;
    return sm->state->cta.news_at;
}

void sm_cta_warp_ended(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t bit = sm_bit_of(sm, warp);
    sm_stall_put(&s->stalls, &w->stall, bit, SM_STALL_ENDED);
    sm_buffer_end(&s->buffers, bit);
    sm->ctas[w->cta.slot].live_warps--;
    if (GPU_HEARS(sm, sm.warp_ends))
        gpu_tell_warp_ends(&sm->listeners, sm, warp, cycle);
    sm_barrier_warp_ended(sm, w->cta.slot, cycle);
    warp_may_be_done(sm, warp, cycle);
}

void sm_cta_access_posted(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    w->cta.posted++;
    sm->ctas[w->cta.slot].posted++;
    warp_may_be_done(sm, warp, cycle);
}

void sm_cta_posted_done(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    w->cta.posted--;
    sm->ctas[w->cta.slot].posted--;
    sm_cta_access_done(sm, warp, cycle);
}

void sm_cta_access_done(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    w->cta.outstanding--;
    if (GPU_HEARS(sm, sm.completed))
        gpu_tell_completed(&sm->listeners, sm, warp, cycle);
    if (w->stall.why == SM_STALL_MEMORY || (w->stall.why == SM_STALL_FENCE && !w->cta.outstanding))
        sm_recheck(sm, warp, cycle);
    warp_may_be_done(sm, warp, cycle);
}
