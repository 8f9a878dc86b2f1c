/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes of a warp that come to barriers of the CTA or of the cluster by several ways: lanes arrive, warps do not.
 *
 * A lane that comes waits until all lanes of its warp that have not exited are at such a barrier, be it in other places
 * of the code or others of the CTA's barriers (PTX ISA 9.0, barrier and barrier.cluster: "wait for all non-exited
 * threads from its warp"). Lanes at the same place then go on together; each place is an arrival of its own, of as many
 * threads as are there, and what waits for the barrier's other warps waits until it opens. A warp whose lanes are all
 * together has nothing to do with this.
 */
#ifndef EXECUTE_MEET_H
#define EXECUTE_MEET_H

#include "execute/warp/warp.h"

/* The running lanes are at a barrier: others of their warp are elsewhere, or have been. */
void execute_meet(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

/* Lanes whose barrier has opened, and which are still held, run. */
void execute_meet_take_in(struct execute_warp *warp);

/* The running lanes (of PTX) need others for an operation that names its members, before which they are: whether they
 * wait, as the others come when the barrier where they are has opened. */
bool execute_meet_waits_for(struct execute_warp *warp, uint32_t lanes);

/* No lanes run, and some are held: some of them do, be it that nobody has to wait for others that have exited, or that
 * the others will never come. */
void execute_meet_unstick(struct execute_warp *warp);

/* Whether lanes of a warp that are at one of its barriers have to come through execute_meet. */
static inline bool execute_meet_concerns(const struct execute_warp *warp, uint32_t lanes)
{
    const struct execute_meeting *meeting = &warp->meeting;
    return lanes != warp->lanes || (meeting->met | meeting->arrived | meeting->opened);
}

#endif
