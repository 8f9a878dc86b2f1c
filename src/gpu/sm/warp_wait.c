/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/warp_wait.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"

static bool has_end(enum mnp_park why)
{
    return why == MNP_PARK_PHASE || why == MNP_PARK_TIME;
}

/* The first cycle that begins so many nanoseconds later. */
static uint64_t cycle_behind(const struct sm *sm, uint64_t cycle, uint64_t nanoseconds)
{
    mnp_time time = mnp_cursor_edge(&sm->unit->clock, cycle) + nanoseconds * (MNP_SECOND / 1000000000);
    return mnp_cursor_cycle_at(&sm->unit->clock, time);
}

void sm_wait_begin(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    const struct mnp_live_warp *live = sm->views[warp].live;
    struct sm_wait_warp *parked = &sm->live->warps[warp].wait;
    struct sm_wait_state *state = &sm->state->wait;
    *parked = (struct sm_wait_warp){
        .address = live->park_address, .why = live->park, .until = cycle + sm->parameters->phase_wait};
    if (parked->why == MNP_PARK_TIME)
        parked->until = cycle_behind(sm, cycle, live->park_address);
    if (has_end(parked->why) && (!state->next || parked->until < state->next))
        state->next = parked->until;
    sm_wake_stage(sm, SM_TURN_WAIT, state->next ? state->next : MNP_NEVER);
    sm_barrier_wait(sm, warp, SM_BARRIER_ASYNC);
}

bool sm_wait_holds(const struct sm *sm, uint32_t warp)
{
    return sm->warps[warp].stall.why == SM_STALL_BARRIER && sm->warps[warp].barrier.number == SM_BARRIER_ASYNC;
}

static bool waits_for(const struct sm *sm, uint32_t warp, enum mnp_park why)
{
    return sm_wait_holds(sm, warp) && sm->live->warps[warp].wait.why == why;
}

void sm_wait_flipped(struct sm *sm, uint32_t slot, uint64_t flipped, uint64_t cycle)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        if (sm->warps[warp].cta.slot != slot || !waits_for(sm, warp, MNP_PARK_PHASE))
            continue;
        if (flipped == UINT64_MAX || sm->live->warps[warp].wait.address + 1 == flipped)
            sm_recheck(sm, warp, cycle);
    }
}

void sm_wait_done(struct sm *sm, uint32_t warp, enum mnp_park why, uint64_t cycle)
{
    if (waits_for(sm, warp, why))
        sm_recheck(sm, warp, cycle);
}

void sm_wait_released(struct sm *sm, uint32_t slot, enum mnp_park why, uint64_t cycle)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++)
        if (sm->warps[warp].cta.slot == slot && waits_for(sm, warp, why))
            sm_recheck(sm, warp, cycle);
}

void sm_wait_room(struct sm *sm, enum mnp_park why, uint64_t cycle)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++)
        if (sm->warps[warp].cta.slot != SM_NONE && waits_for(sm, warp, why))
            sm_recheck(sm, warp, cycle);
}

void sm_wait_report(const struct sm *sm, uint32_t warp, FILE *out)
{
    static const char *const texts[] = {[MNP_PARK_ROOM] = "waits for room in an engine's queue",
                                        [MNP_PARK_COPIES] = "waits for its bulk copies",
                                        [MNP_PARK_PRODUCTS] = "waits for its wgmma",
                                        [MNP_PARK_GRID] = "waits for the end of the grid before its own",
                                        [MNP_PARK_COLUMNS] = "waits for columns of tensor memory that others give back",
                                        [MNP_PARK_MOVES] = "waits for its loads or stores of tensor memory",
                                        [MNP_PARK_TIME] = "sleeps",
                                        [MNP_PARK_REGISTERS] = "waits for registers that its CTA's warps give back"};
    const struct sm_wait_warp *parked = &sm->live->warps[warp].wait;
    char phase[96] = "";
    if (parked->why == MNP_PARK_PHASE && sm->live->core.async)
        sm->live->core.async->phase(&sm->codes[sm->warps[warp].cta.slot].cta, parked->address, phase, sizeof phase);
    if (parked->why == MNP_PARK_PHASE)
        fprintf(out, "waits for the mbarrier at 0x%lx of its shared memory%s%s%s", (unsigned long)parked->address,
                phase[0] ? " (" : "", phase, phase[0] ? ")" : "");
    else
        fputs(texts[parked->why], out);
    if (parked->why == MNP_PARK_COLUMNS)
        fprintf(out, ": tcgen05.alloc asks for %lu", (unsigned long)parked->address);
    if (parked->why == MNP_PARK_REGISTERS)
        fprintf(out, ": setmaxnreg.inc asks for %lu of a thread, it has %u, and %u are in the pool",
                (unsigned long)parked->address, sm->live->warps[warp].registers,
                sm->ctas[sm->warps[warp].cta.slot].pool);
}

void sm_wait_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_wait_state *state = &sm->state->wait;
    uint64_t next = 0;
    if (!state->next || state->next > cycle)
        return;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        struct sm_wait_warp *parked = &sm->live->warps[warp].wait;
        if (sm->warps[warp].cta.slot == SM_NONE || !sm_wait_holds(sm, warp) || !has_end(parked->why))
            continue;
        if (parked->until <= cycle) {
            parked->gave_up = 1;
            sm_recheck(sm, warp, cycle);
        } else if (!next || parked->until < next) {
            next = parked->until;
        }
    }
    state->next = next;
}

uint64_t sm_wait_next(const struct sm *sm, uint64_t cycle)
{
    uint64_t next = sm->state->wait.next;
    return !next ? MNP_NEVER : next > cycle ? next : cycle + 1;
}
