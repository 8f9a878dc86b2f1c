/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory pipeline of an SM: back-pressure, latency and bandwidth by width, what stores do to the L1, the carve-out,
 * local memory, textures, atomics of shared memory; and the throughput of every execution class. Expectations are
 * published ones: Huerta et al., arXiv 2503.20481 (issue cycles of memory instructions, latencies by width), the CUDA
 * C++ programming guide (banks, carve-out), the lanes of the machine file.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SHORT_RUN = 128, LONG_RUN = 384 };

struct access { /* one instruction of a test, repeated */
    enum mnp_memory_operation operation;
    enum mnp_memory_space space;
    uint8_t width;
    bool dependent;
    uint64_t stride;
    uint32_t lanes; /* mask; 0: all */
};

static void add(struct script *script, const struct access *access, uint32_t i)
{
    uint8_t destination = access->dependent ? 4 : (uint8_t)(8 + 4 * (i % 32));
    script_memory(script, access->operation, access->space, access->width,
                  access->operation == MNP_STORE ? MNP_ZERO_REGISTER : destination,
                  access->dependent ? 4 : MNP_ZERO_REGISTER, 0x10000, access->stride);
    if (access->lanes)
        script_lanes(script, access->lanes);
}

static uint64_t cycles_of(const struct access *access, uint32_t repeat, uint32_t threads, const char *const *overrides)
{
    struct script *script = script_new();
    script_kernel(script, 1, threads);
    for (uint32_t i = 0; i < repeat; i++)
        add(script, access, i);
    uint64_t cycles = bench_statistic(script, overrides, 0, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

static uint64_t per_access(struct access access, uint32_t threads, const char *const *overrides)
{
    uint64_t difference =
        cycles_of(&access, LONG_RUN, threads, overrides) - cycles_of(&access, SHORT_RUN, threads, overrides);
    return difference / (LONG_RUN - SHORT_RUN);
}

/* ===== replacement ===== */

/* One set of eight lines. The first is used again before a ninth comes, which takes the place of the second. */
static void test_least_recently_used(void **state)
{
    (void)state;
    static const char *const one_set[] = {"sm.l1d.size=1KiB", "sm.l1d.ways=8", NULL};
    static const uint64_t again[] = {0, 8, 0, 1};
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    for (uint64_t line = 0; line < 8; line++)
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 4, 4, 0x10000 + line * 128, 0);
    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 4, 4, 0x10000 + again[i] * 128, 0);
    assert_int_equal(bench_statistic(script, one_set, 0, "L1D_total_cache_misses"), 8 + 2);
    script_free(script);
}

/* ===== back-pressure ===== */

