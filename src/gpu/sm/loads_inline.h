/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects of a CTA's end on the pending request table. In line, as loads.c calls cta.c. */
#ifndef GPU_SM_LOADS_INLINE_H
#define GPU_SM_LOADS_INLINE_H

#include "gpu/sm/live.h"
#include "gpu/sm/state.h"

/* Assigns pending stores of an ending CTA's warps to its kernel. Returns whether there are any and no CTA before has
 * left any. */
static inline bool sm_load_leave(struct sm *sm, uint32_t slot)
{
    uint16_t kernel = sm->ctas[slot].kernel, *left = &sm->state->load.left[kernel], before = *left;
    for (uint32_t id = 0; id < sm->parameters->loads; id++) {
        struct sm_load *load = &sm->loads[id];
        if (load->way != SM_LOAD_POSTED || sm->warps[load->warp].cta.slot != slot)
            continue;
        if (sm->live)
            sm_live_leave(sm, (uint16_t)id);
        load->way = SM_LOAD_LEFT;
        load->warp = kernel;
        ++*left;
    }
    return !before && *left;
}

#endif
