/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worked example of a unit in the SM (docs/examples/bulk), compiled into the SMs of a small GPU by its one line in
 * the list of stages. The time of a request from the queue before the port to the reply's arrival follows from the
 * machine file: latency.l2 without the way from issue to the look-up and without the fill.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BASE = 1 << 20, SECTOR = 32, ROUND_TRIP = 200 - 11 - 4 /* latency.l2, sm.memory.front, sm.memory.fill */ };

struct program { /* of one warp */
    uint32_t reads, fences, multiplications;
};

static struct script *script_of(struct program program)
{
    struct script *script = script_new();
    for (uint32_t kernel = 0; kernel < 2; kernel++) { /* the second finds its sectors in the L2 */
        script_kernel(script, 1, 32);
        for (uint32_t i = 0; i < program.reads; i++) {
            script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, 1, BASE, 0);
            script_lanes(script, 1);
        }
        for (uint32_t i = 0; i < program.fences; i++)
            script_compute(script, MNP_CLASS_SYNC, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER)->flags |= MNP_FLAG_FENCE;
        for (uint32_t i = 0; i < program.multiplications; i++)
            script_compute(script, MNP_CLASS_FP32, 3, 3);
    }
    return script;
}

static uint64_t measure(struct program program, uint32_t sectors, uint32_t in_flight, const char *statistic)
{
    char bytes[64], most[64];
    snprintf(bytes, sizeof bytes, "sm.bulk.bytes=%u", sectors * SECTOR);
    snprintf(most, sizeof most, "sm.bulk.in_flight=%u", in_flight);
    const char *const overrides[] = {bytes, most, NULL};
    struct script *script = script_of(program);
    uint64_t value = bench_statistic(script, overrides, 1, statistic);
    script_free(script);
    return value;
}

static uint64_t cycles(struct program program, uint32_t sectors, uint32_t in_flight)
{
    return measure(program, sectors, in_flight, "gpu_sim_cycle");
}

/* Sectors of which k may be under way take a round trip for every k of them. */
static void test_bandwidth(void **state)
{
    (void)state;
    const struct program one = {.reads = 1};
    for (uint32_t k = 1; k <= 8; k *= 2)
        assert_int_equal(cycles(one, 24, k) - cycles(one, 8, k), 16 / k * ROUND_TRIP);
}

/* A second read of the warp finds no room until the first has ended, in the cycle of its last sector. */
static void test_room(void **state)
{
    (void)state;
    const struct program two = {.reads = 2}, three = {.reads = 3};
    assert_int_equal(cycles(three, 8, 1) - cycles(two, 8, 1), 8 * ROUND_TRIP + 1);
    assert_int_equal(measure(three, 8, 1, "bulk_sectors"), 3 * 8);
}

/* A read goes on beside other work of its warp; behind a fence the work begins when the read has ended. The end of the
 * CTA waits for it in any case. */
static void test_fence(void **state)
{
    (void)state;
    const struct program alone = {.reads = 1}, beside = {.reads = 1, .multiplications = 50};
    const struct program behind = {.reads = 1, .fences = 1, .multiplications = 50};
    const struct program further = {.reads = 1, .fences = 1, .multiplications = 60};
    assert_int_equal(cycles(beside, 8, 1), cycles(alone, 8, 1));
    assert_int_equal(cycles(further, 8, 1) - cycles(behind, 8, 1), 10 * 4);
    assert_true(cycles(behind, 8, 1) >= cycles(alone, 8, 1) + 50 * 4 - 4);
}

/* Without bytes there is no such unit: the load goes to the memory pipeline. */
static void test_absent(void **state)
{
    (void)state;
    const struct program one = {.reads = 1};
    assert_int_equal(measure(one, 0, 1, "bulk_sectors"), 0);
    assert_int_equal(measure(one, 0, 1, "L1D_read_accesses"), 1);
    assert_int_equal(measure(one, 8, 1, "L1D_read_accesses"), 0);
}

static void test_parameters(void **state)
{
    (void)state;
    struct script *script = script_of((struct program){.reads = 1});
    struct mnp_error error;
    const char *const uneven[] = {"sm.bulk.bytes=33", NULL};
    bench_fail(script, uneven, &error);
    assert_non_null(strstr(error.text, "sm.bulk.bytes of 33 is not a multiple of 32"));
    script_free(script);
}

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    uint64_t *all = context;
    *all = (*all ^ hashes->hash) * UINT64_C(0x100000001b3);
}

/* The same states and results with every cycle visited, and with three threads in windows of one cycle. */
static void test_identity(void **state)
{
    (void)state;
    const char *const overrides[] = {"sm.bulk.bytes=1KiB", "sm.bulk.in_flight=3", NULL};
    struct script *script = script_of((struct program){.reads = 3, .fences = 1, .multiplications = 5});
    const struct mnp_run_request requests[] = {
        {.executor = &mnp_executor_serial, .threads = 1},
        {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true},
        {.executor = &mnp_executor_window, .threads = 3, .window_cycles = 1},
    };
    uint64_t epochs[3] = {0}, ends[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct mnp_results results;
        struct mnp_session_options options = {
            .request = requests[i], .on_epoch = on_epoch, .context = &epochs[i], .worth = 1};
        bench_run(script, overrides, &options, &results);
        ends[i] = mnp_statistics_get(&results.total, "gpu_sim_cycle");
        mnp_results_release(&results);
    }
    assert_true(epochs[0] != 0);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(epochs[i], epochs[0]);
        assert_int_equal(ends[i], ends[0]);
    }
    script_free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bandwidth), cmocka_unit_test(test_room),       cmocka_unit_test(test_fence),
        cmocka_unit_test(test_absent),    cmocka_unit_test(test_parameters), cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests_name("bulk reads", tests, NULL, NULL);
}