/* Cycle in which the last of `loads` issues, but for a constant: arithmetic that outlasts them follows. */
static uint64_t issue_of_last(uint32_t loads, uint32_t threads, const char *const *overrides)
{
    struct script *script = script_new();
    script_kernel(script, 1, threads);
    for (uint32_t i = 0; i < loads; i++)
        add(script, &(struct access){MNP_LOAD, MNP_SPACE_GLOBAL, 4, false, 4}, i);
    for (uint32_t i = 0; i < 600; i++)
        script_compute(script, MNP_CLASS_FP32, 2, 2);
    uint64_t cycles = bench_statistic(script, overrides, 0, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

/* Five issue back to back, the sixth eleven cycles after the first; then one in four cycles, or in eight when all four
 * sub-cores share a pipeline that takes one in two. */
static void test_back_pressure(void **state)
{
    (void)state;
    static const char *const one_in_two[] = {"sm.memory.interval=2", "sm.l1d.merge=1024", "sm.memory.loads=1024", NULL};
    uint64_t first = issue_of_last(1, 32, one_in_two);
    assert_int_equal(issue_of_last(5, 32, one_in_two) - first, 4);
    assert_int_equal(issue_of_last(6, 32, one_in_two) - first, 11);
    assert_int_equal(issue_of_last(7, 32, one_in_two) - first, 15);
    assert_int_equal(issue_of_last(30, 32, one_in_two) - first, 11 + 24 * 4);
    assert_int_equal(issue_of_last(30, 128, one_in_two) - issue_of_last(15, 128, one_in_two), 15 * 8);
    assert_int_equal(issue_of_last(30, 64, one_in_two) - issue_of_last(15, 64, one_in_two), 15 * 4);
}

/* ===== latency and bandwidth by width ===== */

static void test_latency_by_width(void **state)
{
    (void)state;
    static const struct {
        uint8_t width;
        uint64_t l1, shared;
    } cases[] = {{1, 30, 24}, {2, 30, 24}, {4, 30, 24}, {8, 32, 24}, {16, 36, 26}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access global = {MNP_LOAD, MNP_SPACE_GLOBAL, cases[i].width, true, cases[i].width};
        struct access shared = {MNP_LOAD, MNP_SPACE_SHARED, cases[i].width, true, cases[i].width};
        assert_int_equal(per_access(global, 32, NULL), cases[i].l1);
        assert_int_equal(per_access(shared, 32, NULL), cases[i].shared);
    }
}

/* One lane waits as long for 16 bytes as for 4, lanes of two half or quarter warps as long as it takes to bring 256
 * bytes back: chases of 8 bytes on an A100, an H100 and a V100 take 2 cycles more with whole warps than with one lane
 * or four. */
static void test_latency_of_few_lanes(void **state)
{
    (void)state;
    static const struct {
        uint32_t lanes;
        uint8_t width;
        uint64_t l1, shared;
    } cases[] = {{0x1, 4, 30, 24},         {0x1, 8, 30, 24},         {0x1, 16, 30, 24},       {0xf, 8, 30, 24},
                 {0xffff, 8, 30, 24},      {0x1ffff, 8, 32, 24},     {0xffff0000, 8, 30, 24}, {0x80000001, 8, 32, 24},
                 {0x80000001, 16, 32, 24}, {0x01010101, 16, 36, 26}, {0xff, 16, 30, 24}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access global = {MNP_LOAD, MNP_SPACE_GLOBAL, cases[i].width, true, cases[i].width, cases[i].lanes};
        struct access shared = {MNP_LOAD, MNP_SPACE_SHARED, cases[i].width, true, cases[i].width, cases[i].lanes};
        assert_int_equal(per_access(global, 32, NULL), cases[i].l1);
        assert_int_equal(per_access(shared, 32, NULL), cases[i].shared);
    }
}

/* 128 bytes per cycle and SM from either; one sub-core alone gets 64 bytes of the L1, 128 of shared memory. */
static void test_bandwidth_by_width(void **state)
{
    (void)state;
    static const struct {
        uint8_t width;
        uint64_t all, l1_alone, shared_alone; /* cycles for an access of each of 16 warps, and of one */
    } cases[] = {{1, 16, 4, 2}, {2, 16, 4, 2}, {4, 16, 4, 2}, {8, 32, 4, 2}, {16, 64, 8, 4}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access global = {MNP_LOAD, MNP_SPACE_GLOBAL, cases[i].width, false, cases[i].width};
        struct access shared = {MNP_LOAD, MNP_SPACE_SHARED, cases[i].width, false, cases[i].width};
        assert_int_equal(per_access(global, 512, NULL), cases[i].all);
        assert_int_equal(per_access(shared, 512, NULL), cases[i].all);
        assert_int_equal(per_access(global, 32, NULL), cases[i].l1_alone);
        assert_int_equal(per_access(shared, 32, NULL), cases[i].shared_alone);
    }
    static const char *const slow_tags[] = {"sm.l1d.interval=2", NULL};
    assert_int_equal(per_access((struct access){MNP_LOAD, MNP_SPACE_GLOBAL, 4, false, 4}, 512, slow_tags), 32);
    assert_int_equal(per_access((struct access){MNP_LOAD, MNP_SPACE_GLOBAL, 8, false, 8}, 512, slow_tags), 32);
    assert_int_equal(per_access((struct access){MNP_LOAD, MNP_SPACE_SHARED, 4, false, 4}, 512, slow_tags), 16);
}

/* Loads that share an interval: the look-up takes so many in so many cycles, and no more than the data allows. */
static void test_shared_interval(void **state)
{
    (void)state;
    static const struct {
        const char *const settings[3];
        uint64_t narrow, wide; /* 16 loads of 4 bytes a lane, of 8 */
    } cases[] = {{{"sm.l1d.interval=3", "sm.l1d.together=2", NULL}, 24, 32},
                 {{"sm.l1d.interval=5", "sm.l1d.together=4", NULL}, 20, 32},
                 {{"sm.l1d.interval=5", "sm.l1d.together=2", NULL}, 40, 40},
                 {{"sm.l1d.interval=8", "sm.l1d.together=4", NULL}, 32, 32}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access narrow = {MNP_LOAD, MNP_SPACE_GLOBAL, 4, false, 4},
                      wide = {MNP_LOAD, MNP_SPACE_GLOBAL, 8, false, 8};
        struct access shared = {MNP_LOAD, MNP_SPACE_SHARED, 4, false, 4};
        assert_int_equal(per_access(narrow, 512, cases[i].settings), cases[i].narrow);
        assert_int_equal(per_access(wide, 512, cases[i].settings), cases[i].wide);
        assert_int_equal(per_access(shared, 512, cases[i].settings), 16);
    }
}

/* Conflicts of n ways take n cycles of the pipeline, of 8-byte accesses for each half warp. */
static void test_conflict_throughput(void **state)
{
    (void)state;
    static const struct {
        uint8_t width;
        uint64_t stride, cycles;
    } cases[] = {{4, 8, 2}, {4, 16, 4}, {4, 32, 8}, {4, 64, 16}, {4, 128, 32}, {8, 16, 4}, {8, 128, 32}, {16, 32, 8}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access access = {MNP_LOAD, MNP_SPACE_SHARED, cases[i].width, false, cases[i].stride};
        assert_int_equal(per_access(access, 512, NULL), 16 * cases[i].cycles);
    }
}

/* Wavefronts that keep the way back for two cycles each: n ways take 2 n cycles of a warp alone and n of an SM whose
 * four sub-cores all load, and a dependent instruction waits for the last of them. */
static void test_conflicts_of_one_warp(void **state)
{
    (void)state;
    static const char *const two[] = {"sm.memory.wavefront=2", NULL};
    for (uint64_t ways = 2; ways <= 32; ways *= 2) {
        struct access shared = {MNP_LOAD, MNP_SPACE_SHARED, 4, false, 4 * ways};
        assert_int_equal(per_access(shared, 512, two), 16 * ways);
        assert_int_equal(per_access(shared, 32, two), 2 * ways);
        shared.dependent = true;
        assert_int_equal(per_access(shared, 32, two), 24 + 2 * (ways - 1));
        assert_int_equal(per_access(shared, 32, NULL), 24 + ways - 1);
        struct access lines = {MNP_LOAD, MNP_SPACE_GLOBAL, 4, true, 4 * ways};
        assert_int_equal(per_access(lines, 32, two), 30 + 2 * (ways - 1));
        assert_int_equal(per_access(lines, 32, NULL), 30 + ways - 1);
    }
}

static void test_shared_atomics(void **state)
{
    (void)state;
    assert_int_equal(per_access((struct access){MNP_REDUCTION, MNP_SPACE_SHARED, 4, false, 4}, 512, NULL), 16);
    assert_int_equal(per_access((struct access){MNP_REDUCTION, MNP_SPACE_SHARED, 4, false, 0}, 512, NULL), 16 * 32);
    assert_int_equal(per_access((struct access){MNP_ATOMIC, MNP_SPACE_SHARED, 4, true, 4}, 32, NULL), 24);
    assert_int_equal(per_access((struct access){MNP_ATOMIC, MNP_SPACE_SHARED, 4, true, 0}, 32, NULL), 24 + 31);
}

static void test_textures(void **state)
{
    (void)state;
    struct access texture = {MNP_LOAD, MNP_SPACE_TEXTURE, 4, true, 0};
    assert_int_equal(per_access(texture, 32, NULL), 200);
    static const char *const other[] = {"sm.texture.latency=91", NULL};
    assert_int_equal(per_access(texture, 32, other), 91);
    texture.dependent = false;
    assert_int_equal(per_access(texture, 512, NULL), 16 * 4);
}

/* A register that a store reads may be written 14, 16 or 20 cycles after its issue, for 4, 8 or 16 bytes a lane. Here
 * what writes it takes four cycles, and the next round reads it. */
static void test_write_after_read(void **state)
{
    (void)state;
    static const struct {
        uint8_t width;
        uint64_t release;
    } cases[] = {{4, 14}, {8, 16}, {16, 20}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t cycles[2];
        for (uint32_t run = 0; run < 2; run++) {
            struct script *script = script_new();
            script_kernel(script, 1, 32);
            for (uint32_t k = 0; k < (run ? 48 : 16); k++) {
                script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, cases[i].width, 255, 8, 0x10000, cases[i].width);
                script_compute(script, MNP_CLASS_FP32, 8, 255);
            }
            cycles[run] = bench_statistic(script, NULL, 0, "gpu_sim_cycle");
            script_free(script);
        }
        assert_int_equal((cycles[1] - cycles[0]) / 32, cases[i].release + 4);
    }
}

/* ===== stores and the L1 ===== */

static uint64_t misses_of(struct script *script, const char *policy)
{
    const char *const overrides[] = {policy, NULL};
    uint64_t misses = bench_statistic(script, overrides, 0, "L1D_total_cache_misses");
    script_free(script);
    return misses;
}

static void wait_for_all(struct script *script)
{
    script_compute(script, MNP_CLASS_SYNC, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER)->flags |= MNP_FLAG_FENCE;
}

/* Sectors that a load misses after a store of `width` bytes a lane at `stride`; with `before`, a load came first. */
static uint64_t misses_after_store(const char *policy, uint8_t width, uint64_t stride, bool before)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    if (before)
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 255, 0x10000, 4);
    wait_for_all(script);
    script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, width, 255, 255, 0x10000, stride);
    wait_for_all(script);
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 255, 0x10000, 4);
    return misses_of(script, policy);
}

