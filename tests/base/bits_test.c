/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of ones in a mask, beside counting them one by one. */
#include "base/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint32_t counted(uint32_t mask)
{
    uint32_t ones = 0;
    for (int bit = 0; bit < 32; bit++)
        ones += mask >> bit & 1;
    return ones;
}

static void ones_are_counted(void **state)
{
    (void)state;
    assert_int_equal(mnp_ones(0), 0);
    assert_int_equal(mnp_ones(UINT32_MAX), 32);
    for (int bit = 0; bit < 32; bit++)
        assert_int_equal(mnp_ones(UINT32_C(1) << bit), 1);
    uint32_t mask = 1;
    for (int i = 0; i < 100000; i++) {
        mask = mask * 1664525u + 1013904223u; /* a linear congruence, whose high bits are as good as random */
        assert_int_equal(mnp_ones(mask), counted(mask));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ones_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
