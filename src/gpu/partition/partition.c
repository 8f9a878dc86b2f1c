/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory partition as a unit: how it is built, and how it moves from event to event on its two clocks. */
#include "engine/core/port.h"
#include "gpu/partition/copies.h"
#include "gpu/partition/state.h"

#include "base/range.h"

#include <stdio.h>
#include <stdlib.h>

/* ===== parameters ===== */

static void describe_cache(const struct gpu_partition_parameters *parameters, struct mnp_cache_shape *shape)
{
    *shape = mnp_cache_shape_of(&parameters->cache, parameters->line, parameters->sector, MNP_HASH_LINEAR);
    shape->hashes = mnp_hash_chosen(parameters->set_hash, &parameters->set_hash_chosen);
}

/* Cycles for which the data bus of a pseudo channel carries one sector: whole bursts. */
static uint64_t burst_cycles(const struct gpu_partition_parameters *parameters)
{
    uint64_t burst_bytes = parameters->dram.bus_width / parameters->dram.pseudo_channels * parameters->dram.burst;
    uint64_t bursts = (GPU_SECTOR + burst_bytes - 1) / burst_bytes;
    return (bursts * parameters->dram.burst + parameters->dram.data_rate - 1) / parameters->dram.data_rate;
}

/* Banks that take turns: unless stated, as many as there are bank groups. */
static uint64_t banks_interleaved(const struct gpu_partition_parameters *parameters)
{
    uint64_t groups = parameters->dram.pseudo_channels * parameters->dram.bank_groups;
    if (parameters->dram.banks_interleaved)
        return parameters->dram.banks_interleaved;
    return parameters->dram.banks % groups ? 1 : groups;
}

static void describe_dram(const struct gpu_partition_parameters *parameters, struct mnp_dram_shape *shape)
{
    *shape = (struct mnp_dram_shape){
        .timing = parameters->dram.timing,
        .pseudo_channels = parameters->dram.pseudo_channels,
        .banks = parameters->dram.banks,
        .bank_groups = parameters->dram.bank_groups,
        .row_bytes = parameters->dram.row,
        .bank_interleave = parameters->dram.bank_interleave,
        .banks_interleaved = banks_interleaved(parameters),
        .bank_hash = parameters->dram.bank_hash,
        .scheduler = parameters->dram.scheduler,
        .refresh = parameters->dram.refresh,
        .read_queue = parameters->dram.queue,
        .write_queue = parameters->dram.write_queue,
        .write_high = parameters->dram.write_high,
        .write_low = parameters->dram.write_low,
        .dual_command = mnp_dram_kinds[parameters->dram.kind].row_bus || parameters->dram.pseudo_channels > 1,
    };
    shape->timing.burst = burst_cycles(parameters);
}

/* Whether the bus can be cut as stated; the rest of the shape follows from that. */
static bool check_bus(const struct gpu_partition_parameters *parameters, struct mnp_error *error)
{
    return parameters->dram.bus_width % parameters->dram.pseudo_channels == 0 ||
           mnp_fail(error, "dram.bus_width is %llu bytes, which dram.pseudo_channels (%llu) does not divide",
                    (unsigned long long)parameters->dram.bus_width,
                    (unsigned long long)parameters->dram.pseudo_channels);
}

bool gpu_partition_complete(struct gpu_partition_parameters *parameters, uint64_t dram_hertz, struct mnp_error *error)
{
    if (!check_bus(parameters, error))
        return false;
    parameters->dram.timing.burst = burst_cycles(parameters);
    return mnp_dram_kind_fill((enum mnp_dram_kind_name)parameters->dram.kind, dram_hertz, &parameters->dram.timing,
                              error);
}

/* The bits that choose the half, of an L2 that has any. */
static uint64_t half_mask(const struct gpu_partition_parameters *parameters)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; parameters->halves > 1 && i < parameters->half_bits.count; i++)
        mask |= UINT64_C(1) << parameters->half_bits.value[i];
    return mask;
}

