/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/mesh/watch.h"
#include "manycore/mesh/place.h"

/* ===== costs of instructions ===== */

/* The costs of the instruction at an address; NULL: there is no code. */
static uint64_t *costs_at(const struct manycore_block *block, uint32_t pc)
{
    const struct manycore_image *image = block->common->image;
    for (uint32_t i = 0; i < image->code_count; i++)
        if ((pc - image->code[i].address) / 4 < image->code[i].words)
            return block->watch->costs[i][(pc - image->code[i].address) / 4].count;
    return NULL;
}

static void add_cost(const struct manycore_block *block, uint32_t pc, enum mnp_tally_count kind, uint64_t amount)
{
    uint64_t *costs = amount ? costs_at(block, pc) : NULL;
    if (costs)
        costs[kind] += amount;
}

/* The cycles that have passed since the core stopped: of an access, until its answer; of a call, which has no further
 * step, its own cycle too. */
static void give_pause(struct manycore_block *block, struct manycore_watched *tile, const struct manycore_core *core)
{
    uint64_t cycles = core->clock - tile->given;
    if (!core->repeats && tile->open && cycles) {
        tile->open = false;
        cycles--;
    }
    add_cost(block, tile->pc, core->repeats ? MNP_TALLY_MEMORY : MNP_TALLY_RESULT, cycles);
    tile->given = core->clock;
}

/* Executes one instruction, or as much of it as comes before its next access to shared memory. */
static void step(struct manycore_block *block, uint32_t place)
{
    struct manycore_core *core = &block->tile[place].core;
    struct manycore_watched *tile = &block->watch->tiles[place];
    const struct manycore_cache_shape *shape = block->place[place].instruction_shape;
    uint64_t clock = core->clock, misses = core->instruction_cache.misses, missing = core->cache_cycles;
    uint64_t branches = core->branch_cycles;
    if (clock > tile->given)
        give_pause(block, tile, core);
    if (!core->repeats) {
        tile->pc = core->r[15];
        tile->open = true;
        add_cost(block, tile->pc, MNP_TALLY_ISSUES, 1);
        add_cost(block, tile->pc, MNP_TALLY_LANES, 1);
    }
    manycore_core_run(core, &block->place[place], clock + 1);
    uint64_t cycles = core->clock - clock, fetch = 0;
    if (core->pause == MANYCORE_RUNNING) {
        tile->open = false;
        cycles--;
    }
    if (shape)
        fetch = (core->instruction_cache.misses - misses) * (shape->miss - shape->hit);
    uint64_t data = core->cache_cycles - missing - fetch;
    fetch += core->branch_cycles - branches;
    add_cost(block, tile->pc, MNP_TALLY_FETCH, fetch);
    add_cost(block, tile->pc, MNP_TALLY_MEMORY, data);
    add_cost(block, tile->pc, MNP_TALLY_RESULT, cycles - fetch - data);
    tile->given = core->clock;
}

static void run_tallied(struct manycore_block *block, uint32_t place, uint64_t until)
{
    struct manycore_core *core = &block->tile[place].core;
    do
        step(block, place);
    while (core->pause == MANYCORE_RUNNING && core->clock < until);
}

/* ===== cores that run ===== */

void manycore_watch_step(struct manycore_block *block, uint32_t place)
{
    struct manycore_core *core = &block->tile[place].core;
    struct manycore_place *own = &block->place[place];
    uint64_t stop = mnp_min(own->until, manycore_watch_limit(block, block->state->cycle));
    if (core->clock < stop) {
        if (block->watch->tallies)
            run_tallied(block, place, stop);
        else
            manycore_core_run(core, own, stop);
    }
    if (core->clock - own->from > MANYCORE_LONG && core->clock > block->due)
        block->due = core->clock;
    if (core->pause != MANYCORE_RUNNING || core->clock >= own->until) {
        own->until = 0;
        block->calling += core->pause == MANYCORE_SERVICE;
    }
    manycore_event_add(block, place, core->clock);
}

void manycore_watch_start(struct manycore_block *block, uint32_t place, uint64_t until)
{
    struct manycore_place *own = &block->place[place];
    own->from = block->tile[place].core.clock;
    own->until = until;
    manycore_watch_step(block, place);
}

/* ===== accesses ===== */

static void write_down(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    const struct manycore_watch *watch = block->watch;
    const struct manycore_tile *tile = &block->tile[place];
    uint64_t hertz = block->common->parameters->clock;
    if (!watch->to || cycle < watch->from || tile->waiting_since >= watch->to)
        return;
    mnp_timeline_add(&watch->tiles[place].spans,
                     &(struct mnp_span){.kind = "access",
                                        .from = mnp_edge(hertz, tile->waiting_since),
                                        .to = mnp_edge(hertz, cycle),
                                        .number = tile->core.request.address,
                                        .place = (uint16_t)manycore_tile_of(block, place, block->shape.width)});
}

void manycore_watch_answer(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    write_down(block, place, cycle);
}

/* ===== the end ===== */

void manycore_watch_end(struct manycore_block *block, uint64_t now)
{
    for (uint32_t place = 0; place < block->tiles; place++) {
        const struct manycore_tile *tile = &block->tile[place];
        const struct manycore_watched *watched = &block->watch->tiles[place];
        bool waits = tile->waiting_since < now;
        if (waits)
            write_down(block, place, now);
        if (!block->watch->tallies || watched->given >= now)
            continue;
        if (tile->core.pause == MANYCORE_EXITED)
            add_cost(block, watched->pc, MNP_TALLY_ENDED, now - watched->given);
        else if (waits || tile->core.repeats)
            add_cost(block, watched->pc, MNP_TALLY_MEMORY, now - watched->given);
    }
}
