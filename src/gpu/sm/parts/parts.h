/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of an SM that are chosen by name and called: a prefetcher of the L1 data cache (prefetchers/prefetcher.h), a
 * warp scheduler (schedulers/called.h). What they see is put together here; an SM without such parts has one comparison
 * at each place where one would be told.
 */
#ifndef GPU_SM_PARTS_PARTS_H
#define GPU_SM_PARTS_PARTS_H

#include "gpu/network/packets.h"
#include "gpu/sm/coalesce.h"
#include "gpu/sm/parts/stage.h"
#include "gpu/sm/prefetchers/prefetcher.h"
#include "gpu/sm/schedulers/called.h"

struct mnp_arena;
struct mnp_statistic;
struct sm;

struct sm_parts {                                /* fixed by the machine, and where its arrays lie */
    bool called;                                 /* any of them has to do with reads of the L1: */
    bool watches_l1d;                            /* some part is notified of look-ups and replaced lines */
    bool tells_pc;                               /* requests to the L2 say which instruction they are of */
    const struct sm_prefetcher *prefetcher;      /* NULL: none */
    const struct sm_called_scheduler *scheduler; /* NULL: none */
    const struct sm_called_stage *stage;         /* NULL: none */
    void *prefetcher_state, *scheduler_state, *stage_state;
    uint8_t *prefetched; /* by line of the L1: it was prefetched, and no load has asked for it since */
    size_t prefetch_counters, prefetcher_counters, scheduler_counters, stage_counters,
        distinct_counters; /* their places among the SM's */
};

void sm_parts_lay_out(struct sm *sm, struct mnp_arena *arena);

/* ===== the L1 data cache ===== */

/* Address of the instruction of a load, with the base of its kernel's code. */
uint64_t sm_parts_pc(const struct sm *sm, uint16_t load);

/* The access of a part of a load, as policies and prefetchers see it. */
struct mnp_cache_access sm_parts_access(const struct sm *sm, const struct sm_part *part, uint16_t load,
                                        enum mnp_access_kind kind);

/* A load has been looked up. Returns how many lines the prefetcher asks for, with the same sectors as the load. */
uint32_t sm_parts_looked_up(struct sm *sm, const struct sm_part *part, uint16_t load, bool hit, uint64_t cycle,
                            struct sm_part asked[SM_PREFETCH_MOST]);

/* A line of the cache is about to become that of another number, on account of a warp. */
void sm_parts_replaced(struct sm *sm, uint32_t line, uint64_t number, uint16_t warp);

/* A line that the prefetcher has asked for comes, on account of a warp. */
void sm_parts_prefetched(struct sm *sm, uint32_t line, uint16_t warp);

/* ===== the scheduler: scheduler.c ===== */

void sm_parts_warp_starts(struct sm *sm, uint32_t warp, uint64_t cycle);
uint32_t sm_parts_choose(struct sm *sm, uint32_t subcore, uint64_t ready, uint64_t cycle);

/* ===== statistics ===== */

/* The tables of statistics of the parts that these parameters choose, each one's behind that of the one before; returns
 * how many tables there are. */
enum { SM_PART_TABLES = 5 };
struct sm_part_table {
    const struct mnp_statistic *rows;
    size_t count;
    uint32_t counters; /* counters of each row; 0: the rows state it */
};
struct sm_parameters;
uint32_t sm_parts_statistics(const struct sm_parameters *parameters, struct sm_part_table tables[SM_PART_TABLES]);

#endif
