/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, statistics and state of the many-core models, and how statistics come from the tiles' own counts. */
#include "base/range.h"
#include "engine/declare/declare.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

#define MIX(name, help) MNP_COUNTER_ROW("instructions_" name, "instruction", help)

static const struct mnp_statistic statistics[] = {
    [MANYCORE_CYCLES] = MNP_MAXIMUM_ROW("global_cycles", "cycle", "cycles until the last core has ended"),
    [MANYCORE_INSTRUCTIONS] = MNP_COUNTER_ROW("instructions", "instruction", "instructions of all cores"),
    [MANYCORE_IPC] =
        MNP_RATIO_ROW("ipc", "instruction/cycle", "of all cores together", "instructions", "global_cycles"),
    [MANYCORE_MIX + A32_CLASS_ALU] = MIX("alu", "data processing"),
    [MANYCORE_MIX + A32_CLASS_MULTIPLY] = MIX("multiply", "multiplies"),
    [MANYCORE_MIX + A32_CLASS_MEDIA] = MIX("media", "media and saturating instructions"),
    [MANYCORE_MIX + A32_CLASS_LOAD] = MIX("load", "loads; an LDM is one"),
    [MANYCORE_MIX + A32_CLASS_STORE] = MIX("store", "stores; an STM is one"),
    [MANYCORE_MIX + A32_CLASS_BRANCH] = MIX("branch", "branches, taken or not"),
    [MANYCORE_MIX + A32_CLASS_SYNCHRONISATION] = MIX("synchronisation", "SWP, LDREX, STREX"),
    [MANYCORE_MIX + A32_CLASS_OTHER] = MIX("other", "status, hints, coprocessor, calls"),
    [MANYCORE_BRANCH_CYCLES] =
        MNP_COUNTER_ROW("branch_penalty_cycles", "cycle", "lost to taken branches, over all cores"),
    [MANYCORE_LOAD_USE_CYCLES] =
        MNP_COUNTER_ROW("load_use_cycles", "cycle", "lost between a load and its use, over all cores"),
    [MANYCORE_CACHE_CYCLES] =
        MNP_COUNTER_ROW("cache_miss_cycles", "cycle", "lost to misses of the caches, over all cores"),
    [MANYCORE_S_EVENTS] = MNP_COUNTER_ROW("s_events", "access", "accesses to shared memory"),
    [MANYCORE_WAIT_CYCLES] =
        MNP_COUNTER_ROW("s_event_wait_cycles", "cycle", "waited for shared memory, over all cores"),
    [MANYCORE_MEAN_WAIT] = MNP_RATIO_ROW("s_event_latency", "cycle", "of an access to shared memory, on average",
                                         "s_event_wait_cycles", "s_events"),
    [MANYCORE_POLLS] =
        MNP_COUNTER_ROW("polls", "access",
                        "reads of shared memory that brought what the same instruction had read there before, with no "
                        "store and few cycles in between, where a branch of the loop depends on it: the core waits for "
                        "another one"),
    [MANYCORE_POLL_CYCLES] =
        MNP_COUNTER_ROW("poll_cycles", "cycle", "from the answer before to that of each poll, over all cores"),
    [MANYCORE_POLL_WAIT_CYCLES] =
        MNP_COUNTER_ROW("poll_wait_cycles", "cycle", "of which waited for the answer; the rest are instructions"),
    [MANYCORE_EXCLUSIVES] =
        MNP_COUNTER_ROW("exclusive_stores", "access", "STREX to shared memory, as atomic additions and locks try them"),
    [MANYCORE_EXCLUSIVE_FAILURES] =
        MNP_COUNTER_ROW("exclusive_failures", "access",
                        "of which failed, as the doubleword had been written since the LDREX: to be tried again"),
    [MANYCORE_EXCLUSIVE_NEIGHBOURS] =
        MNP_COUNTER_ROW("exclusive_neighbour_failures", "access",
                        "of which because of a write to the other word of the doubleword alone: a reservation is one "
                        "of 8 bytes"),
    [MANYCORE_EXCLUSIVE_AGAIN] =
        MNP_COUNTER_ROW("exclusive_again_cycles", "cycle",
                        "from a failed exclusive store to the answer of the next at the same word, over all cores: "
                        "back-off and the next try, without polls; an access elsewhere ends it"),
    [MANYCORE_EXCLUSIVE_AGAIN_WAIT] = MNP_COUNTER_ROW("exclusive_again_wait_cycles", "cycle",
                                                      "of which waited for an answer; the rest are instructions"),
    [MANYCORE_L1I] = MNP_COUNTER_ROW("l1i_accesses", "access", "instruction fetches from the caches"),
    [MANYCORE_L1I_MISSES] = MNP_COUNTER_ROW("l1i_misses", "access", "of which missed"),
    [MANYCORE_L1D] = MNP_COUNTER_ROW("l1d_accesses", "access", "accesses to private memory through the data caches"),
    [MANYCORE_L1D_MISSES] = MNP_COUNTER_ROW("l1d_misses", "access", "of which missed"),
    [MANYCORE_L1D_WRITE_BACKS] = MNP_COUNTER_ROW("l1d_write_backs", "line", "written lines that were replaced"),
    [MANYCORE_L1D_RATE] = MNP_PERCENT_ROW("l1d_miss_rate", "of accesses", "l1d_misses", "l1d_accesses"),
    [MANYCORE_HOPS] = MNP_COUNTER_ROW("noc_hops", "packet", "packets passed from router to router"),
    [MANYCORE_DELIVERED] = MNP_COUNTER_ROW("noc_packets", "packet", "packets delivered by the mesh, replies included"),
    [MANYCORE_MEAN_HOPS] = MNP_RATIO_ROW("noc_mean_hops", "hop", "of a packet", "noc_hops", "noc_packets"),
    [MANYCORE_BLOCKED_CYCLES] = MNP_COUNTER_ROW("noc_blocked_cycles", "cycle",
                                                "in which a router held packets and could move none, over all routers"),
    [MANYCORE_BUSIEST_LINK] = MNP_MAXIMUM_ROW("noc_busiest_link", "packet", "packets over the link with the most"),
    [MANYCORE_BUSIEST_ROUTER] = MNP_MAXIMUM_ROW(
        "noc_busiest_router", "packet",
        "packets through the router with the most, to its neighbours and to its own core and bank; with "
        "mesh.selection=one it moves one a cycle, so that these are the cycles in which it moves any"),
    [MANYCORE_LATENCIES] =
        MNP_HISTOGRAM_ROW("s_event_latencies", "cycle", "cycles from an access to its answer", MANYCORE_LATENCY_BINS),
};