static bool check_halves(const struct gpu_partition_parameters *parameters, struct mnp_error *error)
{
    uint64_t mask = half_mask(parameters);
    if (mask && (parameters->halves != 2 || parameters->count % 2))
        return mnp_fail(error,
                        "l2.half_bits is for two l2.halves of as many partitions each; there are %llu halves and %llu "
                        "partitions; state l2.half_bits = [], or an even partition.count",
                        (unsigned long long)parameters->halves, (unsigned long long)parameters->count);
    if (mask & (parameters->interleave - 1))
        return mnp_fail(error, "a bit of l2.half_bits lies inside of l2.interleave, which is %llu bytes",
                        (unsigned long long)parameters->interleave);
    return true;
}

bool gpu_partition_check(const struct gpu_partition_parameters *parameters, struct mnp_error *error)
{
    struct mnp_cache_shape cache;
    struct mnp_dram_shape dram;
    uint64_t step = parameters->line * parameters->cache.ways, size = parameters->cache.size,
             below = size / step * step;
    if (size != below)
        return mnp_fail(
            error,
            "l2.slice.size is %llu bytes, which is no multiple of l2.line × l2.slice.ways = %llu; use %llu, "
            "or change l2.slice.ways",
            (unsigned long long)size, (unsigned long long)step,
            (unsigned long long)(below && size - below <= step / 2 ? below : below + step));
    if (!mnp_is_power_of_two(parameters->interleave) || parameters->interleave < parameters->line)
        return mnp_fail(error, "l2.interleave is %llu bytes; use a power of two of at least l2.line, which is %llu",
                        (unsigned long long)parameters->interleave, (unsigned long long)parameters->line);
    if (!mnp_is_power_of_two(parameters->fetch) || parameters->fetch > parameters->line)
        return mnp_fail(error, "l2.fetch is %llu bytes; use a power of two of at most l2.line, which is %llu",
                        (unsigned long long)parameters->fetch, (unsigned long long)parameters->line);
    if (!check_halves(parameters, error))
        return false;
    if (parameters->copies && parameters->halves > GPU_COPY_PARTS)
        return mnp_fail(error, "l2.copies is for at most %d l2.halves, of which there are %llu", GPU_COPY_PARTS,
                        (unsigned long long)parameters->halves);
    if (parameters->strong_home && !parameters->copies)
        return mnp_fail(error, "l2.strong_home needs l2.copies; state l2.copies = true, or leave l2.strong_home out");
    if (parameters->channels != 0 && parameters->channels != parameters->count)
        return mnp_fail(error, "dram.channels is %llu, but each of the %llu partitions has one; use 0 or that number",
                        (unsigned long long)parameters->channels, (unsigned long long)parameters->count);
    if (!check_bus(parameters, error))
        return false;
    describe_cache(parameters, &cache);
    if (!mnp_cache_check(&cache, "l2.slice", error))
        return false;
    describe_dram(parameters, &dram);
    return mnp_dram_check(&dram, error);
}

void gpu_partition_map(const struct gpu_partition_parameters *parameters, struct mnp_address_map *map)
{
    uint32_t count = (uint32_t)parameters->count, slices = (uint32_t)parameters->slices;
    const struct mnp_hash_function *hash = mnp_hash_chosen(parameters->hash, &parameters->hash_chosen);
    uint64_t half_bits = half_mask(parameters);
    if (half_bits)
        mnp_address_map_init_halves(map, count, slices, parameters->interleave, hash, half_bits);
    else
        mnp_address_map_init(map, count, slices, parameters->interleave, hash);
}

uint64_t gpu_partition_hit_cycles(const struct gpu_partition_parameters *parameters)
{
    return parameters->latency;
}

uint64_t gpu_partition_dram_cycles(const struct gpu_partition_parameters *parameters, uint64_t l2_hertz,
                                   uint64_t dram_hertz, bool row_open)
{
    struct mnp_dram_shape dram;
    describe_dram(parameters, &dram);
    return gpu_channel_crossing(l2_hertz, dram_hertz, mnp_dram_read_cycles(&dram, row_open)) + parameters->latency;
}

/* ===== building ===== */

