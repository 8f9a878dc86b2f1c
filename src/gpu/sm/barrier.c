/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/events.h"

/* Warps of a CTA that wait at one of its barriers. */
static uint32_t count_waiting(const struct sm *sm, uint16_t slot, uint32_t barrier)
{
    uint32_t waiting = 0;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        const struct sm_warp *w = &sm->warps[warp];
        waiting += w->cta.slot == slot && w->stall.why == SM_STALL_BARRIER && w->barrier.number == barrier;
    }
    return waiting;
}

void sm_barrier_wait(struct sm *sm, uint32_t warp, uint32_t barrier)
{
    struct sm_warp *w = &sm->warps[warp];
    bool in_turn = sm->parameters->barrier_interval && barrier < MNP_CTA_BARRIERS;
    w->barrier.before = in_turn ? (uint8_t)count_waiting(sm, w->cta.slot, barrier) : 0;
    sm_stall_put(&sm_subcore_of(sm, warp)->stalls, &w->stall, sm_bit_of(sm, warp), SM_STALL_BARRIER);
    w->barrier.number = (uint8_t)barrier;
}

void sm_barrier_complete(struct sm *sm, uint32_t slot, uint32_t barriers, uint64_t cycle)
{
    sm->ctas[slot].barriers.opening |= barriers;
    sm->state->barrier.opening |= UINT64_C(1) << slot;
    sm_wake_ctas(sm, cycle);
}

static void open_when_complete(struct sm *sm, uint32_t slot, uint32_t barrier, uint64_t cycle)
{
    const struct sm_barriers *barriers = &sm->ctas[slot].barriers;
    uint32_t expected = barriers->expected[barrier] ? barriers->expected[barrier] : sm->ctas[slot].live_warps;
    if (barriers->arrived[barrier] && barriers->arrived[barrier] >= expected)
        sm_barrier_complete(sm, slot, 1u << barrier, cycle);
}

/* An arrival at a barrier of all warps that does not wait counts for nothing: those that wait are released when all
 * other warps wait too or have ended. */
bool sm_barrier_reach(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    uint16_t slot = sm->warps[warp].cta.slot;
    struct sm_barriers *barriers = &sm->ctas[slot].barriers;
    uint32_t barrier = instruction->barrier % MNP_CTA_BARRIERS;
    bool waits = instruction->flags & MNP_FLAG_BARRIER;
    if (waits)
        sm_barrier_wait(sm, warp, barrier);
    barriers->expected[barrier] = instruction->barrier_warps;
    barriers->arrived[barrier] += waits || instruction->barrier_warps;
    open_when_complete(sm, slot, barrier, cycle);
    return waits;
}

void sm_barrier_warp_ended(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    for (uint32_t barrier = 0; barrier < MNP_CTA_BARRIERS; barrier++)
        if (sm->ctas[slot].barriers.arrived[barrier])
            open_when_complete(sm, slot, barrier, cycle);
}

static void open_barriers(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    struct sm_barriers *of_cta = &sm->ctas[slot].barriers;
    uint64_t opening = of_cta->opening;
    of_cta->opening = 0;
    for (uint32_t barriers = opening & ((1u << MNP_CTA_BARRIERS) - 1); barriers; barriers &= barriers - 1)
        of_cta->arrived[__builtin_ctz(barriers)] = 0;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        struct sm_warp *w = &sm->warps[warp];
        if (w->cta.slot != slot || w->stall.why != SM_STALL_BARRIER || !(opening >> w->barrier.number & 1))
            continue;
        uint64_t turn = sm->parameters->barrier_interval * w->barrier.before;
        sm_stall_until(&w->stall, cycle - 1 + sm->parameters->barrier_latency + turn);
        sm_recheck(sm, warp, cycle);
    }
}

void sm_barrier_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_barrier_state *state = &sm->state->barrier;
    for (; state->opening; state->opening &= state->opening - 1)
        open_barriers(sm, (uint32_t)__builtin_ctzll(state->opening), cycle);
}
