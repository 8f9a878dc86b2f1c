/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of each tile by itself: its core, its bank, the links that leave it. A tile is no unit of the
 * simulation, but a unit to whoever reads the results; the total is the greatest value of a tile. */
#include "engine/declare/declare.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

#define LINK(name, where) MNP_MAXIMUM_ROW("link_" name, "packet", "packets over the link " where)
#define STALL(name, where)                                                                                             \
    MNP_MAXIMUM_ROW("stall_" name, "cycle", "in which packets for the link " where " were there and none could go")

static const struct mnp_statistic statistics[] = {
    [MANYCORE_TILE_CYCLES] = MNP_MAXIMUM_ROW("core_cycles", "cycle", "until the core has ended"),
    [MANYCORE_TILE_INSTRUCTIONS] = MNP_MAXIMUM_ROW("core_instructions", "instruction", "of the core"),
    [MANYCORE_TILE_S_EVENTS] = MNP_MAXIMUM_ROW("core_s_events", "access", "of the core to shared memory"),
    [MANYCORE_TILE_WAIT] = MNP_MAXIMUM_ROW("core_wait_cycles", "cycle", "that the core waited for shared memory"),
    [MANYCORE_TILE_EXCLUSIVE_FAILURES] =
        MNP_MAXIMUM_ROW("core_exclusive_failures", "access", "of the core: STREX to shared memory that failed"),
    [MANYCORE_TILE_EXCLUSIVE_NEIGHBOURS] =
        MNP_MAXIMUM_ROW("core_exclusive_neighbour_failures", "access",
                        "… of which because of a write to the other word of the doubleword alone"),
    [MANYCORE_TILE_EXCLUSIVE_AGAIN] =
        MNP_MAXIMUM_ROW("core_exclusive_again_cycles", "cycle",
                        "of the core from a failed exclusive store to the answer of the next at the same word"),
    [MANYCORE_TILE_CONTENDED] =
        MNP_MAXIMUM_ROW("core_contended_word", "address",
                        "of the word at which more than half of the core's STREX failed, if there is one such word; "
                        "otherwise of some at which they did; 0: none failed"),
    [MANYCORE_TILE_L1I_MISSES] = MNP_MAXIMUM_ROW("core_l1i_misses", "access", "of the core's instruction cache"),
    [MANYCORE_TILE_L1D_MISSES] = MNP_MAXIMUM_ROW("core_l1d_misses", "access", "of the core's data cache"),
    [MANYCORE_TILE_BANK] =
        MNP_MAXIMUM_ROW("bank_accesses", "access", "that the tile's bank of shared memory has served"),
    [MANYCORE_TILE_ROUTER] = MNP_MAXIMUM_ROW("router_packets", "packet",
                                             "that the tile's router has moved, to its neighbours and to the tile"),
    [MANYCORE_TILE_LINKS + MANYCORE_NORTH] = LINK("north", "to the tile above"),
    [MANYCORE_TILE_LINKS + MANYCORE_EAST] = LINK("east", "to the tile to the right"),
    [MANYCORE_TILE_LINKS + MANYCORE_SOUTH] = LINK("south", "to the tile below"),
    [MANYCORE_TILE_LINKS + MANYCORE_WEST] = LINK("west", "to the tile to the left"),
    [MANYCORE_TILE_STALLS + MANYCORE_NORTH] = STALL("north", "to the tile above"),
    [MANYCORE_TILE_STALLS + MANYCORE_EAST] = STALL("east", "to the tile to the right"),
    [MANYCORE_TILE_STALLS + MANYCORE_SOUTH] = STALL("south", "to the tile below"),
    [MANYCORE_TILE_STALLS + MANYCORE_WEST] = STALL("west", "to the tile to the left"),
    [MANYCORE_TILE_STALLS + MANYCORE_LOCAL] =
        MNP_MAXIMUM_ROW("stall_bank", "cycle", "in which requests for the tile's bank were there and none could go"),
};

const struct mnp_model manycore_tile_model = {
    .name = "tile",
    .summary = "A tile of a block, for what is counted of each: values per unit are ordered by tile, rows first",
    MNP_STATISTICS(statistics),
};

void manycore_tile_count(const struct manycore_block *block, uint32_t place, uint64_t now, uint64_t *counters)
{
    const struct manycore_tile *tile = &block->tile[place];
    const struct manycore_core *core = &tile->core;
    const struct manycore_use *use = &block->node[place].use;
    counters[MANYCORE_TILE_CYCLES] = core->pause == MANYCORE_EXITED ? core->clock : now;
    for (uint32_t i = 0; i < A32_CLASSES; i++)
        counters[MANYCORE_TILE_INSTRUCTIONS] += core->mix[i];
    counters[MANYCORE_TILE_S_EVENTS] = tile->s_events;
    counters[MANYCORE_TILE_WAIT] = tile->wait_cycles;
    if (tile->waiting_since < now)
        counters[MANYCORE_TILE_WAIT] += now - tile->waiting_since;
    counters[MANYCORE_TILE_EXCLUSIVE_FAILURES] = block->node[place].exclusives.failures;
    counters[MANYCORE_TILE_EXCLUSIVE_NEIGHBOURS] = block->node[place].exclusives.neighbours;
    counters[MANYCORE_TILE_EXCLUSIVE_AGAIN] = block->node[place].exclusives.again_cycles;
    counters[MANYCORE_TILE_CONTENDED] = block->node[place].exclusives.word;
    counters[MANYCORE_TILE_L1I_MISSES] = core->instruction_cache.misses;
    counters[MANYCORE_TILE_L1D_MISSES] = core->data_cache.misses;
    counters[MANYCORE_TILE_BANK] = block->node[place].served;
    counters[MANYCORE_TILE_ROUTER] = manycore_routed(use);
    for (uint32_t out = 0; out < MANYCORE_PORTS; out++) {
        if (out != MANYCORE_LOCAL)
            counters[MANYCORE_TILE_LINKS + out] = use->out[out];
        counters[MANYCORE_TILE_STALLS + out] = manycore_stalled(&block->node[place], out, now);
    }
}