static void set_limits(struct gpu_partition *partition)
{
    const struct gpu_partition_config *config = &partition->config;
    const struct gpu_partition_parameters *parameters = config->parameters;
    uint64_t waiters = parameters->mshrs * parameters->merge * GPU_LINE_SECTORS;
    partition->slice_count = (uint32_t)parameters->slices;
    partition->miss_capacity = (uint32_t)parameters->miss_queue;
    partition->immediate_limit = (uint32_t)(parameters->latency + config->far_cycles + parameters->reply_queue);
    partition->feed_count = config->far_cycles ? GPU_FEEDS : GPU_FEED_FAR;
    partition->part = gpu_part_of(config->index, parameters->count, parameters->halves);
    partition->delayed_limit = (uint32_t)(waiters < parameters->waiters ? waiters : parameters->waiters);
    partition->capacity = config->gpcs * config->request_credits +
                          partition->slice_count * (partition->immediate_limit + partition->delayed_limit);
    uint64_t in_bank = parameters->dram.bank_interleave & -parameters->dram.bank_interleave;
    partition->piece = mnp_min(parameters->interleave, in_bank);
    partition->release_capacity = (uint32_t)(parameters->slices * parameters->mshrs * (parameters->line / GPU_SECTOR));
    for (uint32_t sectors = 0; sectors <= 4; sectors++) {
        const struct gpu_network_parameters *network = config->network;
        uint64_t data = sectors ? sectors * GPU_SECTOR : 1;
        partition->port_cycles[sectors] = gpu_network_port_cycles(network, network->reply_width, sectors);
        uint64_t request_port = parameters->request_port ? parameters->request_port : network->request_width;
        partition->accept_cycles[sectors] = gpu_network_port_cycles(network, request_port, sectors);
        uint64_t write_port = parameters->write_port ? parameters->write_port : parameters->port;
        partition->lookup_cycles[sectors] = (uint32_t)((data + parameters->port - 1) / parameters->port);
        partition->write_cycles[sectors] = (uint32_t)((data + write_port - 1) / write_port);
        partition->atomic_cycles[sectors] = parameters->atomic_cycles
                                                ? (uint32_t)(sectors * parameters->atomic_cycles)
                                                : partition->lookup_cycles[sectors] + partition->write_cycles[sectors];
        uint64_t copy_port = parameters->copy_port;
        partition->copy_cycles[sectors] = copy_port ? (uint32_t)((data + copy_port - 1) / copy_port) : 0;
    }
}

void gpu_partition_lay_out(void *self, struct mnp_arena *arena)
{
    struct gpu_partition *partition = self;
    const struct gpu_partition_parameters *parameters = partition->config.parameters;
    struct mnp_cache_shape cache;
    struct mnp_dram_shape dram;
    uint32_t slices = partition->slice_count, gpcs = partition->config.gpcs;
    describe_cache(parameters, &cache);
    describe_dram(parameters, &dram);
    partition->totals = mnp_arena_take(arena, 1, sizeof *partition->totals);
    partition->slices = mnp_arena_take(arena, slices, sizeof *partition->slices);
    partition->credits = mnp_arena_take(arena, gpcs, sizeof *partition->credits);
    partition->owed = mnp_arena_take(arena, gpcs, sizeof *partition->owed);
    partition->transactions = mnp_arena_take(arena, partition->capacity, sizeof *partition->transactions);
    partition->next = mnp_arena_take(arena, partition->capacity, sizeof *partition->next);
    partition->waiting = mnp_arena_take(arena, (size_t)slices * partition->delayed_limit, sizeof *partition->waiting);
    partition->misses = mnp_arena_take(arena, (size_t)slices * partition->miss_capacity, sizeof *partition->misses);
    partition->releases = mnp_arena_take(arena, partition->release_capacity, sizeof *partition->releases);
    partition->lines = mnp_arena_take(arena, partition->config.slots, sizeof *partition->lines);
    if (partition->copy_lines) {
        size_t sets = (size_t)slices * cache.sets * parameters->halves;
        partition->copies = mnp_arena_take(arena, (size_t)slices * partition->copy_lines, sizeof *partition->copies);
        partition->held = mnp_arena_take(arena, sets, sizeof *partition->held);
    }
    mnp_dram_init(&partition->dram, &dram, arena);
    for (uint32_t i = 0; i < slices; i++) {
        mnp_cache_init(&partition->caches[i], &cache, arena);
        mnp_mshr_init(&partition->mshrs[i], (uint32_t)parameters->mshrs,
                      (uint32_t)(parameters->merge * GPU_LINE_SECTORS), partition->delayed_limit, arena);
    }
    gpu_values_lay_out(partition, arena);
    gpu_activity_lay_out(partition, arena);
}

