/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers of the CTA or cluster for a diverged warp. Lanes arrive at barriers; a lane that arrives waits until all
 * lanes of its warp that have not exited are at such a barrier, possibly at other places of the code or at other
 * barriers of the CTA (PTX ISA 9.0, barrier and barrier.cluster: "wait for all non-exited threads from its warp").
 * Lanes at the same place then continue together. Each place is a separate arrival of as many threads as are there;
 * arrivals that wait for other warps are held until the barrier opens. None of this applies to a warp whose lanes are
 * all together.
 */
#ifndef EXECUTE_MEET_H
#define EXECUTE_MEET_H

#include "execute/warp/warp.h"

/* The running lanes are at a barrier: others of their warp are elsewhere, or have been. */
void execute_meet(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

/* Resumes lanes that are still held although their barrier has opened. */
void execute_meet_take_in(struct execute_warp *warp);

/* Whether the running lanes (of PTX) must wait before an operation that names its members, because the other members
 * will arrive once the barrier at which they are has opened. */
bool execute_meet_waits_for(struct execute_warp *warp, uint32_t lanes);

/* Called if all lanes are held: releases some, either because the lanes they wait for have exited, or because these
 * will never arrive. */
void execute_meet_unstick(struct execute_warp *warp);

/* Whether lanes of a warp that are at one of its barriers have to come through execute_meet. */
static inline bool execute_meet_concerns(const struct execute_warp *warp, uint32_t lanes)
{
    const struct execute_meeting *meeting = &warp->meeting;
    return lanes != warp->lanes || (meeting->met | meeting->arrived | meeting->opened);
}

#endif
