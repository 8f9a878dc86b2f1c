/* SPDX-License-Identifier: BSD-3-Clause */
/* GPCs and partitions on the engine: conservation, latencies to the cycle, bandwidths, the same bytes however run. */
#include "memory_machine.h"

#include "engine/core/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct memory_run serial = {0};


/* ===== kinds of traffic ===== */

static void make_bytes(struct gpu_request *request, uint64_t *seed)
{
    for (uint32_t sector = 0; sector < 4; sector++) {
        if (!(request->sectors >> sector & 1))
            continue;
        uint64_t bytes = memory_random(seed) % 3 ? 0xffffffff : (memory_random(seed) & 0xffffffff) | 1;
        request->bytes[sector / 2] |= bytes << sector % 2 * 32;
    }
}

/* Everything at random, over a range a few times the size of the cache. */
static uint64_t random_traffic(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    static const uint8_t kinds[] = {GPU_READ, GPU_READ, GPU_READ, GPU_READ, GPU_WRITE, GPU_WRITE, GPU_ATOMIC,
                                    GPU_REDUCTION, GPU_FETCH};
    uint64_t seed = sm->options->seed ^ (sm->index * 1000003 + number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < 3; i++)
        memory_random(&seed);
    uint64_t lines = memory_random(&seed) % 4 ? 256 : 4096;
    request->line = memory_random(&seed) % lines * 128;
    request->kind = kinds[memory_random(&seed) % (sizeof kinds)];
    request->sectors = (uint8_t)(1 + memory_random(&seed) % 15);
    request->kernel = (uint16_t)(1 + memory_random(&seed) % 2);
    if (request->kind == GPU_WRITE)
        make_bytes(request, &seed);
    return memory_random(&seed) % 16 == 0 ? number * 3 : 0;
}

/* Each SM reads lines of its own, one after another. */
static uint64_t stream(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    request->line = (number * sm->options->sms + sm->index) * 128;
    request->sectors = 15;
    return 0;
}

/* All SMs read the same few lines. */
static uint64_t hot_lines(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    request->line = (number + sm->index * 5) % 16 * 128;
    request->sectors = 15;
    return 0;
}

/* ===== conservation ===== */

static void nothing_is_lost(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (int round = 0; round < 12; round++) {
        struct memory_options options;
        memory_defaults(&options);
        options.sms = 1 + (uint32_t)(memory_random(&seed) % 9);
        options.gpcs = 1 + (uint32_t)(memory_random(&seed) % (options.sms < 3 ? options.sms : 3));
        options.partition.count = 1 + memory_random(&seed) % 5;
        options.partition.slices = 1 + memory_random(&seed) % 3;
        options.partition.mshrs = 1 + memory_random(&seed) % 16;
        options.partition.merge = 1 + memory_random(&seed) % 4;
        options.partition.fetch = UINT64_C(32) << round % 3;
        options.partition.miss_queue = 2 + memory_random(&seed) % 8;
        options.partition.reply_queue = 1 + memory_random(&seed) % 8;
        options.partition.dram.queue = 1 + memory_random(&seed) % 16;
        options.partition.dram.write_queue = 4;
        options.partition.dram.write_high = 3;
        options.partition.dram.write_low = 1;
        options.partition.dram.timing.refi = round % 3 ? 0 : 700;
        options.partition.dram.timing.rfc = 100;
        options.partition.cache.ways = round % 2 ? 1 : 4;
        options.network.credit_batch = 1 + memory_random(&seed) % 4;
        options.dram_hertz = 700000000 + memory_random(&seed) % 2000000000;
        options.requests = 2000;
        options.make = random_traffic;
        options.seed = memory_random(&seed);
        struct memory_machine machine;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 1000000);
        assert_true(memory_is_at_rest(&machine));
        uint64_t requests = options.sms * options.requests;
        assert_int_equal(memory_gpc_sum(&machine, GPU_PACKETS_TO_MEMORY), requests);
        assert_int_equal(memory_gpc_sum(&machine, GPU_GPC_PACKETS_TO_SMS), requests);
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_REQUESTS), requests);
        assert_int_equal(memory_partition_sum(&machine, GPU_PACKETS_TO_SIMT), requests);
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_FILLS),
                         memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_READS) +
                             memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_FETCHES));
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_WRITEBACKS),
                         memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_WRITES));
        assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_ACCESSES),
                         memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_ROW_HITS) +
                             memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_ROW_MISSES) +
                             memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_ROW_CONFLICTS));
        memory_release(&machine);
    }
}

/* ===== latencies ===== */

/* Two reads of one line far apart, then one of another line of the same DRAM row. */
static uint64_t three_reads(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    request->line = number == 2 ? 4096 * sm->options->seed + 128 : 4096 * sm->options->seed;
    request->sectors = 1;
    return number * 2000 + sm->options->seed % 7;
}

