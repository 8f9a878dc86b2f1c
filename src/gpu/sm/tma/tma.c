/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/tma/tma.h"
#include "gpu/sm/cluster.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/remote_port.h"

#include <string.h>

enum { LINE = 128, SECTOR = 32 };

/* ===== building ===== */

void sm_tma_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (!sm->live)
        return;
    sm->tma.copies = mnp_arena_take(arena, sm->parameters->tma_copies, sizeof *sm->tma.copies);
    sm->tma.requests = mnp_arena_take(arena, sm->parameters->tma_requests, sizeof *sm->tma.requests);
}

void sm_tma_init(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    if (!sm->live)
        return;
    sm->state->tma.free = p->tma_copies == SM_TMA_COPIES ? UINT64_MAX : (UINT64_C(1) << p->tma_copies) - 1;
    for (uint32_t i = 0; i < p->tma_requests; i++)
        sm->tma.requests[i].next_free = i + 1 < p->tma_requests ? (uint16_t)(i + 1) : SM_NONE;
    sm->live->core.copy_room = (uint32_t)p->tma_copies;
}

/* ===== copies come and go ===== */

void sm_tma_take(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    struct sm_tma *tma = &sm->tma;
    struct sm_tma_state *state = &sm->state->tma;
    uint64_t *counters = sm_counters_of(sm, warp);
    if (!state->arriving.count && state->front_at < cycle)
        state->front_at = cycle;
    for (uint32_t i = 0; i < core->copy_count; i++) {
        uint32_t copy = (uint32_t)__builtin_ctzll(state->free);
        state->free &= state->free - 1;
        tma->copies[copy] = (struct sm_tma_copy){
            .command = core->copies[i], .warp = (uint16_t)warp, .kernel = sm->ctas[sm->warps[warp].cta.slot].kernel};
        state->arriving_items[mnp_queue_push(&state->arriving, SM_TMA_COPIES)] = (uint8_t)copy;
        state->under_way++;
        core->copy_room--;
        sm_cta_async_begins(sm, sm->warps[warp].cta.slot);
        counters[SM_TMA_COMMANDS]++;
    }
    core->copy_count = 0;
    sm_wake_stage(sm, SM_TURN_TMA, cycle);
}

static void fault(struct sm *sm, uint64_t cycle)
{
    mnp_unit_fault(sm->unit, mnp_cursor_edge(&sm->unit->clock, cycle), &sm->live->core.error);
}

static void may_finish(struct sm *sm, uint32_t copy)
{
    struct sm_tma_copy *c = &sm->tma.copies[copy];
    if (!c->generated || c->outstanding)
        return;
    c->finish = c->last + (c->arrived ? 0 : sm->parameters->tma_finish);
    sm->state->tma.finishing |= UINT64_C(1) << copy;
}

/* ===== parcels ===== */

/* Makes data that another CTA could not take an error of the copy. */
static void take_loss(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    uint32_t token = sm->tma.copies[packet->load].command.token;
    if (packet->lost == GPU_REMOTE_KEPT)
        return;
    if (packet->lost == GPU_REMOTE_LOST)
        core->async->lost(core, token);
    else
        core->async->refused(core, token, packet->rank, packet->parcel.word[0]);
    fault(sm, cycle);
}

/* Sends a parcel to the CTA of a rank; what goes to one's own is there at once. */
static void send_parcel(struct sm *sm, uint32_t copy, uint32_t rank, uint32_t row, uint32_t at, uint32_t bytes,
                        uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    struct sm_tma_copy *c = &sm->tma.copies[copy];
    uint16_t slot = sm->warps[c->warp].cta.slot;
    const struct sm_cta *cta = &sm->ctas[slot];
    const struct mnp_kernel *kernel = sm->codes[slot].kernel;
    struct gpu_remote packet = {.cta = mnp_cluster_member(kernel->grid, kernel->cluster, cta->number, rank),
                                .kernel = c->kernel,
                                .kind = GPU_REMOTE_PARCEL,
                                .bytes = (uint8_t)bytes,
                                .rank = (uint8_t)rank,
                                .load = (uint16_t)copy};
    if (!core->async->parcel(core, c->command.token, rank, row, at, bytes, &packet.parcel))
        fault(sm, cycle);
    if (rank == cta->cluster.rank) {
        sm_tma_receive(sm, slot, &packet, cycle);
        take_loss(sm, &packet, cycle);
        return;
    }
    sm_remote_port_use(sm, bytes > 0);
    sm_remote_port_request(sm, cta->cluster.place[rank], &packet, cycle);
    c->outstanding++;
}

