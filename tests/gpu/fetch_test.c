/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction caches, on code whose lines are counted: a line of 128 bytes holds eight instructions. Differences of two
 * runs leave what one more line, or one more cycle of a latency, costs.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { PER_LINE = 8 };

/* A kernel of `lines` full lines, EXIT included, run through `times` times. */
static void add_lines(struct script *script, uint32_t threads, uint32_t lines, uint32_t times)
{
    script_kernel(script, 1, threads);
    for (uint32_t i = 0; i < lines * PER_LINE - 1; i++)
        script_compute(script, MNP_CLASS_INT, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER);
    script_repeat(script, 0, times - 1);
}

struct code {
    uint32_t threads, lines, times;
};

/* A statistic of the second launch of a kernel, whose code is then in the L2. */
static uint64_t warm(struct code code, const char *const *overrides, const char *statistic)
{
    struct script *script = script_new();
    add_lines(script, code.threads, code.lines, code.times);
    add_lines(script, code.threads, code.lines, code.times);
    uint64_t value = bench_statistic(script, overrides, 1, statistic);
    script_free(script);
    return value;
}

static uint64_t warm_cycles(uint32_t lines, const char *const *overrides)
{
    return warm((struct code){32, lines, 1}, overrides, "gpu_sim_cycle");
}

static uint64_t total(struct script *script, const char *const *overrides, const char *name)
{
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    bench_run(script, overrides, &options, &results);
    uint64_t value = mnp_statistics_get(&results.total, name);
    mnp_results_release(&results);
    return value;
}

#define CACHES "sm.l1i.size=128KiB", "sm.l0i.size=4KiB"

/* Without prefetch each line of straight code costs the way to the L1 and back, and that to the L2. */
static void test_latency_of_a_line(void **state)
{
    (void)state;
    static const char *const base[] = {CACHES, "sm.l0i.prefetch=0", "sm.l1i.latency=39", NULL};
    static const char *const slower[] = {CACHES, "sm.l0i.prefetch=0", "sm.l1i.latency=40", NULL};
    static const char *const farther[] = {CACHES, "sm.l0i.prefetch=0", "latency.l2=217", NULL};
    assert_int_equal(warm_cycles(20, slower) - warm_cycles(20, base), 20 * 2);
    assert_int_equal(warm_cycles(20, farther) - warm_cycles(20, base), 20 * 17);
    static const char *const perfect[] = {"sm.l1i.size=0", NULL};
    uint64_t line = (warm_cycles(20, base) - warm_cycles(10, base)) / 10;
    uint64_t hits = (warm_cycles(20, perfect) - warm_cycles(10, perfect)) / 10;
    assert_int_equal(hits, 2 * PER_LINE); /* 16 integer lanes */
    /* 200 cycles of the L2 contain 6 before the look-up of a load and 4 behind its arrival; the fetch of the first
     * instruction takes 2, and those buffered have issued while the line was on its way. */
    assert_in_range(line, 78 + 190, 78 + 190 + 2 * PER_LINE);
}

/* The stream buffer keeps eight lines on their way, of 16 cycles each: more than the 78 cycles to the L1 and back, less
 * than the L2's. */
