/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes of a warp that are held: they have left the running ones until others of their warp have come, too.
 *
 * In machine code held lanes are a path (paths.h). In PTX they keep a stack of their own, at the end of the warp's: a
 * copy of every entry that has some of them, reduced to them. So they come back to the functions and meeting places
 * that they were in, whatever the others have done meanwhile. The frames that they need stay theirs.
 */
#ifndef EXECUTE_ASIDE_H
#define EXECUTE_ASIDE_H

#include "execute/warp/warp.h"

/* Barriers that are no registers, whose references are greater. */
enum {
    EXECUTE_HELD_MASK = 1,    /* a mask of the lanes that meet */
    EXECUTE_HELD_MEETING = 2, /* a barrier of the CTA or the cluster (meet.h) */
    EXECUTE_HELD_MEMBERS = 3, /* members that are at such a barrier (turns.h) */
    EXECUTE_HELD_REGISTERS = 128
};

/* Lanes of the entry at a place of the stack (in PTX: the top) are held before `pc`. */
void execute_aside_put(struct execute_warp *warp, uint32_t place, const struct execute_held *held);

/* Held lanes come back. Those at the same place as others that have come back since the stack had `from` entries run
 * together with them. */
void execute_aside_return(struct execute_warp *warp, uint32_t which, uint32_t from);

/* All that are held at a barrier with this key come back. */
void execute_aside_open(struct execute_warp *warp, uint32_t barrier, uint32_t key);

/* The lanes that those held at a barrier with this key still wait for. */
uint32_t execute_aside_missing(const struct execute_warp *warp, uint32_t barrier, uint32_t key);

/* Opens a convergence barrier though lanes are missing, which then do not wait there for those that go on. */
void execute_aside_open_without(struct execute_warp *warp, uint32_t barrier, uint32_t key);

/* All lanes of the warp are held. Those at the convergence barrier that was reached last go on without the lanes that
 * are missing: a function saves such a barrier and restores it, and then it may name lanes that have gone on since.
 * Where no lanes are at one, the members of a mask never come: a fault. False: no lanes are at either. */
bool execute_aside_unstick(struct execute_warp *warp);

/* A path of machine code that is ready; one at the same place, at `from` or above, takes its lanes. */
void execute_aside_ready(struct execute_warp *warp, uint32_t pc, uint32_t mask, uint32_t from);

#endif
