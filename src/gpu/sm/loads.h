/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pending request table: memory instructions whose accesses are under way, one entry each; and the way back by
 * which their data reaches the sub-cores. An instruction is done when the last of its parts is.
 *
 * A store whose parts have all gone past the L1 is on its way: with sm.memory.posted its CTA can end before the answers
 * come, and leaves it to its kernel, which ends when all of them have come.
 */
#ifndef GPU_SM_LOADS_H
#define GPU_SM_LOADS_H

#include "gpu/sm/coalesce.h"

struct sm;

struct sm_load {           /* an entry of the table */
    uint64_t since;        /* cycle in which its last part went past the L1 */
    uint64_t first, ready; /* cycles from which a dependent instruction may issue, by the first part and by all */
    uint32_t record;       /* place in the warp's stream, or the instruction of a live warp */
    uint32_t parts;        /* look-ups and replies still to come */
    uint16_t warp;         /* warp, or the kernel's slot for stores that an ended CTA has left */
    uint16_t next_free;    /* next free entry; in an entry in use, the group of a copy to shared memory (copies.h) */
    uint8_t kind;          /* enum gpu_request_kind */
    uint8_t transfer;      /* cycles that its data takes to the sub-core, and … */
    uint8_t least;         /* … those that latencies include, for 4 bytes a lane */
    uint8_t way;           /* enum sm_load_way */
};

struct sm_load_state {
    uint16_t free;                   /* first free entry, SM_NONE: all are in use */
    uint16_t left[GPU_KERNEL_SLOTS]; /* stores of ended CTAs that are not answered */
};

enum sm_load_way { SM_LOAD_HELD, SM_LOAD_POSTED /* a store on its way */, SM_LOAD_LEFT /* by its CTA */ };

struct sm_return {  /* the way back to a sub-core */
    uint64_t drain; /* cycle when the way has carried the data of all loads that the pipeline has taken */
    uint64_t from;  /* cycle that bit 0 of `taken` stands for */
    uint64_t taken; /* cycles in which data comes back from the memory pipeline */
};

struct sm_load_request {
    uint32_t record; /* same as in struct sm_load */
    uint32_t parts;
    uint32_t mask;       /* mask of the participating lanes */
    uint32_t width;      /* bytes that a lane gets back; 0: none */
    uint64_t rate;       /* bytes per cycle of the way back */
    uint32_t wavefronts; /* wavefronts that read its data; 0: not counted */
    uint16_t warp;
    uint16_t group; /* group of a copy to shared memory */
    uint8_t kind;   /* enum gpu_request_kind */
};

void sm_load_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_load_init(struct sm *sm);

/* Whether an entry is free. */
bool sm_load_has_room(const struct sm *sm);

/* Takes a free entry and returns it. */
uint16_t sm_load_take(struct sm *sm, const struct sm_load_request *request, uint64_t cycle);

/* The instruction that an entry stands for. */
const struct mnp_static_instruction *sm_load_instruction(const struct sm *sm, uint16_t load);

/* A part of the load has become `parts` parts, which go past the L1 in this cycle. */
void sm_load_pass(struct sm *sm, uint16_t load, uint32_t parts, uint64_t cycle);

/* All parts of a store have gone past the L1: what waits for the end of its CTA need not wait for its answers. */
void sm_load_post(struct sm *sm, uint16_t load, uint64_t cycle);

/* `parts` parts of the load are done. `ready`: cycle from which a dependent instruction may issue, as far as these
 * parts are concerned. */
void sm_load_part_done(struct sm *sm, uint16_t load, uint32_t parts, uint64_t ready, uint64_t cycle);

#endif
