/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/dependent_launch.h"

#include "engine/core/port.h"
#include "gpu/sm/state.h"
#include "gpu/sm/warp_wait.h"

void sm_dependent_launch_release(struct sm *sm, uint32_t slot, uint64_t cycle)
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

void sm_dependent_launch_ended(struct sm *sm, uint64_t launch, uint64_t cycle)
{
    for (uint32_t slot = 0; slot < sm->parameters->ctas; slot++) {
        struct sm_cta *cta = &sm->ctas[slot];
        if (!cta->used || !cta->before || cta->before != launch)
            continue;
        cta->before = 0;
        sm_wait_released(sm, slot, MNP_PARK_GRID, cycle);
    }
}
