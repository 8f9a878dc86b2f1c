/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tensor memory accelerator of an SM: copies between global and shared memory that run beside the warps. A copy
 * goes through three stages.
 *
 *   front      one copy every tma.command cycles; its tensor map is there, or is fetched from the L2
 *   generator  after a latency (more of it for a tensor map, and for each dimension behind the first), the copies one
 *              after another, their rows one after another: one request of a line a cycle at best, tma.row cycles for a
 *              row at least; past the L1 by the SM's port, up to tma.requests of them under way
 *   end        when the last reply is there, tma.finish cycles later: the mbarrier learns the bytes, or the group of
 *              copies has one less
 *
 * What is loaded is in shared memory when its reply comes: that takes no cycle of the memory pipeline, as the fills of
 * the L1 do not. What is stored is read by the memory pipeline, a cycle for each request.
 *
 * Sources: reference measurements of the H800 and H200 named at the parameters (tables.c).
 */
#ifndef GPU_SM_TMA_TMA_H
#define GPU_SM_TMA_TMA_H

#include "base/arena.h"
#include "contract/engine.h"
#include "gpu/packets.h"
#include "parts/queue.h"

#include <stdio.h>

struct sm;

enum {
    SM_TMA_COPIES = 64,  /* at most, under way in an SM */
    SM_TMA_MAPS = 64,    /* tensor maps kept, at most */
    SM_TMA = 1 << 29,    /* in the tag of a request: the rest is its entry, or … */
    SM_TMA_MAP = 1 << 28 /* … the copy whose tensor map it fetches */
};

struct sm_tma_copy {
    struct mnp_copy command;
    struct mnp_copy_row row; /* the present one */
    uint64_t ready;          /* cycle from which its requests can be generated */
    uint64_t row_until;      /* … the next row's */
    uint64_t last;           /* in which the last reply came */
    uint64_t finish;         /* in which it ends, once all replies have come */
    uint32_t next_row;       /* that is not begun */
    uint32_t at;             /* bytes of the row, from row.before on, that have been asked for */
    uint32_t outstanding;    /* requests under way */
    uint16_t warp, kernel;
    uint8_t generated; /* all requests have been made */
    uint8_t reserved[7];
};

struct sm_tma_request { /* one under way */
    uint32_t row, at;
    uint16_t copy, bytes;
    uint16_t next_free;
    uint16_t reserved;
};

struct sm_tma_state {
    uint64_t free;      /* copies that are not in use, one bit each */
    uint64_t finishing; /* those whose replies have all come */
    uint64_t front_at;  /* cycle from which the front takes the next copy */
    uint64_t line_at;   /* … from which the next request can be generated */
    uint64_t maps[SM_TMA_MAPS]; /* addresses of the tensor maps that are there, most recent first */
    struct mnp_queue arriving;   /* copies in front of the front */
    struct mnp_queue generating; /* those behind it */
    uint8_t arriving_items[SM_TMA_COPIES], generating_items[SM_TMA_COPIES];
    uint32_t under_way; /* copies */
    uint16_t free_request;
    uint16_t reserved;
};

struct sm_tma { /* of a machine that executes; in the arena */
    struct sm_tma_state *state;
    struct sm_tma_copy *copies;
    struct sm_tma_request *requests;
};

void sm_tma_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_tma_init(struct sm *sm);

/* Copies that the engine takes now. */
uint32_t sm_tma_room(const struct sm *sm);

/* A warp's instruction has started the core's copies. */
void sm_tma_take(struct sm *sm, uint32_t warp, uint64_t cycle);

void sm_tma_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);

/* Whether copies are under way. */
bool sm_tma_works(const struct sm *sm);
void sm_tma_cycle(struct sm *sm, uint64_t cycle);
/* The next cycle after `cycle` in which the engine has something to do, replies and the port aside. */
uint64_t sm_tma_next(const struct sm *sm, uint64_t cycle);

/* A kernel has ended: tensor maps are fetched anew. */
void sm_tma_invalidate(struct sm *sm);

void sm_tma_report(const struct sm *sm, FILE *out);

#endif
