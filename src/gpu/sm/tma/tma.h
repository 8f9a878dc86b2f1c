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
#ifdef SM_STAGE_ROWS
SM_STAGE_STATE(tma)
SM_STAGE_OWN(tma)
SM_STAGE_LAYS_OUT(tma)
SM_STAGE_INIT(tma)
SM_STAGE_SELDOM(tma)
SM_STAGE_REPLIES(tma)
SM_STAGE_FORGETS(tma)
SM_STAGE_REPORTS(tma)
SM_STAGE_PARAMETER(tma_copies, MNP_NUMBER_ROW("sm.tma.copies", "copy", tma_copies, "64", 32, SM_TMA_COPIES,
                                              "copies that the tensor memory accelerator has under way", "assumed"))
SM_STAGE_PARAMETER(tma_requests,
                   MNP_NUMBER_ROW("sm.tma.requests", "line", tma_requests, "384", 1, 4096, "its requests under way",
                                  "FlashGPU-Sim, model of the H200: 384 requests in flight per SM"))
SM_STAGE_PARAMETER(tma_maps, MNP_NUMBER_ROW("sm.tma.maps", "map", tma_maps, "16", 1, SM_TMA_MAPS,
                                            "tensor maps that it keeps", "assumed"))
SM_STAGE_PARAMETER(tma_command, MNP_NUMBER_ROW("sm.tma.command", "cycle", tma_command, "55", 1, 4096,
                                               "cycles between the beginnings of two copies",
                                               "seanzw/random dsm_bw, H200: 54.5; Sownelayt/ventus-env, H100: 55.3; "
                                               "QuickRunCUDA, B300: 48"))
SM_STAGE_PARAMETER(tma_latency, MNP_NUMBER_ROW("sm.tma.latency", "cycle", tma_latency, "10", 1, 4096,
                                               "beginning of a copy to its first request",
                                               "Sownelayt/ventus-env, H100: 261 to 276 cycles from the instruction to "
                                               "the mbarrier, of up to 256 bytes in the L2"))
SM_STAGE_PARAMETER(
    tma_map, MNP_NUMBER_ROW("sm.tma.map", "cycle", tma_map, "1", 0, 4096, "… more with a tensor map that is there",
                            "Sownelayt/ventus-env, H100: stores of 128 bytes with and without, to wait_group.read"))
SM_STAGE_PARAMETER(tma_dimension,
                   MNP_NUMBER_ROW("sm.tma.dimension", "cycle", tma_dimension, "1", 0, 4096,
                                  "… more for each dimension behind the first",
                                  "Sownelayt/ventus-env, H100: such stores of one to five dimensions, 49 to 53 cycles"))
SM_STAGE_PARAMETER(tma_decode,
                   MNP_NUMBER_ROW("sm.tma.decode", "cycle", tma_decode, "35", 0, 4096,
                                  "… and more with one that has just come from the L2",
                                  "Sownelayt/ventus-env, H100: the first such store with a map takes 278 to 320 cycles "
                                  "longer than the second, of which a read of the L2 is some 260"))
SM_STAGE_PARAMETER(
    tma_row, MNP_NUMBER_ROW("sm.tma.row", "cycle", tma_row, "1", 1, 256, "cycles that a row of a box takes at least",
                            "HPMLL/NVIDIA-Hopper-Benchmark, tma_bw, H800: boxes of 16 KB by the length of their rows"))
SM_STAGE_PARAMETER(
    tma_out,
    MNP_NUMBER_ROW("sm.tma.out", "byte", tma_out, "32", 1, 128, "that a copy to global memory sends in a cycle",
                   "Sownelayt/ventus-env, H100 and B200: stores of 2,560 to 4,096 bytes behind one another, "
                   "1 cycle more than 32 bytes take each"))
SM_STAGE_PARAMETER(tma_finish, MNP_NUMBER_ROW("sm.tma.finish", "cycle", tma_finish, "8", 1, 4096,
                                              "last reply to the mbarrier, or the group of copies",
                                              "assumed, part of the measured latency"))
SM_STAGE_STATISTIC(SM_TMA_COMMANDS,
                   MNP_COUNTER_ROW("tma_copies", "copy", "copies begun by the tensor memory accelerators"))
SM_STAGE_STATISTIC(SM_TMA_ROWS,
                   MNP_COUNTER_ROW("tma_rows", "row", "rows of their boxes, and of 2 KiB without a tensor map"))
SM_STAGE_STATISTIC(SM_TMA_LINES, MNP_COUNTER_ROW("tma_requests", "packet", "lines that they have asked the L2 for"))
SM_STAGE_STATISTIC(SM_TMA_BYTES, MNP_COUNTER_ROW("tma_bytes", "byte", "bytes that they have moved"))
SM_STAGE_STATISTIC(SM_TMA_MAP_MISSES,
                   MNP_COUNTER_ROW("tma_map_misses", "copy", "copies whose tensor map was fetched first"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("tma", "",
                                 "of executed programs: copies under way and their requests, tensor maps kept"))
#elif !defined(GPU_SM_TMA_TMA_H)
#define GPU_SM_TMA_TMA_H

#include "base/arena.h"
#include "contract/async.h"
#include "gpu/packets.h"
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
    uint64_t last;           /* in which the last reply came */
    uint64_t finish;         /* in which it ends, once all replies have come */
    uint32_t next_row;       /* that is not begun */
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

struct sm_tma { /* of a machine that executes; in the arena */
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
/* The next cycle after `cycle` in which the engine has something to do, replies and the port aside. */
uint64_t sm_tma_next(const struct sm *sm, uint64_t cycle);

/* A kernel has ended: tensor maps are fetched anew. */
void sm_tma_invalidate(struct sm *sm);

void sm_tma_report(const struct sm *sm, FILE *out);

#endif
