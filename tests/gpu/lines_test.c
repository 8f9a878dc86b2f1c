/* SPDX-License-Identifier: BSD-3-Clause */
/* The count of different lines: exact while it is small, within its stated error beyond, and ignorant of repetition. */
#include "gpu/partition/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Touches `lines` different lines, `times` over, in strides. */
static uint64_t count_lines(uint64_t first, uint64_t stride, uint64_t lines, int times)
{
    struct gpu_lines *set = calloc(1, sizeof *set);
    uint64_t count = 0;
    for (int time = 0; time < times; time++)
        for (uint64_t i = 0; i < lines; i++)
            gpu_lines_touch(set, &count, first + (time % 2 ? lines - 1 - i : i) * stride);
    free(set);
    return count;
}

static void test_exact_while_small(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines <= GPU_LINES_KEPT; lines++) {
        assert_int_equal(count_lines(0, 128, lines, 1), lines);
        assert_int_equal(count_lines(UINT64_C(0x7f0000000000), 4096, lines, 3), lines);
    }
}

/* Four standard deviations of a set that is half full: 4 / sqrt(64), of which a fixed input uses less or more. */
static void test_error_beyond(void **state)
{
    (void)state;
    for (uint64_t lines = GPU_LINES_KEPT + 1; lines < 10000000; lines = lines * 7 / 3)
        for (uint64_t stride = 128; stride <= 65536; stride *= 8) {
            uint64_t once = count_lines(stride, stride, lines, 1);
            uint64_t error = once > lines ? once - lines : lines - once;
            assert_true(error <= lines * 50 / 100);
            if (lines < 100000) /* again, and from the other end: the set is the same */
                assert_int_equal(count_lines(stride, stride, lines, 2), once);
        }
}

/* The mean over many sets is right: nothing pulls the estimate to one side. */
static void test_unbiased(void **state)
{
    (void)state;
    const uint64_t lines = 5000, sets = 400;
    uint64_t sum = 0;
    for (uint64_t set = 0; set < sets; set++)
        sum += count_lines(set << 32, 128, lines, 1);
    uint64_t mean = sum / sets, error = mean > lines ? mean - lines : lines - mean;
    assert_true(error * 100 <= lines * 5 / 2); /* 12.5 % / sqrt(400) is 0.63 %; four of them are 2.5 % */
}

static void test_zero_starts_again(void **state)
{
    (void)state;
    struct gpu_lines *set = calloc(1, sizeof *set);
    uint64_t count = 0;
    for (uint64_t i = 0; i < 100000; i++)
        gpu_lines_touch(set, &count, i);
    count = 0; /* as when a kernel's counters have been collected */
    gpu_lines_touch(set, &count, 5);
    gpu_lines_touch(set, &count, 6);
    gpu_lines_touch(set, &count, 5);
    assert_int_equal(count, 2);
    free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_while_small),
        cmocka_unit_test(test_error_beyond),
        cmocka_unit_test(test_unbiased),
        cmocka_unit_test(test_zero_starts_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
