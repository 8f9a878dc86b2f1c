/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact time: edges and cycles against 128-bit arithmetic, and the cursor's fast path against the slow one. */
#include "engine/core/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

typedef unsigned __int128 wide;

static uint64_t random_number(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A clock from 1 Hz to 10 GHz, of any magnitude. */
static uint64_t random_clock(uint64_t *state)
{
    uint64_t hertz = random_number(state) % UINT64_C(10000000000) >> random_number(state) % 34;
    return hertz ? hertz : 1;
}

static bool is_edge(uint64_t hertz, uint64_t cycle, mnp_time time)
{
    return (wide)time * hertz <= (wide)cycle * MNP_SECOND && ((wide)time + 1) * hertz > (wide)cycle * MNP_SECOND;
}

static void edges(void **context)
{
    (void)context;
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t hertz = random_clock(&state);
        uint64_t most = (uint64_t)((wide)(MNP_NEVER - 1) * hertz / MNP_SECOND);
        uint64_t cycle = random_number(&state) % (most + 1) >> random_number(&state) % 64;
        assert_true(is_edge(hertz, cycle, mnp_edge(hertz, cycle)));
    }
    assert_int_equal(mnp_edge(1, 20000), MNP_NEVER); /* five hours and a half */
    assert_int_equal(mnp_edge(1000000000, 0), 0);
    assert_int_equal(mnp_edge(3, 1), UINT64_C(333333333333333));
    assert_int_equal(mnp_edge(3, 3), MNP_SECOND);
}

/* "Seen at the first edge at or after the arrival": not at the edge before, but at this one. */
static void first_edge_at_or_after(void **context)
{
    (void)context;
    uint64_t state = 2;
    for (int i = 0; i < 200000; i++) {
        uint64_t hertz = random_clock(&state);
        mnp_time time = random_number(&state) >> random_number(&state) % 64;
        if (time > MNP_NEVER - MNP_SECOND)
            continue;
        uint64_t cycle = mnp_cycle_at(hertz, time);
        assert_true(mnp_edge(hertz, cycle) >= time);
        assert_true(cycle == 0 || mnp_edge(hertz, cycle - 1) < time);
    }
    for (uint64_t cycle = 0; cycle < 3000; cycle++) { /* blocked a femtosecond before, ready at the edge */
        mnp_time edge = mnp_edge(1365000000, cycle);
        assert_int_equal(mnp_cycle_at(1365000000, edge), cycle);
        assert_int_equal(mnp_cycle_at(1365000000, edge + 1), cycle + 1);
    }
}

static void cursor(void **context)
{
    (void)context;
    uint64_t state = 3;
    for (int i = 0; i < 200000; i++) {
        uint64_t hertz = random_clock(&state);
        uint64_t most = (uint64_t)((wide)(MNP_NEVER / 2) * hertz / MNP_SECOND);
        struct mnp_cursor here;
        mnp_cursor_init(&here, hertz);
        mnp_cursor_move(&here, random_number(&state) % (most + 1) >> random_number(&state) % 64);
        assert_int_equal(here.time, mnp_edge(hertz, here.cycle));
        assert_true((wide)here.cycle * MNP_SECOND == (wide)here.time * hertz + here.remainder);
        static const uint64_t spans[] = {4, 16380, 16390, 1000000};
        uint64_t cycle = here.cycle + random_number(&state) % spans[i % 4];
        assert_int_equal(mnp_cursor_edge(&here, cycle), mnp_edge(hertz, cycle));
        assert_int_equal(mnp_cursor_edge(&here, here.cycle / 2), mnp_edge(hertz, here.cycle / 2));
        mnp_time time = here.time + random_number(&state) % (UINT64_C(1) << (3 + random_number(&state) % 30));
        assert_int_equal(mnp_cursor_cycle_at(&here, time), mnp_cycle_at(hertz, time));
        assert_int_equal(mnp_cursor_cycle_at(&here, here.time), here.cycle);
        assert_int_equal(mnp_cursor_cycle_at(&here, here.time / 2), mnp_cycle_at(hertz, here.time / 2));
    }
}

/* The greatest spans that the fast path takes do not overflow, at the fastest clock. */
static void cursor_at_its_bounds(void **context)
{
    (void)context;
    static const uint64_t clocks[] = {
        1, 2, 999999999, 1000000000, 1365000000, UINT64_C(9999999999), UINT64_C(10000000000)};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct mnp_cursor here;
        mnp_cursor_init(&here, clocks[i]);
        mnp_cursor_move(&here, clocks[i] > 2 ? clocks[i] - 1 : 1);
        for (uint64_t ahead = 16380; ahead < 16390; ahead++)
            assert_int_equal(mnp_cursor_edge(&here, here.cycle + ahead), mnp_edge(clocks[i], here.cycle + ahead));
        for (uint64_t ahead = (UINT64_C(1) << 30) - 5; ahead < (UINT64_C(1) << 30) + 5; ahead++)
            assert_int_equal(mnp_cursor_cycle_at(&here, here.time + ahead), mnp_cycle_at(clocks[i], here.time + ahead));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges),
        cmocka_unit_test(first_edge_at_or_after),
        cmocka_unit_test(cursor),
        cmocka_unit_test(cursor_at_its_bounds),
    };
    return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
