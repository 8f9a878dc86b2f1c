/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worked example of a replacement policy (docs/examples/policy), compiled into the caches of src/parts. A loop over
 * one line more than a set has ways never hits with lru, and misses once in so many accesses as there are ways with
 * mru.
 */
#include "parts/cache/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { WAYS = 4, LINES = WAYS + 1, ROUNDS = 40 };

static uint32_t count_misses(enum mnp_replacement policy)
{
    struct mnp_cache_shape shape = {
        .sets = 1, .ways = WAYS, .line_bytes = 128, .sector_bytes = 32, .replacement = policy};
    struct mnp_arena arena;
    struct mnp_cache cache;
    mnp_arena_init(&arena, mnp_cache_size(&shape));
    mnp_cache_init(&cache, &shape, &arena);
    uint32_t misses = 0;
    for (uint64_t access = 0; access < LINES + ROUNDS * WAYS; access++) {
        uint64_t number = access % LINES;
        uint32_t line = mnp_cache_find(&cache, 0, number);
        if (line == MNP_NO_LINE) {
            misses++;
            mnp_cache_replace(&cache, mnp_cache_victim(&cache, 0), 0, number);
        } else {
            mnp_cache_touch(&cache, line, 0);
        }
    }
    mnp_arena_release(&arena);
    return misses;
}

static void it_is_a_choice(void **state)
{
    (void)state;
    assert_string_equal(mnp_replacement_names[MNP_REPLACE_MRU], "mru");
    assert_non_null(strstr(mnp_replacement_help, "mru: the line that was used last"));
}

static void a_loop_larger_than_the_set(void **state)
{
    (void)state;
    assert_int_equal(count_misses(MNP_REPLACE_LRU), LINES + ROUNDS * WAYS);
    assert_int_equal(count_misses(MNP_REPLACE_MRU), LINES + ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_a_choice), cmocka_unit_test(a_loop_larger_than_the_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
