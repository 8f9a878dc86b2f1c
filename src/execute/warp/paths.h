/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes that went different ways and make progress on their own, as machine code of Volta and later has it (NVIDIA V100
 * whitepaper, independent thread scheduling; US patent 2016/0019066, convergence barriers). A warp's stack then holds
 * paths that are ready, the top one running; others are held at a barrier until its lanes have come.
 *
 * A convergence barrier is a register: each lane's word has the lanes that meet there.
 */
#ifndef EXECUTE_PATHS_H
#define EXECUTE_PATHS_H

#include "execute/warp/warp.h"

enum execute_converge {
    EXECUTE_CONVERGE_SYNC,   /* waits for the lanes that the barrier `a` names */
    EXECUTE_CONVERGE_BREAK,  /* they do not wait for these lanes any more */
    EXECUTE_CONVERGE_WARP,   /* waits for the lanes of the mask `a`; those that are there go on together, whatever masks
                              * they have: code behind it takes those of its mask out of a vote's result */
    EXECUTE_CONVERGE_GROUPS, /* the same, and the lanes of each mask go on as a path of their own */
    EXECUTE_CONVERGE_YIELD,  /* others' turn */
    EXECUTE_CONVERGE_SLEEP,  /* for a nanoseconds; then others' turn */
};

/* Where indirect branches and calls go: addresses are 16 bytes for each operation, from 0 on for those of the kernel,
 * from EXECUTE_FUNCTION_WINDOW on for functions, which lie behind it, and for system calls from EXECUTE_SYSTEM_WINDOW
 * on, one for each enum execute_system. */
#define EXECUTE_SYSTEM_WINDOW UINT64_C(0x00007f00f0000000)

void execute_step_converge(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_converge_set(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
/* Lanes go where registers say; whether some go back. */
bool execute_paths_jump(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

/* Another path's turn, if one is ready; every so many times round a loop that polls. */
void execute_paths_rotate(struct execute_warp *warp);
/* Lanes have exited, for which nobody waits any more. */
void execute_paths_left(struct execute_warp *warp);

#endif
