/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, statistics and state of the many-core models, and how statistics come from the tiles' own counts. */
#include "manycore/machine.h"

#define COUNTER(name, unit, help)                                                                                      \
    {                                                                                                                  \
        name, MNP_COUNTER, unit, help, NULL, NULL, 0, 0                                                                \
    }
#define RATIO(name, unit, help, numerator, denominator, scale)                                                         \
    {                                                                                                                  \
        name, MNP_RATIO, unit, help, numerator, denominator, scale, 0                                                  \
    }
#define MIX(name, help) COUNTER("instructions_" name, "instruction", help)

static const struct mnp_statistic statistics[MANYCORE_BLOCK_STATISTICS] = {
    [MANYCORE_CYCLES] = {"global_cycles", MNP_MAXIMUM, "cycle", "cycles until the last core has ended", NULL, NULL, 0,
                         0},
    [MANYCORE_INSTRUCTIONS] = COUNTER("instructions", "instruction", "instructions of all cores"),
    [MANYCORE_IPC] = RATIO("ipc", "instruction/cycle", "of all cores together", "instructions", "global_cycles", 1),
    [MANYCORE_MIX + A32_CLASS_ALU] = MIX("alu", "data processing"),
    [MANYCORE_MIX + A32_CLASS_MULTIPLY] = MIX("multiply", "multiplies"),
    [MANYCORE_MIX + A32_CLASS_MEDIA] = MIX("media", "media and saturating instructions"),
    [MANYCORE_MIX + A32_CLASS_LOAD] = MIX("load", "loads; an LDM is one"),
    [MANYCORE_MIX + A32_CLASS_STORE] = MIX("store", "stores; an STM is one"),
    [MANYCORE_MIX + A32_CLASS_BRANCH] = MIX("branch", "branches, taken or not"),
    [MANYCORE_MIX + A32_CLASS_SYNCHRONISATION] = MIX("synchronisation", "SWP, LDREX, STREX"),
    [MANYCORE_MIX + A32_CLASS_OTHER] = MIX("other", "status, hints, coprocessor, calls"),
    [MANYCORE_BRANCH_CYCLES] = COUNTER("branch_penalty_cycles", "cycle", "lost to taken branches, over all cores"),
    [MANYCORE_LOAD_USE_CYCLES] = COUNTER("load_use_cycles", "cycle", "lost between a load and its use, over all cores"),
    [MANYCORE_CACHE_CYCLES] = COUNTER("cache_miss_cycles", "cycle", "lost to misses of the caches, over all cores"),
    [MANYCORE_S_EVENTS] = COUNTER("s_events", "access", "accesses to shared memory"),
    [MANYCORE_WAIT_CYCLES] = COUNTER("s_event_wait_cycles", "cycle", "waited for shared memory, over all cores"),
    [MANYCORE_MEAN_WAIT] = RATIO("s_event_latency", "cycle", "of an access to shared memory, on average",
                                 "s_event_wait_cycles", "s_events", 1),
    [MANYCORE_L1I] = COUNTER("l1i_accesses", "access", "instruction fetches from the caches"),
    [MANYCORE_L1I_MISSES] = COUNTER("l1i_misses", "access", "of which missed"),
    [MANYCORE_L1D] = COUNTER("l1d_accesses", "access", "accesses to private memory through the data caches"),
    [MANYCORE_L1D_MISSES] = COUNTER("l1d_misses", "access", "of which missed"),
    [MANYCORE_L1D_WRITE_BACKS] = COUNTER("l1d_write_backs", "line", "written lines that were replaced"),
    [MANYCORE_L1D_RATE] = RATIO("l1d_miss_rate", "%", "of accesses", "l1d_misses", "l1d_accesses", 100),
    [MANYCORE_HOPS] = COUNTER("noc_hops", "packet", "packets passed from router to router"),
    [MANYCORE_DELIVERED] = COUNTER("noc_packets", "packet", "packets delivered by the mesh, replies included"),
    [MANYCORE_MEAN_HOPS] = RATIO("noc_mean_hops", "hop", "of a packet", "noc_hops", "noc_packets", 1),
    [MANYCORE_BLOCKED_CYCLES] =
        COUNTER("noc_blocked_cycles", "cycle", "in which a router held packets and could move none, over all routers"),
    [MANYCORE_BUSIEST_LINK] = {"noc_busiest_link", MNP_MAXIMUM, "packet", "packets over the link with the most", NULL,
                               NULL, 0, 0},
};

static const struct mnp_port block_ports[] = {
    {"mesh in", "in", "block", "manycore_flit", "packets and credits from up to four neighbouring blocks"},
    {"mesh out", "out", "block", "manycore_flit", "packets and credits to up to four neighbouring blocks"},
    {"accesses", "out", "global", "manycore_packet", "architecture I: requests to the global space"},
    {"values", "in", "global", "manycore_packet", "architecture I: its replies"},
};

static const struct mnp_state_field block_state[] = {
    {"tiles", "", "registers, clock, request and counts of each core, and versions of its bank's places"},
    {"routers", "packet", "input queues, credits, whose turn it is"},
    {"caches", "line", "tags of the instruction and data caches"},
    {"events", "cycle", "when each core acts next"},
};

const struct mnp_model manycore_block_model = {
    .name = "block",
    .summary = "A rectangle of tiles: cores, private caches, banks of shared memory and routers of the mesh",
    .ports = block_ports,
    .port_count = sizeof block_ports / sizeof *block_ports,
    .statistics = statistics,
    .statistic_count = MANYCORE_BLOCK_STATISTICS,
    .state = block_state,
    .state_count = sizeof block_state / sizeof *block_state,
    .advance = manycore_block_advance,
    .report = manycore_block_report,
    .wait = manycore_block_wait,
};

static const struct mnp_port global_ports[] = {
    {"accesses", "in", "block", "manycore_packet", "requests of all tiles"},
    {"values", "out", "block", "manycore_packet", "replies"},
};
static const struct mnp_state_field global_state[] = {{"versions", "", "counts of writes, for exclusive accesses"}};

const struct mnp_model manycore_global_model = {
    .name = "global",
    .summary = "The global space of architecture I: shared memory at a fixed latency",
    .ports = global_ports,
    .port_count = sizeof global_ports / sizeof *global_ports,
    .state = global_state,
    .state_count = 1,
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

static void count_router(const struct manycore_use *use, uint64_t now, uint64_t *counters)
{
    for (uint32_t out = 0; out < MANYCORE_LOCAL; out++) {
        counters[MANYCORE_HOPS] += use->out[out];
        if (use->out[out] > counters[MANYCORE_BUSIEST_LINK])
            counters[MANYCORE_BUSIEST_LINK] = use->out[out];
    }
    counters[MANYCORE_DELIVERED] += use->out[MANYCORE_LOCAL];
    counters[MANYCORE_BLOCKED_CYCLES] += use->blocked;
    if (use->blocked_since < now)
        counters[MANYCORE_BLOCKED_CYCLES] += now - use->blocked_since;
}

void manycore_block_count(const struct manycore_block *block, uint64_t now, uint64_t *counters)
{
    counters[MANYCORE_CYCLES] = block->state->exited == block->tiles ? block->state->last_exit : now;
    for (uint32_t place = 0; place < block->tiles; place++) {
        count_core(&block->tile[place], now, counters);
        count_router(&block->use[place], now, counters);
    }
}
