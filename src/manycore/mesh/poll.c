/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores that wait for a word of the global space (architecture I) by reading it again and again. A core that has come
 * back to such a read with the same registers, having written nothing and missed in no cache, does the same until the
 * word changes: every round takes the same cycles. Its request is marked with the cycles of a round and with the value
 * that it knows, and the global space (machine/polls.c) answers not this read but the first one of the row that finds
 * another value. The rounds before that one are counted when its answer comes.
 */
#include "manycore/mesh/round.h"

static uint64_t latency_of(const struct manycore_block *block)
{
    return block->common->parameters->global_latency;
}

void manycore_poll_begin(struct manycore_block *block, struct manycore_packet *request)
{
    uint32_t place = manycore_place_of(block, request->from, block->shape.width);
    struct manycore_tile *tile = &block->tile[place];
    struct manycore_spin *spin = &block->spins[place];
    if (!tile->spins || request->request.action != MANYCORE_READ)
        return;
    bool spins = manycore_round_look(block, tile, spin, latency_of(block));
    manycore_round_begin(tile, spin);
    if (!spins)
        return;
    request->request.data = tile->recent[tile->latest].value;
    request->request.mark = (uint16_t)spin->period;
    spin->between = false;
    manycore_round_mark(block, place, spin->last);
}

/* Counts rounds whose read has been answered; the last read that is counted has not. */
static void add_rounds(struct manycore_block *block, uint32_t place, uint64_t rounds)
{
    struct manycore_tile *tile = &block->tile[place];
    manycore_round_add(block, place, rounds, latency_of(block));
    if (block->spins[place].between) {
        block->spins[place].between = false;
        tile->s_events++;
    }
    tile->waiting_since = tile->core.clock;
}

/* The state between the answer to a read and the next read, up to which the core has run ahead. */
static void take_back(struct manycore_block *block, uint32_t place)
{
    struct manycore_tile *tile = &block->tile[place];
    block->spins[place].between = true;
    tile->s_events--;
    tile->waiting_since = UINT64_MAX;
}

void manycore_poll_end(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    if (!manycore_is_spinning(block, place))
        return;
    uint64_t open = cycle - latency_of(block) - block->tile[place].core.clock, period = block->spins[place].period;
    MNP_REQUIRE(open % period == 0, "a core's rounds take %llu cycles, and an answer comes after %llu",
                (unsigned long long)period, (unsigned long long)open);
    add_rounds(block, place, open / period);
    manycore_round_clear(block, place);
}

/* Reads whose answers have come before a cycle, among those that have not been counted. */
static uint64_t answered(const struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    uint64_t first = block->tile[place].core.clock + latency_of(block), period = block->spins[place].period;
    return first < cycle ? (cycle - first + period - 1) / period : 0;
}

void manycore_poll_settle(struct manycore_block *block, uint64_t cycle)
{
    for (uint32_t word = 0; word * 64 < block->tiles && block->spinning_count; word++)
        for (uint64_t bits = block->spinning[word]; bits; bits &= bits - 1) {
            uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(bits);
            add_rounds(block, place, answered(block, place, cycle));
            if (block->tile[place].core.clock >= cycle)
                take_back(block, place);
        }
}

void manycore_poll_wake_due(struct manycore_block *block, uint64_t cycle)
{
    block->spins_until = UINT64_MAX;
    for (uint32_t place = 0; place < block->tiles; place++) {
        uint64_t last = block->spins[place].last;
        if (!manycore_is_spinning(block, place))
            continue;
        if (last > cycle) {
            mnp_lower(&block->spins_until, last);
            continue;
        }
        add_rounds(block, place, answered(block, place, last));
        take_back(block, place);
        manycore_round_clear(block, place);
        manycore_event_add(block, place, block->tile[place].core.clock);
    }
}