static const struct mnp_port block_ports[] = {
    [MANYCORE_BLOCK_MESH_IN] = MNP_OPTIONAL_IN_ROW("mesh in", "block", manycore_flit,
                                                   "packets and credits from up to four neighbouring blocks"),
    [MANYCORE_BLOCK_MESH_OUT] = MNP_OPTIONAL_OUT_ROW("mesh out", "block", manycore_flit,
                                                     "packets and credits to up to four neighbouring blocks"),
    [MANYCORE_BLOCK_ACCESSES] =
        MNP_OPTIONAL_OUT_ROW("accesses", "global", manycore_packet, "architecture I: requests to the global space"),
    [MANYCORE_BLOCK_VALUES] = MNP_OPTIONAL_IN_ROW("values", "global", manycore_packet, "architecture I: its replies"),
};

static const struct mnp_state_field block_state[] = {
    MNP_STATE_ROW("tiles", "",
                  "registers, clock, request, recent reads and counts of each core; writers of its bank's words, and "
                  "how often each was written"),
    MNP_STATE_ROW("routers", "packet", "input queues, credits, whose turn it is"),
    MNP_STATE_ROW("caches", "line", "tags of the instruction and data caches"),
    MNP_STATE_ROW("events", "cycle", "when each core acts next"),
};

