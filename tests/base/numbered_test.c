/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered items: new ones are zero, and the number that was given back last is the next one. */
#include "base/numbered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t *at(const struct mnp_numbered *all, uint32_t number)
{
    return mnp_numbered_at(all, number, sizeof(uint64_t));
}

static void test_numbers(void **state)
{
    (void)state;
    struct mnp_numbered all = {0};
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(mnp_numbered_take(&all, sizeof(uint64_t)), i);
        assert_int_equal(*at(&all, i), 0);
        *at(&all, i) = i;
    }
    mnp_numbered_give(&all, 7);
    mnp_numbered_give(&all, 50);
    assert_int_equal(mnp_numbered_take(&all, sizeof(uint64_t)), 50);
    assert_int_equal(*at(&all, 50), 50);
    assert_int_equal(mnp_numbered_take(&all, sizeof(uint64_t)), 7);
    assert_int_equal(mnp_numbered_take(&all, sizeof(uint64_t)), 100);
    assert_int_equal(*at(&all, 99), 99);
    mnp_numbered_release(&all);
    assert_int_equal(mnp_numbered_take(&all, sizeof(uint64_t)), 0);
    mnp_numbered_release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests_name("numbered", tests, NULL, NULL);
}
