/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/live.h"

#include "engine/core/port.h"
#include "gpu/sm/dependent_launch.h"
#include "gpu/sm/events.h"
#include "gpu/sm/l1d_inline.h"
#include "gpu/sm/register_pool.h"
#include "gpu/sm/values.h"

#include <string.h>

static uint32_t access_count(const struct sm_parameters *p)
{
    return sm_live_tickets(p) - 1;
}

void sm_live_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_live *live = sm->live;
    if (!live)
        return;
    uint32_t count = access_count(p);
    live->state = mnp_arena_take(arena, 1, sizeof *live->state);
    live->accesses = mnp_arena_take(arena, count, sizeof *live->accesses);
    live->next_free = mnp_arena_take(arena, count, sizeof *live->next_free);
    live->turns = mnp_arena_take(arena, count, sizeof *live->turns);
    live->cover = mnp_arena_take(arena, count, sizeof *live->cover);
    live->loads = mnp_arena_take(arena, p->loads, sizeof *live->loads);
    live->ctas = mnp_arena_take(arena, p->ctas, sizeof *live->ctas);
    live->warps = mnp_arena_take(arena, p->warps, sizeof *live->warps);
    live->core.heat = mnp_arena_take(arena, MNP_LIVE_HEAT, sizeof *live->core.heat);
    sm_sent_lay_out(sm, arena);
}

void sm_live_init(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_live *live = sm->live;
    if (!live)
        return;
    uint32_t count = access_count(p);
    live->core.index = sm->index;
    live->core.count = 1;
    live->core.clock = &sm->unit->clock;
    live->core.values.every = p->values;
    sm_values_init(sm);
    sm_sent_init(sm, sm_live_tickets(p));
    for (uint32_t i = 0; i < count; i++)
        live->next_free[i] = i + 1;
    for (uint32_t i = 0; i < p->ctas; i++)
        live->ctas[i].generation = SM_LIVE_GENERATIONS;
}

void sm_live_freeze(struct sm *sm)
{
    sm->values = mnp_port_link(sm->unit, SM_VALUES);
}

void sm_live_start_warp(struct sm *sm, uint32_t warp)
{
    const struct sm_code *code = &sm->codes[sm->warps[warp].cta.slot];
    sm->live->warps[warp] = (struct sm_live_warp){.registers = sm_register_pool_share(code->kernel)};
    if (sm->parameters->values)
        sm_values_start(sm, warp);
}

/* ===== issue ===== */

static void put_aside(struct sm *sm, uint32_t warp, uint32_t result, uint64_t cycle)
{
    if (result & MNP_LIVE_WAITS) {
        sm_barrier_wait(sm, warp, sm->views[warp].live->barrier);
        return;
    }
    if (result & MNP_LIVE_PARKED) {
        sm_wait_begin(sm, warp, cycle);
        return;
    }
    if (result & MNP_LIVE_FAULTED) {
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &sm->live->core.error);
        sm_barrier_wait(sm, warp, SM_BARRIER_NEVER);
        return;
    }
    sm_stall_until(&sm->warps[warp].stall, cycle + SM_LIVE_AGAIN);
}

/* A fence for others than the CTA goes to the L2 and back, behind what it covers or beside it. What it lets the warp
 * load then comes from there: the L1 may have it as it was, and is dropped, which takes its time. */
static inline void pass_fence(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                              uint32_t since, uint64_t cycle)
{
    if (instruction->class != MNP_CLASS_SYNC || instruction->flags & (MNP_FLAG_BARRIER | MNP_FLAG_ARRIVE) ||
        instruction->wait & MNP_WAIT_DEPBAR)
        return;
    const struct sm_parameters *p = sm->parameters;
    if (p->ideal_fences)
        return;
    uint64_t takes = 0;
    if (instruction->fence & MNP_FENCE_FAR) {
        uint64_t waited = since ? (uint32_t)cycle + 1 - since : 0;
        takes = waited < p->fence ? p->fence - waited : 0;
    }
    if (instruction->fence & MNP_FENCE_FORGETS) {
        takes += p->forget;
        sm_l1d_invalidate(sm);
    }
    if (takes || instruction->fence & MNP_FENCE_FAR)
        sm_stall_until(&sm->warps[warp].stall, cycle + takes);
}