void sm_tma_receive(struct sm *sm, uint16_t slot, struct gpu_remote *packet, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    core->flipped = 0;
    if (!core->async->receive(core, &sm->codes[slot].cta, &packet->parcel)) {
        if (core->error.text[0])
            fault(sm, cycle);
        packet->lost = GPU_REMOTE_REFUSED;
        packet->parcel.word[0] = core->refused;
    }
    if (core->flipped)
        sm_wait_flipped(sm, slot, core->flipped, cycle);
    sm_progress(sm);
}

void sm_tma_answered(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle)
{
    struct sm_tma_copy *c = &sm->tma.copies[packet->load];
    if (c->command.direction == MNP_COPY_ACROSS)
        sm_remote_port_give(sm);
    take_loss(sm, packet, cycle);
    c->last = cycle;
    c->outstanding--;
    may_finish(sm, packet->load);
    sm_wake_stage(sm, SM_TURN_TMA, cycle);
}

/* ===== copies end ===== */

/* The bytes are there. False: others have to answer first. */
static bool arrive(struct sm *sm, uint32_t copy, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    struct sm_tma_copy *c = &sm->tma.copies[copy];
    uint16_t slot = sm->warps[c->warp].cta.slot;
    c->arrived = 1;
    if (!core->async->arrive(core, c->command.token))
        fault(sm, cycle);
    if (core->flipped)
        sm_wait_flipped(sm, slot, core->flipped, cycle);
    for (uint32_t ranks = c->command.direction == MNP_COPY_IN ? c->command.targets : 0; ranks; ranks &= ranks - 1)
        send_parcel(sm, copy, (uint32_t)__builtin_ctz(ranks), 0, 0, 0, cycle);
    return !c->outstanding;
}

static void finish(struct sm *sm, uint32_t copy, uint64_t cycle)
{
    struct sm_tma_state *state = &sm->state->tma;
    struct mnp_live_core *core = &sm->live->core;
    const struct sm_tma_copy *c = &sm->tma.copies[copy];
    uint32_t warp = c->warp, slot = sm->warps[warp].cta.slot;
    state->finishing &= ~(UINT64_C(1) << copy);
    sm_progress(sm);
    if (!c->arrived && !arrive(sm, copy, cycle))
        return;
    core->async->finish(core, c->command.token);
    state->free |= UINT64_C(1) << copy;
    state->under_way--;
    core->copy_room++;
    sm_wait_done(sm, warp, MNP_PARK_COPIES, cycle);
    sm_wait_room(sm, MNP_PARK_ROOM, cycle);
    sm_cta_async_done(sm, slot, cycle);
}

/* ===== the front: tensor maps ===== */

/* Whether a tensor map is there; makes it the most recent one. */
static bool find_map(struct sm *sm, uint64_t address)
{
    uint64_t *maps = sm->state->tma.maps, count = sm->parameters->tma_maps;
    for (uint32_t i = 0; i < count; i++) {
        if (maps[i] != address + 1)
            continue;
        memmove(maps + 1, maps, i * sizeof *maps);
        maps[0] = address + 1;
        return true;
    }
    return false;
}

static void keep_map(struct sm *sm, uint64_t address)
{
    uint64_t *maps = sm->state->tma.maps, count = sm->parameters->tma_maps;
    if (!count || find_map(sm, address))
        return;
    memmove(maps + 1, maps, (count - 1) * sizeof *maps);
    maps[0] = address + 1;
}

void sm_tma_invalidate(struct sm *sm)
{
    memset(sm->state->tma.maps, 0, sizeof sm->state->tma.maps);
}

static uint64_t latency_of(const struct sm *sm, const struct sm_tma_copy *c)
{
    const struct sm_parameters *p = sm->parameters;
    uint64_t further = c->command.rank ? c->command.rank - 1U : 0;
    return p->tma_latency + (c->command.rank ? p->tma_map : 0) + further * p->tma_dimension;
}

/* A request of a line. */
static void ask(struct sm *sm, const struct sm_tma_copy *c, uint64_t address, uint32_t bytes,
                enum gpu_request_kind kind, uint32_t tag, uint16_t ticket)
{
    uint32_t offset = (uint32_t)(address % LINE), first = offset / SECTOR, last = (offset + bytes - 1) / SECTOR;
    struct gpu_request request = {.line = address - offset,
                                  .tag = tag,
                                  .sm = sm->index,
                                  .kernel = c->kernel,
                                  .kind = (uint8_t)kind,
                                  .sectors = (uint8_t)((2u << last) - (1u << first)),
                                  .ticket = ticket};
    for (uint32_t i = offset; kind != GPU_READ && i < offset + bytes; i++)
        request.bytes[i / 64] |= UINT64_C(1) << i % 64;
    sm_port_put(sm, &request);
}

