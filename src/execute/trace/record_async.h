/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of a trace of version 6 (Accel-Sim 2.0) for Hopper's async units: copies of the tensor memory accelerator with
 * the sectors that they touch, operations on mbarriers with their operands, products of warpgroups and their groups.
 */
#ifndef EXECUTE_RECORD_ASYNC_H
#define EXECUTE_RECORD_ASYNC_H

#include "contract/instruction.h"
#include "execute/warp/warp.h"

#include <stdio.h>

/* position in the text where a warp polled an mbarrier; valid until it accesses something else */
struct execute_poll {
    bool active;
    uint32_t op, mask;
    uint64_t asked; /* hash of the mbarriers and phases */
    long at;        /* offset in the text */
    uint64_t count; /* number of lines before */
};

struct execute_warp_text { /* instructions of a warp */
    FILE *out;             /* NULL: none yet */
    char *text;
    size_t length;
    uint64_t count; /* lines */
    struct execute_poll poll;
    /* offset at which the last product states whether it ends its group; 0: there is none to be changed */
    long product;
};

/* Writes the lines of an operation, and counts them. False: it is none of these. `timing`: the operation's. */
bool execute_record_async(struct execute_warp_text *text, struct execute_warp *warp,
                          const struct mnp_static_instruction *timing, const struct execute_record *record);

/* Gives addresses of shared memory in a cluster the rank of the block in their upper byte, as machine code has them;
 * generic ones of other blocks one behind the window of the cluster. */
void execute_record_ranks(const struct execute_warp *warp, const struct execute_op *op, struct execute_record *record);

#endif