static uint64_t latency_of(const struct memory_options *options, uint64_t requests, uint64_t *previous)
{
    struct memory_options copy = *options;
    struct memory_machine machine;
    copy.requests = requests;
    memory_build(&machine, &copy);
    memory_run(&machine, &serial, 10000);
    assert_true(memory_is_at_rest(&machine));
    uint64_t sum = machine.sms[0].state->latency_sum, latency = sum - *previous;
    *previous = sum;
    memory_release(&machine);
    return latency;
}

static void unloaded_latencies_are_exact(void **state)
{
    (void)state;
    static const uint64_t dram_clocks[] = {1000000000, 3500500000, 850000000, 924000000, 1313000000};
    for (size_t clock = 0; clock < sizeof dram_clocks / sizeof *dram_clocks; clock++) {
        for (uint64_t seed = 0; seed < 40; seed++) {
            struct memory_options options;
            memory_defaults(&options);
            options.sms = options.gpcs = 1;
            options.dram_hertz = dram_clocks[clock];
            options.partition.hash = MNP_HASH_LINEAR;
            options.partition.count = options.partition.slices = 1;
            options.partition.dram.bank_interleave = 2048; /* so that neighbours share a row */
            options.dram_extra = seed;
            options.make = three_reads;
            options.seed = seed;
            uint64_t around = 4 * options.link_cycles + 2 * GPU_GPC_CYCLES, so_far = 0;
            const struct gpu_partition_parameters *memory = &options.partition;
            uint64_t closed = gpu_partition_dram_cycles(memory, options.l2_hertz, options.dram_hertz, false);
            uint64_t open = gpu_partition_dram_cycles(memory, options.l2_hertz, options.dram_hertz, true);
            assert_int_equal(latency_of(&options, 1, &so_far), around + closed + options.dram_extra);
            assert_int_equal(latency_of(&options, 2, &so_far), around + gpu_partition_hit_cycles(&options.partition));
            assert_int_equal(latency_of(&options, 3, &so_far), around + open + options.dram_extra);
        }
    }
}

static uint64_t one_of_each_kind(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    (void)sm;
    request->sectors = 1;
    request->kind = (uint8_t)(number == 0 ? GPU_READ : sm->options->seed);
    if (request->kind == GPU_WRITE)
        request->bytes[0] = 0xff;
    return number * 2000;
}

static void every_kind_has_the_latency_of_a_hit(void **state)
{
    (void)state;
    for (uint64_t kind = GPU_READ; kind <= GPU_FETCH; kind++) {
        struct memory_options options;
        memory_defaults(&options);
        options.sms = options.gpcs = 1;
        options.make = one_of_each_kind;
        options.seed = kind;
        uint64_t so_far = 0;
        latency_of(&options, 1, &so_far);
        assert_int_equal(latency_of(&options, 2, &so_far), 4 * options.link_cycles + 2 * GPU_GPC_CYCLES +
                                                               gpu_partition_hit_cycles(&options.partition));
    }
}

/* ===== what is fetched and written back ===== */

struct script {
    uint8_t kind, sectors;
    uint64_t line, bytes;
};

static const struct script partial_write[] = {
    {GPU_WRITE, 1, 0, 0xffff}, {GPU_WRITE, 1, 0, 0xffff0000}, {GPU_READ, 1, 0, 0}, /* complete: no fetch */
    {GPU_WRITE, 2, 0, UINT64_C(0xff00000000)}, {GPU_READ, 2, 0, 0},                /* in part: one fetch */
    {GPU_READ, 15, 0, 0},                                                          /* the other two */
};

static uint64_t play_partial_write(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    (void)sm;
    const struct script *line = &partial_write[number];
    request->kind = line->kind;
    request->sectors = line->sectors;
    request->line = line->line;
    request->bytes[0] = line->bytes;
    return number * 1000;
}

static void partial_writes_fetch_lazily(void **state)
{
    (void)state;
    static const uint64_t reads[] = {0, 0, 0, 0, 1, 3};
    for (uint64_t requests = 1; requests <= 6; requests++) {
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.sms = options.gpcs = 1;
        options.requests = requests;
        options.make = play_partial_write;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 10000);
        assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_READS), reads[requests - 1]);
        assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_WRITES), 0);
        memory_release(&machine);
    }
}

static void write_the_line(struct gpu_request *request)
{
    request->kind = GPU_WRITE;
    request->bytes[0] = request->bytes[1] = UINT64_MAX;
}

static uint64_t write_stream(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    stream(sm, number, request);
    write_the_line(request);
    return 0;
}

static void full_writes_never_fetch(void **state)
{
    (void)state;
    struct memory_options options;
    struct memory_machine machine;
    memory_defaults(&options);
    options.requests = 2000;
    options.make = write_stream;
    memory_build(&machine, &options);
    memory_run(&machine, &serial, 300000);
    assert_true(memory_is_at_rest(&machine));
    uint64_t sectors = options.sms * options.requests * 4;
    uint64_t cached = options.partition.count * options.partition.slices * options.partition.cache.size / 32;
    assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_READS), 0);
    assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_WRITES), sectors - cached);
    for (uint32_t i = 0; i < options.partition.count; i++) /* write-backs are the machine's */
        assert_int_equal(mnp_counters(gpu_partition_unit(machine.partitions[i]), 1)[GPU_DRAM + MNP_DRAM_WRITES], 0);
    memory_release(&machine);
}

