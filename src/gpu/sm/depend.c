/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dependences by scoreboard: an instruction waits until no register that it reads or writes is still to be written
 * (RAW and WAW; GPGPU-Sim manual, scoreboard). The cycle in which a result of fixed latency can be used is known at
 * issue, so a register keeps that cycle, and a warp is looked at again just then; nothing happens at write-back.
 */
#include "gpu/sm/sm.h"

void sm_depend_hold(struct sm *sm, uint32_t warp, enum sm_hold hold)
{
    struct sm_warp *w = &sm->warps[warp];
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t bit = sm_bit_of(sm, warp);
    if (w->hold == SM_HOLD_NONE)
        s->class_mask[w->class] &= ~bit;
    s->hold[w->hold] &= ~bit;
    s->hold[hold] |= bit;
    w->hold = (uint8_t)hold;
}

/* The latest ready time of the registers of a range. */
static uint64_t latest(const uint64_t *ready, struct mnp_registers range, uint64_t time)
{
    for (uint32_t i = 0; i < range.count; i++)
        if (ready[range.first + i] > time)
            time = ready[range.first + i];
    return time;
}

void sm_depend_set_timer(struct sm *sm, uint32_t warp, uint64_t at, uint64_t cycle)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2; /* looked at again there when it is further off */
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    s->timer[slot] |= sm_bit_of(sm, warp);
    s->timer_slots |= UINT64_C(1) << slot;
}

void sm_depend_update(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    if (w->fetched == 0) {
        sm_depend_hold(sm, warp, SM_HOLD_FETCH);
        return;
    }
    const struct mnp_static_instruction *instruction = &sm->views[warp].instructions[sm_next_record(sm, warp)->index];
    const uint64_t *ready = sm->register_ready + (size_t)warp * SM_REGISTERS;
    uint64_t at = w->fetched_at[w->next % 4];
    at = at > w->not_before ? at : w->not_before;
    at = latest(ready, instruction->destination, at);
    for (uint32_t i = 0; i < instruction->source_count; i++)
        at = latest(ready, instruction->source[i], at);
    if (at == SM_PENDING) {
        sm_depend_hold(sm, warp, SM_HOLD_MEMORY);
    } else if (at > cycle) {
        sm_depend_set_timer(sm, warp, at, cycle);
        sm_depend_hold(sm, warp, SM_HOLD_TIMER);
    } else if ((instruction->flags & MNP_FLAG_FENCE) && w->outstanding) {
        sm_depend_hold(sm, warp, SM_HOLD_FENCE);
    } else {
        sm_depend_hold(sm, warp, SM_HOLD_NONE);
        w->class = instruction->class;
        sm_subcore_of(sm, warp)->class_mask[w->class] |= sm_bit_of(sm, warp);
    }
}

static void start(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    uint64_t at = sm->warps[warp].redirect;
    if (at > cycle)
        sm_depend_set_timer(sm, warp, at, cycle);
    else
        sm_fetch_start(sm, warp);
}

void sm_depend_timers(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t slot = cycle % SM_TIMER_SLOTS;
    uint64_t due = s->timer[slot];
    if (!due)
        return;
    s->timer[slot] = 0;
    s->timer_slots &= ~(UINT64_C(1) << slot);
    for (; due; due &= due - 1) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(due));
        if (sm->warps[warp].hold == SM_HOLD_FETCH) /* the timer of its start */
            start(sm, warp, cycle);
        else if (sm->warps[warp].hold == SM_HOLD_TIMER)
            sm_depend_update(sm, warp, cycle);
    }
}

uint64_t sm_depend_next_timer(const struct sm_subcore *subcore, uint64_t cycle)
{
    if (!subcore->timer_slots)
        return MNP_NEVER;
    uint32_t turn = (uint32_t)((cycle + 1) % SM_TIMER_SLOTS);
    uint64_t slots = subcore->timer_slots >> turn | subcore->timer_slots << ((64 - turn) % 64);
    return cycle + 1 + (uint64_t)__builtin_ctzll(slots);
}
