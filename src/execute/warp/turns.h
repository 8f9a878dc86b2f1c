/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns of lanes of a warp that went different ways and run on a stack (PTX): those that poll let others go on, and at
 * what lanes do together they wait for one another. Machine code has paths.h instead.
 *
 * An operation with .sync names its members (PTX ISA 9.0, bar.warp.sync, shfl.sync, vote.sync, match.sync, redux.sync,
 * elect.sync: `membermask`): who comes waits until those that have not exited are there, too; lanes that are not named
 * are not waited for. Lanes at different bar.warp.sync of the same members meet, those at others only at the same one.
 */
#ifndef EXECUTE_TURNS_H
#define EXECUTE_TURNS_H

#include "execute/warp/warp.h"

/* Why lanes may have to wait for others of their warp (warp.parted): bits. */
enum execute_parted {
    EXECUTE_PARTED_BY_POLL = 1,   /* some have gone on while others polled, and have not met again */
    EXECUTE_PARTED_BY_BRANCH = 2, /* a branch has parted lanes, and the code names members somewhere */
    EXECUTE_PARTED_BY_BARRIER = 4 /* … or have come to a barrier of the CTA, from which they go on in any order */
};

/* What a warp's lanes do together, those that a poll keeps back included. */
static inline bool execute_is_together(const struct execute_op *op)
{
    return execute_kind_is(op->kind, EXECUTE_IS_FOR_ALL) ||
           (op->kind == EXECUTE_KIND_NOTHING && op->variant == EXECUTE_NOTHING_WARP);
}

/* The running lanes poll: those that they may wait for have a turn. `turn`: how often that has been so. */
void execute_turns_yield(struct execute_warp *warp, uint32_t turn);

/* Of a parted warp: whether it is others' turn, because the running lanes have to wait for them before their next
 * operation. */
bool execute_turns_wait(struct execute_warp *warp, const struct execute_op *ops);

/* bar.warp.sync has been executed. */
void execute_step_nothing(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

#endif