static void test_write_policies(void **state)
{
    (void)state;
    static const char around[] = "sm.l1d.write=around", allocate[] = "sm.l1d.write=allocate",
                      evict[] = "sm.l1d.write=evict";
    /* A line written as a whole can be read only where writes allocate it. */
    assert_int_equal(misses_after_store(around, 4, 4, false), 4);
    assert_int_equal(misses_after_store(allocate, 4, 4, false), 0);
    assert_int_equal(misses_after_store(evict, 4, 4, false), 4);
    /* Two of four bytes written: all sectors are incomplete, and fetched when they are read. */
    assert_int_equal(misses_after_store(allocate, 2, 4, false), 4);
    /* What was there stays, with the new bytes, unless writes evict. */
    assert_int_equal(misses_after_store(around, 2, 4, true), 4);
    assert_int_equal(misses_after_store(allocate, 2, 4, true), 4);
    assert_int_equal(misses_after_store(evict, 2, 4, true), 8);
}

/* Stores go on to the L2 under every policy. */
static void test_writes_go_through(void **state)
{
    (void)state;
    static const char *const policies[][2] = {
        {"sm.l1d.write=around", NULL}, {"sm.l1d.write=allocate", NULL}, {"sm.l1d.write=evict", NULL}};
    for (uint32_t i = 0; i < 3; i++) {
        struct script *script = script_new();
        script_kernel(script, 1, 32);
        for (uint32_t k = 0; k < 10; k++)
            script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, 255, 255, 0x10000, 4);
        assert_int_equal(bench_statistic(script, policies[i], 0, "L2_total_cache_accesses"), 40);
        script_free(script);
    }
}