static void test_prefetch(void **state)
{
    (void)state;
    static const char *const lines[][5] = {{CACHES, "sm.l0i.prefetch=0", NULL},
                                           {CACHES, "sm.l0i.prefetch=1", NULL},
                                           {CACHES, "sm.l0i.prefetch=4", NULL},
                                           {CACHES, "sm.l0i.prefetch=8", NULL},
                                           {CACHES, "sm.l0i.prefetch=24", "sm.l0i.misses=32", NULL}};
    uint64_t cycles[5];
    for (uint32_t i = 0; i < 5; i++)
        cycles[i] = warm_cycles(80, lines[i]) - warm_cycles(40, lines[i]);
    uint64_t miss = cycles[0] / 40;
    for (uint32_t i = 0; i < 3; i++) { /* 1, 2 and 5 lines at a time */
        uint64_t at_once = i == 0 ? 1 : i == 1 ? 2 : 5;
        assert_in_range(cycles[i], 40 * miss / at_once - 40 * 4, 40 * miss / at_once + 40 * 4);
    }
    assert_in_range(cycles[3], 40 * miss / 9 - 40 * 4, 40 * miss / 9 + 40 * 4);
    assert_int_equal(cycles[4], 40 * 2 * PER_LINE);
    static const char *const resident[] = {"sm.l1i.size=128KiB", "sm.l0i.size=512", "sm.l0i.ways=4", NULL};
    uint64_t twice = warm((struct code){32, 40, 2}, resident, "gpu_sim_cycle");
    uint64_t thrice = warm((struct code){32, 40, 3}, resident, "gpu_sim_cycle");
    /* Out of the L1, eight lines ahead: no stall but at the jump back. */
    assert_in_range(thrice - twice, 40 * 2 * PER_LINE, 40 * 2 * PER_LINE + 100);
}

/* Two warps of a sub-core run through code forty lines apart, and each takes the stream buffer from the other. What has
 * come ahead is in the L0 all the same: together they ask for fewer lines than each of them enters. */
static void test_streams_apart(void **state)
{
    (void)state;
    static const char *const machine[] = {"sm.l1i.size=128KiB", "sm.l0i.size=32KiB", "sm.subcores=1", NULL};
    struct script *script = script_new();
    for (uint32_t launch = 0; launch < 2; launch++) {
        add_lines(script, 64, 80, 1);
        script_skip(script, 40 * PER_LINE);
    }
    uint64_t asked = total(script, machine, "L1I_total_cache_accesses") + total(script, machine, "L1I_prefetches");
    assert_int_equal(total(script, machine, "L0I_total_cache_accesses"), 2 * (80 + 40));
    assert_in_range(asked, 2 * 80, 2 * (80 + 40));
    script_free(script);
}

/* A loop that fits into the L0 misses once per line; one line more, and least recently used replacement always
 * misses. */
static void test_capacity_of_l0(void **state)
{
    (void)state;
    static const char *const machine[] = {"sm.l1i.size=128KiB", "sm.l0i.size=512", "sm.l0i.ways=4", "sm.l0i.prefetch=0",
                                          NULL};
    assert_int_equal(warm((struct code){32, 4, 10}, machine, "L0I_total_cache_misses"), 4);
    assert_int_equal(warm((struct code){32, 5, 10}, machine, "L0I_total_cache_misses"), 50);
    assert_int_equal(warm((struct code){32, 5, 10}, machine, "L1I_total_cache_accesses"), 50);
    assert_int_equal(warm((struct code){32, 5, 10}, machine, "L1I_total_cache_misses"), 5);
    assert_int_equal(warm((struct code){32, 5, 10}, machine, "L0I_total_cache_accesses"), 50);
}

static void test_capacity_of_l1(void **state)
{
    (void)state;
    static const char *const machine[] = {"sm.l1i.size=1KiB", "sm.l1i.ways=8",     "sm.l0i.size=512",
                                          "sm.l0i.ways=4",    "sm.l0i.prefetch=0", NULL};
    assert_int_equal(warm((struct code){32, 8, 6}, machine, "L1I_total_cache_misses"), 8);
    assert_int_equal(warm((struct code){32, 9, 6}, machine, "L1I_total_cache_misses"), 54);
    static const char *const alone[] = {"sm.l1i.size=1KiB", "sm.l1i.ways=8", "sm.l0i.size=0", "sm.l0i.prefetch=0",
                                        NULL};
    assert_int_equal(warm((struct code){32, 8, 6}, alone, "L1I_total_cache_misses"), 8);
    assert_int_equal(warm((struct code){32, 9, 6}, alone, "L1I_total_cache_misses"), 54);
}

