/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing arrays and small sums. */
#include "base/array.h"
#include "base/range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_elements_keep_their_values_while_the_array_grows(void **state)
{
    (void)state;
    struct mnp_array array = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t *element = mnp_array_add(&array, 1, sizeof *element);
        assert_int_equal(*element, 0);
        *element = i * i;
    }
    assert_int_equal(array.count, 1000);
    assert_true(array.capacity >= 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(((uint64_t *)array.items)[i], i * i);
    mnp_array_release(&array);
    assert_null(array.items);
    assert_int_equal(array.count, 0);
}

static void test_several_elements_lie_together_and_are_zero(void **state)
{
    (void)state;
    struct mnp_array array = {0};
    assert_null(mnp_array_add(&array, 0, 4));
    memset(mnp_array_add(&array, 7, 4), 0xff, 28);
    array.count = 3; /* the owner may shorten it: what comes next is zero all the same */
    uint32_t *four = mnp_array_add(&array, 40, 4);
    assert_ptr_equal(four, (uint32_t *)array.items + 3);
    for (int i = 0; i < 40; i++)
        assert_int_equal(four[i], 0);
    assert_ptr_equal(mnp_array_add(&array, 0, 4), (uint32_t *)array.items + 43);
    mnp_array_release(&array);
}

static void test_a_key_is_found_among_sorted_ones(void **state)
{
    (void)state;
    struct pair {
        uint64_t key;
        char text[3];
    };
    struct mnp_array array = {0};
    assert_int_equal(mnp_array_before(&array, sizeof(struct pair), 5), 0);
    static const uint64_t keys[] = {2, 2, 7, UINT64_MAX};
    for (unsigned i = 0; i < 4; i++)
        ((struct pair *)mnp_array_add(&array, 1, sizeof(struct pair)))->key = keys[i];
    static const uint64_t asked[] = {0, 2, 3, 7, 8, UINT64_MAX}, before[] = {0, 0, 2, 2, 3, 3};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(mnp_array_before(&array, sizeof(struct pair), asked[i]), before[i]);
    mnp_array_release(&array);
}

static void test_sums(void **state)
{
    (void)state;
    assert_int_equal(mnp_min(UINT64_MAX, 3), 3);
    assert_int_equal(mnp_max(UINT64_MAX, 3), UINT64_MAX);
    assert_int_equal(mnp_min32(7, 3), 3);
    assert_int_equal(mnp_max32(7, 3), 7);
    assert_int_equal(mnp_clamp(5, 7, 9), 7);
    assert_int_equal(mnp_clamp(8, 7, 9), 8);
    assert_int_equal(mnp_clamp(10, 7, 9), 9);
    assert_int_equal(mnp_round_up(0, 128), 0);
    assert_int_equal(mnp_round_up(1, 128), 128);
    assert_int_equal(mnp_round_up(129, 128), 256);
    assert_int_equal(mnp_divide_up(10, 3), 4);
    assert_int_equal(mnp_divide_up(9, 3), 3);
    uint64_t bound = 10;
    mnp_lower(&bound, 12);
    assert_int_equal(bound, 10);
    mnp_raise(&bound, 12);
    assert_int_equal(bound, 12);
    assert_false(mnp_is_power_of_two(0));
    assert_true(mnp_is_power_of_two(1));
    assert_true(mnp_is_power_of_two(UINT64_C(1) << 63));
    assert_false(mnp_is_power_of_two(12));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_keep_their_values_while_the_array_grows),
        cmocka_unit_test(test_several_elements_lie_together_and_are_zero),
        cmocka_unit_test(test_a_key_is_found_among_sorted_ones),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
