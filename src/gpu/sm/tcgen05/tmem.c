/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/tcgen05/tmem.h"

#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/tcgen05/tcgen05.h"

void sm_tmem_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (!sm->live)
        return;
    sm->tmem.state = mnp_arena_take(arena, 1, sizeof *sm->tmem.state);
    sm->tmem.moves = mnp_arena_take(arena, SM_TMEM_QUARTERS * SM_TMEM_MOVES_UNDER_WAY, sizeof *sm->tmem.moves);
}

static struct sm_tmem_move *move_at(const struct sm *sm, uint32_t quarter, uint32_t number)
{
    return &sm->tmem.moves[quarter * SM_TMEM_MOVES_UNDER_WAY + number % SM_TMEM_MOVES_UNDER_WAY];
}

uint32_t sm_tmem_room(const struct sm *sm, uint32_t warp)
{
    uint32_t quarter = sm->warps[warp].cta.number % SM_TMEM_QUARTERS;
    return SM_TMEM_MOVES_UNDER_WAY - sm->tmem.state->quarter[quarter].count;
}

void sm_tmem_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    const struct sm_parameters *p = sm->parameters;
    const struct mnp_tensor_command *command = &sm->live->core.tensor;
    if (command->kind == MNP_TENSOR_ALLOCATE)
        sm_stall_until(&sm->warps[warp].stall, cycle + p->tmem_allocate);
    if (command->kind == MNP_TENSOR_FREE)
        sm_wait_room(sm, MNP_PARK_COLUMNS, cycle);
    if (command->pair)
        sm_tcgen05_tell_pair(sm, sm->warps[warp].cta.slot, command->token, cycle);
    if (command->kind != MNP_TENSOR_LOAD && command->kind != MNP_TENSOR_STORE)
        return;
    struct sm_tmem_quarter *quarter = &sm->tmem.state->quarter[command->quarter];
    quarter->free = sm_later(quarter->free, cycle) + command->cycles;
    *move_at(sm, command->quarter, quarter->first + quarter->count++) = (struct sm_tmem_move){
        .done = quarter->free + p->tmem_latency, .warp = (uint16_t)warp, .store = command->kind == MNP_TENSOR_STORE};
    uint64_t *counters = sm_counters_of(sm, warp);
    counters[SM_TMEM_MOVES]++;
    counters[SM_TMEM_CYCLES] += command->cycles;
    sm_wake_stage(sm, SM_TURN_TMEM, cycle);
    sm_cta_async_begins(sm, sm->warps[warp].cta.slot);
}

/* The oldest move of a quarter is done. */
static void end(struct sm *sm, uint32_t number, uint64_t cycle)
{
    struct sm_tmem_quarter *quarter = &sm->tmem.state->quarter[number];
    const struct sm_tmem_move *move = move_at(sm, number, quarter->first);
    uint32_t warp = move->warp;
    quarter->first = (quarter->first + 1) % SM_TMEM_MOVES_UNDER_WAY;
    quarter->count--;
    sm->live->core.async->moved(sm->views[warp].live, move->store);
    sm_wait_done(sm, warp, MNP_PARK_MOVES, cycle);
    sm_wait_room(sm, MNP_PARK_ROOM, cycle);
    if (sm->warps[warp].stall.why == SM_STALL_MEMORY)
        sm_recheck(sm, warp, cycle);
    sm_progress(sm);
    sm_cta_async_done(sm, sm->warps[warp].cta.slot, cycle);
}

void sm_tmem_cycle(struct sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < SM_TMEM_QUARTERS && sm->live; i++)
        while (sm->tmem.state->quarter[i].count && move_at(sm, i, sm->tmem.state->quarter[i].first)->done <= cycle)
            end(sm, i, cycle);
}

uint64_t sm_tmem_next(const struct sm *sm, uint64_t cycle)
{
    uint64_t next = MNP_NEVER;
    for (uint32_t i = 0; i < SM_TMEM_QUARTERS && sm->live; i++) {
        const struct sm_tmem_quarter *quarter = &sm->tmem.state->quarter[i];
        uint64_t done = quarter->count ? move_at(sm, i, quarter->first)->done : MNP_NEVER;
        next = done < next ? done : next;
    }
    return next > cycle ? next : cycle + 1;
}