/* Four sub-cores run into a line at about the same time: one fetches it from the L2 for all. */
static void test_sharing(void **state)
{
    (void)state;
    static const char *const machine[] = {CACHES, "sm.l0i.prefetch=0", NULL};
    struct code code = {128, 10, 1};
    assert_int_equal(warm(code, machine, "L1I_total_cache_accesses"), 40);
    assert_int_equal(warm(code, machine, "L1I_total_cache_misses"), 10);
    assert_int_equal(warm(code, machine, "L1I_total_cache_pending_hits"), 30);
}

/* Four SMs in two GPCs run the same five lines: each GPC asks the L2 once for a line. */
static void test_sharing_in_a_gpc(void **state)
{
    (void)state;
    static const char *const machine[] = {CACHES, "sm.l0i.prefetch=0", "gpc.code.size=16KiB", NULL};
    static const char *const alone[] = {CACHES, "sm.l0i.prefetch=0", NULL};
    struct script *script = script_new();
    script_kernel(script, 4, 32);
    for (uint32_t i = 0; i < 5 * PER_LINE - 1; i++)
        script_compute(script, MNP_CLASS_INT, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER);
    assert_int_equal(total(script, machine, "gpc_code_accesses"), 4 * 5);
    assert_int_equal(total(script, machine, "gpc_code_misses"), 2 * 5);
    assert_int_equal(total(script, machine, "L2_fetches"), 2 * 5 * 4); /* sectors */
    assert_int_equal(total(script, alone, "L2_fetches"), 4 * 5 * 4);
    script_free(script);
    /* A line that the GPC keeps costs less than one of the L2: the way to the partition and its pipeline. */
    assert_true(warm_cycles(20, machine) + 20 * 50 < warm_cycles(20, alone));
}

static void load_constant(struct script *script, uint64_t address)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_CONSTANT, 4, 3, 3, address, 0);
}

static const char *const constants[] = {"sm.l1i.size=128KiB", "sm.constant.size=1KiB",
                                        "sm.constant.ways=8", "sm.l0i.prefetch=16",
                                        "sm.l1i.latency=39",  "sm.count=1",
                                        "gpc.count=1",        NULL};

/* Eight lines fill the cache; the first is used again, and a ninth takes the place of the second. A kernel finds
 * nothing of the one before it: constants are the host's to change between them. */
static void test_constants_replaced(void **state)
{
    (void)state;
    static const uint8_t again[] = {0, 8, 0, 1}; /* lines: hit, miss, hit, miss */
    struct script *script = script_new();
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        script_kernel(script, 1, 32);
        for (uint64_t line = 0; line < 8; line++)
            load_constant(script, line * 128);
        for (size_t i = 0; i < sizeof again; i++)
            load_constant(script, again[i] * UINT64_C(128));
    }
    assert_int_equal(bench_statistic(script, constants, 0, "constant_misses"), 8 + 2);
    assert_int_equal(bench_statistic(script, constants, 1, "constant_misses"), 8 + 2);
    script_free(script);
}

/* Misses of several warps to as many lines are under way at once: together they take hardly longer than one. */
static void test_constants_overlap(void **state)
{
    (void)state;
    uint64_t taken[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct script *script = script_new();
        script_kernel(script, 1, i ? 4 * 32 : 32);
        load_constant(script, 0);
        script_spread(script, 0, 128);
        taken[i] = bench_statistic(script, constants, 0, "gpu_sim_cycle");
        assert_int_equal(bench_statistic(script, constants, 0, "constant_misses"), i ? 4 : 1);
        script_free(script);
    }
    assert_in_range(taken[1] - taken[0], 0, 60); /* of 200 and more for each */
}

/* Dependent loads of constants: 29 cycles each from the cache; a line that is not there costs the way to the L1 and, at
 * first, that to the L2 more. */
