/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/steady_weight.h"

void sm_steady_count(struct sm_steady_state *state, uint64_t cycle)
{
    state->warp_cycles += state->live * (cycle - state->counted);
    state->counted = cycle;
}

/* The record of this listener is the SM itself, part of whose state are the weights. */
static void *open_sm(struct sm *sm)
{
    return sm->parameters->steady_period ? sm : NULL;
}

static void warp_ends(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_steady_state *state = ((struct sm *)own)->steady.state;
    (void)sm, (void)warp;
    sm_steady_count(state, cycle);
    state->live--;
}

static void warp_begins(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_steady_state *state = ((struct sm *)own)->steady.state;
    uint32_t launch = sm->codes[sm->warps[warp].cta.slot].kernel->id;
    state->since = launch == state->newest ? state->since : cycle;
    state->newest = launch;
    sm->steady.warps[warp].at = cycle;
    sm_steady_count(state, cycle);
    state->live++;
}

/* A weight is that of the first sample that has the instruction, and then stays, so that paces can be compared; until
 * there is one, what a warm-up shows has to do. */
static void issued(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    struct sm_steady_state *state = ((struct sm *)own)->steady.state;
    struct sm_steady_weight *weight = sm_steady_weight_at(own, record->index);
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

const struct gpu_listener sm_steady_listener = {
    .name = "steady",
    .open_sm = open_sm,
    .sm = {.warp_begins = warp_begins, .warp_ends = warp_ends, .issued = issued},
};
