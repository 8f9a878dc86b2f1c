/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/async_units.h"
#include "gpu/sm/live.h"
#include "gpu/sm/state.h"

void sm_async_units_prepare(struct sm *sm, uint32_t warp, uint32_t execution)
{
    if (execution == MNP_CLASS_TENSOR)
        sm->live->core.product_room = sm_wgmma_room(sm, warp);
    if (execution != MNP_CLASS_UNIFORM)
        return;
    sm->live->core.tensor_room = sm_tcgen05_room(sm, warp);
    sm->live->core.moves_room = sm_tmem_room(sm, warp);
}

void sm_async_units_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (sm->live->core.copy_count)
        sm_tma_take(sm, warp, cycle);
    if (sm->live->core.arrival)
        sm_arrivals_take(sm, warp, cycle);
    if (sm->live->core.product.n)
        sm_wgmma_take(sm, warp, cycle);
    if (sm->live->core.tensor.kind >= MNP_TENSOR_MULTIPLY)
        sm_tcgen05_take(sm, warp, cycle);
    else if (sm->live->core.tensor.kind != MNP_TENSOR_NONE)
        sm_tmem_take(sm, warp, cycle);
    sm->live->commands = false;
}
