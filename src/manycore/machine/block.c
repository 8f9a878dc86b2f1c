/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a block: the events of its tiles, what its links bring, and the cycles of its routers. */
#include "base/range.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/free.h"
#include "manycore/mesh/place.h"

/* ===== links ===== */

/* Asks the host's memory for what an event of a tile touches: thousands of tiles do not fit its caches. */
static void ask_ahead(const struct manycore_block *block, uint32_t place)
{
    const char *tile = (const char *)&block->tile[place];
    for (size_t at = 0; at < offsetof(struct manycore_tile, writers); at += MNP_CACHE_LINE)
        __builtin_prefetch(tile + at, 1);
    __builtin_prefetch(&block->node[place].latencies[3], 1);
}

static bool is_global(const struct manycore_block *block)
{
    return block->common->parameters->network == MANYCORE_GLOBAL;
}

void manycore_block_receive(struct manycore_block *block, const void *payload, uint64_t cycle)
{
    uint32_t width = block->shape.width;
    if (is_global(block)) {
        struct manycore_answer answer = {.reply = *(const struct manycore_packet *)payload, .cycle = cycle};
        answer.place = manycore_place_of(block, answer.reply.to, width);
        if (block->spinning_count)
            manycore_poll_end(block, answer.place, cycle);
        manycore_tile_answer(block, &answer);
        return;
    }
    const struct manycore_flit *flit = payload;
    uint32_t place = manycore_place_of(block, flit->router, width);
    if (flit->is_credit)
        manycore_router_credit(block, place, flit->port, flit->channel);
    else
        manycore_router_push(block, place, manycore_queue(flit->port, flit->channel), &flit->packet, cycle);
}

/* Values of the global space; a core's is asked for while the one before is computed. */
static void take_values(struct manycore_block *block, uint64_t cycle)
{
    struct mnp_inbox *inbox = &block->unit->inbox;
    mnp_time now = block->unit->clock.time;
    struct manycore_packet value;
    uint32_t link;
    for (const struct manycore_packet *next = mnp_inbox_peek(inbox, now, &link); next;) {
        value = *next;
        mnp_inbox_take(inbox);
        next = mnp_inbox_peek(inbox, now, &link);
        if (next)
            ask_ahead(block, manycore_place_of(block, next->to, block->shape.width));
        manycore_block_receive(block, &value, cycle);
    }
}

static void take_flits(struct manycore_block *block, uint64_t cycle)
{
    struct mnp_inbox *inbox = &block->unit->inbox;
    const void *payload;
    uint32_t link;
    while ((payload = mnp_inbox_peek(inbox, block->unit->clock.time, &link)) != NULL) {
        manycore_block_receive(block, payload, cycle);
        mnp_inbox_take(inbox);
    }
}

/* ===== time ===== */

/* A window in which thousands of cores run ahead takes a second. Somebody who wants the run to end does not wait for
 * it: what is computed of a core, and when, changes nothing. */
static uint64_t cycles_ahead(const struct manycore_block *block)
{
    const _Atomic int *interrupt = block->machine->engine.options.interrupt;
    bool ends = interrupt && atomic_load_explicit(interrupt, memory_order_relaxed);
    return ends ? 1 : block->common->parameters->run_ahead;
}

static void act(struct manycore_block *block, uint64_t cycle)
{
    MNP_REQUIRE(manycore_event_first(block) >= cycle, "%s visits cycle %llu, and a core was due in cycle %llu",
                block->unit->name, (unsigned long long)cycle, (unsigned long long)manycore_event_first(block));
    while (manycore_event_first(block) <= cycle) {
        block->run_ahead = cycles_ahead(block);
        uint32_t place = manycore_event_take(block);
        if (block->heap_count)
            ask_ahead(block, (uint32_t)(block->heap[0] & 0xFFFF));
        if (manycore_tile_act(block, place, cycle))
            continue;
        struct mnp_error error = manycore_fault_error(block, place);
        mnp_unit_fault_of(block->unit, manycore_tile_of(block, place, block->shape.width),
                          mnp_cursor_edge(&block->unit->clock, cycle), &error);
    }
}

