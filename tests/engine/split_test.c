/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores a thread gets: even chunks that never part a bundle, and shares as a user assigns them. */
#include "engine/core/engine.h"
#include "engine/executors/split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { CORES = 11, MEMORIES = 3, PERIPHERALS = 2 };

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    (void)unit, (void)until;
    return MNP_NEVER;
}

static const struct mnp_model core = {.name = "core", .summary = "", .advance = advance, .domain = MNP_DOMAIN_CORE};
static const struct mnp_model peripheral = {.name = "peripheral", .summary = "", .advance = advance};
static const struct mnp_model memory = {
    .name = "memory", .summary = "", .advance = advance, .domain = MNP_DOMAIN_MEMORY};

/* A peripheral, the cores in bundles of so many (0: none), the other peripheral, and the memory side. */
static void build(struct mnp_engine *engine, uint32_t bundle)
{
    mnp_engine_init(engine);
    struct mnp_unit_plan plan = {.name = "unit", .hertz = 1000000000, .slots = 1};
    for (uint32_t i = 0; i < PERIPHERALS + CORES + MEMORIES; i++) {
        bool is_core = i > 0 && i <= CORES;
        plan.model = is_core ? &core : i <= CORES + 1 ? &peripheral : &memory;
        plan.bundle = is_core && bundle ? 1 + (i - 1) / bundle : 0;
        mnp_engine_create_unit(engine, &plan);
    }
}

static void test_even_chunks_keep_bundles(void **state)
{
    (void)state;
    for (uint32_t bundle = 0; bundle <= 4; bundle++)
        for (uint32_t chunks = 1; chunks <= CORES + 3; chunks++) {
            struct mnp_engine engine;
            struct mnp_split split;
            uint32_t next = 0, first, end;
            build(&engine, bundle);
            mnp_split_init(&split, &engine);
            assert_int_equal(split.cores, CORES + PERIPHERALS);
            for (uint32_t chunk = 0; chunk < chunks; chunk++) {
                mnp_split_bounds(&split, chunk, chunks, &first, &end);
                assert_int_equal(first, next); /* one behind the other */
                if (bundle && end > 1 && end <= CORES)
                    assert_int_equal((end - 1) % bundle, 0); /* place 0 is the peripheral */
                if (bundle < 2)
                    assert_int_equal(end, split.cores * (chunk + 1) / chunks);
                next = end;
            }
            assert_int_equal(next, split.cores);
            mnp_split_release(&split);
            mnp_engine_release(&engine);
        }
}

static void test_shares_by_hand(void **state)
{
    (void)state;
    static const uint32_t expected[3][CORES + PERIPHERALS] = {{0, 3, 6, 7, 8, 12}, {1, 2, 4, 5}, {9, 10, 11}};
    static const uint32_t lengths[3] = {6, 4, 3};
    struct mnp_engine engine;
    struct mnp_split split;
    struct mnp_error error = {{0}};
    build(&engine, 0);
    engine.options.assign = "2,5-7/0-1,3-4/8-10"; /* cores are units 1 to 11 */
    assert_true(mnp_split_check(&engine, engine.options.assign, 3, &error));
    mnp_split_init(&split, &engine);
    for (uint32_t share = 0; share < 3; share++) {
        uint32_t first, end;
        mnp_split_bounds(&split, share, 3, &first, &end);
        assert_int_equal(end - first, lengths[share]);
        assert_memory_equal(split.units + first, expected[share], lengths[share] * sizeof(uint32_t));
    }
    mnp_split_release(&split);
    mnp_engine_release(&engine);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *assign, *said;
    } cases[] = {{"0-10", "cores of 1 threads, and there are 2"},
                 {"0-5/6-9", "core 10 is assigned to no thread"},
                 {"0-5/5-10", "core 5 is assigned twice"},
                 {"0-5/6-11", "there are cores 0 to 10"},
                 {"5-0/6-10", "5-0 is none of their ranges"},
                 {"0-5/99999999999999999999", "is none of their ranges"},
                 {"0-5/6-10/", "a number is missing"},
                 {"/0-10", "a number is missing"},
                 {"0-5,/6-10", "a number is missing"},
                 {"0-/6-10", "a range has no end"},
                 {"0-5;6-10", "follows a number"},
                 {"", "a number is missing"}};
    struct mnp_engine engine;
    build(&engine, 0);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mnp_error error = {{0}};
        assert_false(mnp_split_check(&engine, cases[i].assign, 2, &error));
        if (!strstr(error.text, cases[i].said))
            fail_msg("%s: %s", cases[i].assign, error.text);
    }
    mnp_engine_release(&engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_even_chunks_keep_bundles),
                                       cmocka_unit_test(test_shares_by_hand),
                                       cmocka_unit_test(test_what_makes_no_sense_is_refused)};
    return cmocka_run_group_tests_name("division of a machine", tests, NULL, NULL);
}
