/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of live warps for the async units of their SM (tma/, wgmma/, tcgen05/). */
#ifndef GPU_SM_ASYNC_UNITS_H
#define GPU_SM_ASYNC_UNITS_H

#include "contract/instruction.h"

#include <stdint.h>

struct sm;

/* Whether instructions of the class may have commands for async units that have limited room. */
static inline bool sm_async_units_concern(uint32_t execution)
{
    return (UINT32_C(1) << MNP_CLASS_TENSOR | UINT32_C(1) << MNP_CLASS_UNIFORM) >> execution & 1;
}

/* A live warp is about to execute an instruction of such a class. */
void sm_async_units_prepare(struct sm *sm, uint32_t warp, uint32_t execution);

/* Takes the commands for async units of the instruction that a warp has executed. */
void sm_async_units_take(struct sm *sm, uint32_t warp, uint64_t cycle);

#endif
