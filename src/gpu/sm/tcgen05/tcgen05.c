/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/tcgen05/tcgen05.h"

#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/remote_port.h"

enum {
    A_WAVEFRONTS = 32,    /* 128 rows of 32 bytes; of 64 rows as many */
    FIRST_WAVEFRONTS = 2, /* eight columns of B */
    WAVEFRONT = 128,      /* bytes */
    SEVERAL = 4,          /* cycles of a copy to several warps' lanes, beyond its bytes: 20.3 of 1 KiB on a B200 */
    WRITES_PER_READ = 2 /* bytes that tensor memory takes in while a byte of shared memory is read, by the same copy */
};

void sm_tcgen05_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (!sm->live)
        return;
    sm->tcgen05.state = mnp_arena_take(arena, 1, sizeof *sm->tcgen05.state);
    sm->tcgen05.queue = mnp_arena_take(arena, SM_TCGEN05_WAITING, sizeof *sm->tcgen05.queue);
    sm->tcgen05.flight = mnp_arena_take(arena, SM_TCGEN05_FLIGHT, sizeof *sm->tcgen05.flight);
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
    sm_stall_until(&sm->warps[warp].stall, cycle + p->tcgen05_issue);
    sm_wake_stage(sm, SM_TURN_TCGEN05, cycle);
    sm_cta_async_begins(sm, slot);
}

/* ===== the tensor cores ===== */

/* The cycle in which a product that begins now has all of its sums. */
static uint64_t multiply(struct sm *sm, const struct sm_tcgen05_command *c, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    const struct mnp_tensor_command *command = &c->command;
    uint64_t a = command->a_tmem ? 0 : A_WAVEFRONTS, b = (uint64_t)command->n / (command->pair ? 8 : 4);
    uint64_t cores = (uint64_t)command->n / 2 / command->parts;
    b <<= command->sparse;
    uint64_t sums = sm_later(cycle + a + FIRST_WAVEFRONTS, state->sums_free);
    state->sums_free = sm_later(sums + cores, cycle + a + b);
    state->begin_at = sm_later(cycle + a + b, sums);
    sm_lsu_keep(sm, cycle, a + b);
    uint64_t *counters = sm_counters_of(sm, c->warp);
    counters[SM_TCGEN05_PRODUCTS]++;
    counters[SM_TCGEN05_CYCLES] += cores;
    counters[SM_TCGEN05_WAVEFRONTS] += a + b;
    counters[SM_MATRIX_OPERATIONS] += UINT64_C(2) * c->command.m * c->command.n * c->command.k;
    struct gpu_product told = {.operations = UINT64_C(2) * command->m * command->n * command->k >> command->sparse,
                               .bits = (command->sparse ? 512U : 256U) / command->k};
    if (GPU_HEARS(sm, sm.multiplied))
        gpu_tell_multiplied(&sm->listeners, sm, c->warp, &told, cycle);
    return state->sums_free;
}

/* … a copy is there, or rows of tensor memory have moved, at the same rate. */
static uint64_t copy(struct sm *sm, const struct sm_tcgen05_command *c, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    uint64_t rate = sm->parameters->tcgen05_copy, shared = (c->command.bytes + rate - 1) / rate;
    uint64_t quarters = c->command.quarters;
    uint64_t moved = sm_later(shared, shared * quarters / WRITES_PER_READ);
    uint64_t own = quarters > 1 ? moved + SEVERAL : 2 * shared;
    uint64_t wavefronts = (c->command.bytes + WAVEFRONT - 1) / WAVEFRONT;
    uint64_t *counters = sm_counters_of(sm, c->warp);
    state->begin_at = cycle + (quarters > 1 ? own : shared);
    state->copy_free[sm->subcore_of[c->warp]] = cycle + own;
    state->copied_at = sm_later(state->copied_at, cycle + own);
    if (c->command.kind == MNP_TENSOR_SHIFT)
        return cycle + own;
    sm_lsu_keep(sm, cycle, wavefronts);
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
    uint64_t own =
        c->command.kind == MNP_TENSOR_MULTIPLY ? state->copied_at : state->copy_free[sm->subcore_of[c->warp]];
    return sm_later(c->at, sm_later(state->begin_at, own));
}