const struct mnp_record *sm_live_issue(struct sm *sm, uint32_t warp, struct sm_warp *w, struct sm_warp_view *view,
                                       uint64_t cycle)
{
    struct sm_live *live = sm->live;
    struct mnp_live_access *access = &live->accesses[live->state->free];
    live->core.cycle = cycle;
    live->core.waited = sm_wait_gave_up(&live->warps[warp].wait);
    live->core.registers = live->warps[warp].registers;
    live->core.pool = sm->ctas[w->cta.slot].pool;
    live->core.grid_waits = sm->ctas[w->cta.slot].before != 0;
    uint32_t result = view->live->execute(view->live, access);
    if (result & (MNP_LIVE_AGAIN | MNP_LIVE_FAULTED | MNP_LIVE_PARKED)) {
        put_aside(sm, warp, result, cycle);
        return NULL;
    }
    if (!view->live->idle)
        sm_progress(sm);
    if (__builtin_expect(live->core.values.seen, 0))
        sm_values_take(sm, warp, &view->instructions[access->record.index]);
    live->jumped = result & MNP_LIVE_JUMPED;
    live->waits = result & MNP_LIVE_WAITS;
    uint32_t since = live->warps[warp].since;
    live->warps[warp].fence = live->warps[warp].since = 0;
    pass_fence(sm, warp, &view->instructions[access->record.index], since, cycle);
    if (result & MNP_LIVE_ENDED)
        sm_view_end(view, w->issue.next + 1);
    if (result & MNP_LIVE_ARRIVED)
        sm_cluster_arrive(sm, w->cta.slot, cycle);
    if (live->core.registers != live->warps[warp].registers)
        sm_register_pool_change(sm, warp, live->core.registers, cycle);
    if (live->core.released)
        sm_dependent_launch_release(sm, w->cta.slot, cycle);
    live->commands = live->core.copy_count || result & MNP_LIVE_PRODUCT;
    if (live->core.flipped)
        sm_wait_flipped(sm, w->cta.slot, live->core.flipped, cycle);
    if (view->live->opened)
        sm_barrier_complete(sm, w->cta.slot, view->live->opened, cycle);
    return &access->record;
}

const struct mnp_record *sm_live_compute(struct sm *sm, uint32_t warp, const struct sm_warp_view *view, uint64_t cycle)
{
    struct sm_live *live = sm->live;
    struct mnp_live_access *access = &live->accesses[live->state->free];
    if (!view->live->compute || !view->live->compute(view->live, access, &live->jumped))
        return NULL;
    live->core.cycle = cycle;
    live->warps[warp].fence = live->warps[warp].since = 0;
    sm_wait_gave_up(&live->warps[warp].wait);
    if (!view->live->idle)
        sm_progress(sm);
    return &access->record;
}

void sm_live_row(struct sm *sm, uint32_t warp, struct mnp_live_row *row, uint64_t cycle)
{
    struct sm_live *live = sm->live;
    struct mnp_live_warp *of = sm->views[warp].live;
    live->core.cycle = cycle;
    of->row(of, &live->accesses[live->state->free], row);
    if (row->faulted)
        put_aside(sm, warp, MNP_LIVE_FAULTED, cycle);
    if (row->count)
        live->warps[warp].fence = live->warps[warp].since = 0;
    if (row->count && !of->idle)
        sm_progress(sm);
}

/* Other lanes of the warp run behind the barrier than what has been fetched is for. */
static void fetch_anew(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    struct sm_buffer_warp *buffer = &sm->warps[warp].buffer;
    sm_buffer_stop(&s->buffers, buffer, sm_bit_of(sm, warp));
    sm_fetch_forget(sm, warp);
    sm_buffer_start(&s->buffers, sm_bit_of(sm, warp));
    sm_buffer_redirect(buffer, cycle + sm->parameters->branch_latency);
}

bool sm_live_barrier(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (sm->live->jumped && !sm_is_passing(sm))
        fetch_anew(sm, warp, cycle);
    if (sm->live->waits)
        sm_barrier_wait(sm, warp, sm->views[warp].live->barrier);
    return sm->live->waits;
}

bool sm_live_executed_at_l2(const struct sm *sm)
{
    return sm->live->accesses[sm->live->state->free].at_l2 != MNP_LIVE_NOT_AT_L2;
}

bool sm_live_waits(const struct sm *sm, uint32_t warp)
{
    const struct mnp_live_warp *live = sm->views[warp].live;
    return sm->live->warps[warp].acquiring || (live->pending && live->waits(live));
}

