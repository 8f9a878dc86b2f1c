/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of statistics: units are added by the kind of each statistic, and ratios are exact. */
#include "engine/count/statistics.h"
#include "engine/declare/declare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct mnp_statistic core_rows[] = {
    MNP_COUNTER_ROW("cycles", "cycle", ""),
    MNP_MAXIMUM_ROW("depth", "entry", ""),
    MNP_RATIO_ROW("ipc", "instruction/cycle", "", "instructions", "cycles"),
    MNP_HISTOGRAM_ROW("latency", "cycle", "", 4),
    MNP_COUNTER_ROW("instructions", "instruction", ""),
};
static const struct mnp_statistic memory_rows[] = {MNP_COUNTER_ROW("reads", "sector", "")};
static const struct mnp_model core = {.name = "core", .statistics = core_rows, .statistic_count = 5};
static const struct mnp_model memory = {.name = "memory", .statistics = memory_rows, .statistic_count = 1};
static const struct mnp_model *const models[] = {&core, &memory};

static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(mnp_statistic_width(&core), 8);
    assert_int_equal(mnp_statistic_place(&core, 3), 3);
    assert_int_equal(mnp_statistic_place(&core, 4), 7);
}

static void test_adding(void **state)
{
    (void)state;
    const uint64_t first[8] = {10, 5, 0, 1, 2, 3, 4, 100}, second[8] = {20, 4, 0, 1, 1, 1, 1, 50}, reads[1] = {9};
    struct mnp_statistic_set set, total;
    mnp_statistics_init(&set, models, 2, true);
    mnp_statistics_init(&total, models, 2, false);
    mnp_statistics_add(&set, &core, first);
    mnp_statistics_add(&set, &core, second);
    mnp_statistics_add(&set, &memory, reads);
    mnp_statistics_merge(&total, &set);
    mnp_statistics_merge(&total, &set);
    assert_int_equal(mnp_statistics_get(&set, "cycles"), 30);
    assert_int_equal(mnp_statistics_get(&set, "depth"), 5);
    assert_int_equal(mnp_statistics_get(&total, "cycles"), 60);
    assert_int_equal(mnp_statistics_get(&total, "depth"), 5);
    assert_int_equal(mnp_statistics_get(&total, "reads"), 18);
    assert_int_equal(mnp_statistics_get(&total, "ipc"), 0); /* a ratio has no count of its own */
    assert_int_equal(mnp_statistics_get(&total, "absent"), 0);
    assert_int_equal(set.blocks[0].unit_count, 2);
    assert_int_equal(set.blocks[0].per_unit[8 + 7], 50);

    struct mnp_statistic_value value;
    assert_true(mnp_statistics_find(&total, "ipc", &value));
    assert_int_equal(value.numerator, 300);
    assert_int_equal(value.denominator, 60);
    assert_true(mnp_statistics_find(&set, "latency", &value));
    assert_int_equal(value.values[3], 5);
    assert_false(mnp_statistics_find(&set, "absent", &value));
    mnp_statistics_release(&set);
    mnp_statistics_release(&total);
}

static void test_histogram_bins(void **state)
{
    (void)state;
    const struct mnp_statistic *row = &core_rows[3];
    const uint64_t samples[] = {0, 1, 2, 3, 4, 7, 8, UINT64_MAX};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        uint32_t bin = mnp_histogram_bin(4, samples[i]);
        assert_true(samples[i] <= mnp_histogram_bound(row, bin));
        assert_true(bin == 0 || samples[i] > mnp_histogram_bound(row, bin - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_adding),
        cmocka_unit_test(test_histogram_bins),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