static void access_lines(struct script *script, enum mnp_memory_operation operation, uint64_t base, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        script_memory(script, operation, MNP_SPACE_GLOBAL, 4, operation == MNP_LOAD ? 3 : 255, 3, base + i * 128, 4);
}

/* Lines of the L1, one set of 32, that are still there of `written` ones when 40 others have been read. */
static uint64_t written_lines_left(uint32_t written, const char *share)
{
    const char *const overrides[] = {"sm.l1d.size=4KiB", "sm.l1d.ways=32", "sm.l1d.write=allocate", share, NULL};
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    access_lines(script, MNP_STORE, 0x10000, written);
    access_lines(script, MNP_LOAD, 0x80000, 40);
    uint64_t before = bench_statistic(script, overrides, 0, "L1D_read_hits");
    access_lines(script, MNP_LOAD, 0x10000, written);
    uint64_t after = bench_statistic(script, overrides, 0, "L1D_read_hits");
    script_free(script);
    return (after - before) / 4;
}

/* A written line goes once they are the share of the 32 lines, so that one less is left; without a share, the oldest
 * line goes. */
static void test_written_share(void **state)
{
    (void)state;
    assert_int_equal(written_lines_left(12, "sm.l1d.written_share=0"), 0);
    assert_int_equal(written_lines_left(7, "sm.l1d.written_share=25"), 7);
    assert_int_equal(written_lines_left(8, "sm.l1d.written_share=25"), 7);
    assert_int_equal(written_lines_left(12, "sm.l1d.written_share=25"), 7);
    assert_int_equal(written_lines_left(12, "sm.l1d.written_share=30"), 9);
    assert_int_equal(written_lines_left(20, "sm.l1d.written_share=50"), 15);
    /* In a cache of sixteen sets of two, two lines fill a set long before their share is reached. */
    const char *const narrow[] = {"sm.l1d.size=4KiB", "sm.l1d.ways=2", "sm.l1d.write=allocate",
                                  "sm.l1d.written_share=100", NULL};
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    access_lines(script, MNP_STORE, 0x10000, 32);
    access_lines(script, MNP_LOAD, 0x80000, 64);
    assert_int_equal(bench_statistic(script, narrow, 0, "L1D_total_cache_misses"), 64 * 4);
    script_free(script);
}

