/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/tcgen05/tcgen05.h"

#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/remote_port.h"

enum {
    A_WAVEFRONTS = 32,    /* 128 rows of 32 bytes */
    FIRST_WAVEFRONTS = 2, /* of B: eight columns */
    WAVEFRONT = 128,      /* bytes */
    SEVERAL = 4           /* cycles of a copy to several warps' lanes, beyond its bytes: 20.3 of 1 KiB on a B200 */
};

void sm_tcgen05_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (!sm->live)
        return;
    sm->tcgen05.state = mnp_arena_take(arena, 1, sizeof *sm->tcgen05.state);
    sm->tcgen05.queue = mnp_arena_take(arena, SM_TCGEN05_WAITING, sizeof *sm->tcgen05.queue);
    sm->tcgen05.flight = mnp_arena_take(arena, SM_TCGEN05_FLYING, sizeof *sm->tcgen05.flight);
}

uint32_t sm_tcgen05_room(const struct sm *sm, uint32_t warp)
{
    return (uint32_t)sm->parameters->tcgen05_queue - sm->tcgen05.state->waiting[sm->subcore_of[warp]];
}

void sm_tcgen05_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    uint16_t slot = sm->warps[warp].cta.slot;
    uint32_t place = (state->queue_first + state->queue_count++) % SM_TCGEN05_WAITING;
    sm->tcgen05.queue[place] = (struct sm_tcgen05_command){
        .command = sm->live->core.tensor, .at = cycle + p->tcgen05_latency, .warp = (uint16_t)warp, .slot = slot};
    state->waiting[sm->subcore_of[warp]]++;
    sm_hold_until(&sm->warps[warp].hold, cycle + p->tcgen05_issue);
    sm_wake_stage(sm, SM_TURN_tcgen05, cycle);
    sm_cta_engine_begins(sm, slot);
}

/* ===== the tensor cores ===== */

/* The cycle in which a product that begins now has all of its sums. */
static uint64_t multiply(struct sm *sm, const struct sm_tcgen05_command *c, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    uint64_t a = c->command.a_tmem ? 0 : A_WAVEFRONTS, b = c->command.n / 4, cores = c->command.n / 2;
    uint64_t sums = sm_later(cycle + a + FIRST_WAVEFRONTS, state->sums_free);
    state->sums_free = sm_later(sums + cores, cycle + a + b);
    state->begin_at = sm_later(cycle + a + b, sums);
    sm_lsu_keep(sm, cycle, a + b);
    uint64_t *counters = sm_counters_of(sm, c->warp);
    counters[SM_TCGEN05_PRODUCTS]++;
    counters[SM_TCGEN05_CYCLES] += cores;
    counters[SM_TCGEN05_WAVEFRONTS] += a + b;
    counters[SM_MATRIX_OPERATIONS] += UINT64_C(2) * c->command.m * c->command.n * c->command.k;
    return state->sums_free;
}

/* … a copy is there. */
static uint64_t copy(struct sm *sm, const struct sm_tcgen05_command *c, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    uint64_t rate = sm->parameters->tcgen05_copy, shared = (c->command.bytes + rate - 1) / rate;
    uint64_t own = c->command.several ? shared + SEVERAL : 2 * shared;
    uint64_t wavefronts = (c->command.bytes + WAVEFRONT - 1) / WAVEFRONT;
    state->begin_at = cycle + (c->command.several ? own : shared);
    state->copy_free[sm->subcore_of[c->warp]] = cycle + own;
    state->copied_at = sm_later(state->copied_at, cycle + own);
    sm_lsu_keep(sm, cycle, wavefronts);
    uint64_t *counters = sm_counters_of(sm, c->warp);
    counters[SM_TCGEN05_COPIES]++;
    counters[SM_TCGEN05_WAVEFRONTS] += wavefronts;
    return cycle + own;
}

/* The cycle in which the oldest command can begin. */
static uint64_t begin_at(const struct sm *sm)
{
    const struct sm_tcgen05_state *state = sm->tcgen05.state;
    const struct sm_tcgen05_command *c = &sm->tcgen05.queue[state->queue_first];
    if (c->command.kind == MNP_TENSOR_COMMIT)
        return c->at;
    uint64_t own = c->command.kind == MNP_TENSOR_COPY ? state->copy_free[sm->subcore_of[c->warp]] : state->copied_at;
    return sm_later(c->at, sm_later(state->begin_at, own));
}

