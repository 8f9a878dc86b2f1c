/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/events.h"

void sm_line_fill_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_line_request reply;
    while (sm_l1i_take(sm, &reply, cycle)) {
        sm_progress(sm);
        if (reply.asker < sm->parameters->subcores)
            sm_fetch_arrived(sm, reply.asker, reply.line, cycle);
        else
            sm_constant_arrived(sm, reply.line, cycle);
    }
    sm_l1i_cycle(sm, cycle);
}

uint64_t sm_line_fill_next(const struct sm *sm, uint64_t cycle)
{
    return sm_l1i_next(sm, cycle);
}
