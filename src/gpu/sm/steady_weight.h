/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Weights of instructions in a measurement of the pace (steady.h): the cycles from the issue of the previous
 * instruction of a warp to an instruction's own issue. This half of --steady listens to events
 * (gpu/listeners/listener.h).
 */
#ifndef GPU_SM_STEADY_WEIGHT_H
#define GPU_SM_STEADY_WEIGHT_H

#include "gpu/sm/state.h"

enum {
    SM_STEADY_PART = 16,     /* weights are in parts of a cycle */
    SM_STEADY_LONGEST = 1024 /* cycles that weigh: a warp may be kept from its turn much longer */
};

static inline uint64_t sm_steady_capped(uint64_t cycles)
{
    return cycles < SM_STEADY_LONGEST ? cycles : SM_STEADY_LONGEST;
}

static inline struct sm_steady_weight *sm_steady_weight_at(struct sm *sm, uint32_t index)
{
    return &sm->steady.weights[index % SM_STEADY_WEIGHTS];
}

/* Weight of an instruction that has been measured, in parts of a cycle: at least one. */
static inline uint64_t sm_steady_parts(const struct sm_steady_weight *weight)
{
    uint64_t parts = weight->cycles * SM_STEADY_PART / weight->count;
    return parts ? parts : 1;
}

/* Counts cycles of warps up to `cycle`. */
void sm_steady_count(struct sm_steady_state *state, uint64_t cycle);

#endif