static void a_cold_stream_reads_every_sector_once(void **state)
{
    (void)state;
    struct memory_options options;
    struct memory_machine machine;
    memory_defaults(&options);
    options.requests = 500;
    options.make = stream;
    memory_build(&machine, &options);
    memory_run(&machine, &serial, 100000);
    assert_true(memory_is_at_rest(&machine));
    assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_READS), options.sms * options.requests * 4);
    assert_int_equal(memory_partition_sum(&machine, GPU_L2_MISSES), options.sms * options.requests * 4);
    memory_release(&machine);
}

enum { SMALL_CACHE = 32 }; /* lines */

/* Changes a sector of as many lines as the cache has, each in a row of its own; then reads as many in two rows. */
static uint64_t change_and_evict(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    bool changes = number < SMALL_CACHE;
    request->kind = changes ? (uint8_t)sm->options->seed : GPU_READ;
    request->line = changes ? number * 8192 : (1 << 20) + number * 128;
    request->sectors = 1;
    request->bytes[0] = request->kind == GPU_WRITE ? 0xffffffff : 0;
    return number * 1000;
}

/* What a store or an atomic has changed goes back to where it came from: to as many rows. */
static void changed_sectors_go_back_to_their_rows(void **state)
{
    (void)state;
    static const uint8_t kinds[] = {GPU_WRITE, GPU_ATOMIC, GPU_REDUCTION};
    for (size_t i = 0; i < sizeof kinds; i++) {
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.sms = options.gpcs = 1;
        options.partition.count = options.partition.slices = 1;
        options.partition.cache.size = SMALL_CACHE * 128;
        options.partition.cache.ways = SMALL_CACHE;
        options.requests = 2 * SMALL_CACHE;
        options.make = change_and_evict;
        options.seed = kinds[i];
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 100000);
        assert_true(memory_is_at_rest(&machine));
        uint64_t fetched = kinds[i] == GPU_WRITE ? 0 : SMALL_CACHE; /* by atomics: each from a row of its own, too */
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_WRITEBACKS), SMALL_CACHE);
        assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_WRITES), SMALL_CACHE);
        assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_READS), SMALL_CACHE + fetched);
        assert_in_range(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_ACTIVATES), SMALL_CACHE + 2 + fetched - 1,
                        3 * SMALL_CACHE + fetched);
        memory_release(&machine);
    }
}

/* As many lines as the cache has, the first again, one more, and the first again. Of odd seed, stores use it again. */
static uint64_t use_again(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    uint64_t line = number == SMALL_CACHE + 1 ? SMALL_CACHE : number % SMALL_CACHE;
    bool stores = number == SMALL_CACHE && sm->options->seed % 2;
    request->line = (number >= SMALL_CACHE && number != SMALL_CACHE + 1 ? 0 : line) * 128;
    request->kind = stores ? GPU_WRITE : GPU_READ;
    request->sectors = 1;
    request->bytes[0] = stores ? 0xffffffff : 0;
    return number * 1000;
}

static void the_least_recently_used_line_goes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.sms = options.gpcs = 1;
        options.partition.count = options.partition.slices = 1;
        options.partition.cache.size = SMALL_CACHE * 128;
        options.partition.cache.ways = SMALL_CACHE;
        options.requests = SMALL_CACHE + 3;
        options.make = use_again;
        options.seed = seed;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 100000);
        assert_true(memory_is_at_rest(&machine));
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_MISSES), SMALL_CACHE + 1);
        memory_release(&machine);
    }
}

/* ===== bandwidth ===== */

/* Core cycles from the first reply to the last one of all SMs. */
static uint64_t busy_cycles(const struct memory_machine *machine)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < machine->options.sms; i++) {
        const struct stand_in_state *sm = machine->sms[i].state;
        first = sm->first_reply < first ? sm->first_reply : first;
        last = sm->last_reply > last ? sm->last_reply : last;
    }
    return last - first;
}

static void ports_bound_the_bandwidth(void **state)
{
    (void)state;
    struct memory_options options;
    struct memory_machine machine;
    memory_defaults(&options);
    options.sms = 16;
    options.requests = 4000;
    options.outstanding = 256;
    options.partition.port = 128;
    options.make = hot_lines;
    memory_build(&machine, &options); /* many SMs: the four slices' reply ports are the bound */
    memory_run(&machine, &serial, 400000);
    assert_true(memory_is_at_rest(&machine));
    uint64_t each = gpu_port_cycles(options.network.header, options.network.reply_width, 4);
    uint64_t bound = options.sms * options.requests * each / 4;
    assert_in_range(busy_cycles(&machine), bound * 98 / 100, bound * 105 / 100);
    memory_release(&machine);

    options.sms = 2; /* two SMs: their own ports are */
    options.partition.count = 8;
    memory_build(&machine, &options);
    memory_run(&machine, &serial, 400000);
    assert_true(memory_is_at_rest(&machine));
    bound = options.requests * each;
    assert_in_range(busy_cycles(&machine), bound * 98 / 100, bound * 105 / 100);
    memory_release(&machine);
}

