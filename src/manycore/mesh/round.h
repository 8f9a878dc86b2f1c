/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds of a core that reads one word of shared memory again and again: whether it has come back to where it was, what
 * each round adds to its counts, and rounds that are counted without being executed. Of its own bank: local.c; of the
 * global space: poll.c.
 */
#ifndef MANYCORE_ROUND_H
#define MANYCORE_ROUND_H

#include "base/range.h"
#include "manycore/mesh/place.h"
#include "manycore/mesh/watch.h"

#include <string.h>

/* Whether the core is where it was at the access before, and has done nothing since that could end its round. */
MNP_DEVICE static inline bool manycore_round_is_closed(const struct manycore_core *now,
                                                       const struct manycore_core *before)
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

/* Notes what a round counts, if the core is known to spin: its only access since the one before took `latency` cycles,
 * and there is room for two more rounds before a cycle at which cores stop. */
MNP_DEVICE static inline bool manycore_round_look(const struct manycore_block *block, const struct manycore_tile *tile,
                                                  struct manycore_spin *spin, uint64_t latency)
{
    const struct manycore_core *core = &tile->core;
    const struct manycore_parameters *p = block->common->parameters;
    uint64_t period = core->clock - spin->core.clock, limit = manycore_watch_limit(block, core->clock);
    if (!manycore_round_is_closed(core, &spin->core) || tile->wait_cycles - spin->wait_cycles != latency ||
        period > MANYCORE_LONGEST_ROUND || period - latency >= p->run_ahead || core->clock + 2 * period >= limit ||
        !manycore_core_decides(core, &block->place[tile - block->tile]))
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

/* Notes the core at an access, from which the next round is seen or counted. */
MNP_DEVICE static inline void manycore_round_begin(const struct manycore_tile *tile, struct manycore_spin *spin)
{
    spin->core = tile->core;
    spin->wait_cycles = tile->wait_cycles;
}

/* Counts rounds whose accesses took `latency` cycles each. */
MNP_DEVICE static inline void manycore_round_add(struct manycore_block *block, uint32_t place, uint64_t rounds,
                                                 uint64_t latency)
{
    struct manycore_tile *tile = &block->tile[place];
    struct manycore_core *core = &tile->core;
    const struct manycore_spin *spin = &block->spins[place];
    core->clock += rounds * spin->period;
    for (uint32_t i = 0; i < A32_CLASSES; i++)
        core->mix[i] += rounds * spin->mix[i];
    core->instruction_cache.accesses += rounds * spin->fetches;
    core->data_cache.accesses += rounds * spin->reads;
    core->load_use_cycles += rounds * spin->load_use_cycles;
    core->branch_cycles += rounds * spin->branch_cycles;
    tile->s_events += rounds;
    tile->wait_cycles += rounds * latency;
    block->node[place].latencies[manycore_latency_bin(latency)] += rounds;
    struct manycore_polling *polls = &block->node[place].polls;
    polls->count += rounds;
    polls->cycles += rounds * spin->period;
    polls->wait_cycles += rounds * latency;
    polls->answered += rounds * spin->period;
}

MNP_DEVICE static inline void manycore_round_mark(struct manycore_block *block, uint32_t place, uint64_t last)
{
    block->spinning[place / 64] |= UINT64_C(1) << place % 64;
    block->spinning_count++;
    mnp_lower(&block->spins_until, last);
}

/* The core goes on. No cycle is visited for cores that do: a hang would end the run there. */
MNP_DEVICE static inline void manycore_round_clear(struct manycore_block *block, uint32_t place)
{
    block->spinning[place / 64] &= ~(UINT64_C(1) << place % 64);
    if (--block->spinning_count == 0)
        block->spins_until = UINT64_MAX;
}

#endif
