/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/remote_port.h"

#include "engine/core/port.h"
#include "gpu/sm/state.h"

/* Bytes that a packet takes of a port. */
static uint64_t request_bytes(const struct gpu_sm2sm_parameters *p, const struct gpu_remote *packet)
{
    uint8_t kind = packet->kind;
    if (kind == GPU_REMOTE_PAIR)
        return 0;
    if (kind == GPU_REMOTE_PARCEL)
        return packet->bytes ? packet->bytes : p->command;
    return kind == GPU_REMOTE_STORE || kind == GPU_REMOTE_ATOMIC || kind == GPU_REMOTE_REDUCTION
               ? p->header + GPU_REMOTE_SECTOR
               : p->command;
}

static uint64_t answer_bytes(const struct gpu_sm2sm_parameters *p, uint8_t kind)
{
    return kind == GPU_REMOTE_LOAD || kind == GPU_REMOTE_ATOMIC ? p->header + GPU_REMOTE_SECTOR : p->answer;
}

/* Takes a port from `now` on, or when it is free, for so many bytes. Returns the time at which it is taken. */
static mnp_time take_port(const struct sm *sm, mnp_time *free, uint64_t bytes, mnp_time now)
{
    mnp_time at = *free > now ? *free : now;
    *free = at + bytes * sm->remote.byte_time / 1024;
    return at;
}

static void send(struct sm *sm, struct mnp_link *link, const struct gpu_remote *packet, uint64_t bytes, mnp_time least,
                 uint64_t cycle)
{
    uint64_t *counters = mnp_counters(sm->unit, packet->kernel);
    mnp_time now = mnp_cursor_edge(&sm->unit->clock, cycle);
    mnp_time at = take_port(sm, &sm->state->remote.out_free, bytes, now);
    counters[SM_REMOTE_PACKETS]++;
    counters[SM_REMOTE_BYTES] += bytes;
    counters[SM_REMOTE_WAIT] += mnp_cycle_at(sm->unit->clock.hertz, at - now);
    *(struct gpu_remote *)mnp_link_send(link, at > least ? at : least) = *packet;
}

void sm_remote_port_request(struct sm *sm, uint32_t place, const struct gpu_remote *packet, uint64_t cycle)
{
    send(sm, sm->remote.requests[place], packet, request_bytes(sm->remote.parameters, packet), 0, cycle);
}

void sm_remote_port_answer(struct sm *sm, uint32_t place, const struct gpu_remote *packet, mnp_time least,
                           uint64_t cycle)
{
    send(sm, sm->remote.answers[place], packet, answer_bytes(sm->remote.parameters, packet->kind), least, cycle);
}

mnp_time sm_remote_port_take(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle)
{
    mnp_time now = mnp_cursor_edge(&sm->unit->clock, cycle);
    return take_port(sm, &sm->state->remote.in_free, request_bytes(sm->remote.parameters, packet), now);
}

uint32_t sm_remote_port_credits(const struct sm *sm)
{
    return sm->state->remote.credits;
}

void sm_remote_port_use(struct sm *sm, uint32_t packets)
{
    sm->state->remote.credits -= packets;
}

void sm_remote_port_give(struct sm *sm)
{
    sm->state->remote.credits++;
}

uint64_t sm_remote_port_ready_at(const struct sm *sm, uint64_t ready)
{
    mnp_time free = sm->state->remote.out_free, backlog = sm->remote.backlog;
    return free > backlog ? sm_later(ready, mnp_cursor_cycle_at(&sm->unit->clock, free - backlog)) : ready;
}

/* ===== building ===== */

void sm_remote_init(struct sm *sm)
{
    const struct gpu_sm2sm_parameters *p = sm->peers.parameters;
    if (!sm->peers.count)
        return;
    uint64_t per_cycle = p->lanes * p->width; /* for all SMs of a CPC together */
    sm->remote.parameters = p;
    sm->remote.byte_time = mnp_edge(sm->peers.hertz, 1024 * p->cpc_sms) / per_cycle;
    sm->remote.backlog = p->queue * (p->header + GPU_REMOTE_SECTOR) * sm->remote.byte_time / 1024;
    sm->remote.barrier = sm->peers.barrier;
    sm->state->remote.credits = (uint32_t)p->requests;
}

void sm_remote_freeze(struct sm *sm)
{
    sm->remote.requests = mnp_port_links(sm->unit, SM_REMOTE_OUT);
    sm->remote.answers = mnp_port_links(sm->unit, SM_ANSWERS_OUT);
}