/* The front takes a copy, whose requests can be generated from then on that its map is there. */
static void step_front(struct sm *sm, uint64_t cycle)
{
    struct sm_tma_state *state = &sm->state->tma;
    if (!state->arriving.count || state->front_at > cycle)
        return;
    uint32_t copy = state->arriving_items[state->arriving.head];
    struct sm_tma_copy *c = &sm->tma.copies[copy];
    bool missing = c->command.rank && !find_map(sm, c->command.map);
    state->front_waits = missing && sm_port_full(sm);
    if (state->front_waits)
        return;
    mnp_queue_pop(&state->arriving, SM_TMA_COPIES);
    state->generating_items[mnp_queue_push(&state->generating, SM_TMA_COPIES)] = (uint8_t)copy;
    state->front_at = cycle + sm->parameters->tma_command;
    c->ready = missing ? MNP_NEVER : cycle + latency_of(sm, c);
    if (missing) {
        ask(sm, c, c->command.map, LINE - (uint32_t)(c->command.map % LINE), GPU_READ,
            sm_port_tag(SM_TO_TMA, SM_TMA_MAP | copy), 0);
        mnp_counters(sm->unit, c->kernel)[SM_TMA_MAP_MISSES]++;
    }
}

/* ===== the generator ===== */

/* Operands of a reduction go ahead of its request. */
static bool send_elements(struct sm *sm, const struct sm_tma_copy *c, const struct sm_tma_request *request,
                          uint64_t address, uint16_t ticket, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    struct mnp_copy_elements elements;
    if (!core->async->elements(core, c->command.token, request->row, request->at, request->bytes, &elements))
        return false;
    struct gpu_values *values = NULL;
    for (uint32_t i = 0; i < elements.count; i++) {
        if (!values || values->count == GPU_VALUES) {
            values = mnp_link_send(sm->values, mnp_cursor_edge(&sm->unit->clock, cycle));
            *values = (struct gpu_values){.line = address / LINE * LINE,
                                          .sm = sm->index,
                                          .ticket = ticket,
                                          .bytes = elements.bytes,
                                          .kind = MNP_LIVE_REDUCTION,
                                          .operation = elements.operation,
                                          .type = elements.type,
                                          .warp = sm->warps[c->warp].cta.number,
                                          .cta = (uint32_t)sm->ctas[sm->warps[c->warp].cta.slot].number};
        }
        values->offset[values->count] = (uint8_t)(address % LINE + i * elements.bytes);
        values->value[values->count++] = elements.value[i];
    }
    return true;
}

static bool is_out(const struct sm_tma_copy *c)
{
    return c->command.direction == MNP_COPY_OUT || c->command.direction == MNP_COPY_REDUCE;
}

/* Asks for the next line of the present row. Data that leave take their time at the port of the TMA. */
static void ask_line(struct sm *sm, uint32_t copy, uint64_t cycle)
{
    static const uint8_t kinds[] = {[MNP_COPY_IN] = GPU_READ,
                                    [MNP_COPY_OUT] = GPU_WRITE,
                                    [MNP_COPY_REDUCE] = GPU_REDUCTION,
                                    [MNP_COPY_PREFETCH] = GPU_READ};
    struct sm_tma *tma = &sm->tma;
    struct mnp_live_core *core = &sm->live->core;
    struct sm_tma_copy *c = &tma->copies[copy];
    bool out = is_out(c);
    uint16_t entry = sm->state->tma.free_request;
    if (out)
        sm_lsu_keep(sm, cycle, 1);
    uint64_t address = c->row.global + c->at;
    uint32_t room = LINE - (uint32_t)(address % LINE), left = c->row.bytes - c->at;
    struct sm_tma_request *request = &tma->requests[entry];
    sm->state->tma.free_request = request->next_free;
    *request = (struct sm_tma_request){.row = c->next_row - 1,
                                       .at = c->row.before + c->at,
                                       .copy = (uint16_t)copy,
                                       .bytes = (uint16_t)(room < left ? room : left)};
    uint16_t ticket = 0;
    bool good = true;
    if (c->command.direction == MNP_COPY_REDUCE) {
        ticket = (uint16_t)(sm_live_tickets(sm->parameters) + entry);
        good = send_elements(sm, c, request, address, ticket, cycle);
    } else if (out) {
        good = core->async->move(core, c->command.token, request->row, request->at, request->bytes);
    }
    if (!good)
        fault(sm, cycle);
    ask(sm, c, address, request->bytes, (enum gpu_request_kind)kinds[c->command.direction],
        sm_port_tag(SM_TO_TMA, entry), ticket);
    uint64_t *counters = mnp_counters(sm->unit, c->kernel);
    counters[SM_TMA_LINES]++;
    counters[SM_TMA_BYTES] += request->bytes;
    c->at += request->bytes;
    c->outstanding++;
    uint64_t width = sm->parameters->tma_out, sectors = (address % SECTOR + request->bytes + SECTOR - 1) / SECTOR;
    sm->state->tma.line_at = cycle + (out ? (sectors * SECTOR + width - 1) / width : 1);
}