/* The cycle in which a command that begins now is done, as far as that is a matter of this SM. */
static uint64_t perform(struct sm *sm, const struct sm_tcgen05_command *c, uint64_t cycle)
{
    if (c->command.kind == MNP_TENSOR_COMMIT)
        return cycle;
    uint64_t end = c->command.kind == MNP_TENSOR_MULTIPLY ? multiply(sm, c, cycle) : copy(sm, c, cycle);
    return end + sm->parameters->tcgen05_finish;
}

static struct sm_tcgen05_command *next_of_flight(struct sm *sm)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    return &sm->tcgen05.flight[(state->first + state->count++) % SM_TCGEN05_FLIGHT];
}

static void begin(struct sm *sm, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    struct sm_tcgen05_command *c = next_of_flight(sm);
    *c = sm->tcgen05.queue[state->queue_first];
    state->queue_first = (state->queue_first + 1) % SM_TCGEN05_WAITING;
    state->queue_count--;
    state->waiting[sm->subcore_of[c->warp]]--;
    uint64_t end = perform(sm, c, cycle);
    if (c->command.pair) { /* its end is known when the other CTA has done its part */
        c->at = MNP_NEVER;
        sm_tcgen05_tell_pair(sm, c->slot, c->command.token, cycle);
    } else {
        c->at = state->done_at = sm_later(state->done_at, end);
    }
    sm_wait_room(sm, MNP_PARK_ROOM, cycle);
}

/* ===== pairs ===== */

static void fault(struct sm *sm, uint64_t cycle)
{
    mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &sm->live->core.error);
}

void sm_tcgen05_tell_pair(struct sm *sm, uint16_t slot, uint32_t token, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    const struct sm_cta *cta = &sm->ctas[slot];
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    uint32_t rank = cta->cluster.rank ^ 1u, count = core->async->pair_parcels(core, token);
    if ((cta->cluster.place[rank] ^ cta->cluster.place[cta->cluster.rank]) != 1) {
        mnp_fail(&core->error,
                 "kernel %u (%s): block %lu and the other one of its pair (.cta_group::2) are not on two SMs of a TPC, "
                 "which is not supported (more shared memory keeps blocks apart)",
                 kernel->id, kernel->name, (unsigned long)cta->number);
        fault(sm, cycle);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct gpu_remote packet = {.cta = mnp_cluster_member(kernel->grid, kernel->cluster, cta->number, rank),
                                    .kernel = cta->kernel,
                                    .kind = GPU_REMOTE_PAIR};
        if (!core->async->pair_parcel(core, token, i, &packet.parcel)) {
            fault(sm, cycle);
            return;
        }
        sm_remote_port_request(sm, cta->cluster.place[rank], &packet, cycle);
    }
}

/* A warp of the CTA, whose kernel pays for what the other CTA has issued. */
static uint16_t warp_of(const struct sm *sm, uint16_t slot)
{
    uint16_t warp = 0;
    while (warp + 1u < sm->parameters->warps && sm->warps[warp].cta.slot != slot)
        warp++;
    return warp;
}

/* The other CTA's command begins here at once. */
static void begin_others(struct sm *sm, uint16_t slot, const struct mnp_tensor_command *command, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    if (state->count == SM_TCGEN05_FLIGHT) {
        mnp_fail(&sm->live->core.error,
                 "the blocks of one SM are of pairs with those of several others, whose commands "
                 "are too many for it (more shared memory keeps blocks apart)");
        fault(sm, cycle);
        return;
    }
    struct sm_tcgen05_command *c = next_of_flight(sm);
    *c = (struct sm_tcgen05_command){.command = *command, .warp = warp_of(sm, slot), .slot = slot};
    uint64_t ready = sm_later(cycle, state->begin_at);
    c->at = state->done_at = sm_later(state->done_at, perform(sm, c, ready));
    sm_cta_async_begins(sm, slot);
}

