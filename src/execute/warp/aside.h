/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Held lanes: lanes of a warp that wait, separate from the running ones, until others of their warp have arrived. In
 * machine code, held lanes are a path (paths.h). In PTX they have a stack of their own, at the end of the warp's: a
 * copy of every entry that contains some of them, restricted to them. They therefore return to the functions and
 * reconvergence points in which they were, whatever the other lanes have done meanwhile. The frames that they need stay
 * allocated.
 */
#ifndef EXECUTE_ASIDE_H
#define EXECUTE_ASIDE_H

#include "execute/warp/warp.h"

/* Pseudo-barriers. A barrier in a register has the register's reference as its number, which is greater than these. */
enum {
    EXECUTE_HELD_MASK = 1,    /* a mask of the lanes that meet */
    EXECUTE_HELD_MEETING = 2, /* a barrier of the CTA or the cluster (meet.h) */
    EXECUTE_HELD_MEMBERS = 3, /* member lanes that wait at such a barrier (turns.h) */
    EXECUTE_HELD_REGISTERS = 128
};

/* Lanes of the entry at a place of the stack (in PTX: the top) are held before `pc`. */
void execute_aside_put(struct execute_warp *warp, uint32_t place, const struct execute_held *held);

/* Held lanes return. Those at the same place as others that have returned since the stack had `from` entries run
 * together with them. */
void execute_aside_return(struct execute_warp *warp, uint32_t which, uint32_t from);

/* All lanes held at a barrier with this key return. */
void execute_aside_open(struct execute_warp *warp, uint32_t barrier, uint32_t key);

/* The lanes that those held at a barrier with this key still wait for. */
uint32_t execute_aside_missing(const struct execute_warp *warp, uint32_t barrier, uint32_t key);

/* Opens a convergence barrier although lanes are missing. The missing lanes will not wait there for those that
 * continue. */
void execute_aside_open_without(struct execute_warp *warp, uint32_t barrier, uint32_t key);

/* All lanes of the warp are held. Those at the most recently reached convergence barrier continue without the lanes
 * that are missing: a function saves such a barrier and restores it, and may then name lanes that have continued since.
 * If no lanes are at a convergence barrier, the members of a mask never arrive: a fault. Returns false if no lanes are
 * at either. */
bool execute_aside_unstick(struct execute_warp *warp);

/* A path of machine code that is ready; one at the same place, at `from` or above, takes its lanes. */
void execute_aside_ready(struct execute_warp *warp, uint32_t pc, uint32_t mask, uint32_t from);

#endif