static struct mnp_unit *create_unit(struct gpu_partition *partition, struct mnp_engine *engine)
{
    const struct gpu_partition_config *config = &partition->config;
    char name[32];
    snprintf(name, sizeof name, "partition %u", config->index);
    uint32_t lengths[GPU_PARTITION_PORTS];
    for (uint32_t port = 0; port < GPU_PARTITION_PORTS; port++)
        lengths[port] = port == GPU_PARTITION_COPIES ? 1 : config->gpcs;
    const struct mnp_model *model = config->parameters->model;
    return mnp_engine_create_unit(engine, &(struct mnp_unit_plan){.model = model ? model : &gpu_partition_model,
                                                                  .name = name,
                                                                  .self = partition,
                                                                  .hertz = config->l2_hertz,
                                                                  .slots = config->slots,
                                                                  .lengths = lengths});
}

/* State that does not begin with zero. */
static void start(struct gpu_partition *partition)
{
    partition->l2_next = partition->pass_next = GPU_NEVER;
    mnp_pool_init(&partition->totals->pool, partition->next, partition->capacity);
    partition->totals->crossing = MNP_EMPTY_CHAIN;
    gpu_activity_start(partition);
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        partition->slices[i].input = MNP_EMPTY_CHAIN;
        for (uint32_t feed = 0; feed < GPU_FEEDS; feed++)
            partition->slices[i].feeds[feed] = MNP_EMPTY_CHAIN;
        gpu_slice_ask(partition, i, GPU_NEVER);
    }
}

struct gpu_partition *gpu_partition_create(struct mnp_engine *engine, const struct gpu_partition_config *config)
{
    struct gpu_partition *partition = mnp_allocate(1, sizeof *partition);
    struct mnp_cache_shape cache;
    partition->config = *config;
    set_limits(partition);
    describe_cache(config->parameters, &cache);
    partition->copy_lines = config->far_cycles ? mnp_cache_lines(&cache) : 0;
    partition->caches = mnp_allocate(partition->slice_count, sizeof *partition->caches);
    partition->mshrs = mnp_allocate(partition->slice_count, sizeof *partition->mshrs);
    partition->memos = mnp_allocate(partition->slice_count, sizeof *partition->memos);
    if (config->atomic)
        gpu_values_init(partition);
    partition->unit = create_unit(partition, engine);
    mnp_cursor_init(&partition->dram_clock, config->dram_hertz);
    start(partition);
    gpu_listeners_open_partition(&partition->listeners, partition);
    return partition;
}

void gpu_partition_freeze(struct mnp_unit *unit)
{
    struct gpu_partition *partition = unit->self;
    partition->replies = mnp_port_links(unit, GPU_PARTITION_REPLIES);
    partition->credits_out = mnp_port_links(unit, GPU_PARTITION_REQUEST_CREDITS);
    if (partition->live)
        partition->live->results = mnp_port_links(unit, GPU_PARTITION_RESULTS);
    for (uint32_t gpc = 0; gpc < partition->config.gpcs; gpc++)
        partition->credits[gpc] = partition->replies[gpc]->in_flight;
}

void gpu_partition_release(struct gpu_partition *partition)
{
    if (!partition)
        return;
    gpu_values_release(partition);
    gpu_listeners_close(&partition->listeners);
    free(partition->caches);
    free(partition->mshrs);
    free(partition->memos);
    free(partition);
}

struct mnp_unit *gpu_partition_unit(const struct gpu_partition *partition)
{
    return partition->unit;
}

/* ===== running ===== */

static void take_credits(struct gpu_partition *partition, uint32_t gpc, const struct gpu_credit *credit, uint64_t cycle)
{
    partition->credits[gpc] += credit->packets;
    for (uint32_t slice = 0; slice < partition->slice_count; slice++)
        if (partition->memos[slice].wanted_gpc == gpc)
            gpu_partition_wake(partition, slice, cycle);
}