static void begin(struct sm *sm, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    struct sm_tcgen05_command *c = &sm->tcgen05.flight[(state->first + state->count++) % SM_TCGEN05_FLYING];
    *c = sm->tcgen05.queue[state->queue_first];
    state->queue_first = (state->queue_first + 1) % SM_TCGEN05_WAITING;
    state->queue_count--;
    state->waiting[sm->subcore_of[c->warp]]--;
    uint64_t end = cycle;
    if (c->command.kind == MNP_TENSOR_MULTIPLY)
        end = multiply(sm, c, cycle) + sm->parameters->tcgen05_finish;
    else if (c->command.kind == MNP_TENSOR_COPY)
        end = copy(sm, c, cycle) + sm->parameters->tcgen05_finish;
    c->at = state->done_at = sm_later(state->done_at, end);
    sm_park_room(sm, MNP_PARK_ROOM, cycle);
}

/* ===== commits ===== */

/* The same arrival at another CTA of the cluster, whose answer is waited for. */
static void tell(struct sm *sm, uint16_t slot, uint32_t rank, const struct mnp_parcel *parcel, uint64_t cycle)
{
    const struct sm_cta *cta = &sm->ctas[slot];
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    struct gpu_remote packet = {.cta = mnp_cluster_member(kernel->grid, kernel->cluster, cta->number, rank),
                                .kernel = cta->kernel,
                                .kind = GPU_REMOTE_PARCEL,
                                .ticket = (uint16_t)(slot + 1),
                                .parcel = *parcel};
    sm_cta_engine_begins(sm, slot);
    sm_remote_port_request(sm, cta->cluster.place[rank], &packet, cycle);
}

void sm_tcgen05_answered(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle)
{
    uint16_t slot = (uint16_t)(packet->ticket - 1);
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    struct mnp_error error = {{0}};
    if (packet->lost) {
        mnp_fail(&error,
                 "kernel %u (%s): a tcgen05.commit is for an mbarrier of a block of the cluster that has ended (the "
                 "blocks should meet at a cluster barrier before one ends)",
                 kernel->id, kernel->name);
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &error);
    }
    sm_cta_engine_done(sm, slot, cycle);
}

/* ===== ends ===== */

/* The oldest command is done. */
static void end(struct sm *sm, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    struct mnp_live_core *core = &sm->live->core;
    struct sm_tcgen05_command c = sm->tcgen05.flight[state->first];
    struct mnp_parcel parcel;
    state->first = (state->first + 1) % SM_TCGEN05_FLYING;
    state->count--;
    if (!core->engines->command(core, c.command.token, &parcel))
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &core->error);
    if (core->flipped)
        sm_park_flipped(sm, c.slot, core->flipped, cycle);
    for (uint32_t ranks = c.command.targets; ranks; ranks &= ranks - 1)
        tell(sm, c.slot, (uint32_t)__builtin_ctz(ranks), &parcel, cycle);
    sm_progress(sm);
    sm_cta_engine_done(sm, c.slot, cycle);
}

void sm_tcgen05_cycle(struct sm *sm, uint64_t cycle)
{
    const struct sm_tcgen05_state *state = sm->tcgen05.state;
    if (!sm->live)
        return;
    while (state->count && sm->tcgen05.flight[state->first].at <= cycle)
        end(sm, cycle);
    while (state->queue_count && state->count < SM_TCGEN05_FLYING && begin_at(sm) <= cycle)
        begin(sm, cycle);
}

uint64_t sm_tcgen05_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_tcgen05_state *state = sm->tcgen05.state;
    if (!sm->live)
        return MNP_NEVER;
    uint64_t next = state->count ? sm->tcgen05.flight[state->first].at : MNP_NEVER;
    if (state->queue_count && state->count < SM_TCGEN05_FLYING && begin_at(sm) < next)
        next = begin_at(sm);
    return next > cycle ? next : cycle + 1;
}
