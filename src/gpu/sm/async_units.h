/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of live warps for the async units of their SM (tma/, wgmma/, tcgen05/). */
#ifndef GPU_SM_ASYNC_UNITS_H
#define GPU_SM_ASYNC_UNITS_H

#include <stdint.h>

struct sm;

/* A live warp is about to execute an instruction of the class. */
void sm_async_units_prepare(struct sm *sm, uint32_t warp, uint32_t execution);

/* Takes the commands for async units of the instruction that a warp has executed. */
void sm_async_units_take(struct sm *sm, uint32_t warp, uint64_t cycle);

#endif
