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
 *              copies has one less. A copy to global memory leaves its group as soon as its source has been read: what
 *              the last request sends comes out of shared memory latency.shared cycles behind it, and the group learns
 *              it tma.finish cycles later (tma.posted; a reduction is still waited for by who is to see its result)
 *
 * What goes to the shared memory of other CTAs of the cluster goes as parcels over the SM-to-SM network: of a copy out
 * of shared memory up to 128 bytes each, for which the SM's port there is the limit; of a multicast one for each other
 * CTA, which says that the copy has arrived, and what it is. Data of a multicast take nothing of the ports: the replies
 * of the L2 go to all of its SMs at once. A copy is done when all parcels have been answered.
 *
 * What is loaded is in shared memory when its reply comes: that takes no cycle of the memory pipeline, as the fills of
 * the L1 do not. What is stored is read by the memory pipeline, a cycle for each request.
 *
 * Sources: measurements of the H800 and H200, named at the parameters.
 */
#ifndef GPU_SM_TMA_TMA_H
#define GPU_SM_TMA_TMA_H

#include "base/arena.h"
#include "contract/async.h"
#include "gpu/network/packets.h"
#include "parts/queue.h"

#include <stdio.h>

struct sm;

enum {
    SM_TMA_COPIES = 64,  /* at most, under way in an SM */
    SM_TMA_MAPS = 64,    /* tensor maps kept, at most */
    SM_TMA_MAP = 1 << 15 /* in a tag: the rest is the copy whose tensor map the request fetches */
};

struct sm_tma_copy {
    struct mnp_copy command;
    struct mnp_copy_row row; /* the present one */
    uint64_t ready;          /* cycle from which its requests can be generated */
    uint64_t row_until;      /* … the next row's */
    uint64_t last;           /* cycle in which the last reply came */
    uint64_t finish;         /* cycle in which it ends, once all replies have come */
    uint64_t read_until;     /* cycle in which its group learns that the source has been read */
    uint32_t next_row;       /* first row that is not begun */
    uint32_t at;             /* bytes of the row, from row.before on, that have been asked for */
    uint32_t outstanding;    /* requests under way */
    uint16_t warp, kernel;
    uint8_t generated; /* all requests have been made */
    uint8_t arrived;   /* the bytes are there, and the mbarrier knows it */
    uint8_t reserved[6];
};

struct sm_tma_request { /* one under way */
    uint32_t row, at;
    uint16_t copy, bytes;
    uint16_t next_free;
    uint16_t reserved;
};

struct sm_tma_state {
    uint64_t free;               /* copies that are not in use, one bit each */
    uint64_t finishing;          /* those whose replies have all come */
    uint64_t reading;            /* those to global memory whose requests are all made and whose source is being read */
    uint64_t front_at;           /* cycle from which the front takes the next copy */
    uint64_t line_at;            /* … from which the next request can be generated */
    uint64_t maps[SM_TMA_MAPS];  /* addresses of the tensor maps that are there, most recent first */
    struct mnp_queue arriving;   /* copies in front of the front */
    struct mnp_queue generating; /* those behind it */
    uint8_t arriving_items[SM_TMA_COPIES], generating_items[SM_TMA_COPIES];
    uint32_t under_way; /* copies */
    uint16_t free_request;
    uint16_t front_waits; /* for a place before the port, to fetch a tensor map */
};

struct sm_tma { /* state of a machine that executes; in the arena */
    struct sm_tma_copy *copies;
    struct sm_tma_request *requests;
};

void sm_tma_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_tma_init(struct sm *sm);

/* A warp's instruction has started the core's copies. */
void sm_tma_take(struct sm *sm, uint32_t warp, uint64_t cycle);

void sm_tma_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);

/* A parcel for the shared memory of a CTA has come, or the answer to one of its own. */
void sm_tma_receive(struct sm *sm, uint16_t slot, struct gpu_remote *packet, uint64_t cycle);
void sm_tma_answered(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle);

void sm_tma_cycle(struct sm *sm, uint64_t cycle);
/* The next cycle after `cycle` in which the unit has something to do, replies and the port aside. */
uint64_t sm_tma_next(const struct sm *sm, uint64_t cycle);

/* A kernel has ended: tensor maps are fetched anew. */
void sm_tma_invalidate(struct sm *sm);

void sm_tma_report(const struct sm *sm, FILE *out);

#endif
