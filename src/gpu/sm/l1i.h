/* SPDX-License-Identifier: BSD-3-Clause */
/* The L1 instruction cache of an SM: l1i.c. */
#ifndef GPU_SM_L1I_H
#define GPU_SM_L1I_H

#include "gpu/network/packets.h"
#include "gpu/sm/parameters.h"
#include "parts/queue.h"

#include <stdio.h>

struct sm;

struct sm_line_request { /* for a line of code, or the line that comes back */
    uint64_t line;       /* number: address / line size */
    uint64_t at;         /* cycle in which it arrives */
    uint16_t asker;      /* sub-core; their number stands for the constant cache */
    uint16_t reserved[3];
};

struct sm_line_miss {
    uint64_t line;
    uint32_t sectors; /* sectors of the L2's line that are still to come; 0: the entry is free */
    uint32_t askers;  /* waiting requesters, one bit each */
};

struct sm_l1i_state {
    uint64_t ahead, ahead_end; /* numbers of the lines of a kernel that comes, still to be sent for */
    struct mnp_queue requests, replies;
    uint32_t blocked; /* the first request waits for a miss entry or the port */
    uint32_t missing; /* entries of misses that are taken */
};

struct sm_l1i_subcore {
    uint32_t lines_asked; /* lines of code on their way to the sub-core */
};

bool sm_l1i_check(const struct sm_parameters *parameters, struct mnp_error *error);
void sm_l1i_lay_out(struct sm *sm, struct mnp_arena *arena); /* L0 caches included */
void sm_l1i_init(struct sm *sm);
void sm_l1i_invalidate(struct sm *sm);

/* A kernel comes, whose code begins at `base`: so many bytes of it, or as many as there is room for, are fetched. */
void sm_l1i_prefetch(struct sm *sm, uint64_t base, uint64_t bytes);

/* Asks for a line, for a sub-core that may have one more on its way, or the constant cache. */
void sm_l1i_ask(struct sm *sm, uint64_t line, uint32_t asker, uint64_t cycle);

/* The next line that has come back by `cycle`; false: there is none. */
bool sm_l1i_take(struct sm *sm, struct sm_line_request *reply, uint64_t cycle);

/* Sectors of a line come from the L2. */
void sm_l1i_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);

void sm_l1i_cycle(struct sm *sm, uint64_t cycle);

/* The next cycle in which a request or a line arrives. */
uint64_t sm_l1i_next(const struct sm *sm, uint64_t cycle);

void sm_l1i_report(const struct sm *sm, FILE *out);

#endif