/* Sends the next part of the present row to another CTA, read out of shared memory in a cycle of the pipeline. */
static void send_part(struct sm *sm, uint32_t copy, uint64_t cycle)
{
    struct sm_tma_copy *c = &sm->tma.copies[copy];
    uint32_t room = MNP_PARCEL_BYTES - (uint32_t)((c->row.global + c->at) % MNP_PARCEL_BYTES);
    uint32_t left = c->row.bytes - c->at, bytes = room < left ? room : left;
    sm_lsu_keep(sm, cycle, 1);
    send_parcel(sm, copy, (uint32_t)__builtin_ctz(c->command.targets), c->next_row - 1, c->at, bytes, cycle);
    mnp_counters(sm->unit, c->kernel)[SM_TMA_BYTES] += bytes;
    c->at += bytes;
}

/* Begins the next row. */
static void begin_row(struct sm *sm, struct sm_tma_copy *c, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    core->async->row(core, c->command.token, c->next_row++, &c->row);
    c->at = 0;
    c->row_until = cycle + sm->parameters->tma_row;
    mnp_counters(sm->unit, c->kernel)[SM_TMA_ROWS]++;
}

/* The source of a copy to global memory has been read. What is stored is then on its way to the L2, ahead of whatever
 * the warp sends there next, and its group waits no longer; what is reduced is known only when the L2 answers. */
static void end_reading(struct sm *sm, uint32_t copy, uint64_t cycle)
{
    struct mnp_live_core *core = &sm->live->core;
    const struct sm_tma_copy *c = &sm->tma.copies[copy];
    sm->state->tma.reading &= ~(UINT64_C(1) << copy);
    core->async->has_read(core, c->command.token, sm->parameters->tma_posted && c->command.direction == MNP_COPY_OUT);
    sm_wait_done(sm, c->warp, MNP_PARK_COPIES, cycle);
}

/* All requests of the copy have been made. */
static void end_generation(struct sm *sm, uint32_t copy, uint64_t cycle)
{
    struct sm_tma_state *state = &sm->state->tma;
    struct sm_tma_copy *c = &sm->tma.copies[copy];
    c->generated = 1;
    c->last = sm_later(c->last, cycle);
    mnp_queue_pop(&state->generating, SM_TMA_COPIES);
    if (is_out(c)) {
        c->read_until = cycle + sm->parameters->latency_shared + sm->parameters->tma_finish;
        state->reading |= UINT64_C(1) << copy;
    }
    may_finish(sm, copy);
}

/* Whether the present copy goes from shared memory to another CTA's. */
static bool is_across(const struct sm *sm)
{
    const struct sm_tma *tma = &sm->tma;
    return tma->copies[sm->state->tma.generating_items[sm->state->tma.generating.head]].command.direction ==
           MNP_COPY_ACROSS;
}

/* Whether a request of the present copy can be made, or will be able to with time alone. */
static bool has_room(const struct sm *sm)
{
    if (is_across(sm))
        return !sm->peers.count || sm_remote_port_credits(sm) > 0;
    return sm->state->tma.free_request != SM_NONE && !sm_port_full(sm);
}