/* Reads past the L1 do not merge: each warp's goes to the L2, though the first is still on its way; others merge. */
static void test_reads_past_the_l1(void **state)
{
    (void)state;
    for (uint32_t past = 0; past < 2; past++) {
        struct script *script = script_new();
        script_kernel(script, 1, 256);
        struct mnp_static_instruction *load = script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 255, 0x10000, 4);
        load->flags |= past ? MNP_FLAG_BYPASS_L1 : 0;
        assert_int_equal(bench_statistic(script, NULL, 0, "L2_total_cache_accesses"), past ? 8 * 4 : 4);
        assert_int_equal(bench_statistic(script, NULL, 0, "L1D_total_cache_accesses"), past ? 0 : 8 * 4);
        script_free(script);
    }
}

/* ===== stores that join ===== */

enum { LINE = 0x10000, SECTORS = 4 };

static void store_line(struct script *script, uint64_t base, uint8_t width, uint64_t stride)
{
    script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, width, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER, base, stride);
}

static uint64_t l2_sectors(struct script *script, uint64_t interval, const char *width, const char *header,
                           const char *joined)
{
    char every[32];
    (void)snprintf(every, sizeof every, "sm.memory.interval=%lu", (unsigned long)interval);
    const char *const overrides[] = {every, width, header, joined, NULL};
    return bench_statistic(script, overrides, 0, "L2_total_cache_accesses");
}

/* The first store keeps the port for (header + 128) / width cycles, in which the second one waits for it. The third, of
 * the second one's line, is looked up two intervals behind the first: it joins if the port is still taken. */
static void test_stores_join_while_one_waits(void **state)
{
    (void)state;
    static const struct {
        const char *width, *header;
        uint64_t port;
    } ports[] = {{"noc.request_width=10", "noc.header=8", 14}, {"noc.request_width=9", "noc.header=7", 15},
                 {"noc.request_width=9", "noc.header=8", 16},  {"noc.request_width=8", "noc.header=8", 17},
                 {"noc.request_width=8", "noc.header=9", 18},  {"noc.request_width=8", "noc.header=24", 19}};
    for (uint64_t interval = 6; interval <= 9; interval++) {
        for (uint32_t i = 0; i < sizeof ports / sizeof *ports; i++) {
            struct script *script = script_new();
            script_kernel(script, 1, 32);
            store_line(script, LINE, 4, 4);
            store_line(script, LINE + 128, 4, 4);
            store_line(script, LINE + 128, 4, 4);
            bool joins = 2 * interval <= ports[i].port; /* the first leaves in the cycle behind its look-up */
            assert_int_equal(l2_sectors(script, interval, ports[i].width, ports[i].header, "sm.memory.joined_stores=1"),
                             joins ? 2 * SECTORS : 3 * SECTORS);
            assert_int_equal(l2_sectors(script, interval, ports[i].width, ports[i].header, "sm.memory.joined_stores=0"),
                             3 * SECTORS);
            script_free(script);
        }
    }
}

