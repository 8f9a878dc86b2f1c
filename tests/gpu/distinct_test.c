/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines and sectors that a kernel accesses, counted by sm.distinct beside the addresses that the script states: the
 * union over SMs and kernels, what each SM has of it, and that nothing else changes.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { CTAS = 12, WARPS = 2, LOADS = 7, LINE = 128, BASE = 1 << 20 };

/* Each warp reads LOADS lines, from its CTA's place on: CTAs lie `spread` lines apart. */
static struct script *lines_of_ctas(uint64_t spread, uint32_t kernels)
{
    struct script *script = script_new();
    script_spread(script, spread * LINE, 0);
    for (uint32_t kernel = 0; kernel < kernels; kernel++) {
        script_kernel(script, CTAS, WARPS * MNP_WARP_SIZE);
        for (uint64_t i = 0; i < LOADS; i++)
            script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 2, (uint8_t)(8 + i), MNP_ZERO_REGISTER, BASE + i * LINE,
                          2); /* two of its four sectors */
    }
    return script;
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

static void test_union_over_sms_and_kernels(void **state)
{
    (void)state;
    static const char *const on[] = {"sm.distinct=512", NULL}, *const one[] = {"sm.distinct=512", "sm.count=1",
                                                                               "gpc.count=1", NULL};
    for (uint64_t spread = 0; spread < 10; spread++) {
        uint64_t apart = spread < LOADS ? spread : LOADS; /* new lines of each CTA behind the first */
        uint64_t lines = LOADS + (CTAS - 1) * apart;
        struct script *script = lines_of_ctas(spread, 2);
        for (uint32_t kernel = 0; kernel < 2; kernel++) {
            assert_int_equal(bench_statistic(script, on, kernel, "distinct_lines"), lines);
            assert_int_equal(bench_statistic(script, one, kernel, "distinct_sectors"), 2 * lines);
        }
        assert_int_equal(total(script, on, "distinct_lines"), lines); /* both kernels read the same */
        script_free(script);
    }
}

static void test_beyond_its_entries(void **state)
{
    (void)state;
    static const char *const few[] = {"sm.distinct=16", NULL};
    struct script *script = lines_of_ctas(LOADS, 1);
    uint64_t counted = bench_statistic(script, few, 0, "distinct_lines");
    assert_true(counted != CTAS * LOADS && counted % 4 == 0); /* 84 lines, each kept stands for 4 or more */
    assert_in_range(counted, CTAS * LOADS / 2, CTAS * LOADS * 2);
    script_free(script);
}

static void test_nothing_else_changes(void **state)
{
    (void)state;
    static const char *const on[] = {"sm.distinct=64", NULL};
    struct script *script = lines_of_ctas(3, 2);
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        assert_int_equal(bench_statistic(script, on, kernel, "gpu_sim_cycle"),
                         bench_statistic(script, NULL, kernel, "gpu_sim_cycle"));
        assert_int_equal(bench_statistic(script, on, kernel, "L2_total_cache_accesses"),
                         bench_statistic(script, NULL, kernel, "L2_total_cache_accesses"));
    }
    assert_int_equal(total(script, NULL, "distinct_lines"), 0); /* there is no such statistic */
    script_free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_union_over_sms_and_kernels),
                                       cmocka_unit_test(test_beyond_its_entries),
                                       cmocka_unit_test(test_nothing_else_changes)};
    return cmocka_run_group_tests_name("gpu distinct", tests, NULL, NULL);
}
