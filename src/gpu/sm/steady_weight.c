/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/steady_weight.h"

void sm_steady_count(struct sm_steady_state *state, uint64_t cycle)
{
    state->warp_cycles += state->live * (cycle - state->counted);
    state->counted = cycle;
}

void sm_steady_end_warp(struct sm *sm, uint64_t cycle)
{
    if (!sm->steady.state)
        return;
    sm_steady_count(sm->steady.state, cycle);
    sm->steady.state->live--;
}

void sm_steady_start_warp(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    if (!state)
        return;
    uint32_t launch = sm->codes[sm->warps[warp].cta.slot].kernel->id;
    state->since = launch == state->newest ? state->since : cycle;
    state->newest = launch;
    sm->steady.warps[warp].at = cycle;
    sm_steady_count(state, cycle);
    state->live++;
}

/* A weight is that of the first sample that has the instruction, and then stays, so that paces can be compared; until
 * there is one, what a warm-up shows has to do. */
void sm_steady_issued(struct sm *sm, uint32_t warp, uint32_t index, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    struct sm_steady_weight *weight = sm_steady_weight_at(sm, index);
    uint64_t cycles = cycle - sm->steady.warps[warp].at;
    bool measuring = state->began.work != UINT64_MAX;
    sm->steady.warps[warp].at = cycle;
    state->refused |= sm->views[warp].live && sm->views[warp].live->polls;
    if (measuring && !weight->sample)
        *weight = (struct sm_steady_weight){.sample = state->samples};
    if (!weight->sample || (measuring && weight->sample == state->samples)) {
        weight->cycles += sm_steady_capped(cycles);
        weight->count++;
    }
    state->work += sm_steady_parts(weight);
}