/* Takes the packets that have come by `time`; they count from L2 cycle `cycle` on. */
static void take_packets(struct gpu_partition *partition, mnp_time time, uint64_t cycle)
{
    struct mnp_inbox *inbox = &partition->unit->inbox;
    uint32_t place;
    const void *packet;
    while ((packet = mnp_inbox_peek(inbox, time, &place))) {
        struct mnp_port_place from = mnp_port_of(partition->unit, place);
        if (from.port == GPU_PARTITION_REQUESTS)
            gpu_slice_take(partition, from.index, packet, cycle);
        else if (from.port == GPU_PARTITION_REPLY_CREDITS)
            take_credits(partition, from.index, packet, cycle);
        else if (from.port == GPU_PARTITION_VALUES)
            gpu_values_take(partition, packet);
        else if (from.port == GPU_PARTITION_TOUCHES)
            gpu_partition_touch(partition, packet, cycle);
        else
            gpu_partition_copy(partition, packet, cycle);
        mnp_inbox_take(inbox);
    }
}

/* Asks the host's memory for what the next fills need: of the second their misses, of the first what those name. */
static void expect_fills(const struct gpu_partition *partition)
{
    const struct mnp_queue *queue = &partition->totals->releases;
    uint32_t capacity = partition->release_capacity;
    if (queue->count > 1) {
        const struct gpu_release *second = &partition->releases[mnp_queue_place(queue, capacity, 1)];
        __builtin_prefetch(&partition->mshrs[second->slice].entries[second->mshr]);
    }
    if (queue->count)
        gpu_slice_expect(partition, &partition->releases[queue->head]);
}

static void fill_slices(struct gpu_partition *partition, uint64_t cycle)
{
    struct mnp_queue *queue = &partition->totals->releases;
    while (queue->count && partition->releases[queue->head].cycle <= cycle) {
        struct gpu_release release = partition->releases[queue->head];
        mnp_queue_pop(queue, partition->release_capacity);
        expect_fills(partition);
        gpu_partition_counters(partition, release.kernel)[GPU_L2_FILLS]++;
        if (partition->streams)
            gpu_activity_fill(partition, release.kernel);
        gpu_slice_fill(partition, &release, cycle);
    }
}

/* Passes misses on to the channel. Of several slices each is in turn the first to use the room in its queues. */
static void pass_misses_on(struct gpu_partition *partition, uint64_t cycle)
{
    uint64_t eager = partition->unit->no_skip ? partition->eager : partition->eager & ~partition->crowded;
    if (!eager)
        return;
    uint64_t before = 0; /* slices that come last */
    if (eager & (eager - 1))
        before = eager & ((UINT64_C(1) << cycle % partition->slice_count) - 1);
    for (uint64_t rest = eager ^ before; rest; rest &= rest - 1)
        gpu_channel_accept(partition, (uint32_t)__builtin_ctzll(rest), cycle);
    for (uint64_t rest = before; rest; rest &= rest - 1)
        gpu_channel_accept(partition, (uint32_t)__builtin_ctzll(rest), cycle);
}

/* Visits an L2 cycle, whose edge is at `time`. */
static void step_l2(struct gpu_partition *partition, uint64_t cycle, mnp_time time)
{
    uint32_t slices = partition->slice_count;
    mnp_visit(partition->unit, cycle);
    partition->l2_time = time;
    if (partition->unit->inbox.next <= partition->l2_time)
        take_packets(partition, partition->l2_time, cycle);
    if (partition->totals->crossing.first != MNP_NO_ENTRY)
        gpu_slice_take_crossed(partition, cycle);
    fill_slices(partition, cycle);
    partition->l2_next = partition->pass_next = GPU_NEVER;
    for (uint32_t slice = 0; slice < slices; slice++) {
        if (partition->memos[slice].wake <= cycle || partition->unit->no_skip)
            gpu_slice_step(partition, slice, cycle);
        if (partition->memos[slice].wake < partition->l2_next)
            partition->l2_next = partition->memos[slice].wake;
    }
    pass_misses_on(partition, cycle);
    const struct mnp_queue *queue = &partition->totals->releases;
    if (queue->count && partition->releases[queue->head].cycle < partition->l2_next)
        partition->l2_next = partition->releases[queue->head].cycle;
    uint32_t crosses = partition->totals->crossing.first;
    if (crosses != MNP_NO_ENTRY && partition->transactions[crosses].ready < partition->l2_next)
        partition->l2_next = partition->transactions[crosses].ready;
}