static void test_constants(void **state)
{
    (void)state;
    static const char *const slower[] = {"sm.l1i.size=128KiB",
                                         "sm.constant.size=1KiB",
                                         "sm.constant.ways=8",
                                         "sm.l0i.prefetch=16",
                                         "sm.l1i.latency=39",
                                         "sm.constant.latency=34",
                                         NULL};
    struct script *script = script_new();
    script_kernel(script, 1, 32); /* eight lines, twice; then nine, three times: least recently used always misses */
    for (uint32_t i = 0; i < 16; i++)
        load_constant(script, i % 8 * 128);
    script_kernel(script, 1, 32);
    for (uint32_t i = 0; i < 27; i++)
        load_constant(script, i % 9 * 128);
    assert_int_equal(bench_statistic(script, constants, 0, "constant_accesses"), 16);
    assert_int_equal(bench_statistic(script, constants, 0, "constant_misses"), 8);
    assert_int_equal(bench_statistic(script, constants, 1, "constant_misses"), 27);
    uint64_t cycles = bench_statistic(script, constants, 1, "gpu_sim_cycle");
    assert_int_equal(bench_statistic(script, slower, 1, "gpu_sim_cycle") - cycles,
                     27 * 5 - 5); /* EXIT waits for none */
    script_free(script);
}

static uint64_t four_words(uint32_t lane)
{
    return lane % 4 * 4;
}

static uint64_t different_words(uint32_t lane)
{
    return lane * UINT64_C(4);
}

static uint64_t different_lines(uint32_t lane)
{
    return lane * UINT64_C(128);
}

/* Cycles of a CTA of so many warps, each of which loads constants and uses them. */
static uint64_t divergent_cycles(uint64_t (*lane_address)(uint32_t lane), uint32_t warps, const char *granule)
{
    const char *const machine[] = {"sm.l1i.size=128KiB", "sm.constant.size=0", granule, NULL};
    struct script *script = script_new();
    script_kernel(script, 1, warps * 32);
    script_scatter(script, MNP_LOAD, MNP_SPACE_CONSTANT, 4, 3, 3, lane_address);
    script_compute(script, MNP_CLASS_INT, 4, 3);
    uint64_t cycles = bench_statistic(script, machine, 0, "gpu_sim_cycle");
    script_free(script);
    return cycles;
}

/* Lanes with different addresses are served one after the other: the last one so many cycles later. The cache is that
 * of all sub-cores: what comes with or behind such a load waits for its last pass. */
static void test_constants_diverge(void **state)
{
    (void)state;
    const char *word = "sm.constant.granule=4", *one = "sm.constant.granule=0";
    uint64_t uniform = divergent_cycles(different_words, 1, one);
    assert_int_equal(divergent_cycles(four_words, 1, word), uniform + 3);
    assert_int_equal(divergent_cycles(different_words, 1, word), uniform + 31);
    assert_int_equal(divergent_cycles(different_words, 1, "sm.constant.granule=32"), uniform + 3);
    assert_int_equal(divergent_cycles(different_words, 1, "sm.constant.granule=128"), uniform);
    assert_int_equal(divergent_cycles(four_words, 4, word) - divergent_cycles(four_words, 4, one), 4 * 4 - 1);
    assert_int_equal(divergent_cycles(different_words, 4, word) - divergent_cycles(different_words, 4, one),
                     4 * 32 - 1);
}

static uint64_t divergent_statistic(uint32_t warps, const char *name)
{
    struct script *script = script_new();
    script_kernel(script, 1, warps * 32);
    script_scatter(script, MNP_LOAD, MNP_SPACE_CONSTANT, 4, 3, 3, different_lines);
    script_compute(script, MNP_CLASS_INT, 4, 3);
    uint64_t value = bench_statistic(script, constants, 0, name);
    script_free(script);
    return value;
}