static uint64_t write_hot_lines(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    hot_lines(sm, number, request);
    write_the_line(request);
    return 0;
}

/* A header of 8 bytes and a line of 128, 8 bytes to a cycle: 17 cycles of the one port from the GPC to the
 * partition. */
static void a_request_port_bounds_the_writes(void **state)
{
    (void)state;
    struct memory_options options;
    struct memory_machine machine;
    memory_defaults(&options);
    options.sms = 8;
    options.gpcs = 1;
    options.partition.count = 1;
    options.partition.slices = 4;
    options.network.request_width = 8;
    options.requests = 1000;
    options.make = write_hot_lines;
    memory_build(&machine, &options);
    memory_run(&machine, &serial, 400000);
    assert_true(memory_is_at_rest(&machine));
    uint64_t bound = options.sms * options.requests * 17;
    assert_in_range(busy_cycles(&machine), bound * 98 / 100, bound * 105 / 100);
    memory_release(&machine);
}

static uint64_t write_bytes(const struct stand_in *sm, uint64_t number, struct gpu_request *request, uint64_t bytes)
{
    hot_lines(sm, number, request);
    request->kind = GPU_WRITE;
    request->sectors = 2; /* the second sector of the line */
    request->bytes[0] = ((UINT64_C(1) << bytes) - 1) << 32;
    request->bytes[1] = 0;
    return 0;
}

static uint64_t write_24_bytes(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    return write_bytes(sm, number, request, 24);
}

static uint64_t write_25_bytes(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    return write_bytes(sm, number, request, 25);
}

/* A slice takes in 32 bytes a cycle, so a header of 8 with a sector in two cycles. With l2.packed_store of 24 bytes, so
 * many and the header come in one. */
static void small_stores_are_packed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        bool small = i % 2, packed = i / 2;
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.sms = 8;
        options.gpcs = 4;
        options.partition.count = options.partition.slices = 1;
        options.partition.request_port = 32;
        options.partition.packed_store = packed ? 24 : 0;
        options.requests = 1000;
        options.make = small ? write_24_bytes : write_25_bytes;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 400000);
        assert_true(memory_is_at_rest(&machine));
        uint64_t bound = options.sms * options.requests * (small && packed ? 1 : 2);
        assert_in_range(busy_cycles(&machine), bound * 98 / 100, bound * 105 / 100);
        memory_release(&machine);
    }
}

static void dram_streams_at_its_bandwidth(void **state)
{
    (void)state;
    struct memory_options options;
    struct memory_machine machine;
    memory_defaults(&options);
    options.sms = 16;
    options.requests = 4000;
    options.outstanding = 128;
    options.partition.mshrs = 192;
    options.partition.waiters = 512;
    options.make = stream;
    memory_build(&machine, &options);
    memory_run(&machine, &serial, 4000000);
    assert_true(memory_is_at_rest(&machine));
    uint64_t bound = options.sms * options.requests * 4 * 4 / options.partition.count; /* four cycles per sector */
    assert_in_range(busy_cycles(&machine), bound * 98 / 100, bound * 105 / 100);
    memory_release(&machine);
}

/* Every request misses in another bank's row, so that nothing but MSHRs is short. */
static uint64_t misses(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    request->line = (number * sm->options->sms + sm->index) * 128;
    request->sectors = 1;
    return 0;
}

/* With so many MSHRs, as many misses are under way: one in a DRAM latency each (Little's law). Half of them: twice the
 * time. */
static void mshrs_bound_the_misses_under_way(void **state)
{
    (void)state;
    for (uint64_t mshrs = 1; mshrs <= 16; mshrs *= 2) {
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.partition.count = options.partition.slices = 1;
        options.partition.mshrs = mshrs;
        options.requests = 100;
        options.dram_extra = 2000; /* beside which rows and queues hardly count */
        options.make = misses;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 2000000);
        assert_true(memory_is_at_rest(&machine));
        uint64_t held = options.dram_extra + gpu_partition_dram_cycles(&options.partition, options.l2_hertz,
                                                                       options.dram_hertz, true);
        held -= gpu_partition_hit_cycles(&options.partition); /* from the lookup to the fill */
        uint64_t bound = (options.sms * options.requests - mshrs) * held / mshrs;
        assert_in_range(busy_cycles(&machine), bound * 98 / 100, bound * 105 / 100);
        memory_release(&machine);
    }
}

/* All SMs ask for one line at a time, which is on its way: `merge` of them wait for it, the others for that. */
static uint64_t one_line_each_round(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    (void)sm;
    request->line = number * 4096;
    request->sectors = 1;
    return number * 20000;
}

