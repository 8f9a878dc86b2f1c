/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/follow.h"

#include "engine/core/port.h"
#include "gpu/sm/park.h"
#include "gpu/sm/state.h"

void sm_follow_release(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    struct sm_cta *cta = &sm->ctas[slot];
    if (cta->released)
        return;
    cta->released = 1;
    struct gpu_finish *news = mnp_link_send(sm->finish, mnp_cursor_edge(&sm->unit->clock, cycle));
    news->cta = cta->number;
    news->kernel = cta->kernel;
    news->kind = GPU_CTA_RELEASES;
}

void sm_follow_ended(struct sm *sm, uint64_t launch, uint64_t cycle)
{
    for (uint32_t slot = 0; slot < sm->parameters->ctas; slot++) {
        struct sm_cta *cta = &sm->ctas[slot];
        if (!cta->used || !cta->before || cta->before != launch)
            continue;
        cta->before = 0;
        sm_park_released(sm, slot, MNP_PARK_GRID, cycle);
    }
}