/* Sectors at the L2 of four stores to a line behind one to another, while the port is taken. */
static uint64_t four_stores(uint8_t first_width, uint64_t then, bool load_between, const char *joined)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    store_line(script, LINE, 4, 4);
    store_line(script, LINE + 128, first_width, 4);
    if (load_between)
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 8, MNP_ZERO_REGISTER, LINE + 128, 4)->flags |=
            MNP_FLAG_BYPASS_L1;
    for (uint32_t i = 0; i < 3; i++)
        store_line(script, LINE + 128 + then, 2, 4);
    uint64_t sectors = l2_sectors(script, 1, "noc.request_width=2", "noc.header=8", joined);
    script_free(script);
    return sectors;
}

/* Who joins: stores of sectors that the waiting one has, as far as there is room, and none behind another access. */
static void test_which_stores_join(void **state)
{
    (void)state;
    static const char all[] = "sm.memory.joined_stores=8";
    assert_int_equal(four_stores(2, 0, false, all), 2 * SECTORS);
    assert_int_equal(four_stores(2, 2, false, all), 2 * SECTORS);
    assert_int_equal(four_stores(2, 0, false, "sm.memory.joined_stores=2"), 3 * SECTORS);
    /* The load's request is the line's last, then the first of three stores. */
    assert_int_equal(four_stores(2, 0, true, all), 4 * SECTORS);
    /* The first of three has a sector that the one before lacks: 96 bytes of its line and 32 of the next. */
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    store_line(script, LINE, 4, 4);
    script_lanes((store_line(script, LINE + 128, 4, 4), script), 0x00ffffff);
    store_line(script, LINE + 128, 4, 4);
    store_line(script, LINE + 128, 4, 4);
    assert_int_equal(l2_sectors(script, 1, "noc.request_width=2", "noc.header=8", all), SECTORS + 3 + SECTORS);
    script_free(script);
}

/* Two stores of every other half of each word make whole sectors, which a read need not fetch from DRAM. */
static void test_joined_bytes_are_written(void **state)
{
    (void)state;
    for (uint32_t second = 0; second < 2; second++) {
        static const char *const overrides[] = {"noc.request_width=2", "sm.memory.joined_stores=8", NULL};
        struct script *script = script_new();
        script_kernel(script, 1, 32);
        store_line(script, LINE, 4, 4);
        store_line(script, LINE + 128, 2, 4);
        store_line(script, LINE + 128 + 2 * second, 2, 4);
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 8, MNP_ZERO_REGISTER, LINE + 128, 4);
        assert_int_equal(bench_statistic(script, overrides, 0, "L2_total_cache_accesses"), 3 * SECTORS);
        assert_int_equal(bench_statistic(script, overrides, 0, "dram_accesses"), second ? 0 : SECTORS);
        script_free(script);
    }
}

/* ===== the carve-out ===== */

/* Sectors missed when `bytes` are read twice by a CTA with that much shared memory, on a pool of 128 KiB. */
static uint64_t carved_misses(uint32_t bytes, uint32_t shared_bytes)
{
    static const char *const pool[] = {"sm.l1d.size=128KiB",  "sm.l1d.ways=256",
                                       "sm.shared.max=96KiB", "sm.shared.options=[0,16KiB,64KiB,96KiB]",
                                       "sm.ctas=1",           NULL};
    struct script *script = script_new();
    script_kernel(script, 1, 32)->shared_bytes = shared_bytes;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t at = 0; at < bytes; at += 128)
            script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0x100000 + at, 4);
    uint64_t misses = bench_statistic(script, pool, 0, "L1D_total_cache_misses");
    script_free(script);
    return misses / (bytes / 32);
}

static void test_carve_out(void **state)
{
    (void)state;
    enum { KIB = 1024 };
    assert_int_equal(carved_misses(120 * KIB, 0), 1); /* all of the pool is L1: the second round hits */
    assert_int_equal(carved_misses(104 * KIB, 10 * KIB), 1);
    assert_int_equal(carved_misses(60 * KIB, 60 * KIB), 1); /* 60 and 1 reserved: 64 shared, 64 L1 */
    assert_int_equal(carved_misses(40 * KIB, 64 * KIB), 2); /* 65: the option of 96, L1 of 32 */
    assert_int_equal(carved_misses(28 * KIB, 64 * KIB), 1);
}

