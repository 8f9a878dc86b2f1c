/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTAs on an SM: their arrival, the start and end of their warps, barriers, and the news of their end.
 *
 * What concerns several sub-cores, a barrier that opens and a CTA that ends, takes effect at the start of the next
 * cycle, so that within a cycle no sub-core depends on whether another has had its turn.
 */
#include "gpu/sm/live.h"

#include <string.h>

/* ===== accounting ===== */

void sm_cta_account(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    uint64_t *counters = mnp_counters(sm->unit, state->owner);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        sm_issue_account(&state->subcore[i], counters, cycle);
    if (state->resident_ctas && cycle > state->owner_since) {
        counters[SM_ACTIVE_CYCLES] += cycle - state->owner_since;
        counters[SM_RESIDENT_WARP_CYCLES] += (cycle - state->owner_since) * state->resident_warps;
        counters[SM_POSSIBLE_WARP_CYCLES] += (cycle - state->owner_since) * sm->parameters->warps;
    }
    state->owner_since = cycle > state->owner_since ? cycle : state->owner_since;
}

/* Whose issue slots and occupancy are counted: the present owner's while it has a CTA here, else the first CTA's. */
static void choose_owner(struct sm *sm)
{
    uint16_t first = 0;
    for (uint32_t i = sm->parameters->ctas; i-- > 0;) {
        if (!sm->ctas[i].used)
            continue;
        if (sm->ctas[i].kernel == sm->state->owner)
            return;
        first = sm->ctas[i].kernel;
    }
    sm->state->owner = first;
}

/* ===== arrival ===== */

/* Whether each instruction's operands are looked at: with read ports, those of a trace with control bits. */
static bool asks_operands(const struct sm *sm, const struct mnp_kernel *kernel)
{
    uint64_t operands = sm->parameters->operands;
    return operands != SM_OPERANDS_NONE && (operands != SM_OPERANDS_READ_PORTS || kernel->has_control);
}

static void start_warp(struct sm *sm, uint32_t warp, uint16_t slot, uint32_t number, uint64_t cycle)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t bit = sm_bit_of(sm, warp);
    uint32_t place = warp / (uint32_t)sm->parameters->subcores;
    const struct sm_code *code = &sm->codes[slot];
    const struct mnp_warp_stream *stream = &code->cta.warps[number];
    sm->views[warp] = (struct sm_warp_view){.records = stream->records,
                                            .addresses = stream->addresses,
                                            .paged = stream->paged,
                                            .live = stream->live,
                                            .instructions = code->instructions,
                                            .count = stream->count,
                                            .code_base = code->code_base,
                                            .counters = mnp_counters(sm->unit, sm->ctas[slot].kernel),
                                            .has_control = code->kernel->has_control,
                                            .use_control = code->kernel->has_control && sm->control,
                                            .asks_operands = asks_operands(sm, code->kernel),
                                            .slow = (code->kernel->has_control && sm->control) || stream->live};
    if (stream->live)
        sm_live_start_warp(sm, warp);
    uint64_t start = cycle + sm->parameters->start_latency + number * sm->parameters->warp_interval;
    sm->warps[warp] =
        (struct sm_warp){.redirect = start, .cta = slot, .number = (uint16_t)number, .hold = SM_HOLD_FETCH};
    memset(sm->register_ready + (size_t)warp * SM_REGISTERS, 0, SM_REGISTERS * sizeof(uint64_t));
    if (sm->control)
        sm->control[warp] = (struct sm_control){0};
    s->older[place] = s->resident;
    s->younger[place] = 0;
    for (uint64_t others = s->resident; others; others &= others - 1) {
        s->older[__builtin_ctzll(others)] &= ~bit;
        s->younger[__builtin_ctzll(others)] |= bit;
    }
    s->resident |= bit;
    s->hold[SM_HOLD_FETCH] |= bit;
    sm_depend_set_timer(sm, warp, start, cycle);
    sm_issue_wake(sm, warp, cycle);
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
        while (warp < sm->parameters->warps && sm->warps[warp].cta != SM_NONE)
            warp++;
        MNP_REQUIRE(warp < sm->parameters->warps, "%s is given more warps than it has room for", sm->unit->name);
        start_warp(sm, warp, slot, number, cycle);
    }
    for (uint32_t other = 0; other < sm->parameters->warps; other++) /* a warp without instructions ends at once */
        if (sm->warps[other].cta == slot && sm->views[other].count == 0)
            sm_cta_warp_ended(sm, other, cycle);
}

/* Where a kernel's code lies: at 2^48 and beyond, out of the way of data, in 2^20 pieces of 16 MiB by its name, so that
 * later launches of one kernel find its code in the L2. */
static uint64_t code_base_of(const struct mnp_kernel *kernel)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *c = kernel->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (UINT64_C(1) << 48) + ((hash >> 44) << 24);
}

bool sm_cta_launch(struct sm *sm, const struct gpu_launch *launch, uint64_t cycle)
{
    struct mnp_kernel *kernel = sm->device->kernels[launch->kernel];
    struct mnp_error error = {{0}};
    uint16_t slot = free_slot(sm);
    struct sm_code *code = &sm->codes[slot];
    code->kernel = kernel;
    code->cta.core = sm->live ? &sm->live->core : NULL;
    if (!sm->device->source->load_cta(sm->device->source, kernel, launch->cta, &code->cta, &error)) {
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &error);
        return false;
    }
    code->instructions = code->cta.instructions;
    code->code_base = code_base_of(kernel);
    sm_cta_account(sm, cycle);
    if (sm->state->resident_ctas == 0)
        sm_l1d_carve(sm, kernel);
    uint32_t warps = code->cta.warp_count;
    sm->ctas[slot] = (struct sm_cta){
        .number = launch->cta, .live_warps = warps, .outstanding = warps, .kernel = launch->kernel, .used = 1};
    sm->state->resident_warps += warps;
    sm->state->resident_ctas++;
    choose_owner(sm);
    mnp_counters(sm->unit, launch->kernel)[SM_CTAS]++;
    sm_constant_preload(sm, code->code_base);
    start_warps(sm, slot, cycle);
    return true;
}

