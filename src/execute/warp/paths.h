/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divergent lanes that make progress independently, as in machine code of Volta and later (NVIDIA V100 whitepaper,
 * independent thread scheduling; US patent 2016/0019066, convergence barriers). A warp's stack then holds ready paths,
 * of which the top one runs; other paths are held at a barrier until its lanes have arrived. A convergence barrier is a
 * register: each lane's word has the mask of the lanes that reconverge there.
 */
#ifndef EXECUTE_PATHS_H
#define EXECUTE_PATHS_H

#include "execute/warp/warp.h"

enum execute_converge {
    EXECUTE_CONVERGE_SYNC,  /* waits for the lanes that the barrier `a` names */
    EXECUTE_CONVERGE_BREAK, /* other lanes no longer wait for these lanes */
    /* Waits for the lanes of the mask `a`. The lanes that have arrived continue together, whatever their masks:
     * subsequent code removes other masks' lanes from a vote's result. */
    EXECUTE_CONVERGE_WARP,
    /* like EXECUTE_CONVERGE_WARP, but the lanes of each mask continue as a path of their own */
    EXECUTE_CONVERGE_GROUPS,
    EXECUTE_CONVERGE_YIELD, /* others' turn */
    EXECUTE_CONVERGE_SLEEP, /* sleeps for `a` nanoseconds, then yields */
};

/* Targets of indirect branches and calls. Addresses use 16 bytes per operation: from 0 on for the kernel, from
 * EXECUTE_FUNCTION_WINDOW on for functions, which lie behind it, and from EXECUTE_SYSTEM_WINDOW on for system calls,
 * one for each enum execute_system. */
#define EXECUTE_SYSTEM_WINDOW UINT64_C(0x00007f00f0000000)

void execute_step_converge(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
void execute_step_converge_set(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);
/* Lanes go where registers say; whether some go back. */
bool execute_paths_jump(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes);

/* Switches to another ready path, if any; called periodically in a polling loop. */
void execute_paths_rotate(struct execute_warp *warp);
/* Lanes have exited; others no longer wait for them. */
void execute_paths_left(struct execute_warp *warp);

#endif