bool sm_live_fence_holds(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    const struct sm_warp *w = &sm->warps[warp];
    struct sm_live_cta *cta = &sm->live->ctas[w->cta.slot];
    struct sm_live_warp *live = &sm->live->warps[warp];
    if (sm->parameters->fence_beside && !live->since)
        live->since = (uint32_t)(cycle + 1);
    if (!live->fence) {
        if (cta->under_way[(cta->generation + 1) % SM_LIVE_GENERATIONS])
            return true; /* none is free to begin; this is asked again when something has ended */
        live->fence = ++cta->generation;
    }
    bool holds = w->cta.outstanding != 0;
    for (uint32_t i = 0; i < SM_LIVE_GENERATIONS; i++)
        holds |= cta->generation - i < live->fence && cta->under_way[(cta->generation - i) % SM_LIVE_GENERATIONS];
    return holds;
}

/* ===== the memory pipeline ===== */

/* Accesses at the L2 are taken in the order of their issue, whichever sub-core has issued them. Returns the cycle from
 * which the one at this place of the queue may be taken. */
static uint64_t wait_for_turn(struct sm *sm, uint32_t place, uint64_t ready)
{
    struct sm_live_state *state = sm->live->state;
    uint64_t order = state->ordered++;
    if (order == state->started)
        return ready;
    sm->live->turns[order % access_count(sm->parameters)] = (struct sm_live_turn){.ready = ready, .place = place};
    return SM_NOT_YET;
}

static const struct sm_live_turn *give_turn(struct sm *sm)
{
    struct sm_live_state *state = sm->live->state;
    if (++state->started == state->ordered)
        return NULL;
    return &sm->live->turns[state->started % access_count(sm->parameters)];
}

/* Lanes whose sectors of global memory others are not to touch meanwhile. */
static uint32_t heated(const struct mnp_live_access *access)
{
    return access->remote ? 0 : access->record.mask;
}

uint16_t sm_live_accept(struct sm *sm, uint32_t warp, uint32_t place, uint64_t *ready)
{
    struct sm_live *live = sm->live;
    uint32_t id = live->state->free;
    const struct mnp_live_access *access = &live->accesses[id];
    struct sm_live_cta *cta = &live->ctas[sm->warps[warp].cta.slot];
    live->state->free = live->next_free[id];
    live->cover[id] = 0;
    if (access->at_l2) {
        *ready = wait_for_turn(sm, place, *ready);
        for (uint32_t lanes = heated(access); lanes; lanes &= lanes - 1) {
            live->core.heat[mnp_live_heat_place(access->addresses[__builtin_ctz(lanes)])]++;
            live->core.hot++;
        }
        if (access->acquire)
            live->warps[warp].acquiring = id + 1;
    }
    if (access->at_l2 || access->stores) {
        live->cover[id] = (uint16_t)(cta->generation % SM_LIVE_GENERATIONS + 1);
        cta->under_way[live->cover[id] - 1]++;
    }
    return (uint16_t)(id + 1);
}

const struct mnp_live_access *sm_live_access(const struct sm *sm, uint16_t ticket)
{
    return &sm->live->accesses[ticket - 1];
}

bool sm_live_at_l2(const struct sm *sm, uint16_t load)
{
    return sm->live->loads[load].ticket != 0;
}

bool sm_live_is_idle(const struct sm *sm, uint16_t load)
{
    return sm->live->loads[load].ticket && sm->views[sm->loads[load].warp].live->idle;
}

static void give_back(struct sm_live *live, uint32_t id)
{
    live->next_free[id] = live->state->free;
    live->state->free = id;
}

const struct sm_live_turn *sm_live_started(struct sm *sm, uint16_t ticket, uint16_t load)
{
    struct sm_live *live = sm->live;
    uint32_t id = ticket - 1u;
    if (live->cover[id])
        live->loads[load].cover = live->cover[id];
    if (!live->accesses[id].at_l2) {
        give_back(live, id);
        return NULL;
    }
    live->loads[load].ticket = ticket;
    return give_turn(sm);
}

static void end_access(struct sm *sm, uint32_t warp, uint32_t id, uint64_t cycle)
{
    struct sm_live *live = sm->live;
    const struct mnp_live_access *access = &live->accesses[id];
    for (uint32_t lanes = heated(access); lanes; lanes &= lanes - 1) {
        live->core.heat[mnp_live_heat_place(access->addresses[__builtin_ctz(lanes)])]--;
        live->core.hot--;
    }
    if (mnp_live_answers(access->at_l2) && sm->views[warp].live->deliver) {
        live->core.values.seen = false;
        sm->views[warp].live->deliver(sm->views[warp].live, access);
        if (live->core.values.seen)
            sm_values_take(sm, warp, &sm->views[warp].instructions[access->record.index]);
    }
    if (live->warps[warp].acquiring == id + 1) {
        live->warps[warp].acquiring = 0;
        if (access->forgets && sm->parameters->forget && !sm->parameters->ideal_fences)
            sm_stall_until(&sm->warps[warp].stall, cycle + sm->parameters->forget);
    }
    if (access->forgets)
        sm_l1d_invalidate(sm);
    give_back(live, id);
}