const struct mnp_model manycore_block_model = {
    .name = "block",
    .summary = "A rectangle of tiles: cores, private caches, banks of shared memory and routers of the mesh",
    MNP_PORTS(block_ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(block_state),
    .grouped = true,
    .lay_out = manycore_block_lay_out,
    .freeze = manycore_block_freeze,
    .advance = manycore_block_advance,
};

static const struct mnp_port global_ports[] = {
    [MANYCORE_GLOBAL_ACCESSES] = MNP_IN_ROW("accesses", "block", manycore_packet, "requests of all tiles"),
    [MANYCORE_GLOBAL_VALUES] = MNP_OUT_ROW("values", "block", manycore_packet, "replies"),
};
static const struct mnp_state_field global_state[] = {
    MNP_STATE_ROW("versions", "write", "writes of each word, for exclusive accesses"),
    MNP_STATE_ROW("writers", "core", "who last changed a word, for reports"),
};

const struct mnp_model manycore_global_model = {
    .name = "global",
    .summary = "The global space of architecture I: shared memory at a fixed latency",
    MNP_PORTS(global_ports),
    MNP_STATE(global_state),
    .lay_out = manycore_global_lay_out,
    .freeze = manycore_global_freeze,
    .advance = manycore_global_advance,
};

static void count_core(const struct manycore_tile *tile, uint64_t now, uint64_t *counters)
{
    const struct manycore_core *core = &tile->core;
    for (uint32_t i = 0; i < A32_CLASSES; i++) {
        counters[MANYCORE_MIX + i] += core->mix[i];
        counters[MANYCORE_INSTRUCTIONS] += core->mix[i];
    }
    counters[MANYCORE_BRANCH_CYCLES] += core->branch_cycles;
    counters[MANYCORE_LOAD_USE_CYCLES] += core->load_use_cycles;
    counters[MANYCORE_CACHE_CYCLES] += core->cache_cycles;
    counters[MANYCORE_S_EVENTS] += tile->s_events;
    counters[MANYCORE_WAIT_CYCLES] += tile->wait_cycles;
    if (tile->waiting_since != UINT64_MAX)
        counters[MANYCORE_WAIT_CYCLES] += now - tile->waiting_since;
    counters[MANYCORE_L1I] += core->instruction_cache.accesses;
    counters[MANYCORE_L1I_MISSES] += core->instruction_cache.misses;
    counters[MANYCORE_L1D] += core->data_cache.accesses;
    counters[MANYCORE_L1D_MISSES] += core->data_cache.misses;
    counters[MANYCORE_L1D_WRITE_BACKS] += core->data_cache.write_backs;
}

static void count_polls(const struct manycore_polling *polls, uint64_t *counters)
{
    counters[MANYCORE_POLLS] += polls->count;
    counters[MANYCORE_POLL_CYCLES] += polls->cycles;
    counters[MANYCORE_POLL_WAIT_CYCLES] += polls->wait_cycles;
}

static void count_exclusives(const struct manycore_exclusives *exclusives, uint64_t *counters)
{
    counters[MANYCORE_EXCLUSIVES] += exclusives->count;
    counters[MANYCORE_EXCLUSIVE_FAILURES] += exclusives->failures;
    counters[MANYCORE_EXCLUSIVE_NEIGHBOURS] += exclusives->neighbours;
    counters[MANYCORE_EXCLUSIVE_AGAIN] += exclusives->again_cycles;
    counters[MANYCORE_EXCLUSIVE_AGAIN_WAIT] += exclusives->again_wait_cycles;
}

static void count_router(const struct manycore_use *use, uint64_t now, uint64_t *counters)
{
    for (uint32_t out = 0; out < MANYCORE_LOCAL; out++) {
        counters[MANYCORE_HOPS] += use->out[out];
        if (use->out[out] > counters[MANYCORE_BUSIEST_LINK])
            counters[MANYCORE_BUSIEST_LINK] = use->out[out];
    }
    counters[MANYCORE_BUSIEST_ROUTER] = mnp_max(counters[MANYCORE_BUSIEST_ROUTER], manycore_routed(use));
    counters[MANYCORE_DELIVERED] += use->out[MANYCORE_LOCAL];
    counters[MANYCORE_BLOCKED_CYCLES] += manycore_blocked(use, now);
}

void manycore_block_count(const struct manycore_block *block, uint64_t now, uint64_t *counters)
{
    for (uint32_t place = 0; place < block->tiles; place++) {
        const struct manycore_core *core = &block->tile[place].core;
        uint64_t end = core->pause == MANYCORE_EXITED ? core->clock : now;
        counters[MANYCORE_CYCLES] = mnp_max(counters[MANYCORE_CYCLES], end);
        count_core(&block->tile[place], now, counters);
        count_polls(&block->node[place].polls, counters);
        count_exclusives(&block->node[place].exclusives, counters);
        count_router(&block->node[place].use, now, counters);
        for (uint32_t bin = 0; bin < MANYCORE_LATENCY_BINS; bin++)
            counters[MANYCORE_LATENCIES + bin] += block->node[place].latencies[bin];
    }
}
