/* SPDX-License-Identifier: BSD-3-Clause */
/* Launch latency and rate, occupancy by every limiter, streams, and CTAs that fit nowhere. */
#include "bench.h"
#include "gpu/sm/occupancy.h"

#include "gpu/device/parameters.h"
#include "gpu/device/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t cycles_of(struct script *script, const char *const *overrides)
{
    return bench_statistic(script, overrides, 0, "gpu_sim_cycle");
}

static void test_launch_latency(void **state)
{
    (void)state;
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    const char *const later[] = {"launch.kernel=1100", NULL};
    assert_int_equal(cycles_of(script, later) - cycles_of(script, NULL), 1000);
    assert_int_equal(bench_statistic(script, later, 0, "kernel_launch_cycle"), 1100);
    script_free(script);
}

/* A launch is a time, 1,000 ns in a machine of 1 GHz, and the way to the SMs and back is the network's. */
static void test_launch_on_other_clocks(void **state)
{
    (void)state;
    static const struct {
        const char *clock, *slower;
        uint64_t launch, ways; /* core cycles of a launch, and what 2 · 100 cycles of the network take */
    } cases[] = {
        {"sm.count=4", "clock.core=1GHz", 1000, 200},      {"clock.core=500MHz", "clock.l2=1GHz", 500, 100},
        {"clock.core=200MHz", "clock.l2=1GHz", 200, 40},   {"clock.core=2GHz", "clock.l2=1GHz", 2000, 400},
        {"clock.core=300MHz", "clock.l2=1GHz", 300, 60},   {"clock.noc=500MHz", "clock.l2=1GHz", 1000, 400},
        {"clock.core=1GHz", "clock.l2=500MHz", 1000, 200},
    };
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *const near[] = {cases[c].clock, cases[c].slower, "launch.kernel=1000", "launch.to_sm=30", NULL};
        const char *const far[] = {cases[c].clock, cases[c].slower, "launch.kernel=1000", "launch.to_sm=130", NULL};
        const char *const later[] = {cases[c].clock, cases[c].slower, "launch.kernel=3000", "launch.to_sm=30", NULL};
        assert_int_equal(bench_statistic(script, near, 0, "kernel_launch_cycle"), cases[c].launch);
        assert_int_equal(cycles_of(script, later) - cycles_of(script, near), 2 * cases[c].launch);
        assert_int_equal(cycles_of(script, far) - cycles_of(script, near), cases[c].ways);
    }
    script_free(script);
}

/* The first launch of a function takes launch.first longer; another one, or one that stands in a graph, does not. */
static void test_first_launch(void **state)
{
    (void)state;
    static const char *const names[] = {"one", "two", "one", "two", "three"};
    static const uint64_t expected[] = {600, 600, 100, 100, 40};
    const char *const settings[] = {"launch.kernel=100", "launch.first=500", "launch.graph=40", NULL};
    struct script *script = script_new();
    for (uint32_t i = 0; i < 5; i++) {
        struct mnp_kernel *kernel = script_kernel(script, 1, 32);
        snprintf(kernel->name, sizeof kernel->name, "%s", names[i]);
        kernel->prepared = i == 4;
    }
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(bench_statistic(script, settings, i, "kernel_launch_cycle"), expected[i]);
    script_free(script);
}

