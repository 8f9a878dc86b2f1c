/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/state.h"

uint64_t sm_buffer_line(const struct sm *sm, uint32_t warp, uint32_t line)
{
    return (sm->views[warp].code_base >> sm->code_shift) + line;
}

static uint64_t present_line(const struct sm *sm, uint32_t warp)
{
    return sm_buffer_line(sm, warp, sm->warps[warp].buffer.line - 1);
}

uint64_t sm_buffer_waiting(const struct sm *sm, uint32_t subcore, uint64_t number)
{
    uint64_t waiting = 0;
    for (uint64_t warps = sm->state->subcore[subcore].buffers.missing; warps; warps &= warps - 1)
        if (present_line(sm, sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(warps))) == number)
            waiting |= warps & (0 - warps);
    return waiting;
}

uint16_t sm_buffer_payer(const struct sm *sm, uint32_t subcore, uint64_t number)
{
    for (uint64_t warps = sm->state->subcore[subcore].buffers.missing; warps; warps &= warps - 1) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(warps));
        if (present_line(sm, warp) == number)
            return sm->ctas[sm->warps[warp].cta.slot].kernel;
    }
    return 0;
}

void sm_buffer_forget(struct sm *sm, uint32_t subcore, uint64_t number)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    for (uint64_t warps = s->resident & ~s->buffers.missing; warps; warps &= warps - 1) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(warps));
        struct sm_warp *w = &sm->warps[warp];
        if (w->buffer.line && present_line(sm, warp) == number)
            w->buffer.line = 0;
    }
}

void sm_buffer_forget_all(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const struct sm_subcore *s = &sm->state->subcore[i];
        for (uint64_t warps = s->resident & ~s->buffers.missing; warps; warps &= warps - 1)
            sm->warps[sm_warp_of(sm, i, (uint32_t)__builtin_ctzll(warps))].buffer.line = 0;
    }
}