/* ===== local memory ===== */

/* Every thread's word at one local address: one line of a warp; 16 bytes: four lines. */
static void test_local_memory(void **state)
{
    (void)state;
    static const uint8_t widths[] = {4, 8, 16};
    for (uint32_t i = 0; i < 3; i++) {
        struct script *script = script_new();
        script_kernel(script, 1, 64);
        script_memory(script, MNP_LOAD, MNP_SPACE_LOCAL, widths[i], 4, 255, 0x40, 0);
        assert_int_equal(bench_statistic(script, NULL, 0, "L1D_read_accesses"), 2 * widths[i]);
        assert_int_equal(bench_statistic(script, NULL, 0, "L1D_total_cache_misses"), 2 * widths[i]);
        script_free(script);
    }
}

/* ===== execution classes ===== */

static uint64_t per_pair(enum mnp_execution_class one, enum mnp_execution_class other, const char *const *overrides)
{
    uint64_t cycles[2];
    for (uint32_t run = 0; run < 2; run++) {
        struct script *script = script_new();
        script_kernel(script, 1, 512);
        for (uint32_t i = 0; i < (run ? LONG_RUN : SHORT_RUN); i++) {
            script_compute(script, one, (uint8_t)(8 + i % 64), MNP_ZERO_REGISTER);
            if (other != MNP_CLASS_COUNT)
                script_compute(script, other, (uint8_t)(80 + i % 64), MNP_ZERO_REGISTER);
        }
        cycles[run] = bench_statistic(script, overrides, 0, "gpu_sim_cycle");
        script_free(script);
    }
    return (cycles[1] - cycles[0]) / (LONG_RUN - SHORT_RUN);
}

/* Sixteen warps, four to a sub-core: four times 32 / lanes cycles, and no less than one issue slot each. */
static void test_class_throughput(void **state)
{
    (void)state;
    static const struct {
        enum mnp_execution_class class;
        uint64_t cycles;
    } cases[] = {{MNP_CLASS_INT, 8},  {MNP_CLASS_FP32, 8},     {MNP_CLASS_HALF, 8},    {MNP_CLASS_FP64, 16},
                 {MNP_CLASS_SFU, 32}, {MNP_CLASS_CONVERT, 32}, {MNP_CLASS_TENSOR, 32}, {MNP_CLASS_UNIFORM, 4},
                 {MNP_CLASS_IMAD, 8}, {MNP_CLASS_SPECIAL, 16}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(per_pair(cases[i].class, MNP_CLASS_COUNT, NULL), cases[i].cycles);
}

/* Integer multiply-adds take the FP32 pipe, so that they double the time of FP32; other integer instructions have a
 * pipe of their own. */
static void test_multiply_adds_share_fp32(void **state)
{
    (void)state;
    assert_int_equal(per_pair(MNP_CLASS_IMAD, MNP_CLASS_FP32, NULL), 16);
    assert_int_equal(per_pair(MNP_CLASS_IMAD, MNP_CLASS_INT, NULL), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_recently_used), cmocka_unit_test(test_back_pressure),
        cmocka_unit_test(test_latency_by_width),    cmocka_unit_test(test_latency_of_few_lanes),
        cmocka_unit_test(test_bandwidth_by_width),  cmocka_unit_test(test_shared_interval),
        cmocka_unit_test(test_conflict_throughput), cmocka_unit_test(test_conflicts_of_one_warp),
        cmocka_unit_test(test_shared_atomics),      cmocka_unit_test(test_textures),
        cmocka_unit_test(test_write_after_read),    cmocka_unit_test(test_write_policies),
        cmocka_unit_test(test_writes_go_through),   cmocka_unit_test(test_carve_out),
        cmocka_unit_test(test_written_share),       cmocka_unit_test(test_reads_past_the_l1),
        cmocka_unit_test(test_local_memory),        cmocka_unit_test(test_stores_join_while_one_waits),
        cmocka_unit_test(test_which_stores_join),   cmocka_unit_test(test_joined_bytes_are_written),
        cmocka_unit_test(test_class_throughput),    cmocka_unit_test(test_multiply_adds_share_fp32),
    };
    return cmocka_run_group_tests_name("gpu lsu", tests, NULL, NULL);
}