/* Ten SMs in GPCs of 4, 3 and 3: by their numbers; over GPCs in turn; the same where the last one is the other half. */
static void test_order(void **state)
{
    (void)state;
    static const struct {
        uint64_t order, halves;
        uint32_t sms[10];
    } cases[] = {{DISPATCH_ORDER_SMS, 2, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
                 {DISPATCH_ORDER_GPCS, 1, {0, 4, 7, 2, 6, 9, 1, 5, 8, 3}},
                 {DISPATCH_ORDER_GPCS, 2, {0, 7, 4, 2, 9, 6, 1, 8, 5, 3}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_parameters p = {.sm.count = 10, .gpc.count = 3, .partition.halves = cases[i].halves};
        uint32_t order[10];
        p.dispatch.order = cases[i].order;
        gpu_placement_order(&p, order);
        assert_memory_equal(order, cases[i].sms, sizeof order);
    }
}

/* On an idle machine CTAs begin with the first SM of the order again: the second and the third kernel of one CTA find
 * their line in the same half, as far away. */
static void test_order_begins_anew(void **state)
{
    (void)state;
    static const char *const settings[] = {"launch.order=gpcs", "sm.count=4",         "gpc.count=2",
                                           "l2.halves=2",       "latency.l2_far=400", NULL};
    struct script *script = script_new();
    for (uint32_t kernel = 0; kernel < 3; kernel++) {
        script_kernel(script, 1, 32);
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 2, 0x10000, 4)->flags |= MNP_FLAG_BYPASS_L1;
    }
    uint64_t second = bench_statistic(script, settings, 1, "gpu_sim_cycle");
    assert_int_equal(bench_statistic(script, settings, 2, "gpu_sim_cycle"), second);
    script_free(script);
}

/* Empty CTAs that never fill the machine: each one more costs one interval more. */
static void test_cta_interval(void **state)
{
    (void)state;
    static const char *const intervals[][2] = {{"launch.cta_interval=1", NULL}, {"launch.cta_interval=9", NULL}};
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t cycles[2];
        for (uint32_t run = 0; run < 2; run++) {
            struct script *script = script_new();
            script_kernel(script, run ? 41 : 11, 32);
            cycles[run] = cycles_of(script, intervals[i]);
            script_free(script);
        }
        assert_int_equal(cycles[1] - cycles[0], 30 * (i ? 9 : 1));
    }
}

/* Cycles of `ctas` empty CTAs. */
static uint64_t cycles_of_empty(uint32_t ctas, const char *const *settings)
{
    struct script *script = script_new();
    script_kernel(script, ctas, 32);
    uint64_t cycles = cycles_of(script, settings);
    script_free(script);
    return cycles;
}

/* CTAs that never fill the machine, and all of which are placed before one ends: number n is placed in the cycle in
 * which n times launch.cta_time are over. */
static void test_cta_time(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        uint64_t thousandths;
    } cases[] = {{"launch.cta_time=740", 740}, {"launch.cta_time=1000", 1000}, {"launch.cta_time=1501", 1501}};
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *const settings[] = {cases[c].setting, NULL};
        uint64_t few = cycles_of_empty(12, settings), more = cycles_of_empty(40, settings);
        assert_int_equal(more - few, 39 * cases[c].thousandths / 1000 - 11 * cases[c].thousandths / 1000);
    }
}

/* Ends of CTAs occupy the dispatcher beside their beginnings: once CTAs end, one more costs both. */
static void test_end_time(void **state)
{
    (void)state;
    static const char *const settings[] = {"launch.cta_time=6740", "launch.end_time=3510", NULL};
    uint64_t more = cycles_of_empty(1200, settings) - cycles_of_empty(400, settings);
    assert_in_range(more, 800 * (6.74 + 3.51) - 11, 800 * (6.74 + 3.51) + 11);
    static const char *const alone[] = {"launch.cta_time=6740", NULL};
    more = cycles_of_empty(1200, alone) - cycles_of_empty(400, alone);
    assert_in_range(more, 800 * 6.74 - 7, 800 * 6.74 + 7);
}

/* Greatest number of CTAs of `threads`, `registers` and `shared` bytes on one SM: those that have arrived when none has
 * ended yet. */
static uint64_t resident(uint32_t threads, uint32_t registers, uint32_t shared)
{
    struct script *script = script_new();
    struct mnp_kernel *kernel = script_kernel(script, 64, threads);
    kernel->registers = registers;
    kernel->shared_bytes = shared;
    for (uint32_t i = 0; i < 4000; i++)
        script_compute(script, MNP_CLASS_SFU, 1, 1);
    const char *const one_sm[] = {"sm.count=1", "gpc.count=1", NULL};
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    options.request.max_cycles = 20000; /* all that fit are there, none has ended */
    bench_run_until(script, one_sm, &options, &results);
    uint64_t ctas = mnp_statistics_get(&results.parts[0]->statistics, "sm_ctas");
    mnp_results_release(&results);
    script_free(script);
    return ctas;
}

