/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects of a CTA's end on the memory pipeline. In line, as lsu.c calls cta.c. */
#ifndef GPU_SM_LSU_INLINE_H
#define GPU_SM_LSU_INLINE_H

#include "gpu/sm/state.h"

/* The CTA in this slot ends: nobody waits any more until registers of its warps' stores have been read. */
static inline void sm_lsu_leave(struct sm *sm, uint32_t slot)
{
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        struct sm_lsu_subcore *s = &sm->state->subcore[i].lsu;
        for (uint32_t k = 0; k < s->reading_count; k++) {
            struct sm_reading *reading = &s->reading[(s->reading_head + k) % SM_READINGS];
            if (reading->warp != SM_NONE && sm->warps[reading->warp].cta.slot == slot)
                reading->warp = SM_NONE;
        }
    }
}

#endif
