/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids that follow one another in a stream, where the second may begin before the first has ended. */
#ifndef GPU_SM_FOLLOW_H
#define GPU_SM_FOLLOW_H

#include <stdint.h>

struct sm;

/* A warp of the CTA has let the grid behind its own begin: the dispatcher hears of the first. */
void sm_follow_release(struct sm *sm, uint32_t slot, uint64_t cycle);

/* A launch has ended: CTAs of the one behind it, which has begun before, need wait for it no longer. */
void sm_follow_ended(struct sm *sm, uint64_t launch, uint64_t cycle);

#endif