/* The limits of the test machine: 48 warps, 16 CTAs, 65,536 registers in units of 256 per warp, 96 KiB of shared memory
 * less 1 KiB per CTA in units of 128 bytes. The expectations are the CUDA occupancy calculator's rules. */
static void test_occupancy(void **state)
{
    (void)state;
    assert_int_equal(resident(32, 16, 0), 16);        /* CTAs */
    assert_int_equal(resident(256, 16, 0), 6);        /* warps: 48 / 8 */
    assert_int_equal(resident(1000, 16, 0), 1);       /* warps: 48 / 32 */
    assert_int_equal(resident(256, 64, 0), 4);        /* registers: 65536 / (8 × 2048) */
    assert_int_equal(resident(256, 65, 0), 3);        /* 65 registers are given as 72: 65536 / (8 × 2304) */
    assert_int_equal(resident(64, 16, 30 * 1024), 3); /* shared: 98304 / 31744 */
    assert_int_equal(resident(64, 16, 31 * 1024), 3); /* 98304 / 32768 */
    assert_int_equal(resident(64, 16, 31 * 1024 + 1), 2);
}

/* The multiprocessor's resident CTAs by the CUDA occupancy calculator for compute capabilities 7.0, 8.0, 8.6 and 9.0:
 * registers are given to a warp in units of 256 and to warps in multiples of four, shared memory in units of 128 bytes
 * (256 on 7.0), and from 8.0 on the system takes 1 KiB of it for each CTA. */
static void test_published_occupancies(void **state)
{
    (void)state;
    enum { KIB = 1024 };
    static const struct {
        uint32_t capability, threads, registers, shared;
        uint64_t ctas;
    } cases[] = {
        {90, 256, 32, 0, 8},
        {90, 128, 40, 0, 12},
        {90, 1024, 64, 0, 1},
        {90, 96, 80, 0, 8},
        {90, 32, 16, 0, 32},
        {90, 128, 32, 48 * KIB, 4},
        {90, 128, 32, 227 * KIB, 1},
        {90, 64, 255, 0, 4},
        {90, 160, 80, 0, 4},
        {80, 256, 32, 40 * KIB, 4},
        {80, 256, 32, 163 * KIB, 1},
        {80, 128, 128, 0, 4},
        {86, 256, 32, 0, 6},
        {86, 32, 16, 0, 16},
        {86, 128, 32, 99 * KIB, 1},
        {86, 128, 32, 32 * KIB, 3},
        {70, 256, 32, 32 * KIB, 3},
        {70, 256, 32, 96 * KIB, 1},
        {70, 128, 32, 8 * KIB + 1, 11},
        {70, 1024, 33, 0, 1},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sm_parameters p = {.subcores = 4, .registers = 65536, .register_unit = 256, .shared_unit = 128};
        p.warps = cases[i].capability == 86 ? 48 : 64;
        p.ctas = cases[i].capability == 86 ? 16 : 32;
        p.shared_reserved = cases[i].capability >= 80 ? 1 * KIB : 0;
        p.shared_unit = cases[i].capability >= 80 ? 128 : 256;
        p.shared_max = cases[i].capability == 90   ? 228 * KIB
                       : cases[i].capability == 86 ? 100 * KIB
                       : cases[i].capability == 80 ? 164 * KIB
                                                   : 96 * KIB;
        struct mnp_kernel kernel = {
            .threads = cases[i].threads, .registers = cases[i].registers, .shared_bytes = cases[i].shared};
        struct sm_demand demand = sm_demand_of(&p, &kernel);
        if (sm_occupancy(&p, &demand) != cases[i].ctas)
            fail_msg("case %u: %lu CTAs, not %lu", i, (unsigned long)sm_occupancy(&p, &demand),
                     (unsigned long)cases[i].ctas);
    }
    assert_int_equal(resident(160, 80, 0), 4); /* 25 warps' registers are there, but only 24 can be used */
}