static void requests_merge_up_to_the_limit(void **state)
{
    (void)state;
    for (uint64_t merge = 1; merge <= 8; merge++) {
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.sms = 8;
        options.partition.merge = merge;
        options.requests = 5;
        options.dram_extra = 1000;
        options.make = one_line_each_round;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 200000);
        assert_true(memory_is_at_rest(&machine));
        assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_READS), options.requests);
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_PENDING_HITS), options.requests * (merge - 1));
        memory_release(&machine);
    }
}

/* … and so many for each of its sectors: two SMs ask for each of four. */
static uint64_t sectors_of_a_line(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    request->line = number * 4096;
    request->sectors = (uint8_t)(1u << sm->index % 4);
    return number * 20000;
}

static void requests_merge_by_sector(void **state)
{
    (void)state;
    for (uint64_t merge = 1; merge <= 2; merge++) {
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.sms = 8;
        options.partition.merge = merge;
        options.requests = 5;
        options.dram_extra = 1000;
        options.make = sectors_of_a_line;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 200000);
        assert_true(memory_is_at_rest(&machine));
        assert_int_equal(memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_READS), options.requests * 4);
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_PENDING_HITS), options.requests * 4 * (merge - 1));
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_STALL_MSHR) == 0, merge == 2);
        memory_release(&machine);
    }
}

/* Strides of powers of two meet few bins under a linear map; the hashes spread them over all slices, for any number. */
static void strides_spread_over_all_slices(void **state)
{
    (void)state;
    for (uint32_t kind = MNP_HASH_XOR; kind < MNP_HASH_KINDS; kind++) {
        for (uint32_t slices = 2; slices <= 96; slices++) {
            for (uint32_t shift = 8; shift <= 16; shift++) {
                struct mnp_address_map map;
                uint32_t met[96] = {0}, most = 0, count = 64 * slices;
                mnp_address_map_init(&map, slices, 1, 256, mnp_hash_function((enum mnp_hash_kind)kind));
                for (uint64_t i = 0; i < count; i++)
                    met[mnp_address_place(&map, i << shift).partition]++;
                for (uint32_t i = 0; i < slices; i++)
                    most = met[i] > most ? met[i] : most;
                if (most > 4 * 64)
                    fail_msg("%s over %u: a stride of %u meets one slice %u times of %u", mnp_hash_names[kind], slices,
                             1u << shift, most, count);
            }
        }
    }
}

/* The half of an address is the parity of its bits 12, 13, 16, 17, 19: units of 4 KiB, of which a page of 2 MiB has as
 * many in either; every address has its place and is found again there. */
static void bits_choose_the_half(void **state)
{
    (void)state;
    static const uint32_t bits[] = {12, 13, 16, 17, 19};
    for (uint32_t partitions = 2; partitions <= 48; partitions += 2) {
        struct mnp_address_map map;
        uint32_t second = 0;
        mnp_address_map_init_halves(&map, partitions, 2, 256, mnp_hash_function(MNP_HASH_IPOLY), 0xb3000);
        for (uint64_t address = 0; address < 2 << 20; address += 256) {
            uint32_t half = 0;
            for (uint32_t i = 0; i < 5; i++)
                half ^= (uint32_t)(address >> bits[i] & 1);
            struct mnp_address_place place = mnp_address_place(&map, address + 77);
            assert_int_equal(place.partition >= partitions / 2, half);
            assert_int_equal(place.local, mnp_address_local(&map, address + 77));
            assert_int_equal(mnp_address_of(&map, &place), address + 77);
            second += half;
        }
        assert_int_equal(second, (2 << 20) / 256 / 2);
    }
}

/* An address of a range that is moved lies where that of the other range does; others stay. */
static void ranges_can_be_moved(void **state)
{
    (void)state;
    const struct mnp_address_move moves[] = {{1 << 20, 1 << 20, 1 << 24}, {1 << 22, 4096, 0}};
    for (uint32_t halves = 0; halves < 2; halves++) {
        struct mnp_address_map map, plain;
        if (halves)
            mnp_address_map_init_halves(&plain, 6, 2, 256, mnp_hash_function(MNP_HASH_IPOLY), 0xb3000);
        else
            mnp_address_map_init(&plain, 5, 3, 256, mnp_hash_function(MNP_HASH_IPOLY));
        map = plain;
        map.move_count = 2;
        memcpy(map.moves, moves, sizeof moves);
        for (uint64_t address = 32; address < 5 << 20; address += 1056) {
            bool first = address - moves[0].from < moves[0].bytes, second = address - moves[1].from < moves[1].bytes;
            uint64_t moved = address + (first ? moves[0].to - moves[0].from : second ? -moves[1].from : 0);
            struct mnp_address_place place = mnp_address_place(&map, address),
                                     expected = mnp_address_place(&plain, moved);
            assert_memory_equal(&place, &expected, sizeof place);
            assert_int_equal(mnp_address_local(&map, address), expected.local);
            assert_int_equal(mnp_address_of(&map, &place), moved);
        }
    }
}

