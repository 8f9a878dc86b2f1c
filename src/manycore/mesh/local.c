/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of cores to the banks of their own tiles. They meet nobody but what the router delivers to the bank.
 *
 * Programs wait by reading a word of their own bank until somebody writes it. A core that has come back to such a read
 * with the same registers, having written nothing and missed in no cache, does the same again and again until a
 * foreign access reaches the bank: every round takes the same cycles and counts the same. Such rounds are not executed.
 * The core is computed when the router has a request for the bank, and its counts are brought up to date where they are
 * read.
 */
#include "manycore/mesh/round.h"

#include <string.h>

MNP_DEVICE static void serve_later(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    struct manycore_tile *tile = &block->tile[place];
    tile->s_events++;
    tile->waiting_since = cycle;
    block->local[place / 64] |= UINT64_C(1) << place % 64;
    block->local_count++;
}

/* Whether the core will read what it has read before: no request has changed it since, and none is there to do so. */
MNP_DEVICE static bool reads_the_same(const struct manycore_block *block, uint32_t place)
{
    const struct manycore_tile *tile = &block->tile[place];
    uint32_t value = 0;
    memcpy(&value, block->shared + (tile->core.request.address - MANYCORE_SHARED), tile->core.request.bytes);
    const struct manycore_claims *claims = &block->node[place].claims;
    bool asked = claims->flight || (claims->wants[MANYCORE_LOCAL] & 0x55555555);
    return value == tile->recent[tile->latest].value && !asked;
}

MNP_APART void manycore_local_begin(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    struct manycore_tile *tile = &block->tile[place];
    if (block->spins && tile->spins && tile->core.request.action == MANYCORE_READ) {
        struct manycore_spin *spin = &block->spins[place];
        bool spins = reads_the_same(block, place) && manycore_round_look(block, tile, spin, block->shape.latency);
        manycore_round_begin(tile, spin);
        if (spins) {
            manycore_round_mark(block, place, spin->last);
            return;
        }
    }
    serve_later(block, place, cycle);
}

/* Adds the rounds whose access has been served before a cycle. */
MNP_DEVICE static void add_rounds(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    uint64_t clock = block->tile[place].core.clock, period = block->spins[place].period;
    if (cycle <= clock)
        return;
    uint64_t rounds = (cycle - clock + period - 1) / period;
    manycore_round_add(block, place, rounds, block->shape.latency);
    block->node[place].served += rounds;
    block->router[place].local_turn = 0;
}

MNP_APART void manycore_local_wake(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    if (!manycore_is_spinning(block, place))
        return;
    add_rounds(block, place, cycle);
    manycore_round_clear(block, place);
    if (block->tile[place].core.clock == cycle)
        serve_later(block, place, cycle);
    else
        manycore_event_add(block, place, block->tile[place].core.clock);
}

MNP_APART void manycore_local_wake_due(struct manycore_block *block, uint64_t cycle)
{
    block->spins_until = UINT64_MAX;
    for (uint32_t place = 0; place < block->tiles; place++) {
        if (!manycore_is_spinning(block, place))
            continue;
        uint64_t last = block->spins[place].last;
        if (last <= cycle)
            manycore_local_wake(block, place, cycle);
        else if (last < block->spins_until)
            block->spins_until = last;
    }
}

MNP_APART void manycore_local_settle(struct manycore_block *block, uint64_t cycle)
{
    for (uint32_t word = 0; word * 64 < block->tiles && block->spinning_count; word++)
        for (uint64_t bits = block->spinning[word]; bits; bits &= bits - 1)
            add_rounds(block, word * 64 + (uint32_t)__builtin_ctzll(bits), cycle);
}
