/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warps that execute while they are simulated (contract/live.h): accesses between issue and acknowledgement
 * whose values the SM has, the order in which those performed at the L2 leave, and what fences wait for.
 */
#ifndef GPU_SM_LIVE_H
#define GPU_SM_LIVE_H

#include "contract/live.h"
#include "engine/core/unit.h"
#include "gpu/network/packets.h"
#include "gpu/sm/coalesce.h"
#include "gpu/sm/parameters.h"
#include "gpu/sm/sent.h"
#include "gpu/sm/warp_wait.h"

struct sm;
struct sm_warp;
struct sm_warp_view;

/* Generations of a CTA's stores and accesses at the L2 that can be told apart: a fence ends one. */
enum { SM_LIVE_GENERATIONS = 8 };

/* Cycles after which a warp tries again what touches a sector with accesses under way to the L2. */
enum { SM_LIVE_AGAIN = 16 };

struct sm_live_state {
    uint64_t ordered, started; /* accesses at the L2 issued, and taken by the memory pipeline: they keep their order */
    uint32_t free;             /* first free access */
    uint32_t reserved;
    uint8_t activity[SM_ACTIVITIES]; /* activity of the last instruction of any warp that was looked at (values.h) */
};

struct sm_live_turn { /* an access at the L2 that has to let others go first */
    uint64_t ready;   /* cycle from which it could go */
    uint32_t place;   /* in sm.queue */
    uint32_t reserved;
};

struct sm_live_cta {
    uint32_t under_way[SM_LIVE_GENERATIONS]; /* stores and accesses at the L2, by generation */
    uint32_t generation;
    uint32_t reserved;
};

struct sm_live_warp {
    uint32_t fence;     /* the fence waits for generations below this one; 0: none yet */
    uint32_t acquiring; /* ticket of the access that holds the warp back; 0: none */
    uint32_t registers; /* present registers of each of its threads */
    uint32_t since; /* cycle in which the fence was first looked at, and one, modulo 2^32; with sm.fence_beside alone */
    struct sm_wait_warp wait;
    uint8_t activity[SM_ACTIVITIES]; /* values.h; SM_ACTIVITY_NONE: none has been looked at */
};

struct sm_live_load { /* additions to an entry of the pending request table */
    uint16_t ticket;  /* ticket of its access at the L2; 0: none */
    uint16_t cover;   /* generation of the access, plus one; 0: no fence waits for it */
};

struct sm_live {
    struct mnp_live_core core;
    bool jumped, waits; /* effects of the last instruction */
    bool commands;      /* the last instruction has commands for async units (async_units.c) */
    /* in the arena */
    struct sm_live_state *state;
    struct mnp_live_access *accesses; /* the ticket is the place, plus one */
    uint32_t *next_free;
    struct sm_live_turn *turns; /* by order, modulo their number */
    uint16_t *cover;            /* by access, as in struct sm_live_load */
    struct sm_live_load *loads;
    struct sm_live_cta *ctas;
    struct sm_live_warp *warps;
    struct sm_sent *sent; /* NULL: values are not looked at */
};

/* No effect if sm->live is NULL, as for sm_live_init. */
void sm_live_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_live_init(struct sm *sm);
void sm_live_freeze(struct sm *sm);
void sm_live_start_warp(struct sm *sm, uint32_t warp);

/* Executes the warp's next instruction. NULL: that could not be done, and the warp has been put aside: it waits for
 * good if it is held by a barrier, else its next instruction has to be looked at again. */
const struct mnp_record *sm_live_issue(struct sm *sm, uint32_t warp, struct sm_warp *w, struct sm_warp_view *view,
                                       uint64_t cycle);

/* The short way of an instruction that is simple (contract/instruction.h). Returns its record; NULL: nothing has been
 * done, and sm_live_issue has to execute the instruction. */
const struct mnp_record *sm_live_compute(struct sm *sm, uint32_t warp, const struct sm_warp_view *view, uint64_t cycle);

/* Executes a live warp's next instructions in a row, without simulating them. */
void sm_live_row(struct sm *sm, uint32_t warp, struct mnp_live_row *row, uint64_t cycle);

/* The instruction just executed is a barrier. Returns whether the warp waits there. */
bool sm_live_barrier(struct sm *sm, uint32_t warp, uint64_t cycle);

/* Whether the next instruction has to wait for values from the L2. */
bool sm_live_waits(const struct sm *sm, uint32_t warp);

/* Whether accesses that the fence covers are under way: those of its warp, and those that its CTA has written or sent
 * to the L2 before the fence was the warp's next instruction. */
bool sm_live_fence_holds(struct sm *sm, uint32_t warp, uint64_t cycle);

/* Whether the instruction just executed is an access that others perform. */
bool sm_live_executed_at_l2(const struct sm *sm);

/* The instruction just executed goes to the memory queue, at `place` of which it would be ready in cycle `ready`.
 * Returns its access, plus one; *ready becomes SM_NOT_YET when it has to let others go first. */
uint16_t sm_live_accept(struct sm *sm, uint32_t warp, uint32_t place, uint64_t *ready);

const struct mnp_live_access *sm_live_access(const struct sm *sm, uint16_t ticket);

/* One more than the tickets of accesses: instructions in the queues, and accesses at the L2 among the loads; and the
 * one that is being executed. */
static inline uint32_t sm_live_tickets(const struct sm_parameters *p)
{
    return (uint32_t)(p->subcores * p->memory_queue + p->loads + 2);
}

/* The memory pipeline has taken it, as a load. Returns the access whose turn has come, if that waits in the queue, else
 * NULL. */
const struct sm_live_turn *sm_live_started(struct sm *sm, uint16_t ticket, uint16_t load);

/* Whether a load is performed at the L2. */
bool sm_live_at_l2(const struct sm *sm, uint16_t load);

/* Whether a load that is performed at the L2 is one of a warp that only polls: it is no progress. */
bool sm_live_is_idle(const struct sm *sm, uint16_t load);

/* The request put last into the port is a part of the load: its operands leave with it. */
void sm_live_send(struct sm *sm, const struct sm_part *part, uint16_t load, uint64_t cycle);

/* Values come back. */
void sm_live_hear(struct sm *sm, struct mnp_port_place at, const void *packet, uint64_t cycle);

/* All parts of a load are done. */
void sm_live_done(struct sm *sm, uint16_t load, uint64_t cycle);

/* … or its CTA ends without waiting for it. */
void sm_live_leave(struct sm *sm, uint16_t load);

#endif
