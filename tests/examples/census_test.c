/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worked example of a listener (docs/examples/census), compiled into a small GPU by its one line in the list. The
 * units count the same events themselves: both counts are equal, however the run is executed.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BASE = 1 << 20, LINE = 128, KERNELS = 3, CTAS = 8 };

static const char *const classes[] = {"int",     "fp32",   "half", "fp64",   "sfu",     "convert", "tensor",
                                      "uniform", "branch", "sync", "memory", "special", "imad"};

/* Some of each: classes of instructions, reads that miss and hit, writes that are evicted, atomics. */
static struct script *script_of_all(void)
{
    struct script *script = script_new();
    script_spread(script, 32 * LINE, 8 * LINE);
    for (uint32_t kernel = 0; kernel < KERNELS; kernel++) {
        script_kernel(script, CTAS, 64);
        for (uint32_t class = MNP_CLASS_INT; class <= MNP_CLASS_SFU; class ++)
            script_compute(script, (enum mnp_execution_class) class, 3, 3);
        script_compute(script, MNP_CLASS_IMAD, 4, 4);
        for (uint32_t i = 0; i < 6; i++) {
            script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 5, 1, BASE + (i + kernel) * LINE, 4);
            script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, 5,
                          BASE + (1 << 18) * (i + 1) + kernel * LINE, 8);
        }
        script_memory(script, MNP_ATOMIC, MNP_SPACE_GLOBAL, 4, 6, 1, BASE, 4);
        script_barrier(script);
    }
    return script;
}

static const char *const overrides[] = {"sm.l1i.size=16KiB", "l2.slice.size=4KiB", "dram.timing.refi=600",
                                        "dram.timing.rfc=50", NULL};

static void run(const struct mnp_run_request *request, struct mnp_results *results)
{
    struct script *script = script_of_all();
    struct mnp_session_options options = {.request = *request, .worth = 1};
    bench_run(script, overrides, &options, results);
    script_free(script);
}

static uint64_t sum(const struct mnp_results *results, const char *first, const char *second)
{
    uint64_t all = mnp_statistics_get(&results->total, first);
    return second ? all + mnp_statistics_get(&results->total, second) : all;
}

static void test_counts(void **state)
{
    static const struct {
        const char *heard, *counted, *and;
    } pairs[] = {
        {"census_l1d", "L1D_total_cache_accesses", NULL},
        {"census_l1d_missed", "L1D_total_cache_misses", NULL},
        {"census_l2", "L2_total_cache_accesses", "L2_fetches"},
        {"census_l2_missed", "L2_total_cache_misses", "L2_fetch_misses"},
        {"census_activates", "dram_activates", NULL},
        {"census_reads", "total_dram_reads", "dram_fetches"},
        {"census_writes", "total_dram_writes", NULL},
        {"census_refreshes", "dram_refreshes", NULL},
    };
    struct mnp_results results;
    (void)state;
    run(&(struct mnp_run_request){.executor = &mnp_executor_serial, .threads = 1}, &results);
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char heard[32], counted[32];
        snprintf(heard, sizeof heard, "census_%s", classes[i]);
        snprintf(counted, sizeof counted, "instructions_%s", classes[i]);
        assert_int_equal(sum(&results, heard, NULL), sum(&results, counted, NULL));
    }
    assert_int_equal(sum(&results, "census_ctas", NULL), KERNELS * CTAS);
    assert_int_equal(sum(&results, "census_warps", NULL), KERNELS * CTAS * 2);
    assert_int_equal(sum(&results, "census_completed", NULL), sum(&results, "instructions_memory", NULL));
    assert_int_equal(sum(&results, "census_fp32", NULL), KERNELS * CTAS * 2);
    for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(sum(&results, pairs[i].heard, NULL), sum(&results, pairs[i].counted, pairs[i].and));
        assert_true(sum(&results, pairs[i].heard, NULL) > 0);
    }
    assert_true(sum(&results, "census_precharges", NULL) <= sum(&results, "dram_precharges", NULL));
    mnp_results_release(&results);
}

/* Every cycle visited, and three threads in windows of one cycle. */
static void test_identity(void **state)
{
    static const char *const names[] = {"census_memory", "census_l1d_missed", "census_l2_missed", "census_precharges"};
    const struct mnp_run_request requests[] = {
        {.executor = &mnp_executor_serial, .threads = 1},
        {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true},
        {.executor = &mnp_executor_window, .threads = 3, .window_cycles = 1},
    };
    struct mnp_results results[3];
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        run(&requests[i], &results[i]);
    for (uint32_t i = 1; i < 3; i++)
        for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
            assert_int_equal(sum(&results[i], names[k], NULL), sum(&results[0], names[k], NULL));
    for (uint32_t i = 0; i < 3; i++)
        mnp_results_release(&results[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_identity)};
    return cmocka_run_group_tests_name("a census of events", tests, NULL, NULL);
}