static void test_cta_that_fits_nowhere(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads, registers, shared;
        const char *key;
    } cases[] = {{1024, 65, 0, "sm.registers"}, {32, 16, 97 * 1024, "sm.shared.max"}, {1600, 16, 0, "sm.warps"}};
    for (uint32_t i = 0; i < 3; i++) {
        struct script *script = script_new();
        struct mnp_kernel *kernel = script_kernel(script, 1, cases[i].threads);
        kernel->registers = cases[i].registers;
        kernel->shared_bytes = cases[i].shared;
        struct mnp_error error;
        bench_fail(script, NULL, &error);
        assert_non_null(strstr(error.text, cases[i].key));
        assert_non_null(strstr(error.text, "fits on no SM"));
        script_free(script);
    }
}

static void test_missing_class(void **state)
{
    (void)state;
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    script_compute(script, MNP_CLASS_TENSOR, 1, 1);
    const char *const none[] = {"sm.tensor.lanes=0", NULL};
    struct mnp_error error;
    bench_fail(script, none, &error);
    assert_non_null(strstr(error.text, "sm.tensor.lanes"));
    script_free(script);
}

/* Kernels of one stream follow one another; kernels of two streams run side by side. */
static void test_streams(void **state)
{
    (void)state;
    uint64_t total[2];
    for (uint32_t streams = 1; streams <= 2; streams++) {
        struct script *script = script_new();
        for (uint32_t i = 0; i < 2; i++) {
            script_kernel(script, 1, 32)->stream = i % streams;
            for (uint32_t k = 0; k < 2000; k++)
                script_compute(script, MNP_CLASS_FP32, 1, 1);
        }
        struct mnp_results results;
        struct mnp_session_options options = bench_options();
        bench_run(script, NULL, &options, &results);
        assert_int_equal(results.part_count, 2);
        total[streams - 1] = mnp_statistics_get(&results.total, "gpu_sim_cycle");
        uint64_t sum = mnp_statistics_get(&results.parts[0]->statistics, "gpu_sim_cycle") +
                       mnp_statistics_get(&results.parts[1]->statistics, "gpu_sim_cycle");
        if (streams == 1)
            assert_int_equal(sum, total[0]);
        mnp_results_release(&results);
        script_free(script);
    }
    assert_true(total[1] < total[0] * 6 / 10);
}

/* Three kernels of a stream each, of one CTA that takes ten thousand cycles: as many as may be run at a time. Where
 * each is to find an empty L2, one. */
static void test_concurrent_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *overrides[2];
        uint64_t rounds;
    } expected[] = {{{"launch.concurrent=1", NULL}, 3},
                    {{"launch.concurrent=2", NULL}, 2},
                    {{"launch.concurrent=3", NULL}, 1},
                    {{"launch.flush_l2=true", NULL}, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct script *script = script_new();
        for (uint32_t kernel = 0; kernel < 3; kernel++) {
            script_kernel(script, 1, 32)->stream = kernel + 1;
            for (uint32_t k = 0; k < 2500; k++)
                script_compute(script, MNP_CLASS_FP32, 3, 3);
        }
        struct mnp_results results;
        struct mnp_session_options options = bench_options();
        bench_run(script, expected[i].overrides, &options, &results);
        uint64_t cycles = mnp_statistics_get(&results.total, "gpu_sim_cycle"), each = 2500 * 4;
        assert_in_range(cycles, expected[i].rounds * each, expected[i].rounds * (each + 300) + 300);
        mnp_results_release(&results);
        script_free(script);
    }
}

