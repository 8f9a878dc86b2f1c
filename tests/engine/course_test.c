/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks whose frequency changes: edges against a walk from one to the next in 128-bit fractions, cycles against the
 * walk's list, and cursors against both. */
#include "engine/core/course.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

typedef unsigned __int128 wide;

enum { EDGES = 2000, TURNS = 12 };

static uint64_t random_number(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t random_clock(uint64_t *state)
{
    return 1000000 + random_number(state) % UINT64_C(9999000000) / (1 + random_number(state) % 20);
}

/* Walks EDGES edges: each is a period behind the one before, as a fraction of numerator / hertz; where the clock
 * changes the fraction is dropped, because the edge keeps its time. */
static void walk(const mnp_time *turns, const uint64_t *clocks, mnp_time *edges)
{
    uint32_t turn = 0;
    mnp_time whole = 0;
    uint64_t part = 0, hertz = clocks[0]; /* part / hertz femtoseconds beyond `whole` */
    for (uint32_t i = 0; i < EDGES; i++) {
        edges[i] = whole;
        for (; turn < TURNS && turns[turn] <= whole; turn++) {
            part = hertz == clocks[turn + 1] ? part : 0;
            hertz = clocks[turn + 1];
        }
        wide next = (wide)MNP_SECOND + part;
        whole += (mnp_time)(next / hertz);
        part = (uint64_t)(next % hertz);
    }
}

static void check_cursor(const struct mnp_course *course, const mnp_time *edges, uint64_t *state)
{
    struct mnp_cursor cursor;
    mnp_cursor_follow(&cursor, course);
    for (int i = 0; i < 20; i++) {
        uint64_t cycle = random_number(state) % EDGES, to = random_number(state) % EDGES;
        assert_int_equal(mnp_cursor_edge(&cursor, cycle), edges[cycle]);
        assert_int_equal(mnp_cursor_cycle_at(&cursor, edges[cycle]), cycle);
        uint64_t last = mnp_course_last(course)->cycle;
        mnp_cursor_move(&cursor, to > last ? to : last);
        assert_int_equal(cursor.time, edges[cursor.cycle]);
    }
}

static void follows_the_walk(void **context)
{
    (void)context;
    uint64_t state = 1;
    static mnp_time edges[EDGES];
    for (int round = 0; round < 300; round++) {
        mnp_time turns[TURNS], now = 0;
        uint64_t clocks[TURNS + 1] = {random_clock(&state)};
        struct mnp_course course;
        for (uint32_t i = 0; i < TURNS; i++) { /* some in the same period as the one before */
            uint64_t span = 1 + random_number(&state) % (150 * (MNP_SECOND / clocks[i]));
            now += random_number(&state) % 4 ? span : 1;
            turns[i] = now;
            clocks[i + 1] = random_number(&state) % 8 ? random_clock(&state) : clocks[i];
        }
        walk(turns, clocks, edges);
        mnp_course_init(&course, clocks[0]);
        for (uint32_t i = 0; i < TURNS; i++)
            mnp_course_turn(&course, turns[i], clocks[i + 1]);
        for (uint32_t i = 0; i < EDGES; i++) {
            assert_int_equal(mnp_course_edge(&course, i), edges[i]);
            assert_int_equal(mnp_course_cycle_at(&course, edges[i]), i); /* ready at the edge, blocked before it */
            assert_int_equal(mnp_course_cycle_at(&course, edges[i] + 1), i + 1);
        }
        check_cursor(&course, edges, &state);
        mnp_course_release(&course);
    }
}

/* The edge at which the clock changes keeps its time, and the next one has the new distance. */
static void keeps_the_edge(void **context)
{
    (void)context;
    struct mnp_course course;
    mnp_course_init(&course, 1000000000);
    mnp_course_turn(&course, 5000001, 500000000);
    assert_int_equal(mnp_course_edge(&course, 5), 5000000);
    assert_int_equal(mnp_course_edge(&course, 6), 6000000);
    assert_int_equal(mnp_course_edge(&course, 7), 8000000);
    assert_int_equal(mnp_course_cycle_at(&course, 8000001), 8);
    assert_int_equal(course.slowest, 500000000);
    mnp_course_release(&course);
}

/* A course of one frequency is that clock. */
static void one_stretch_is_a_clock(void **context)
{
    (void)context;
    uint64_t state = 3;
    for (int i = 0; i < 20000; i++) {
        struct mnp_course course;
        uint64_t hertz = random_clock(&state), cycle = random_number(&state) >> (20 + random_number(&state) % 40);
        mnp_course_init(&course, hertz);
        mnp_course_turn(&course, random_number(&state) >> 20, hertz);
        assert_int_equal(mnp_course_edge(&course, cycle), mnp_edge(hertz, cycle));
        mnp_time time = random_number(&state) >> 10;
        assert_int_equal(mnp_course_cycle_at(&course, time), mnp_cycle_at(hertz, time));
        mnp_course_release(&course);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_walk),
        cmocka_unit_test(keeps_the_edge),
        cmocka_unit_test(one_stretch_is_a_clock),
    };
    return cmocka_run_group_tests_name("course", tests, NULL, NULL);
}
