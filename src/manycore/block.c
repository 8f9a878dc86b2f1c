/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a block: the heap of its tiles' events, what its links bring, and the cycles of its routers. */
#include "manycore/machine.h"

/* ===== the heap: least (cycle, place) first; each tile is in it at most once ===== */

void manycore_block_schedule(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    uint64_t key = cycle << 16 | place, at = block->state->heap_count++, *heap = block->heap;
    for (; at > 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = key;
}

static uint32_t take_first(struct manycore_block *block)
{
    uint64_t *heap = block->heap, first = heap[0], count = --block->state->heap_count, key = heap[count], at = 0;
    heap[count] = 0;
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[child] >= key)
            break;
        heap[at] = heap[child];
    }
    if (count)
        heap[at] = key;
    return (uint32_t)(first & 0xFFFF);
}

static uint64_t first_event(const struct manycore_block *block)
{
    return block->state->heap_count ? block->heap[0] >> 16 : UINT64_MAX;
}

/* ===== cores ===== */

/* Lets a core run alone, and schedules what it stops at. */
static void run_core(struct manycore_block *block, uint32_t place)
{
    const struct manycore_machine *machine = block->machine;
    struct manycore_core *core = &block->tile[place].core;
    uint64_t until = core->clock + machine->parameters->run_ahead;
    manycore_core_run(core, &block->place[place], until < machine->limit ? until : machine->limit);
    manycore_block_schedule(block, place, core->clock);
}

/* Something happened that is not the repetition of the same read with the same result. */
static void note_progress(struct manycore_block *block, struct manycore_tile *tile, const struct manycore_packet *reply,
                          uint64_t cycle)
{
    uint32_t pc = tile->core.r[15], address = reply->request.address, value = reply->request.data;
    bool reads = reply->request.action != MANYCORE_WRITE;
    if (reads && tile->last_pc == pc && tile->last_address == address && tile->last_value == value)
        return;
    tile->last_pc = pc;
    tile->last_address = address;
    tile->last_value = value;
    mnp_time time = mnp_cursor_edge(&block->unit->clock, cycle);
    if (time > block->unit->progress && reads)
        block->unit->progress = time;
}

void manycore_block_answer(struct manycore_block *block, uint32_t place, const struct manycore_packet *reply,
                           uint64_t cycle)
{
    struct manycore_tile *tile = &block->tile[place];
    note_progress(block, tile, reply, block->state->cycle);
    tile->wait_cycles += cycle - tile->waiting_since;
    tile->waiting_since = UINT64_MAX;
    manycore_core_answer(&tile->core, reply->request.data, reply->request.version, cycle);
    run_core(block, place);
}

/* An access to shared memory sets out. */
static void send_access(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    const struct manycore_machine *machine = block->machine;
    const struct manycore_parameters *p = machine->parameters;
    struct manycore_tile *tile = &block->tile[place];
    uint32_t from = manycore_tile_of(block, place, (uint32_t)p->width);
    uint32_t home = (tile->core.request.address - MANYCORE_SHARED) / p->bank_bytes;
    struct manycore_packet packet = {
        .request = tile->core.request, .from = (uint16_t)from, .to = (uint16_t)home, .born = (uint32_t)cycle};
    tile->s_events++;
    tile->waiting_since = cycle;
    if (p->network == MANYCORE_GLOBAL) {
        struct manycore_packet *sent =
            mnp_link_send(block->out[MANYCORE_LOCAL], mnp_cursor_edge(&block->unit->clock, cycle));
        *sent = packet;
    } else if (home == from) {
        block->local[place / 64] |= UINT64_C(1) << place % 64;
        block->local_count++;
    } else {
        manycore_router_push(block, place, MANYCORE_LOCAL * 2 + MANYCORE_REQUEST, &packet, cycle);
    }
}

static void act(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    struct manycore_core *core = &block->tile[place].core;
    mnp_time time = mnp_cursor_edge(&block->unit->clock, cycle);
    switch ((enum manycore_pause)core->pause) {
    case MANYCORE_RUNNING:
        block->unit->progress = time;
        run_core(block, place);
        break;
    case MANYCORE_ACCESS:
        send_access(block, place, cycle);
        break;
    case MANYCORE_SERVICE:
        block->unit->progress = time;
        manycore_service(block, place, cycle);
        if (core->pause == MANYCORE_RUNNING)
            run_core(block, place);
        else if (core->pause == MANYCORE_FAULTED)
            manycore_block_schedule(block, place, cycle);
        break;
    case MANYCORE_FAULTED: { /* this core acts no more; the block goes on to the epoch's end, where the run ends */
        struct mnp_error error = manycore_fault_error(block, place);
        mnp_unit_fault(block->unit, time, &error);
        break;
    }
    case MANYCORE_EXITED:
        break;
    }
}

/* ===== links ===== */

static void receive(struct manycore_block *block, const void *payload, uint64_t cycle)
{
    uint32_t width = (uint32_t)block->machine->parameters->width;
    if (block->machine->parameters->network == MANYCORE_GLOBAL) {
        const struct manycore_packet *reply = payload;
        manycore_block_answer(block, manycore_place_of(block, reply->to, width), reply, cycle);
        return;
    }
    const struct manycore_flit *flit = payload;
    uint32_t place = manycore_place_of(block, flit->router, width);
    if (flit->is_credit)
        manycore_router_credit(block, place, flit->port, flit->channel);
    else
        manycore_router_push(block, place, manycore_queue(flit->port, flit->channel), &flit->packet, cycle);
}

/* ===== time ===== */

static void visit(struct manycore_block *block, uint64_t cycle)
{
    struct mnp_unit *unit = block->unit;
    mnp_time now = mnp_cursor_edge(&unit->clock, cycle);
    const void *payload;
    uint32_t link;
    block->state->cycle = cycle;
    while ((payload = mnp_inbox_peek(&unit->inbox, now, &link)) != NULL) {
        receive(block, payload, cycle);
        mnp_inbox_take(&unit->inbox);
    }
    while (first_event(block) <= cycle)
        act(block, take_first(block), cycle);
    if (unit->no_skip) /* routers that are known to be blocked are looked at all the same */
        for (uint32_t place = 0; place < block->tiles; place++)
            manycore_router_wake(block, place);
    if (block->active_count || block->local_count)
        manycore_mesh_cycle(block, cycle);
}

static uint64_t next_cycle(const struct manycore_block *block)
{
    const struct mnp_unit *unit = block->unit;
    uint64_t next = first_event(block), cycle = block->state->cycle;
    if (block->active_count || block->local_count)
        return cycle;
    if (unit->inbox.next != MNP_NEVER) {
        uint64_t arrival = mnp_cursor_cycle_at(&unit->clock, unit->inbox.next);
        next = arrival < next ? arrival : next;
    }
    return next > cycle ? next : cycle;
}

mnp_time manycore_block_advance(struct mnp_unit *unit, mnp_time until)
{
    struct manycore_block *block = unit->self;
    struct manycore_block_state *state = block->state;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until), next;
    while ((next = unit->no_skip ? state->cycle : next_cycle(block)) < end) {
        mnp_cursor_move(&unit->clock, next);
        visit(block, next);
        state->cycle = next + 1;
    }
    if (state->cycle < end)
        state->cycle = end;
    next = next_cycle(block);
    if (next == UINT64_MAX)
        return MNP_NEVER;
    mnp_time horizon = mnp_cursor_edge(&unit->clock, next);
    return horizon > until ? horizon : until;
}