/* A load that wants 32 lines of a cache of eight has each of them once, and waits for the last. */
static void test_constants_of_many_lines(void **state)
{
    (void)state;
    for (uint32_t warps = 1; warps <= 8; warps *= 8) {
        assert_int_equal(divergent_statistic(warps, "constant_accesses"), warps);
        assert_int_equal(divergent_statistic(warps, "constant_misses"), warps);
        assert_int_equal(divergent_statistic(warps, "constant_passes"), 32 * warps);
    }
    struct script *script = script_new();
    script_kernel(script, 1, 32); /* the same 32 lines, one after the other */
    for (uint32_t lane = 0; lane < 32; lane++)
        load_constant(script, different_lines(lane));
    assert_int_equal(bench_statistic(script, constants, 0, "constant_misses"), 32);
    assert_int_equal(bench_statistic(script, constants, 0, "L1I_total_cache_accesses"),
                     divergent_statistic(1, "L1I_total_cache_accesses"));
    assert_true(divergent_statistic(1, "gpu_sim_cycle") < bench_statistic(script, constants, 0, "gpu_sim_cycle"));
    script_free(script);
}

/* With the parameters' line there from the start, loads of it cost as much as where all hit; the next line misses. */
static void test_parameters(void **state)
{
    (void)state;
    static const char *const there[] = {"sm.l1i.size=128KiB", "sm.constant.preload=true", NULL};
    static const char *const hits[] = {"sm.l1i.size=128KiB", "sm.constant.size=0", NULL};
    static const char *const cold[] = {"sm.l1i.size=128KiB", NULL};
    for (uint32_t line = 0; line < 2; line++) {
        struct script *script = script_new();
        for (uint32_t kernel = 0; kernel < 2; kernel++) { /* of one name: the second finds its code in the L2 */
            script_kernel(script, 1, 32);
            for (uint32_t i = 0; i < 4; i++)
                load_constant(script, line * 128);
        }
        for (uint32_t kernel = 0; kernel < 2; kernel++) {
            assert_int_equal(bench_statistic(script, there, kernel, "constant_misses"), line);
            assert_int_equal(bench_statistic(script, cold, kernel, "constant_misses"), 1);
        }
        uint64_t ideal = bench_statistic(script, hits, 1, "gpu_sim_cycle");
        uint64_t missed = bench_statistic(script, cold, 1, "gpu_sim_cycle");
        assert_int_equal(bench_statistic(script, there, 1, "gpu_sim_cycle"), line ? missed : ideal);
        assert_true(ideal < missed);
        script_free(script);
    }
}

/* The first launch finds nothing in the L2; its fetches reach the DRAM. */
static void test_cold_code(void **state)
{
    (void)state;
    static const char *const machine[] = {CACHES, "sm.l0i.prefetch=0", NULL};
    static const char *const farther[] = {CACHES, "sm.l0i.prefetch=0", "latency.dram=441", NULL};
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct script *script = script_new();
        add_lines(script, 32, 2, 1); /* one piece of the address map: the second line finds its row open */
        cycles[i] = bench_statistic(script, i ? farther : machine, 0, "gpu_sim_cycle");
        script_free(script);
    }
    assert_int_equal(cycles[1] - cycles[0], 2 * 21);
}

/* The second launch of a kernel of so many lines, which says how many bytes of code it has; they are in the L2. */
static uint64_t launched(uint32_t lines, uint64_t code_bytes, const char *const *overrides)
{
    struct script *script = script_new();
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        script_kernel(script, 1, 32)->code_bytes = code_bytes;
        for (uint32_t i = 0; i < lines * PER_LINE - 1; i++)
            script_compute(script, MNP_CLASS_INT, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER);
    }
    uint64_t value = bench_statistic(script, overrides, 1, "gpu_sim_cycle");
    script_free(script);
    return value;
}

#define AHEAD CACHES, "sm.l0i.prefetch=0", "sm.l1i.latency=39", "launch.kernel=20000"

/* Code that is fetched while its kernel is being launched costs the way to the L1 and back; what is not, the way to the
 * L2 as well. */
