/* SPDX-License-Identifier: BSD-3-Clause */
/* The constant cache of an SM: constant.c. */
#ifndef GPU_SM_CONSTANT_H
#define GPU_SM_CONSTANT_H

#include "gpu/sm/parameters.h"

struct sm;
struct sm_warp;

enum { SM_CONSTANT_LINES_ASKED = 8 }; /* lines of constants that may be on their way */

struct sm_constant_state {
    uint32_t count; /* lines on their way */
    uint32_t reserved;
    uint64_t asked[SM_CONSTANT_LINES_ASKED]; /* their numbers */
    uint64_t free_from; /* the first cycle behind the passes of the loads so far that take several */
};

struct sm_constant_warp {
    uint32_t
        served;     /* addresses of the next instruction, by place, whose lines have been there; if there are several */
    uint8_t wanted; /* the warp waits for a line of constants */
    uint8_t passes; /* passes of the next instruction beyond the first */
};

bool sm_constant_check(const struct sm_parameters *parameters, struct mnp_error *error);
void sm_constant_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_constant_invalidate(struct sm *sm);

/* A CTA of the kernel whose code lies at `code_base` has come. */
void sm_constant_preload(struct sm *sm, uint64_t code_base);

/* Whether the lines of the warp's next instruction have been there; if not, the warp is looked at when one comes. */
bool sm_constant_ready(struct sm *sm, uint32_t warp, uint64_t cycle);

/* The load of constants that was ready issues: returns the cycles until its result. */
uint64_t sm_constant_issue(struct sm *sm, struct sm_warp *w, uint64_t *counters, uint64_t cycle);

/* A line has come. */
void sm_constant_arrived(struct sm *sm, uint64_t number, uint64_t cycle);

#endif
