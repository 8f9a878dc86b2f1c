/* SPDX-License-Identifier: BSD-3-Clause */
/* The governor against models of boards: power that follows the clock, and power that does not. The clock that it comes
 * to is compared with the highest one that keeps the limit, found by trying all levels. */
#include "gpu/energy/governor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t random_number(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

struct board {
    struct gpu_governor governor;
    uint64_t follows, stays; /* mW at the machine's clock that follow it, and that do not */
};

static uint64_t power_at(const struct board *board, uint64_t level)
{
    double share = (double)gpu_governor_hertz(&board->governor, level) / (double)board->governor.top;
    return board->governor.rest + board->stays + (uint64_t)((double)board->follows * share);
}

static uint64_t levels_of(const struct gpu_governor *governor)
{
    uint64_t level = 0;
    while (gpu_governor_hertz(governor, level) > governor->lowest)
        level++;
    return level;
}

/* The highest clock that keeps the limit; the lowest of all if none does. */
static uint64_t best_of(const struct board *board)
{
    uint64_t level = 0, last = levels_of(&board->governor);
    while (level < last && power_at(board, level) > board->governor.limit)
        level++;
    return level;
}

static struct board random_board(uint64_t *state)
{
    uint64_t top = 1000000000 + random_number(state) % 1500000000, rest = 1 + random_number(state) % 100000;
    return (struct board){
        .governor = {.top = top,
                     .lowest = top / 10 + random_number(state) % top / 2,
                     .step = 1000000 + random_number(state) % 60000000,
                     .limit = rest + 1 + random_number(state) % 700000,
                     .rest = rest},
        .follows = random_number(state) % 900000,
        .stays = random_number(state) % 200000,
    };
}

static uint64_t settle(const struct board *board, uint64_t level)
{
    for (int i = 0; i < 3000; i++)
        level = gpu_governor_next(&board->governor, level, power_at(board, level));
    return level;
}

static void comes_to_the_limit(void **context)
{
    (void)context;
    uint64_t state = 1;
    for (int i = 0; i < 2000; i++) {
        struct board board = random_board(&state);
        uint64_t best = best_of(&board), last = levels_of(&board.governor), level = settle(&board, 0);
        assert_true(level <= last);
        assert_int_equal(gpu_governor_next(&board.governor, level, power_at(&board, level)), level);
        assert_true(power_at(&board, level) <= board.governor.limit || level == last);
        assert_true(level == best || level == best + 1); /* one: rounding of a milliwatt */
    }
}

/* Upwards it stops where one more level, if all power followed the clock, would exceed the limit. */
static void rises_by_single_levels(void **context)
{
    (void)context;
    uint64_t state = 2;
    for (int i = 0; i < 2000; i++) {
        struct board board = random_board(&state);
        const struct gpu_governor *governor = &board.governor;
        uint64_t last = levels_of(governor);
        for (uint64_t level = last; level > 0;) {
            uint64_t power = power_at(&board, level), next = gpu_governor_next(governor, level, power);
            assert_true(next >= level - 1);
            if (next != level - 1) {
                double more = (double)(power - governor->rest) * (double)gpu_governor_hertz(governor, level - 1) /
                              (double)gpu_governor_hertz(governor, level);
                assert_true(next == level || (next > level && power > governor->limit));
                assert_true(more > (double)(governor->limit - governor->rest) - 1);
                break;
            }
            level = next;
        }
    }
}

/* Exactly at the limit the clock stays; a milliwatt above it is one too many. */
static void is_exact_at_the_limit(void **context)
{
    (void)context;
    const struct gpu_governor governor = {
        .top = 1500000000, .lowest = 300000000, .step = 15000000, .limit = 300000, .rest = 100000};
    assert_int_equal(gpu_governor_next(&governor, 0, 300000), 0);
    assert_int_equal(gpu_governor_next(&governor, 0, 300001), 1);
    assert_int_equal(gpu_governor_next(&governor, 0, 500000), 50);
    assert_int_equal(gpu_governor_next(&governor, 50, 300000), 50);
    assert_int_equal(gpu_governor_next(&governor, 50, 100000), 49);
    assert_int_equal(gpu_governor_next(&governor, 0, 100000), 0);
    assert_int_equal(gpu_governor_next(&governor, 0, 100000000), 80);
    assert_int_equal(gpu_governor_hertz(&governor, 80), 300000000);
    assert_int_equal(gpu_governor_hertz(&governor, 1000), 300000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_to_the_limit),
        cmocka_unit_test(rises_by_single_levels),
        cmocka_unit_test(is_exact_at_the_limit),
    };
    return cmocka_run_group_tests_name("governor", tests, NULL, NULL);
}
