/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory pipeline of an SM, between issue and the look-ups of the L1: lsu.c, wavefronts.c. */
#ifndef GPU_SM_LSU_H
#define GPU_SM_LSU_H

#include "gpu/sm/coalesce.h"

#include <stdio.h>

struct mnp_arena;
struct sm;

/* Return-bus backlog, in cycles, up to which the pipeline still accepts a sub-core's loads. */
enum { SM_RETURN_AHEAD = 8 };

/* Stores of a sub-core whose registers are being read: the pipeline takes at most one every other cycle, and reading
 * lasts nine cycles at most. */
enum { SM_READINGS = 8 };

/* Time at which an instruction in the memory queue is ready that has to let others go first. */
#define SM_NOT_YET (UINT64_MAX - 2 * SM_RETURN_AHEAD)

enum sm_freed {                             /* events that a blocked pipeline may wait for: one bit each */
                SM_FREED_PLACE = 1 << 0,    /* before the port to the GPC */
                SM_FREED_LOAD = 1 << 1,     /* an entry of the pending request table */
                SM_FREED_ENTRY = 1 << 2,    /* a miss entry of the L1 */
                SM_FREED_WAITER = 1 << 3,   /* a waiter of one */
                SM_FILLED = 1 << 4,         /* sectors of a line of the L1 have come */
                SM_FILLED_AWAITED = 1 << 5, /* … of the line that is waited for */
};

struct sm_memory_op {    /* a memory instruction between issue and its last look-up */
    uint64_t ready;      /* cycle in which its addresses are there */
    uint32_t record;     /* place in the warp's stream */
    uint32_t address_at; /* place in the warp's address stream */
    uint16_t warp;
    uint16_t group;  /* group of a copy to shared memory: copies.h */
    uint16_t ticket; /* access of a live warp, plus one */
    uint8_t remote;  /* … which goes to shared memory of other SMs */
    uint8_t reserved;
};

struct sm_reading { /* a store between its look-up and the end of its register reads */
    uint64_t until; /* cycle */
    uint32_t record;
    uint16_t warp; /* SM_NONE: its CTA has ended, and nothing waits */
    uint16_t reserved;
};

struct sm_lsu_subcore {
    uint64_t address_free; /* first cycle in which address generation takes an instruction */
    uint32_t head, count;  /* memory queue */
    uint32_t reading_head, reading_count;
    struct sm_reading reading[SM_READINGS];
};

struct sm_access {             /* the instruction that looks its lines up */
    uint32_t part, part_count; /* part == part_count: there is none */
    uint64_t started;          /* cycle in which it entered */
    uint32_t data_cycles;      /* for which it keeps the data of the L1 */
    uint16_t load;             /* its entry of the pending request table */
    uint16_t reserved;
    struct sm_part parts[SM_MAX_PARTS];
    uint8_t order[SM_MAX_PARTS]; /* in which the parts are looked up: by wave */
};

struct sm_lsu_state {
    uint64_t next;     /* first cycle in which the pipeline may take an instruction or line */
    uint32_t blocked;  /* the pipeline waits for a line, a miss entry, the port or a load entry */
    uint32_t readings; /* stores whose registers are being read */
    uint32_t turn;     /* sub-core that it looks at first */
    uint32_t reserved;
    struct sm_access access;
};

void sm_lsu_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_lsu_init(struct sm *sm);

/* Makes memos anew, after the state has been replaced. */
void sm_lsu_remember(struct sm *sm);

/* A memory instruction issues to the queue, which has room. Addresses in shared memory take half the time. */
void sm_lsu_accept(struct sm *sm, uint32_t subcore, uint32_t warp, const struct mnp_static_instruction *instruction,
                   uint64_t cycle);

void sm_lsu_cycle(struct sm *sm, uint64_t cycle);

/* Memory space of an access. A generic address belongs to shared or local memory if it lies in the window of that
 * memory (16 MiB each). */
enum mnp_memory_space sm_lsu_space(const struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                                   const uint64_t *words);

/* Occupies the shared memory for another user, for `cycles` cycles from `cycle` on, or from when it is free. */
void sm_lsu_keep(struct sm *sm, uint64_t cycle, uint64_t cycles);

/* The next cycle after `cycle` in which the pipeline has something to do. */
uint64_t sm_lsu_next(const struct sm *sm, uint64_t cycle);

void sm_lsu_report(const struct sm *sm, FILE *out);

/* wavefronts.c: gives the parts of an access their sets, waves and order, and finds the cycles that its data takes;
 * both are counted in the kernel's counters. Returns its sectors. */
uint32_t sm_wavefronts(const struct sm *sm, struct sm_access *access, uint64_t *counters);

#endif
