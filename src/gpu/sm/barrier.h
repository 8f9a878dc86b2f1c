/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers of CTAs. A barrier that is complete opens at the start of the next cycle, so that within a cycle no sub-core
 * depends on whether another has had its turn. With sm.barrier_interval its warps go on one after another, in the order
 * of their arrival.
 */
#ifndef GPU_SM_BARRIER_H
#define GPU_SM_BARRIER_H

#include "contract/instruction.h"

struct sm;

enum {
    SM_BARRIER_ASYNC = 62, /* the number that stands for an async unit (warp_wait.c) */
    SM_BARRIER_NEVER = 63  /* … for a barrier that never opens */
};

struct sm_barriers {  /* barriers of a CTA */
    uint32_t opening; /* barriers that are complete, one bit each: those with numbers, then those of warpgroups */
    uint8_t arrived[MNP_CTA_BARRIERS];
    uint8_t expected[MNP_CTA_BARRIERS]; /* warps; 0: all that live */
};

struct sm_barrier_state {
    uint64_t opening; /* CTA slots that have a complete barrier */
};

struct sm_barrier_warp {
    uint8_t number; /* number of the barrier at which the warp waits, while SM_STALL_BARRIER holds it */
    uint8_t before; /* warps of its CTA that waited there when it came; 0 without sm.barrier_interval */
};

/* A warp of a trace reaches a barrier. Returns whether it waits there. */
bool sm_barrier_reach(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle);

/* The warp waits at the barrier. */
void sm_barrier_wait(struct sm *sm, uint32_t warp, uint32_t barrier);

/* Barriers of a CTA, one bit each, are complete: they open in the next cycle. */
void sm_barrier_complete(struct sm *sm, uint32_t slot, uint32_t barriers, uint64_t cycle);

/* A warp of the CTA has ended: barriers may be complete without it. */
void sm_barrier_warp_ended(struct sm *sm, uint32_t slot, uint64_t cycle);

/* Opens the barriers that became complete in the cycle before. */
void sm_barrier_cycle(struct sm *sm, uint64_t cycle);

#endif