/* ===== barriers ===== */

static void open_barriers(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    uint32_t opening = sm->ctas[slot].opening;
    sm->ctas[slot].opening = 0;
    for (uint32_t barriers = opening; barriers; barriers &= barriers - 1)
        sm->ctas[slot].arrived[__builtin_ctz(barriers)] = 0;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        if (sm->warps[warp].cta != slot || sm->warps[warp].hold != SM_HOLD_BARRIER ||
            !(opening >> sm->warps[warp].barrier & 1))
            continue;
        sm->warps[warp].not_before = cycle - 1 + sm->parameters->barrier_latency;
        sm_depend_update(sm, warp, cycle);
        sm_issue_wake(sm, warp, cycle);
    }
}

static void open_when_complete(struct sm *sm, uint16_t slot, uint32_t barrier, uint64_t cycle)
{
    struct sm_cta *cta = &sm->ctas[slot];
    uint32_t expected = cta->expected[barrier] ? cta->expected[barrier] : cta->live_warps;
    if (cta->arrived[barrier] && cta->arrived[barrier] >= expected) {
        cta->opening |= (uint16_t)(1 << barrier);
        sm->state->opening |= UINT64_C(1) << slot;
        sm->state->news_at = cycle + 1;
    }
}

/* An arrival at a barrier of all warps that does not wait counts for nothing: those that wait are released when all
 * other warps wait too or have ended. */
void sm_cta_barrier(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    struct sm_cta *cta = &sm->ctas[w->cta];
    uint32_t barrier = instruction->barrier % MNP_CTA_BARRIERS;
    bool waits = instruction->flags & MNP_FLAG_BARRIER;
    sm_counters_of(sm, warp)[SM_BARRIERS]++;
    if (sm->views[warp].live) {
        sm_live_barrier(sm, warp, cycle);
        return;
    }
    if (waits) {
        sm_depend_hold(sm, warp, SM_HOLD_BARRIER);
        w->barrier = (uint8_t)barrier;
    } else {
        sm_depend_update(sm, warp, cycle + 1);
    }
    cta->expected[barrier] = instruction->barrier_warps;
    cta->arrived[barrier] += waits || instruction->barrier_warps;
    open_when_complete(sm, w->cta, barrier, cycle);
}

/* ===== ends ===== */

static void free_warps(struct sm *sm, uint32_t slot)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        struct sm_warp *w = &sm->warps[warp];
        if (w->cta != slot)
            continue;
        struct sm_subcore *s = sm_subcore_of(sm, warp);
        uint64_t bit = sm_bit_of(sm, warp);
        s->resident &= ~bit;
        s->room &= ~bit;
        for (uint32_t hold = 0; hold < SM_HOLD_COUNT; hold++)
            s->hold[hold] &= ~bit;
        *w = (struct sm_warp){.cta = SM_NONE};
        sm->views[warp] = (struct sm_warp_view){0};
    }
}

/* All warps have ended and all accesses are done: the CTA's resources go back to the dispatcher. */
static void finish_cta(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    struct sm_cta *cta = &sm->ctas[slot];
    sm_cta_account(sm, cycle);
    struct gpu_finish *finish = mnp_link_send(sm->finish, mnp_cursor_edge(&sm->unit->clock, cycle));
    finish->cta = cta->number;
    finish->kernel = cta->kernel;
    sm->state->resident_warps -= sm->codes[slot].cta.warp_count;
    sm->state->resident_ctas--;
    free_warps(sm, slot);
    *cta = (struct sm_cta){0};
    choose_owner(sm);
    sm->device->source->release_cta(sm->device->source, &sm->codes[slot].cta);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) /* the class of their slots has changed */
        sm_issue_wake(sm, i, cycle);
}

static void warp_may_be_done(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    if (w->hold != SM_HOLD_ENDED || w->outstanding)
        return;
    if (--sm->ctas[w->cta].outstanding == 0) {
        sm->state->ending |= UINT64_C(1) << w->cta;
        sm->state->news_at = cycle + 1;
    }
}

void sm_cta_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_state *state = sm->state;
    if (state->news_at > cycle)
        return;
    state->news_at = MNP_NEVER;
    for (; state->opening; state->opening &= state->opening - 1)
        open_barriers(sm, (uint32_t)__builtin_ctzll(state->opening), cycle);
    for (; state->ending; state->ending &= state->ending - 1)
        finish_cta(sm, (uint32_t)__builtin_ctzll(state->ending), cycle);
}

void sm_cta_warp_ended(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    uint16_t slot = sm->warps[warp].cta;
    sm_depend_hold(sm, warp, SM_HOLD_ENDED);
    sm_subcore_of(sm, warp)->room &= ~sm_bit_of(sm, warp);
    sm->ctas[slot].live_warps--;
    for (uint32_t barrier = 0; barrier < MNP_CTA_BARRIERS; barrier++)
        if (sm->ctas[slot].arrived[barrier])
            open_when_complete(sm, slot, barrier, cycle);
    warp_may_be_done(sm, warp, cycle);
}

void sm_cta_access_done(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    w->outstanding--;
    if (w->hold == SM_HOLD_MEMORY || (w->hold == SM_HOLD_FENCE && !w->outstanding)) {
        sm_depend_update(sm, warp, cycle);
        sm_issue_wake(sm, warp, cycle);
    }
    warp_may_be_done(sm, warp, cycle);
}