/* Fences of the CTA may have waited for it. */
static void end_cover(struct sm *sm, uint16_t slot, uint32_t generation, uint64_t cycle)
{
    if (--sm->live->ctas[slot].under_way[generation])
        return;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        if (sm->warps[warp].cta.slot == slot && sm->warps[warp].stall.why == SM_STALL_FENCE)
            sm_recheck(sm, warp, cycle);
    }
}

void sm_live_done(struct sm *sm, uint16_t load, uint64_t cycle)
{
    struct sm_live_load done = sm->live->loads[load];
    uint32_t warp = sm->loads[load].warp;
    sm->live->loads[load] = (struct sm_live_load){0};
    if (done.ticket)
        end_access(sm, warp, done.ticket - 1u, cycle);
    if (done.cover)
        end_cover(sm, sm->warps[warp].cta.slot, done.cover - 1u, cycle);
}

void sm_live_leave(struct sm *sm, uint16_t load)
{
    struct sm_live_load *left = &sm->live->loads[load];
    if (left->cover)
        sm->live->ctas[sm->warps[sm->loads[load].warp].cta.slot].under_way[left->cover - 1u]--;
    *left = (struct sm_live_load){0};
}

/* ===== values ===== */

/* Adds a piece of a lane to the values that are being filled, sending them when they are full. */
static struct gpu_values *add_piece(struct sm *sm, struct gpu_values *values, const struct gpu_values *like,
                                    const struct mnp_live_access *access, uint32_t lane, uint32_t place, mnp_time now)
{
    if (!values || values->count == GPU_VALUES) {
        values = mnp_link_send(sm->values, now);
        *values = *like;
    }
    uint32_t i = values->count++;
    values->lane[i] = (uint8_t)lane;
    values->place[i] = (uint8_t)place;
    values->offset[i] = (uint8_t)(access->addresses[lane] - like->line + place);
    memcpy(&values->value[i], access->data[lane] + place, values->bytes);
    if (access->at_l2 == MNP_LIVE_ATOMIC || access->at_l2 == MNP_LIVE_REDUCTION)
        memcpy(&values->swap[i], access->data[lane] + (access->paired ? 16 + place : 8), values->bytes);
    return values;
}

/* Wide accesses have several parts in one line: values go with the first. */
static bool is_first_of_line(const struct sm_access *access, const struct sm_part *part)
{
    for (const struct sm_part *other = access->parts; other != part; other++)
        if (other->line == part->line)
            return false;
    return true;
}

void sm_live_send(struct sm *sm, const struct sm_part *part, uint16_t load, uint64_t cycle)
{
    uint16_t ticket = sm->live->loads[load].ticket;
    if (!ticket || !is_first_of_line(&sm->state->lsu.access, part))
        return;
    sm_port_join(sm, ticket);
    const struct mnp_live_access *access = &sm->live->accesses[ticket - 1];
    const struct sm_warp *w = &sm->warps[sm->loads[load].warp];
    struct gpu_values like = {.line = part->line,
                              .sm = sm->index,
                              .ticket = ticket,
                              .bytes = access->bytes < 8 ? access->bytes : 8,
                              .kind = access->at_l2,
                              .operation = access->operation,
                              .type = access->type,
                              .paired = access->paired,
                              .warp = (uint16_t)w->cta.number,
                              .cta = (uint32_t)sm->ctas[w->cta.slot].number};
    struct gpu_values *values = NULL;
    mnp_time now = mnp_cursor_edge(&sm->unit->clock, cycle);
    for (uint32_t lanes = access->record.mask; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        if (access->addresses[lane] - part->line >= sm->parameters->l1d_line)
            continue;
        for (uint32_t place = 0; place < access->bytes; place += like.bytes)
            values = add_piece(sm, values, &like, access, lane, place, now);
    }
}

void sm_live_hear(struct sm *sm, struct mnp_port_place at, const void *packet, uint64_t cycle)
{
    const struct gpu_values *values = packet;
    (void)at, (void)cycle;
    struct mnp_live_access *access = &sm->live->accesses[values->ticket - 1];
    for (uint32_t i = 0; i < values->count; i++)
        memcpy(access->data[values->lane[i]] + values->place[i], &values->value[i], values->bytes);
}