static void test_code_comes_with_the_launch(void **state)
{
    (void)state;
    static const char *const base[] = {AHEAD, "launch.prefetch=128KiB", NULL};
    static const char *const farther[] = {AHEAD, "launch.prefetch=128KiB", "latency.l2=217", NULL};
    static const char *const slower[] = {AHEAD, "launch.prefetch=128KiB", "sm.l1i.latency=40", NULL};
    uint64_t cycles = launched(20, 20 * 128, base);
    assert_int_equal(launched(20, 20 * 128, farther), cycles);
    assert_int_equal(launched(20, 20 * 128, slower), cycles + 20 * 2);
    assert_int_equal(launched(20, 12 * 128, farther) - launched(20, 12 * 128, base), 8 * 17);
    assert_int_equal(launched(20, 0, farther) - launched(20, 0, base), 18 * 17); /* one unit, of 256 bytes */
    static const char *const less[] = {AHEAD, "launch.prefetch=1KiB", NULL};
    static const char *const less_farther[] = {AHEAD, "launch.prefetch=1KiB", "latency.l2=217", NULL};
    assert_int_equal(launched(20, 20 * 128, less_farther) - launched(20, 20 * 128, less), 12 * 17);
    static const char *const few[] = {AHEAD, "launch.prefetch=128KiB", "sm.l1i.misses=1", NULL};
    assert_int_equal(launched(20, 20 * 128, few), cycles); /* one after the other, while there is time */
}

static uint64_t launched_after(uint64_t latency, const char *prefetch)
{
    char text[32];
    snprintf(text, sizeof text, "launch.kernel=%lu", (unsigned long)latency);
    const char *const machine[] = {CACHES, text, prefetch, "sm.l0i.prefetch=0", NULL};
    return launched(1, 128, machine);
}

/* A line is there in the cycle in which it comes: as long as the launch is too short for that, a cycle more of it costs
 * nothing, and a cycle each from then on. By then it has saved all that the line costs without. */
static void test_code_blocks_until_it_comes(void **state)
{
    (void)state;
    const char *ahead = "launch.prefetch=128KiB", *alone = "launch.prefetch=0";
    uint64_t saves = launched_after(9000, alone) - launched_after(9000, ahead);
    uint64_t ready = 9000 - (launched_after(9000, ahead) - launched_after(0, ahead));
    assert_in_range(ready, 100, saves);
    assert_int_equal(launched_after(ready - 1, ahead), launched_after(ready, ahead));
    assert_int_equal(launched_after(ready + 1, ahead), launched_after(ready, ahead) + 1);
    assert_int_equal(launched_after(ready + 9, ahead), launched_after(ready, ahead) + 9);
    assert_int_equal(launched_after(ready, alone) - launched_after(ready, ahead), saves);
    assert_int_equal(launched_after(ready - 1, alone) - launched_after(ready - 1, ahead), saves - 1);
}

static void test_bad_values(void **state)
{
    (void)state;
    static const char *const machines[][3] = {{"sm.l1i.size=1KiB", "sm.l1i.ways=16", NULL},
                                              {"sm.l0i.size=100", "sm.l1i.size=128KiB", NULL},
                                              {"sm.l1i.line=96", "sm.l1i.size=128KiB", NULL},
                                              {"sm.l0i.prefetch=33", NULL}};
    for (uint32_t i = 0; i < 4; i++) {
        struct script *script = script_new();
        add_lines(script, 32, 1, 1);
        struct mnp_error error;
        bench_fail(script, machines[i], &error);
        assert_true(error.text[0]);
        script_free(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latency_of_a_line),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_streams_apart),
        cmocka_unit_test(test_capacity_of_l0),
        cmocka_unit_test(test_capacity_of_l1),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_cold_code),
        cmocka_unit_test(test_sharing_in_a_gpc),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_constants_replaced),
        cmocka_unit_test(test_constants_overlap),
        cmocka_unit_test(test_constants_diverge),
        cmocka_unit_test(test_constants_of_many_lines),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_code_comes_with_the_launch),
        cmocka_unit_test(test_code_blocks_until_it_comes),
        cmocka_unit_test(test_bad_values),
    };
    return cmocka_run_group_tests_name("gpu fetch", tests, NULL, NULL);
}
