/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scheduling of divergent lanes that run on a stack (PTX): polling lanes yield to others, and lanes wait for one
 * another at operations that they perform together. Machine code uses paths.h instead.
 *
 * An operation with .sync names its members (PTX ISA 9.0, bar.warp.sync, shfl.sync, vote.sync, match.sync, redux.sync,
 * elect.sync: `membermask`): a lane that arrives waits for all members that have not exited, and for no other lanes.
 * Lanes at different bar.warp.sync instructions with the same members meet; at other operations, lanes meet only at the
 * same instruction.
 */
#ifndef EXECUTE_TURNS_H
#define EXECUTE_TURNS_H

#include "execute/warp/warp.h"

/* Why lanes may have to wait for others of their warp (warp.parted): bits. */
enum execute_parted {
    EXECUTE_PARTED_BY_POLL = 1,   /* some lanes have continued while others polled, and have not reconverged */
    EXECUTE_PARTED_BY_BRANCH = 2, /* a branch has parted lanes, and the code names members somewhere */
    /* some lanes have arrived at a barrier of the CTA, after which they continue in any order */
    EXECUTE_PARTED_BY_BARRIER = 4
};

/* Whether the lanes of a warp perform the operation together, including lanes that are held back by polling. */
static inline bool execute_is_together(const struct execute_op *op)
{
    return execute_kind_is(op->kind, EXECUTE_IS_FOR_ALL) ||
           (op->kind == EXECUTE_KIND_NOTHING && op->variant == EXECUTE_NOTHING_WARP);
}

/* The running lanes poll: those that they may wait for have a turn. `turn`: how often that has been so. */
void execute_turns_yield(struct execute_warp *warp, uint32_t turn);

/* For a diverged warp: whether other lanes must run first, because the running lanes wait for them before their next
 * operation. */
bool execute_turns_wait(struct execute_warp *warp, const struct execute_op *ops);

/* bar.warp.sync has been executed. */
void execute_step_nothing(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

#endif