/* All on one line, of so many sectors each. */
static uint64_t atomics_on_one_line(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    (void)number;
    request->kind = GPU_REDUCTION;
    request->sectors = (uint8_t)sm->options->seed;
    return 0;
}

/* Three cycles a sector; or as long as reading them by 64 bytes and writing them by 32 takes. */
static void atomics_are_performed_at_their_rate(void **state)
{
    (void)state;
    static const uint8_t sectors[] = {1, 3, 15, 1, 3, 15}, cycles[] = {3, 6, 12, 1 + 1, 1 + 2, 2 + 4};
    for (size_t i = 0; i < sizeof sectors; i++) {
        struct memory_options options;
        struct memory_machine machine;
        memory_defaults(&options);
        options.requests = 1000;
        options.partition.atomic_cycles = i < 3 ? 3 : 0;
        options.partition.port = 64;
        options.partition.write_port = 32;
        options.make = atomics_on_one_line;
        options.seed = sectors[i];
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 100000);
        assert_true(memory_is_at_rest(&machine));
        uint64_t performed = options.sms * options.requests * (uint64_t)__builtin_popcount(sectors[i]);
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_ATOMICS), performed);
        uint64_t taken = (uint64_t)options.sms * options.requests * cycles[i];
        assert_in_range(busy_cycles(&machine), taken - 3 * 4, taken + 100);
        memory_release(&machine);
    }
}

/* SMs write one sector each of one line: SM i that of digit i of the seed. */
static uint64_t write_one_line(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    (void)number;
    uint32_t sector = (uint32_t)(sm->options->seed >> 4 * sm->index & 3);
    request->kind = GPU_WRITE;
    request->sectors = (uint8_t)(1u << sector);
    request->bytes[sector / 2] = UINT64_C(0xf) << 32 * (sector % 2);
    return 0;
}

/* Core cycles from the first acknowledgement to that of each SM, when all writes arrive together, in SM order: a run of
 * writes to one sector is written at once, up to `most` of them; the port gives the first one a cycle, and the joined
 * ones leave together in the next. Returns the cycles in which the slice writes. */
static uint64_t expect_writes(uint32_t sectors, uint64_t most, uint64_t cycles, uint64_t *replies)
{
    uint64_t now = 0, joined = 1;
    replies[0] = 0;
    for (uint32_t sm = 1; sm < 4; sm++) {
        bool same = (sectors >> 4 * sm & 3) == (sectors >> 4 * (sm - 1) & 3);
        joined = same && joined < most ? joined + 1 : 1;
        now += joined == 1 ? cycles : 0;
        replies[sm] = now + (joined > 1);
    }
    return now + cycles;
}

/* Four SMs, each of a GPC of its own, write at the same time. */
static void writes_to_one_sector_join_up_to_the_limit(void **state)
{
    (void)state;
    static const uint32_t sectors[] = {0x0000, 0x1110, 0x0110, 0x0101, 0x3210};
    for (size_t i = 0; i < sizeof sectors / sizeof *sectors; i++)
        for (uint64_t most = 1; most <= 4; most++) {
            struct memory_options options;
            struct memory_machine machine;
            uint64_t replies[4];
            memory_defaults(&options);
            options.sms = options.gpcs = 4;
            options.requests = 1;
            options.partition.write_port = 8; /* four cycles a sector */
            options.partition.coalesce_writes = most;
            options.make = write_one_line;
            options.seed = sectors[i];
            memory_build(&machine, &options);
            memory_run(&machine, &serial, 1000);
            assert_true(memory_is_at_rest(&machine));
            uint64_t busy = expect_writes(sectors[i], most, 4, replies);
            for (uint32_t sm = 0; sm < 4; sm++)
                assert_int_equal(machine.sms[sm].state->last_reply - machine.sms[0].state->last_reply, replies[sm]);
            assert_int_equal(memory_partition_sum(&machine, GPU_L2_WRITES), 4);
            assert_int_equal(memory_partition_sum(&machine, GPU_L2_BUSY), busy);
            memory_release(&machine);
        }
}

/* ===== lines and copies in one room ===== */

enum { ROOM_WAYS = 8, ROOM_LINES = 48 };

/* A line of a set as a list keeps it, for two parts. */
struct room_line {
    uint64_t used;   /* number of its last access */
    bool home, copy; /* it takes a place where it belongs, and one in the other part */
    bool dirty;
    uint32_t last; /* part of the last access */
};

static uint64_t room_seed(const struct memory_options *options, uint64_t number, uint32_t sm)
{
    uint64_t seed = options->seed ^ (2 * number + sm + 1) * UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < 3; i++)
        memory_random(&seed);
    return seed;
}

/* Two SMs, one in each half, access whole lines in turn; one of four accesses is a write. */
static uint64_t room_traffic(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    uint64_t seed = room_seed(sm->options, number, sm->index);
    bool writes = memory_random(&seed) % 4 == 0;
    if (writes)
        write_the_line(request);
    request->kind = writes ? GPU_WRITE : GPU_READ;
    request->sectors = 15;
    request->line = memory_random(&seed) % ROOM_LINES * 128;
    return (2 * number + sm->index) * 1000;
}

