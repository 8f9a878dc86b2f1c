/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/register_pool.h"

#include "base/range.h"
#include "gpu/sm/live.h"
#include "gpu/sm/state.h"
#include "gpu/sm/warp_wait.h"

enum { UNIT = 8 /* registers of a thread, in which warps get them */ };

uint32_t sm_register_pool_share(const struct mnp_kernel *kernel)
{
    return (uint32_t)mnp_round_up(kernel->registers, UNIT);
}

void sm_register_pool_change(struct sm *sm, uint32_t warp, uint32_t registers, uint64_t cycle)
{
    uint32_t *own = &sm->live->warps[warp].registers;
    uint16_t slot = sm->warps[warp].cta.slot;
    bool fewer = registers < *own;
    sm->ctas[slot].pool += *own - registers; /* modulo 2^32 where it takes some, of which there are enough */
    *own = registers;
    if (fewer)
        sm_wait_released(sm, slot, MNP_PARK_REGISTERS, cycle);
}
