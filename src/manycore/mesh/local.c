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
#include "base/range.h"
#include "manycore/mesh/place.h"
#include "manycore/mesh/watch.h"

#include <string.h>

/* A core's rounds without an access for longer than this would count as work of its own (tile.c). */
enum { LONGEST_ROUND = 512 };

MNP_DEVICE static void serve_later(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    struct manycore_tile *tile = &block->tile[place];
    tile->s_events++;
    tile->waiting_since = cycle;
    block->local[place / 64] |= UINT64_C(1) << place % 64;
    block->local_count++;
}

/* Whether the core is where it was at the access before, and has done nothing since that could end its round. */
MNP_DEVICE static bool has_come_round(const struct manycore_core *now, const struct manycore_core *before)
{
    static const uint8_t changing[] = {A32_CLASS_STORE, A32_CLASS_SYNCHRONISATION, A32_CLASS_OTHER};
    for (uint32_t i = 0; i < sizeof changing; i++)
        if (now->mix[changing[i]] != before->mix[changing[i]])
            return false;
    return memcmp(now->r, before->r, sizeof now->r) == 0 &&
           memcmp(&now->flags, &before->flags, sizeof now->flags) == 0 && now->q == before->q &&
           now->ge == before->ge && now->loaded == before->loaded && now->fetch_line == before->fetch_line &&
           now->watches == before->watches && now->beat == before->beat && now->beats == before->beats &&
           memcmp(now->answers, before->answers, sizeof now->answers) == 0 &&
           memcmp(&now->request, &before->request, sizeof now->request) == 0 &&
           now->instruction_cache.misses == before->instruction_cache.misses &&
           now->data_cache.misses == before->data_cache.misses;
}

/* Notes what a round counts, if the core is known to spin. `waited` is what it has waited at this access. */
MNP_DEVICE static bool look_for_round(const struct manycore_block *block, const struct manycore_tile *tile,
                                      struct manycore_spin *spin)
{
    const struct manycore_core *core = &tile->core;
    const struct manycore_parameters *p = block->common->parameters;
    uint64_t period = core->clock - spin->core.clock, limit = manycore_watch_limit(block, core->clock);
    if (!has_come_round(core, &spin->core) || tile->wait_cycles - spin->wait_cycles != block->shape.latency ||
        period > LONGEST_ROUND || period - block->shape.latency >= p->run_ahead || core->clock + 2 * period >= limit)
        return false;
    for (uint32_t i = 0; i < A32_CLASSES; i++)
        spin->mix[i] = core->mix[i] - spin->core.mix[i];
    spin->fetches = core->instruction_cache.accesses - spin->core.instruction_cache.accesses;
    spin->reads = core->data_cache.accesses - spin->core.data_cache.accesses;
    spin->load_use_cycles = core->load_use_cycles - spin->core.load_use_cycles;
    spin->branch_cycles = core->branch_cycles - spin->core.branch_cycles;
    spin->period = period;
    spin->last = core->clock + ((limit - core->clock) / period - 1) * period;
    return true;
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
        bool spins = reads_the_same(block, place) && look_for_round(block, tile, spin);
        spin->core = tile->core;
        spin->wait_cycles = tile->wait_cycles;
        if (spins) {
            block->spinning[place / 64] |= UINT64_C(1) << place % 64;
            block->spinning_count++;
            mnp_lower(&block->spins_until, spin->last);
            return;
        }
    }
    serve_later(block, place, cycle);
}

/* Adds the rounds whose access has been served before a cycle. */
MNP_DEVICE static void add_rounds(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    struct manycore_tile *tile = &block->tile[place];
    struct manycore_core *core = &tile->core;
    const struct manycore_spin *spin = &block->spins[place];
    if (cycle <= core->clock)
        return;
    uint64_t rounds = (cycle - core->clock + spin->period - 1) / spin->period;
    core->clock += rounds * spin->period;
    for (uint32_t i = 0; i < A32_CLASSES; i++)
        core->mix[i] += rounds * spin->mix[i];
    core->instruction_cache.accesses += rounds * spin->fetches;
    core->data_cache.accesses += rounds * spin->reads;
    core->load_use_cycles += rounds * spin->load_use_cycles;
    core->branch_cycles += rounds * spin->branch_cycles;
    tile->s_events += rounds;
    tile->wait_cycles += rounds * block->shape.latency;
    block->node[place].served += rounds;
    block->node[place].latencies[manycore_latency_bin(block->shape.latency)] += rounds;
    block->router[place].local_turn = 0;
}

MNP_APART void manycore_local_wake(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    if (!manycore_is_spinning(block, place))
        return;
    add_rounds(block, place, cycle);
    block->spinning[place / 64] &= ~(UINT64_C(1) << place % 64);
    if (--block->spinning_count ==
        0) /* no cycle is visited for cores that have gone on: a hang would end the run there */
        block->spins_until = UINT64_MAX;
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
