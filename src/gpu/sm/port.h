/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The port of an SM to its GPC: a queue of requests that leave one after another, as wide as the port is and as the
 * GPC's queue has places. Misses of all caches, writes and atomics share it.
 */
#ifndef GPU_SM_PORT_H
#define GPU_SM_PORT_H

#include "gpu/packets.h"
#include "parts/queue.h"

struct sm;

struct sm_port {
    uint32_t credits; /* places in the GPC's queue */
    struct mnp_queue queue;
    uint64_t free; /* first cycle in which the next request may leave */
};

void sm_port_lay_out(struct sm *sm, struct mnp_arena *arena);

/* Whether the queue takes no more requests. */
bool sm_port_full(const struct sm *sm);

/* Puts a request, which goes to the GPC as it is, into the queue, which is not full. */
void sm_port_put(struct sm *sm, const struct gpu_request *request);

/* The operands of the request put last leave by the port of values, under this ticket. */
void sm_port_join(struct sm *sm, uint16_t ticket);

/* The GPC gives places back. */
void sm_port_credit(struct sm *sm, uint32_t places);

/* Sends the first request, if it may leave in this cycle. */
void sm_port_cycle(struct sm *sm, uint64_t cycle);

/* The next cycle in which a request may leave; MNP_NEVER: none waits, or there are no credits. */
uint64_t sm_port_next(const struct sm *sm, uint64_t cycle);

#endif