/* Keeps a cursor near the present, where its arithmetic is fast. */
static void follow(struct mnp_cursor *cursor, uint64_t cycle)
{
    if (cycle - cursor->cycle > 512)
        mnp_cursor_move(cursor, cycle);
}

/* The next L2 cycle to visit. */
static uint64_t next_l2(struct gpu_partition *partition, mnp_time until)
{
    const struct mnp_unit *unit = partition->unit;
    if (unit->no_skip)
        return unit->visited;
    uint64_t next = partition->l2_next;
    if (unit->inbox.next < until) {
        if (unit->inbox.next != partition->arrival) {
            partition->arrival = unit->inbox.next;
            partition->arrival_cycle = mnp_cursor_cycle_at(&unit->clock, unit->inbox.next);
        }
        next = partition->arrival_cycle < next ? partition->arrival_cycle : next;
    }
    return next;
}

/* Visits the channel's cycles below `limit`. True: one of them has brought about that something is to be done in an
 * earlier L2 cycle than `l2`. */
static bool visit_channel(struct gpu_partition *partition, uint64_t l2, uint64_t limit)
{
    const struct mnp_unit *unit = partition->unit;
    for (;;) {
        uint64_t dram = unit->no_skip ? partition->dram_visited : mnp_dram_next(&partition->dram);
        if (dram >= limit)
            return false;
        mnp_visit_of(unit, &partition->dram_visited, dram);
        gpu_channel_step(partition, dram);
        if (partition->l2_next < l2)
            return true;
    }
}

/* Visits events of both clocks in order of time up to `until`, the L2's first where they coincide, so that a request
 * that leaves a slice at an edge of both clocks reaches the channel at that edge. */
static void visit(struct gpu_partition *partition, mnp_time until, uint64_t l2_limit, uint64_t dram_limit)
{
    const struct mnp_unit *unit = partition->unit;
    for (;;) {
        uint64_t l2 = next_l2(partition, until), before = dram_limit; /* the channel's first cycle not before `l2` */
        mnp_time time = MNP_NEVER;
        if (l2 < l2_limit) {
            time = mnp_cursor_edge(&unit->clock, l2);
            before = mnp_cursor_cycle_at(&partition->dram_clock, time);
        }
        if (visit_channel(partition, l2, before))
            continue;
        if (l2 >= l2_limit)
            return;
        MNP_REQUIRE(partition->dram_visited <= before,
                    "%s visits cycle %llu of its L2 after a later cycle of its channel", unit->name,
                    (unsigned long long)l2);
        step_l2(partition, l2, time);
    }
}

/* Counts what passes whether anything happens or not, up to the present limits. */
static void count_time(struct gpu_partition *partition, uint64_t l2_limit, uint64_t dram_limit)
{
    struct gpu_partition_totals *totals = partition->totals;
    totals->l2_counted = l2_limit;
    totals->dram_counted = dram_limit;
    mnp_pass(partition->unit, l2_limit);
    mnp_pass_of(partition->unit, &partition->dram_visited, dram_limit);
    partition->known_to = l2_limit;
    gpu_channel_settle(partition, dram_limit);
    for (uint32_t slice = 0; slice < partition->slice_count; slice++)
        gpu_slice_count_stall(partition, slice, l2_limit);
}

/* The state is not the one that the memos were made from: it has been restored. Everything is asked once, which is
 * harmless. */
static void forget_memos(struct gpu_partition *partition)
{
    uint64_t l2 = partition->totals->l2_counted, dram = partition->totals->dram_counted;
    partition->eager = partition->crowded = 0;
    for (uint32_t slice = 0; slice < partition->slice_count; slice++)
        gpu_slice_ask(partition, slice, l2);
    partition->l2_next = partition->unit->visited = l2;
    partition->dram_visited = dram;
    mnp_dram_ask(&partition->dram, dram);
}

