/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole in place of its parts. Bands of columns are for several threads; where one thread is faster alone, it
 * computes all tiles as one block, which costs what a machine of one block does. Tiles and routers lie where they
 * lie in either case, column by column; what is handed over is what a block notes of them, and what is on its way
 * between two bands. Between two windows all of that is due at the next cycle.
 */
#include "base/range.h"
#include "engine/core/engine.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

#include <string.h>

static size_t words_of(const struct manycore_block *block)
{
    return (block->tiles + 63) / 64;
}

static bool has(const uint64_t *bits, uint32_t place)
{
    return bits[place / 64] >> place % 64 & 1;
}

static void set(uint64_t *bits, uint32_t place)
{
    bits[place / 64] |= UINT64_C(1) << place % 64;
}

/* Place in the whole of a part's first tile. */
static uint32_t first_of_part(const struct manycore_block *part)
{
    return part->left * part->rows;
}

/* Transfers a block's notes about one tile to another block, except for the tile's event. */
static void hand_over_tile(const struct manycore_block *from, uint32_t there, struct manycore_block *to, uint32_t here)
{
    if (has(from->active, there)) {
        set(to->active, here);
        to->is_active = true;
    }
    if (has(from->local, there)) {
        set(to->local, here);
        to->local_count++;
    }
    if (has(from->spinning, there)) {
        set(to->spinning, here);
        to->spinning_count++;
    }
    to->calling += from->tile[there].core.pause == MANYCORE_SERVICE;
}

/* A block begins to compute tiles at a cycle, or others do. */
static void clear(struct manycore_block *block)
{
    memset(block->active, 0, words_of(block) * sizeof *block->active);
    memset(block->local, 0, words_of(block) * sizeof *block->local);
    memset(block->spinning, 0, words_of(block) * sizeof *block->spinning);
    block->is_active = false;
    block->heap_count = block->local_count = block->spinning_count = 0;
    block->calling = 0;
    block->spins_until = UINT64_MAX;
}

static void wake(struct manycore_block *block, uint64_t cycle, mnp_time now)
{
    struct mnp_engine *engine = &block->machine->engine;
    block->state->cycle = cycle;
    block->resting = false;
    mnp_engine_wake(engine, block->unit, now);
}

static void rest(struct manycore_block *block)
{
    struct mnp_engine *engine = &block->machine->engine;
    clear(block);
    block->resting = true;
    atomic_store(&engine->wake[block->unit->id], MNP_NEVER);
}

/* Receives the items on their way to a part in the whole. Packets go to queues. They have taken a credit of the sending
 * part, which a packet in flight inside of a block does not take. */
static void take_in(struct manycore_block *part, struct manycore_block *whole, uint64_t cycle, mnp_time now)
{
    struct mnp_inbox *inbox = &part->unit->inbox;
    const void *payload;
    uint32_t link;
    whole->flights = NULL;
    mnp_inbox_open(inbox, now, now + 1);
    for (; (payload = mnp_inbox_peek(inbox, now, &link)) != NULL; mnp_inbox_take(inbox))
        manycore_block_receive(whole, payload, cycle);
    MNP_REQUIRE(inbox->next == MNP_NEVER, "%s is joined with packets that have not arrived", part->unit->name);
    mnp_inbox_close(inbox);
    whole->flights = whole->all_flights;
}

static void join(struct manycore_machine *machine, uint64_t cycle, mnp_time now)
{
    struct manycore_block *whole = machine->whole;
    clear(whole);
    for (uint32_t i = 0; i < machine->block_count; i++) {
        struct manycore_block *part = &machine->blocks[i];
        uint32_t first = first_of_part(part);
        manycore_router_land(part);
        for (uint32_t place = 0; place < part->tiles; place++)
            hand_over_tile(part, place, whole, first + place);
        for (uint32_t k = 0; k < part->heap_count; k++)
            manycore_event_add(whole, first + (uint32_t)(part->heap[k] & 0xFFFF), part->heap[k] >> 16);
        mnp_lower(&whole->spins_until, part->spins_until);
        mnp_raise(&whole->progress, part->progress);
        mnp_raise(&whole->due, part->due);
    }
    manycore_router_look_around(whole);
    for (uint32_t i = 0; i < machine->block_count; i++) {
        take_in(&machine->blocks[i], whole, cycle, now);
        rest(&machine->blocks[i]);
    }
    wake(whole, cycle, now);
}

static void divide(struct manycore_machine *machine, uint64_t cycle, mnp_time now)
{
    struct manycore_block *whole = machine->whole;
    manycore_router_land(whole);
    for (uint32_t i = 0; i < machine->block_count; i++) {
        struct manycore_block *part = &machine->blocks[i];
        uint32_t first = first_of_part(part);
        clear(part);
        for (uint32_t place = 0; place < part->tiles; place++)
            hand_over_tile(whole, first + place, part, place);
        part->spins_until = part->spinning_count ? whole->spins_until : UINT64_MAX;
        part->progress = whole->progress;
        part->due = whole->due;
    }
    for (uint32_t k = 0; k < whole->heap_count; k++) {
        uint32_t place = (uint32_t)(whole->heap[k] & 0xFFFF), band = machine->blocks[0].tiles;
        manycore_event_add(&machine->blocks[place / band], place % band, whole->heap[k] >> 16);
    }
    rest(whole);
    whole->unit->cost = 0; /* plans must not use the cost */
    for (uint32_t i = 0; i < machine->block_count; i++) {
        manycore_router_look_around(&machine->blocks[i]);
        wake(&machine->blocks[i], cycle, now);
    }
}

void manycore_join(void *context, bool joined)
{
    struct manycore_machine *machine = context;
    uint64_t clock = machine->parameters->clock, cycle = mnp_cycle_at(clock, machine->engine.now);
    mnp_time now = mnp_edge(clock, cycle); /* a window may have ended between two */
    if (joined)
        join(machine, cycle, now);
    else
        divide(machine, cycle, now);
}
