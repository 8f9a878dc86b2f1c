/* SPDX-License-Identifier: BSD-3-Clause */
/* Issue: one ready warp per sub-core and cycle. issue.c */
#ifndef GPU_SM_ISSUE_H
#define GPU_SM_ISSUE_H

#include "contract/instruction.h"
#include "gpu/sm/limits.h"

struct sm;

struct sm_issue_state {
    uint64_t fp64_free; /* first cycle in which the FP64 unit that the sub-cores share takes an instruction */
    uint64_t refused[SM_MAX_WARPS / 64]; /* warps whose next instruction is for a stage that had no room for it */
};

struct sm_issue_subcore {
    uint64_t pipe_free[MNP_CLASS_COUNT]; /* first cycle in which the pipe takes the next instruction */
    uint32_t last;                       /* place of the warp that issued last */
    uint32_t reserved;
};

struct sm_issue_warp {
    uint64_t next;       /* place in its stream of the next instruction to issue */
    uint64_t address_at; /* place in its address stream */
};

struct sm_pipes {                        /* derived from the machine */
    uint32_t pipe[2][MNP_CLASS_COUNT];   /* class whose pipe an instruction takes, and takes when that is busy */
    uint64_t cycles[2][MNP_CLASS_COUNT]; /* cycles that an instruction keeps the one, or the other */
    uint64_t product_cycles;             /* … and a product of 64 bits keeps it longer than one of 32 */
    uint32_t odd_classes;                /* classes whose pipe is not taken as those of most: one bit each */
};

void sm_issue_init(struct sm *sm);

struct mnp_live_row;

enum sm_passed {
    SM_NOT_PASSED,   /* the warp has to wait */
    SM_NEVER_PASSED, /* such instructions are simulated alone */
    SM_PASSED,
    SM_PASSED_LAST, /* the warp has ended, or waits at a barrier */
};

/* Executes the warp's next instruction without simulating it (steady.h), but for what the L2 performs. */
enum sm_passed sm_issue_pass(struct sm *sm, uint32_t warp, uint64_t cycle);

/* The same for a live warp's next instructions in a row, as far as they concern nobody else; returns how many. */
uint32_t sm_issue_pass_row(struct sm *sm, uint32_t warp, struct mnp_live_row *row, uint64_t cycle);

/* The cycle of all sub-cores that have something to do in it, and those behind it in a row, before `end`, in which
 * nothing else of the SM has. Sets `subcores_due`; returns the last cycle visited. */
uint64_t sm_issue_cycles(struct sm *sm, uint64_t cycle, uint64_t end);

#endif