static void step_generator(struct sm *sm, uint64_t cycle)
{
    struct sm_tma_state *state = &sm->state->tma;
    if (!state->generating.count || state->line_at > cycle)
        return;
    uint32_t copy = state->generating_items[state->generating.head];
    struct sm_tma_copy *c = &sm->tma.copies[copy];
    if (c->ready > cycle || !has_room(sm) || (is_across(sm) && sm_remote_port_ready_at(sm, cycle) > cycle))
        return;
    if (c->at == c->row.bytes) {
        if (c->next_row == c->command.rows) {
            end_generation(sm, copy, cycle);
            return;
        }
        if (c->row_until > cycle)
            return;
        begin_row(sm, c, cycle);
    }
    state->line_at = cycle + 1;
    if (c->row.bytes && c->command.direction == MNP_COPY_ACROSS)
        send_part(sm, copy, cycle);
    else if (c->row.bytes)
        ask_line(sm, copy, cycle);
    if (c->at == c->row.bytes && c->next_row == c->command.rows)
        end_generation(sm, copy, cycle);
}

/* ===== replies ===== */

void sm_tma_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    struct sm_tma *tma = &sm->tma;
    struct mnp_live_core *core = &sm->live->core;
    uint32_t tag = sm_port_own(reply->tag);
    sm_wake_stage(sm, SM_TURN_TMA, cycle);
    if (tag & SM_TMA_MAP) {
        struct sm_tma_copy *c = &tma->copies[tag & ~(uint32_t)SM_TMA_MAP];
        c->ready = cycle + latency_of(sm, c) + sm->parameters->tma_decode;
        keep_map(sm, c->command.map);
        return;
    }
    struct sm_tma_request *request = &tma->requests[tag];
    struct sm_tma_copy *c = &tma->copies[request->copy];
    if (c->command.direction == MNP_COPY_IN && core->error.text[0] == 0 &&
        !core->async->move(core, c->command.token, request->row, request->at, request->bytes))
        fault(sm, cycle);
    c->last = cycle;
    c->outstanding--;
    request->next_free = sm->state->tma.free_request;
    sm->state->tma.free_request = (uint16_t)tag;
    may_finish(sm, request->copy);
}

/* ===== the cycle ===== */

void sm_tma_cycle(struct sm *sm, uint64_t cycle)
{
    const struct sm_tma *tma = &sm->tma;
    for (uint64_t rest = sm->state->tma.reading; rest; rest &= rest - 1) {
        uint32_t copy = (uint32_t)__builtin_ctzll(rest);
        if (tma->copies[copy].read_until <= cycle)
            end_reading(sm, copy, cycle);
    }
    for (uint64_t rest = sm->state->tma.finishing & ~sm->state->tma.reading; rest; rest &= rest - 1) {
        uint32_t copy = (uint32_t)__builtin_ctzll(rest);
        if (tma->copies[copy].finish <= cycle)
            finish(sm, copy, cycle);
    }
    step_generator(sm, cycle);
    step_front(sm, cycle);
}

static uint64_t next_request(const struct sm *sm)
{
    const struct sm_tma *tma = &sm->tma;
    const struct sm_tma_copy *c = &tma->copies[sm->state->tma.generating_items[sm->state->tma.generating.head]];
    bool between_rows = c->at == c->row.bytes;
    uint64_t at = sm_later(c->ready, sm->state->tma.line_at);
    if (c->command.direction == MNP_COPY_ACROSS)
        at = sm_remote_port_ready_at(sm, at);
    return between_rows && c->next_row < c->command.rows ? sm_later(at, c->row_until) : at;
}

uint64_t sm_tma_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_tma *tma = &sm->tma;
    uint64_t next = MNP_NEVER;
    for (uint64_t rest = sm->state->tma.finishing & ~sm->state->tma.reading; rest; rest &= rest - 1) {
        uint64_t at = tma->copies[__builtin_ctzll(rest)].finish;
        next = at < next ? at : next;
    }
    for (uint64_t rest = sm->state->tma.reading; rest; rest &= rest - 1) {
        uint64_t at = tma->copies[__builtin_ctzll(rest)].read_until;
        next = at < next ? at : next;
    }
    if (sm->state->tma.arriving.count && !(sm->state->tma.front_waits && sm_port_full(sm)))
        next = sm->state->tma.front_at < next ? sm->state->tma.front_at : next;
    if (sm->state->tma.generating.count && has_room(sm)) {
        uint64_t at = next_request(sm);
        next = at < next ? at : next;
    }
    return next > cycle ? next : cycle + 1; /* a place before the port wakes the unit */
}

void sm_tma_report(const struct sm *sm, FILE *out)
{
    const struct sm_tma_state *state = &sm->state->tma;
    if (!state->under_way)
        return;
    fprintf(out, "%s: %u copies of the TMA are under way, %u of them not begun, %u with requests to make\n",
            sm->unit->name, state->under_way, state->arriving.count, state->generating.count);
}