mnp_time gpu_partition_advance(struct mnp_unit *unit, mnp_time until)
{
    struct gpu_partition *partition = unit->self;
    if (partition->known_to != partition->totals->l2_counted)
        forget_memos(partition);
    follow(&unit->clock, partition->totals->l2_counted);
    follow(&partition->dram_clock, partition->totals->dram_counted);
    uint64_t l2_limit = mnp_cursor_cycle_at(&unit->clock, until);
    uint64_t dram_limit = mnp_cursor_cycle_at(&partition->dram_clock, until);
    visit(partition, until, l2_limit, dram_limit);
    if (until > 0)
        take_packets(partition, until - 1, l2_limit); /* packets that arrive behind the last edge before `until` */
    count_time(partition, l2_limit, dram_limit);
    mnp_time horizon = MNP_NEVER;
    if (partition->l2_next != GPU_NEVER)
        horizon = mnp_cursor_edge(&unit->clock, partition->l2_next);
    if (mnp_dram_next(&partition->dram) != MNP_DRAM_NEVER) {
        mnp_time dram = mnp_cursor_edge(&partition->dram_clock, mnp_dram_next(&partition->dram));
        horizon = dram < horizon ? dram : horizon;
    }
    return horizon;
}

void gpu_partition_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    const struct gpu_partition *partition = unit->self;
    const struct gpu_partition_parameters *parameters = partition->config.parameters;
    bool dram = row == GPU_DRAM + MNP_DRAM_CYCLES || row == GPU_DRAM + MNP_DRAM_PEAK;
    if (row == GPU_L2_LINK_PEAK) {
        *pace = (struct mnp_pace){.hertz = partition->config.link_hertz, .amount = partition->config.link_peak};
        return;
    }
    pace->hertz = dram ? partition->config.dram_hertz : unit->clock.hertz;
    pace->course = dram ? NULL : unit->clock.course;
    pace->amount = dram ? parameters->dram.pseudo_channels : partition->slice_count;
    if (row == GPU_DRAM + MNP_DRAM_PEAK)
        pace->amount = parameters->dram.bus_width * parameters->dram.data_rate;
    if (row == GPU_PARTITION_TO_GPC_PEAK)
        pace->amount *= partition->config.network->reply_width;
}

bool gpu_partition_wait(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait)
{
    const struct gpu_partition *partition = unit->self;
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        for (uint32_t feed = 0; feed < GPU_FEEDS; feed++) {
            uint32_t first = partition->slices[i].feeds[feed].first;
            if (first == MNP_NO_ENTRY || partition->credits[partition->transactions[first].gpc] || index--)
                continue;
            const struct gpu_transaction *transaction = &partition->transactions[first];
            *wait = (struct mnp_wait){.on = partition->replies[transaction->gpc]->to,
                                      .since = mnp_cursor_edge(&unit->clock, transaction->ready)};
            snprintf(wait->what, sizeof wait->what, "credit for the reply for line 0x%llx to SM %u",
                     (unsigned long long)transaction->line, transaction->sm);
            return true;
        }
    }
    return false;
}

void gpu_partition_report(const struct mnp_unit *unit, FILE *out)
{
    static const char *const reasons[] = {"nothing", "a way of its set (all are being filled)", "an MSHR",
                                          "room in the queue to DRAM", "room in the queue of replies"};
    const struct gpu_partition *partition = unit->self;
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        const struct gpu_slice *slice = &partition->slices[i];
        if (slice->stall)
            fprintf(out, "%s slice %u: line 0x%llx waits for %s\n", unit->name, i,
                    (unsigned long long)partition->transactions[slice->input.first].line, reasons[slice->stall]);
        if (slice->immediate || slice->delayed || slice->misses.count)
            fprintf(out, "%s slice %u: %u replies wait for the port, %u requests for DRAM, %u for its queues\n",
                    unit->name, i, slice->immediate, slice->delayed, slice->misses.count);
    }
    gpu_values_report(partition, out);
    for (uint32_t gpc = 0; gpc < partition->config.gpcs; gpc++)
        if (partition->credits[gpc] == 0)
            fprintf(out, "%s has no credits left for replies to GPC %u\n", unit->name, gpc);
}
