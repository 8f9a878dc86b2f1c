/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The port of an SM to its GPC: a queue of requests that leave one after another, as wide as the port is and as the
 * GPC's queue has places. Misses of all caches, writes and atomics share it.
 */
#ifndef GPU_SM_PORT_H
#define GPU_SM_PORT_H

#include "engine/core/unit.h"
#include "gpu/network/packets.h"
#include "parts/queue.h"

#include <stdio.h>

struct sm;

enum { SM_PORT_MOST = 256 /* sm.memory.egress at most */ };

struct sm_port_state {
    uint32_t credits; /* places in the GPC's queue */
    struct mnp_queue queue;
    uint64_t offered[SM_PORT_MOST / 64]; /* places of the queue whose stores others may join */
    uint64_t free;                       /* first cycle in which the next request may leave */
};

void sm_port_lay_out(struct sm *sm, struct mnp_arena *arena);

/* Its link is connected: there are credits for it. */
void sm_port_freeze(struct sm *sm);

/* The tag of a request: the lower bits are its owner's own, above them stands the stage that gets the reply. */
enum { SM_TAG_BITS = 16 };

#define SM_STAGE_REPLIES(OWNER, REPLY) OWNER,
enum sm_port_owner {
#include "gpu/sm/stages/rows.h"
};

static inline uint32_t sm_port_tag(enum sm_port_owner owner, uint32_t own)
{
    return (uint32_t)owner << SM_TAG_BITS | own;
}

static inline enum sm_port_owner sm_port_owner_of(uint32_t tag)
{
    return (enum sm_port_owner)(tag >> SM_TAG_BITS);
}

static inline uint32_t sm_port_own(uint32_t tag)
{
    return tag & ((1u << SM_TAG_BITS) - 1);
}

/* Puts a request, which goes to the GPC as it is, into the queue, which is not full. */
void sm_port_put(struct sm *sm, const struct gpu_request *request);

/* The operands of the request put last leave by the port of values, under this ticket. */
void sm_port_join(struct sm *sm, uint16_t ticket);

/* Offers the request put last to other stores, which may join it (store_joins.h). */
void sm_port_offer(struct sm *sm);

/* The last request to a line that waits, if others may join it and it has no ticket; NULL: none. */
struct gpu_request *sm_port_offered(struct sm *sm, uint64_t line);

/* The GPC gives places back. */
void sm_port_hear(struct sm *sm, struct mnp_port_place at, const void *packet, uint64_t cycle);

/* Sends the first request, if it may leave in this cycle. */
void sm_port_cycle(struct sm *sm, uint64_t cycle);

/* The next cycle in which a request may leave; MNP_NEVER: none waits, or there are no credits. */
uint64_t sm_port_next(const struct sm *sm, uint64_t cycle);

void sm_port_report(const struct sm *sm, FILE *out);

#endif