/* Lets cores go on whose rounds may not be counted beyond a cycle. */
static void wake_due(struct manycore_block *block, uint64_t cycle)
{
    if (block->spins_until > cycle)
        return;
    if (is_global(block))
        manycore_poll_wake_due(block, cycle);
    else
        manycore_local_wake_due(block, cycle);
}

/* Brings the state to the form in which it is seen from outside. */
static void settle(struct manycore_block *block, uint64_t cycle)
{
    manycore_free_settle(block);
    if (is_global(block))
        manycore_poll_settle(block, cycle);
    else
        manycore_local_settle(block, cycle);
    manycore_router_settle(block);
}

static void visit(struct manycore_block *block, uint64_t cycle)
{
    struct mnp_unit *unit = block->unit;
    mnp_visit(unit, cycle);
    block->state->cycle = cycle;
    if (is_global(block))
        take_values(block, cycle);
    else
        take_flits(block, cycle);
    wake_due(block, cycle);
    act(block, cycle);
    if (unit->no_skip) /* routers that are known to be blocked are looked at all the same */
        for (uint32_t place = 0; place < block->tiles; place++)
            manycore_router_wake(block, place);
    if (block->is_active || block->local_count) {
        manycore_mesh_cycle(block, cycle);
        for (uint32_t i = 0; i < block->answer_count; i++)
            manycore_tile_answer(block, &block->answers[i]);
    }
}

static uint64_t next_cycle(const struct manycore_block *block)
{
    const struct mnp_unit *unit = block->unit;
    uint64_t next = mnp_min(manycore_event_first(block), block->spins_until), cycle = block->state->cycle;
    if (block->is_active || block->local_count)
        return cycle;
    if (unit->inbox.next != MNP_NEVER)
        next = mnp_min(next, mnp_cursor_cycle_at(&unit->clock, unit->inbox.next));
    return mnp_max(next, cycle);
}

/* Cycles after which a block is run whose cores all spin: time passes for them, and may end the run. */
enum { LOOK_AGAIN = 4096 };

/* The time from which the block may do something. */
static mnp_time horizon(struct manycore_block *block, mnp_time until)
{
    struct mnp_unit *unit = block->unit;
    uint64_t next = next_cycle(block);
    if (block->spinning_count)
        next = mnp_min(next, block->state->cycle + LOOK_AGAIN);
    if (block->progress != block->told_progress) {
        block->told_progress = block->progress;
        mnp_raise(&unit->progress, mnp_edge(unit->clock.hertz, block->progress));
    }
    if (block->due != block->told_due) {
        block->told_due = block->due;
        mnp_raise(&unit->due, mnp_edge(unit->clock.hertz, block->due));
    }
    /* A program begins with a call for its command line; all that it computes then may follow in one window. */
    unit->cost = mnp_max(unit->cost, block->calling * MANYCORE_FIRST_RUN);
    if (unit->ended != block->state->exited) { /* the run ends with the last core */
        unit->ended = block->state->exited;
        unit->last_end = mnp_edge(unit->clock.hertz, block->state->last_exit);
    }
    return next == UINT64_MAX ? MNP_NEVER : mnp_max(mnp_cursor_edge(&unit->clock, next), until);
}

mnp_time manycore_block_advance(struct mnp_unit *unit, mnp_time until)
{
    struct manycore_block *block = unit->self;
    struct manycore_block_state *state = block->state;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until), next;
    if (block->machine->gpu) { /* the block is being settled */
        block->machine->settle(block->machine->gpu);
        return MNP_NEVER;
    }
    if (block->resting)
        return MNP_NEVER;
    if (unit->no_skip) { /* no cycle is skipped */
        block->spins = NULL;
        block->flights = NULL;
    }
    while ((next = unit->no_skip ? state->cycle : next_cycle(block)) < end) {
        mnp_cursor_move(&unit->clock, next);
        visit(block, next);
        state->cycle = next + 1;
    }
    if (state->cycle < end)
        state->cycle = end;
    mnp_pass(unit, end);
    if (until <= block->machine->engine.now)
        settle(block, end);
    return horizon(block, until);
}
