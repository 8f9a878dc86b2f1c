/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/port.h"
#include "gpu/sm/events.h"
#include "gpu/sm/sent.h"

void sm_port_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    sm->egress = mnp_arena_take(arena, sm->parameters->egress, sizeof *sm->egress);
}

static void give(struct sm *sm, uint32_t places)
{
    sm->state->port.credits += places;
    sm_wake_stage(sm, SM_TURN_PORT, 0);
}

void sm_port_freeze(struct sm *sm)
{
    sm->request = mnp_port_link(sm->unit, SM_REQUEST);
    give(sm, (uint32_t)sm->request->in_flight);
}

void sm_port_put(struct sm *sm, const struct gpu_request *request)
{
    struct sm_port_state *port = &sm->state->port;
    uint32_t place = mnp_queue_push(&port->queue, (uint32_t)sm->parameters->egress);
    sm->egress[place] = *request;
    port->offered[place / 64] &= ~(UINT64_C(1) << place % 64);
    sm_wake_stage(sm, SM_TURN_PORT, 0);
}

void sm_port_join(struct sm *sm, uint16_t ticket)
{
    const struct mnp_queue *queue = &sm->state->port.queue;
    sm->egress[mnp_queue_place(queue, (uint32_t)sm->parameters->egress, queue->count - 1)].ticket = ticket;
}

void sm_port_offer(struct sm *sm)
{
    struct sm_port_state *port = &sm->state->port;
    uint32_t place = mnp_queue_place(&port->queue, (uint32_t)sm->parameters->egress, port->queue.count - 1);
    port->offered[place / 64] |= UINT64_C(1) << place % 64;
}

struct gpu_request *sm_port_offered(struct sm *sm, uint64_t line)
{
    const struct sm_port_state *port = &sm->state->port;
    for (uint32_t i = port->queue.count; i--;) {
        uint32_t place = mnp_queue_place(&port->queue, (uint32_t)sm->parameters->egress, i);
        struct gpu_request *request = &sm->egress[place];
        if (request->line == line)
            return !request->ticket && (port->offered[place / 64] >> place % 64 & 1) ? request : NULL;
    }
    return NULL;
}

void sm_port_hear(struct sm *sm, struct mnp_port_place at, const void *packet, uint64_t cycle)
{
    const struct gpu_credit *credit = packet;
    (void)at, (void)cycle;
    give(sm, credit->packets);
}

/* Cycles that a request keeps the port: a header, and its data where it carries any. */
static uint64_t port_cycles(const struct sm *sm, const struct gpu_request *request)
{
    return gpu_port_cycles(sm->network->header, sm->network->sm_width,
                           gpu_request_sectors(request->kind, request->sectors));
}

void sm_port_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_port_state *port = &sm->state->port;
    if (!port->queue.count || port->free > cycle || !port->credits)
        return;
    const struct gpu_request *request = &sm->egress[port->queue.head];
    struct gpu_request *sent = mnp_link_put(sm->request, mnp_cursor_edge(&sm->unit->clock, cycle));
    uint64_t bytes = gpu_packet_bytes(sm->network, gpu_request_sectors(request->kind, request->sectors));
    *sent = *request;
    if (__builtin_expect(sm->parameters->values != 0, 0))
        sent->activity = sm_sent_pass(sm, request, bytes);
    if (GPU_HEARS(sm, sm.requested))
        gpu_tell_requested(&sm->listeners, sm, request, cycle);
    port->credits--;
    mnp_counters(sm->unit, request->kernel)[SM_TO_GPC_BYTES] += bytes;
    port->free = cycle + port_cycles(sm, request);
    if (sm_port_full(sm)) /* a place becomes free, for the pipeline too: below */
        sm_wake_for_port(sm);
    mnp_queue_pop(&port->queue, (uint32_t)sm->parameters->egress);
    sm_wake_pipeline_by(sm, SM_FREED_PLACE);
}

uint64_t sm_port_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_port_state *port = &sm->state->port;
    if (!port->queue.count || !port->credits)
        return MNP_NEVER;
    return port->free > cycle ? port->free : cycle + 1;
}

void sm_port_report(const struct sm *sm, FILE *out)
{
    const struct sm_port_state *port = &sm->state->port;
    if (port->queue.count)
        fprintf(out, "%s: %u requests wait for the port to the GPC, which has %u places left\n", sm->unit->name,
                port->queue.count, port->credits);
}
