/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Producers: the instruction that wrote each register of a warp last, so that a wait for memory can be put down to
 * the load whose data is awaited (`--by-instruction`). Derived from issues; no part of the machine's state.
 */
#ifndef GPU_SM_PRODUCERS_H
#define GPU_SM_PRODUCERS_H

#include "gpu/sm/limits.h"

struct sm;

struct sm_producer {
    uint32_t index; /* its number in the CTA's table, plus one; 0: the register was not written yet */
    uint32_t order; /* number of its issue among those of the SM, modulo 2^32 */
};

struct sm_producers {
    struct sm_producer *last; /* [warps][SM_REGISTERS] */
    uint32_t order;
};

void sm_producers_open(struct sm_producers *producers, uint32_t warps);

/* A new warp: none of its registers was written. */
void sm_producers_start(struct sm_producers *producers, uint32_t warp);

/* An instruction of a warp has issued; `index`: its number in the CTA's table. */
void sm_producers_issued(struct sm_producers *producers, uint32_t warp,
                         const struct mnp_static_instruction *instruction, uint32_t index);

/* The load for whose data the warp's next instruction waits: of several, the one that issued last. Its number plus one;
 * 0: none of its registers is still to come from memory. */
uint32_t sm_producers_awaited(const struct sm_producers *producers, const struct sm *sm, uint32_t warp,
                              const struct mnp_static_instruction *instruction);

void sm_producers_release(struct sm_producers *producers);

#endif