/* Every slot of every cycle is counted under one class. */
/* Cycles of a kernel of CTAs of one warp, of which an SM holds one, that access memory once and end. */
static uint64_t cycles_of_accesses(enum mnp_memory_operation operation, uint32_t ctas, bool posted, bool far)
{
    const char *const settings[] = {"sm.count=1",
                                    "gpc.count=1",
                                    "sm.ctas=1",
                                    far ? "latency.l2=300" : "latency.l2=200",
                                    posted ? "sm.memory.posted=true" : "sm.memory.posted=false",
                                    NULL};
    struct script *script = script_new();
    script_kernel(script, ctas, 32);
    uint8_t to = operation == MNP_STORE ? MNP_ZERO_REGISTER : 3;
    struct mnp_static_instruction *access = script_memory(script, operation, MNP_SPACE_GLOBAL, 4, to, 2, 0x10000, 4);
    access->flags |= operation == MNP_LOAD ? MNP_FLAG_BYPASS_L1 : 0;
    uint64_t cycles = cycles_of(script, settings);
    script_free(script);
    return cycles;
}

/* A CTA ends when its stores are on their way: the next one in its place does not wait for an L2 that is 100 cycles
 * farther, and the kernel does, once. It waits for its loads, even where nothing uses them. */
static void test_posted_stores(void **state)
{
    (void)state;
    enum { FEW = 11, MANY = 21 };
    for (uint32_t posted = 0; posted < 2; posted++) {
        for (uint32_t stores = 0; stores < 2; stores++) {
            enum mnp_memory_operation operation = stores ? MNP_STORE : MNP_LOAD;
            uint64_t few[2], many[2];
            for (uint32_t far = 0; far < 2; far++) {
                few[far] = cycles_of_accesses(operation, FEW, posted, far);
                many[far] = cycles_of_accesses(operation, MANY, posted, far);
            }
            uint64_t waits = posted && stores ? 0 : 100;
            assert_int_equal((many[1] - few[1]) - (many[0] - few[0]), (MANY - FEW) * waits);
            uint64_t first = operation == MNP_STORE; /* a load's first is from the DRAM, as far as before */
            assert_int_equal(few[1] - few[0], waits ? (FEW - 1 + first) * waits : 100);
        }
    }
}

static void test_slots_add_up(void **state)
{
    (void)state;
    struct script *script = script_new();
    script_kernel(script, 20, 96);
    for (uint32_t i = 0; i < 50; i++) {
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, 0x10000 + 4096 * i, 4);
        script_compute(script, MNP_CLASS_FP32, 5, 3);
        script_barrier(script);
    }
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    bench_run(script, NULL, &options, &results);
    static const char *const names[] = {"issue_slots_issued",     "issue_slots_idle",   "issue_slots_pipe",
                                        "issue_slots_dependence", "issue_slots_memory", "issue_slots_barrier",
                                        "issue_slots_fetch",      "issue_slots_drained"};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 8; i++)
        sum += mnp_statistics_get(&results.total, names[i]);
    assert_int_equal(sum, mnp_statistics_get(&results.total, "issue_slots"));
    assert_int_equal(mnp_statistics_get(&results.total, "issue_slots_issued"), 20 * 3 * 151);
    assert_int_equal(mnp_statistics_get(&results.total, "gpgpu_n_tot_w_icount"), 20 * 3 * 151);
    assert_int_equal(mnp_statistics_get(&results.total, "sm_ctas"), 20);
    mnp_results_release(&results);
    script_free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch_latency),
        cmocka_unit_test(test_launch_on_other_clocks),
        cmocka_unit_test(test_cta_interval),
        cmocka_unit_test(test_cta_time),
        cmocka_unit_test(test_end_time),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_cta_that_fits_nowhere),
        cmocka_unit_test(test_published_occupancies),
        cmocka_unit_test(test_missing_class),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_concurrent_kernels),
        cmocka_unit_test(test_slots_add_up),
        cmocka_unit_test(test_posted_stores),
        cmocka_unit_test(test_first_launch),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_order_begins_anew),
    };
    return cmocka_run_group_tests_name("gpu launch", tests, NULL, NULL);
}
