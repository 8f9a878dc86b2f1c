/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of live warps for the asynchronous engines of their SM (tma/, wgmma/, tcgen05/). */
#ifndef GPU_SM_ENGINES_H
#define GPU_SM_ENGINES_H

#include <stdint.h>

struct sm;

/* A live warp is about to execute an instruction of the class. */
void sm_engines_prepare(struct sm *sm, uint32_t warp, uint32_t execution);

/* It has executed one that has commands for engines. */
void sm_engines_take(struct sm *sm, uint32_t warp, uint64_t cycle);

#endif