/* Gives up places of the least recent lines of a set. Returns how many lines were written back. */
static uint64_t give_up_places(struct room_line *lines, const uint32_t *parts, uint32_t part, uint32_t newest)
{
    uint64_t written = 0;
    for (;;) {
        uint32_t places = 0, least = ROOM_LINES;
        for (uint32_t i = 0; i < ROOM_LINES; i++) {
            if (parts[i] != part)
                continue;
            places += lines[i].home + lines[i].copy;
            if (i != newest && (lines[i].home || lines[i].copy) &&
                (least == ROOM_LINES || lines[i].used < lines[least].used))
                least = i;
        }
        if (places <= ROOM_WAYS)
            return written;
        struct room_line *line = &lines[least];
        bool home = line->home && (line->last != part || !line->copy);
        written += home && line->dirty;
        line->dirty = line->dirty && !home;
        *(home ? &line->home : &line->copy) = false;
    }
}

/* What a random sequence reads from DRAM, and what is written back, are those of a list of the places of each set. */
static void lines_and_copies_share_a_set(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct memory_options options;
        struct memory_machine machine;
        struct room_line lines[ROOM_LINES] = {{0}};
        uint32_t parts[ROOM_LINES];
        uint64_t misses = 0, written = 0;
        memory_defaults(&options);
        options.sms = options.gpcs = options.partition.count = options.partition.halves = 2;
        options.partition.slices = 1;
        options.partition.copies = options.partition.one_room = true;
        options.partition.interleave = 128;
        options.partition.cache.size = ROOM_WAYS * 128;
        options.partition.cache.ways = ROOM_WAYS;
        options.far_cycles = 100;
        options.requests = 600;
        options.make = room_traffic;
        options.seed = seed;
        memory_build(&machine, &options);
        memory_run(&machine, &serial, 2000 * options.requests + 100000);
        assert_true(memory_is_at_rest(&machine));
        for (uint32_t i = 0; i < ROOM_LINES; i++)
            parts[i] = mnp_address_place(&machine.map, i * UINT64_C(128)).partition;
        for (uint64_t i = 0; i < 2 * options.requests; i++) {
            uint64_t random = room_seed(&options, i / 2, i % 2);
            bool writes = memory_random(&random) % 4 == 0;
            uint32_t which = (uint32_t)(memory_random(&random) % ROOM_LINES), home = parts[which];
            struct room_line *line = &lines[which];
            bool far = i % 2 != home && !writes;
            misses += !writes && !line->home && !line->copy;
            line->home = line->home || !far || !line->copy;
            line->copy = far || (line->copy && !writes);
            line->dirty = line->dirty || writes;
            line->used = i + 1;
            line->last = writes ? home : (uint32_t)(i % 2);
            written += give_up_places(lines, parts, home, which);
        }
        assert_true(misses > 200 && written > 50);
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_READ_MISSES), 4 * misses);
        assert_int_equal(memory_partition_sum(&machine, GPU_L2_WRITEBACKS), 4 * written);
        memory_release(&machine);
    }
}

/* ===== the same bytes however run ===== */

struct outcome {
    uint64_t hash;
    uint64_t counters;
};

static struct outcome run_once(const struct memory_options *options, const struct memory_run *how, uint64_t cycles)
{
    struct memory_machine machine;
    memory_build(&machine, options);
    memory_run(&machine, how, cycles);
    struct outcome outcome = {.hash = mnp_engine_hash(&machine.engine)};
    for (uint32_t i = 0; i < GPU_PARTITION_STATISTICS; i++)
        outcome.counters = outcome.counters * 31 + memory_partition_sum(&machine, i);
    for (uint32_t i = 0; i < GPU_GPC_STATISTICS; i++)
        outcome.counters = outcome.counters * 31 + memory_gpc_sum(&machine, i);
    memory_release(&machine);
    return outcome;
}