/* The other CTA has done its part of a command of this one's, which ends now. */
static void end_own(struct sm *sm, uint32_t token, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    for (uint32_t i = 0; i < state->count; i++) {
        struct sm_tcgen05_command *c = &sm->tcgen05.flight[(state->first + i) % SM_TCGEN05_FLIGHT];
        if (c->at == MNP_NEVER && c->command.token == token)
            c->at = cycle + sm->parameters->tcgen05_finish;
    }
}

static void has_ended(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle)
{
    mnp_fail(
        &sm->live->core.error,
        "block %lu: tcgen05 with .cta_group::2 by the other block of its pair, after this one has ended (the blocks "
        "should meet at a cluster barrier before one ends)",
        (unsigned long)packet->cta);
    fault(sm, cycle);
}

void sm_tcgen05_hear(struct sm *sm, uint16_t slot, const struct gpu_remote *packet, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    struct mnp_pair_news news;
    if (slot == SM_NONE) {
        has_ended(sm, packet, cycle);
        return;
    }
    if (!core->async->pair_hear(core, &sm->codes[slot].cta, &packet->parcel, &news)) {
        fault(sm, cycle);
        return;
    }
    if (news.kind == MNP_PAIR_COLUMNS)
        sm_wait_room(sm, MNP_PARK_COLUMNS, cycle);
    else if (news.kind == MNP_PAIR_COMMAND)
        begin_others(sm, slot, &news.command, cycle);
    else if (news.kind == MNP_PAIR_DONE)
        end_own(sm, news.command.token, cycle);
    sm_progress(sm);
    sm_wake_stage(sm, SM_TURN_TCGEN05, cycle);
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
    sm_cta_async_begins(sm, slot);
    sm_remote_port_request(sm, cta->cluster.place[rank], &packet, cycle);
}

void sm_tcgen05_answered(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle)
{
    uint16_t slot = (uint16_t)(packet->ticket - 1);
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    struct mnp_error error = {{0}};
    if (packet->lost) {
        mnp_fail(&error, "kernel %u (%s): a tcgen05.commit is for an mbarrier of a block of the cluster %s", kernel->id,
                 kernel->name,
                 packet->lost == GPU_REMOTE_LOST ? "that has ended (the blocks should meet at a cluster barrier before "
                                                   "one ends)"
                                                 : "whose phase expects no more arrivals, or that is none");
        mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &error);
    }
    sm_cta_async_done(sm, slot, cycle);
}

/* ===== ends ===== */

/* The oldest command is done. */
static void end(struct sm *sm, uint64_t cycle)
{
    struct sm_tcgen05_state *state = sm->tcgen05.state;
    struct mnp_live_core *core = &sm->live->core;
    struct sm_tcgen05_command c = sm->tcgen05.flight[state->first];
    struct mnp_parcel parcel;
    state->first = (state->first + 1) % SM_TCGEN05_FLIGHT;
    state->count--;
    bool good = core->async->command(core, c.command.token, &parcel);
    if (!good)
        fault(sm, cycle);
    else if (c.command.other)
        sm_tcgen05_tell_pair(sm, c.slot, c.command.token, cycle);
    if (core->flipped)
        sm_wait_flipped(sm, c.slot, core->flipped, cycle);
    for (uint32_t ranks = c.command.targets; ranks; ranks &= ranks - 1)
        tell(sm, c.slot, (uint32_t)__builtin_ctz(ranks), &parcel, cycle);
    sm_progress(sm);
    sm_cta_async_done(sm, c.slot, cycle);
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
