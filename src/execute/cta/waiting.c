/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes that wait at barriers of the CTA or the cluster: their results when it opens. */
#include "execute/warp/frame.h"

#include <stdio.h>

void execute_barrier_results(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                             const uint32_t results[32])
{
    uint32_t all = 0, any = 0, counts[32];
    for (uint32_t i = 0; i < 32; i++) {
        counts[i] = results[i] & ((1u << EXECUTE_BARRIER_COUNT_BITS) - 1);
        all |= (results[i] >> EXECUTE_BARRIER_COUNT_BITS & 1) << i;
        any |= (results[i] >> 31) << i;
    }
    if (op->variant == EXECUTE_BARRIER_POPC)
        execute_blend(warp, execute_to(warp, op->d), counts, 4, lanes);
    else if (op->variant == EXECUTE_BARRIER_AND || op->variant == EXECUTE_BARRIER_OR)
        execute_set_mask(warp, op->d, lanes, op->variant == EXECUTE_BARRIER_AND ? all : any);
}

uint32_t execute_barrier_opened(struct execute_warp *warp, uint32_t number, uint32_t result)
{
    struct execute_meeting *meeting = &warp->meeting;
    uint32_t lanes = 0;
    for (uint32_t rest = meeting->arrived; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (warp->met.number[lane] != number)
            continue;
        lanes |= 1u << lane;
        warp->met.result[lane] = result;
    }
    meeting->arrived &= ~lanes;
    meeting->opened |= lanes;
    if (!lanes || warp->status != EXECUTE_AT_BARRIER)
        return lanes;
    warp->status = EXECUTE_RUNNING;
    if (warp->barrier == EXECUTE_SEVERAL_BARRIERS)
        warp->cta->opened |= 1u << EXECUTE_SEVERAL_BARRIERS;
    return lanes;
}

uint32_t execute_barriers_of(const struct execute_warp *warp)
{
    uint32_t barriers = 0;
    if (warp->status != EXECUTE_AT_BARRIER)
        return 0;
    for (uint32_t rest = warp->meeting.arrived; rest; rest &= rest - 1)
        barriers |= 1u << warp->met.number[__builtin_ctz(rest)];
    return barriers ? barriers : 1u << warp->barrier;
}

void execute_barriers_describe(const struct execute_cta *cta, uint32_t barriers, char *text, size_t room)
{
    uint32_t threads = 0;
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        threads += (uint32_t)__builtin_popcount(cta->warps[i].lanes);
    for (uint32_t i = 0; i < EXECUTE_BARRIERS && used < room; i++) {
        const struct execute_barrier_state *barrier = &cta->barriers[i];
        if (barriers >> i & 1 && barrier->arrived)
            used += (size_t)snprintf(text + used, room - used, "%sbarrier %u has %u of %u threads", used ? ", " : "", i,
                                     barrier->arrived, barrier->expected ? barrier->expected : threads);
    }
}