static void randomise(struct memory_options *options, uint64_t *seed)
{
    memory_defaults(options);
    options->partition.fetch = UINT64_C(32) << *seed % 3;
    options->sms = 1 + (uint32_t)(memory_random(seed) % 7);
    options->gpcs = 1 + (uint32_t)(memory_random(seed) % (options->sms < 3 ? options->sms : 3));
    options->partition.count = 1 + memory_random(seed) % 4;
    options->partition.slices = 1 + memory_random(seed) % 3;
    options->partition.mshrs = 2 + memory_random(seed) % 20;
    options->partition.dram.queue = 2 + memory_random(seed) % 20;
    options->partition.miss_queue = 2 + memory_random(seed) % 8;
    options->partition.dram.scheduler = memory_random(seed) % 2;
    options->partition.dram.kind = memory_random(seed) % 2 ? MNP_DRAM_KIND_HBM2 : MNP_DRAM_KIND_GDDR6;
    options->partition.dram.timing.refi = memory_random(seed) % 2 ? 500 : 0;
    options->partition.dram.timing.rfc = 60;
    options->network.reply_width = 8u << memory_random(seed) % 4;
    options->network.credit_batch = 1 + memory_random(seed) % 4;
    options->core_hertz = 1000000000 + memory_random(seed) % 500000000;
    options->noc_hertz = memory_random(seed) % 2 ? options->core_hertz : 900000000 + memory_random(seed) % 900000000;
    options->l2_hertz = memory_random(seed) % 2 ? options->core_hertz : 900000000 + memory_random(seed) % 900000000;
    options->dram_hertz = 700000000 + memory_random(seed) % 3000000000;
    options->link_cycles = 3 + memory_random(seed) % 30;
    options->requests = 300;
    options->outstanding = 1 + memory_random(seed) % 100;
    options->seed = memory_random(seed);
    options->make = random_traffic;
    options->partition.coalesce = 1 + memory_random(seed) % 6;
    options->partition.coalesce_writes = 1 + options->seed % 6;
    uint64_t zero = memory_random(seed);
    struct mnp_dram_timing *timing = &options->partition.dram.timing;
    uint64_t *const spans[] = {&timing->rtpl, &timing->rrd, &timing->wr, &timing->cdlr, &timing->rcd, &timing->rp};
    for (uint32_t i = 0; i < sizeof spans / sizeof *spans; i++)
        *spans[i] = zero >> 2 * i & 3 ? *spans[i] : 0;
}

static void the_outcome_never_depends_on_how_it_is_run(void **state)
{
    (void)state;
    static const struct memory_run ways[] = {
        {.no_skip = true},
        {.window = 1},
        {.window = 2},
        {.executor = &mnp_executor_window, .threads = 1},
        {.executor = &mnp_executor_window, .threads = 2},
        {.executor = &mnp_executor_window, .threads = 3, .window = 2},
        {.executor = &mnp_executor_window, .threads = 2, .no_skip = true, .window = 3},
    };
    uint64_t seed = 4711;
    for (int round = 0; round < 12; round++) {
        struct memory_options options;
        randomise(&options, &seed);
        for (uint64_t cycles = 1500; cycles <= 40000; cycles += 38500) { /* in the middle of it, and after it */
            struct outcome expected = run_once(&options, &serial, cycles);
            for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                struct outcome found = run_once(&options, &ways[i], cycles);
                assert_true(found.counters == expected.counters);
                assert_true(found.hash == expected.hash);
            }
        }
    }
}

static void a_restored_machine_goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    uint64_t seed = 1147;
    for (int round = 0; round < 12; round++) {
        struct memory_options options;
        randomise(&options, &seed);
        struct memory_run how = {.no_skip = round % 3 == 0};
        uint64_t end = 40000;
        struct outcome expected = run_once(&options, &serial, end);
        struct memory_machine machine;
        struct mnp_snapshot snapshot = {0};
        struct mnp_error error = {{0}};
        memory_build(&machine, &options);
        memory_run_to(&machine, &serial, machine.engine.epoch * 50);
        mnp_snapshot_save(&snapshot, &machine.engine, NULL);
        memory_release(&machine);
        memory_build(&machine, &options);
        struct mnp_snapshot_reader reader = mnp_snapshot_read(&snapshot, &error);
        assert_true(mnp_snapshot_restore(&reader, &machine.engine, NULL));
        memory_run(&machine, &how, end);
        assert_true(memory_is_at_rest(&machine));
        assert_true(mnp_engine_hash(&machine.engine) == expected.hash);
        mnp_snapshot_release(&snapshot);
        memory_release(&machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(unloaded_latencies_are_exact),
        cmocka_unit_test(every_kind_has_the_latency_of_a_hit),
        cmocka_unit_test(partial_writes_fetch_lazily),
        cmocka_unit_test(full_writes_never_fetch),
        cmocka_unit_test(a_cold_stream_reads_every_sector_once),
        cmocka_unit_test(changed_sectors_go_back_to_their_rows),
        cmocka_unit_test(the_least_recently_used_line_goes),
        cmocka_unit_test(ports_bound_the_bandwidth),
        cmocka_unit_test(a_request_port_bounds_the_writes),
        cmocka_unit_test(small_stores_are_packed),
        cmocka_unit_test(dram_streams_at_its_bandwidth),
        cmocka_unit_test(mshrs_bound_the_misses_under_way),
        cmocka_unit_test(requests_merge_up_to_the_limit),
        cmocka_unit_test(requests_merge_by_sector),
        cmocka_unit_test(strides_spread_over_all_slices),
        cmocka_unit_test(bits_choose_the_half),
        cmocka_unit_test(ranges_can_be_moved),
        cmocka_unit_test(atomics_are_performed_at_their_rate),
        cmocka_unit_test(writes_to_one_sector_join_up_to_the_limit),
        cmocka_unit_test(lines_and_copies_share_a_set),
        cmocka_unit_test(the_outcome_never_depends_on_how_it_is_run),
        cmocka_unit_test(a_restored_machine_goes_on_with_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
