/* SPDX-License-Identifier: BSD-3-Clause */
/* Notices of stages to the L1, without an answer. */
#ifndef GPU_SM_L1D_INLINE_H
#define GPU_SM_L1D_INLINE_H

#include "gpu/sm/events.h"
#include "gpu/sm/l1d.h"

/* Invalidates all lines. */
static inline void sm_l1d_invalidate(struct sm *sm)
{
    mnp_cache_invalidate_all(&sm->l1d);
    sm->found.kept = false;
    sm->state->l1d.written_lines = 0;
    sm_wake_pipeline(sm);
}

#endif
