/* SPDX-License-Identifier: BSD-3-Clause */
/* Arenas: pieces, and a layout that is measured before it is made. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SMALL = 3, ODD = 7 };

struct parts {
    unsigned char *small;
    uint64_t *odd, *none;
    unsigned runs;
};

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct parts *parts = self;
    parts->small = mnp_arena_take(arena, SMALL, 1);
    parts->odd = mnp_arena_take(arena, ODD, sizeof *parts->odd);
    parts->none = mnp_arena_take(arena, 0, sizeof *parts->none);
    assert_true(arena->measures == (parts->small == NULL));
    parts->runs++;
}

static void test_an_arena_that_measures_counts_whole_cache_lines(void **state)
{
    (void)state;
    struct mnp_arena arena;
    mnp_arena_measure(&arena);
    assert_null(mnp_arena_take(&arena, 1, 1));
    assert_int_equal(arena.used, MNP_CACHE_LINE);
    assert_null(mnp_arena_take(&arena, MNP_CACHE_LINE, 1));
    assert_null(mnp_arena_take(&arena, MNP_CACHE_LINE + 1, 1));
    assert_int_equal(arena.used, 4 * MNP_CACHE_LINE);
    assert_null(mnp_arena_take(&arena, (size_t)1 << 40, 1)); /* more than the host has: nothing is reserved */
    assert_int_equal(arena.used, ((size_t)1 << 40) + 4 * MNP_CACHE_LINE);
}

static void test_taking_needs_just_what_was_measured(void **state)
{
    (void)state;
    struct parts parts = {0};
    struct mnp_arena arena, measured;
    mnp_arena_measure(&measured);
    lay_out(&parts, &measured);
    mnp_arena_lay_out(&arena, lay_out, &parts);
    assert_int_equal(parts.runs, 3); /* here once, and twice in mnp_arena_lay_out */
    assert_false(arena.measures);
    assert_int_equal(arena.used, measured.used);
    assert_ptr_equal(parts.small, arena.base);
    assert_ptr_equal(parts.odd, arena.base + MNP_CACHE_LINE);
    for (unsigned i = 0; i < ODD; i++)
        assert_int_equal(parts.odd[i], 0);
    memset(arena.base, 0xff, arena.used);
    mnp_arena_release(&arena);
}

static void lay_out_nothing(void *self, struct mnp_arena *arena)
{
    (void)self;
    (void)arena;
}

static void test_an_empty_layout_makes_an_arena(void **state)
{
    (void)state;
    struct mnp_arena arena;
    mnp_arena_lay_out(&arena, lay_out_nothing, NULL);
    assert_int_equal(arena.used, 0);
    assert_non_null(arena.base);
    mnp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_arena_that_measures_counts_whole_cache_lines),
        cmocka_unit_test(test_taking_needs_just_what_was_measured),
        cmocka_unit_test(test_an_empty_layout_makes_an_arena),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
