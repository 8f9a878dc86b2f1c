/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets as counters, beside sorted lists of the same numbers: exact up to their entries, near the truth beyond, and
 * joined to the same count in whatever order. */
#include "engine/count/distinct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 20000 };

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static uint32_t different(const uint64_t *numbers, uint32_t count)
{
    uint64_t *sorted = malloc(count * sizeof *sorted + 1);
    uint32_t found = count > 0;
    memcpy(sorted, numbers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t i = 1; i < count; i++)
        found += sorted[i] != sorted[i - 1];
    free(sorted);
    return found;
}

static uint64_t *new_set(uint32_t entries)
{
    return calloc(mnp_distinct_counters(entries), sizeof(uint64_t));
}

static void add_all(uint64_t *set, uint32_t entries, const uint64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        mnp_distinct_add(set, mnp_distinct_counters(entries), numbers[i]);
}

static void test_exact_up_to_the_entries(void **state)
{
    (void)state;
    for (uint32_t entries = 1; entries <= 300; entries++) {
        uint64_t *set = new_set(entries);
        for (uint32_t round = 0; round < 2; round++) /* numbers that come again count once */
            for (uint32_t i = 0; i < entries; i++) {
                mnp_distinct_add(set, mnp_distinct_counters(entries), (uint64_t)i * 128);
                assert_int_equal(set[0], round ? entries : i + 1);
            }
        mnp_distinct_add(set, mnp_distinct_counters(entries),
                         UINT64_MAX - 1); /* one too many: each stands for several */
        assert_true(set[0] % 2 == 0);
        free(set);
    }
}

static void test_near_the_truth_beyond(void **state)
{
    (void)state;
    static uint64_t numbers[MOST];
    uint64_t seed = 42;
    for (uint32_t i = 0; i < MOST; i++)
        numbers[i] = next_random(&seed) % 9000 * 32;
    double truth = different(numbers, MOST);
    static const uint32_t sizes[] = {512, 2048, 8192, 9000};
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *set = new_set(sizes[i]);
        add_all(set, sizes[i], numbers, MOST);
        double deviation = ((double)set[0] - truth) / truth, allowed = sizes[i] < 9000 ? 4 : 0;
        assert_true(deviation * deviation <= allowed * allowed * 2 / sizes[i]); /* four standard deviations */
        free(set);
    }
}

static void test_joined_in_any_order(void **state)
{
    (void)state;
    enum { PARTS = 5, EACH = 700 };
    for (uint64_t seed = 1; seed < 40; seed++) {
        uint64_t random = seed * 77, numbers[PARTS * EACH];
        uint32_t entries = 1 + (uint32_t)(next_random(&random) % 900), counters = mnp_distinct_counters(entries);
        uint64_t range = 1 + next_random(&random) % 4000, *sets[PARTS], *all = new_set(entries);
        for (uint32_t i = 0; i < PARTS * EACH; i++)
            numbers[i] = next_random(&random) % range;
        add_all(all, entries, numbers, PARTS * EACH);
        for (uint32_t i = 0; i < PARTS; i++)
            add_all(sets[i] = new_set(entries), entries, numbers + i * EACH, EACH);
        uint64_t *forward = new_set(entries), *backward = new_set(entries);
        for (uint32_t i = 0; i < PARTS; i++) {
            mnp_distinct_join(forward, sets[i], counters);
            mnp_distinct_join(backward, sets[PARTS - 1 - i], counters);
        }
        assert_int_equal(forward[0], all[0]);
        assert_int_equal(backward[0], all[0]);
        if (different(numbers, PARTS * EACH) <= entries)
            assert_int_equal(all[0], different(numbers, PARTS * EACH));
        for (uint32_t i = 0; i < PARTS; i++)
            free(sets[i]);
        free(all), free(forward), free(backward);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_up_to_the_entries),
                                       cmocka_unit_test(test_near_the_truth_beyond),
                                       cmocka_unit_test(test_joined_in_any_order)};
    return cmocka_run_group_tests_name("sets as counters", tests, NULL, NULL);
}
