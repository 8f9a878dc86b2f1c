/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of DESIGN §2.5: every executor, thread count, schedule and window length, with and without skipping,
 * shows the same bytes as the reference: serial, windows of one cycle, every cycle visited.
 */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Machine and programs of a seed. Seeds below 100 are small, because every window costs where threads outnumber
 * processors. */
static struct toy_result run_once(uint64_t seed, const struct mnp_run_options *options)
{
    struct toy_parameters parameters = toy_random_parameters(seed);
    struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
    struct toy_program(*programs)[TOY_THREADS] = mnp_allocate(parameters.cores, sizeof *programs);
    struct toy_result result = {0};
    parameters.drain = seed < 100 ? seed % 2 : toy_below(seed, 600, 200); /* 0: the end is announced when it is there */
    toy_random_programs(&parameters, seed, seed < 100 ? 1 : 4, programs);
    toy_build(machine, &parameters, (const struct toy_program(*)[TOY_THREADS])programs);
    struct mnp_run_options mine = options ? *options : toy_reference_options(machine);
    if (options) { /* windows are given in cycles of the core; more than the lookahead would be the caller's error */
        mine.window = options->window * (MNP_SECOND / parameters.core_hertz);
        mine.window = mine.window > machine->engine.lookahead ? 0 : mine.window;
        mine.limit = MNP_SECOND / 1000;
    }
    toy_observe(machine, &mine, &result);
    toy_release(machine);
    free(programs);
    free(machine);
    return result;
}

static void expect_same(uint64_t seed, const struct toy_result *reference, const struct mnp_run_options *options)
{
    struct toy_result result = run_once(seed, options);
    if (!toy_same(reference, &result))
        fail_msg("seed %llu: %s, %u threads, schedule %d, window %llu, no_skip %d", (unsigned long long)seed,
                 options->executor->name, options->threads, options->schedule, (unsigned long long)options->window,
                 options->no_skip);
    free(result.bytes);
}

/* The executors of other simulators, which meet every cycle; all of them are right with any window. */
static const char *const other_executors[] = {"lockstep", "domains", "pool", "openmp"};

static void expect_others_same(uint64_t seed, const struct toy_result *reference, uint32_t points)
{
    for (uint32_t i = 0; i < 4 * points; i++) {
        struct mnp_run_options options = {.executor = mnp_executor_find(other_executors[i % 4]), .hash_epochs = true};
        options.threads = (uint32_t)(1 + toy_below(seed, 800 + i, 4));
        options.window = toy_below(seed, 900 + i, 3) != 0; /* mostly one cycle */
        options.no_skip = toy_below(seed, 1000 + i, 4) == 0;
        options.schedule = (enum mnp_schedule)toy_below(seed, 1100 + i, 3);
        options.chunk = (uint32_t)toy_below(seed, 1200 + i, 4);
        if (options.executor) /* openmp may not be built */
            expect_same(seed, reference, &options);
    }
}

static const uint32_t thread_counts[] = {1, 2, 3, 4, 7, 16};
static const mnp_time window_cycles[] = {1, 5, 0};

/* The whole matrix for one seed; with a sanitizer, in continuous integration, a fifth, in which each thread count,
 * schedule and window comes with others. */
static void whole_matrix(uint64_t seed)
{
    uint32_t step = toy_effort(100) < 10 ? 5 : 1;
    struct toy_result reference = run_once(seed, NULL);
    assert_int_equal(reference.stop, MNP_STOP_FINISHED);
    for (uint32_t i = 0; i < 3 * 2; i++)
        expect_same(seed, &reference,
                    &(struct mnp_run_options){.executor = &mnp_executor_serial, .threads = 1, .hash_epochs = true,
                                              .window = window_cycles[i / 2], .no_skip = i % 2});
    for (uint32_t i = 0; i < 6 * 3 * 3 * 2; i += step)
        expect_same(seed, &reference,
                    &(struct mnp_run_options){.executor = &mnp_executor_window, .threads = thread_counts[i / 18],
                                              .schedule = (enum mnp_schedule)(i / 6 % 3), .hash_epochs = true,
                                              .window = window_cycles[i / 2 % 3], .no_skip = i % 2, .worth = 1});
    expect_others_same(seed, &reference, 4);
    free(reference.bytes);
}

static void matrix(void **state)
{
    (void)state;
    uint64_t seeds = toy_effort(1);
    for (uint64_t seed = 1; seed <= seeds; seed++)
        whole_matrix(seed);
}

/* Many machines, each against a few points of the matrix drawn at random. */
static void fuzz(void **state)
{
    (void)state;
    uint64_t seeds = toy_effort(9);
    for (uint64_t seed = 1000; seed < 1000 + seeds; seed++) {
        struct toy_result reference = run_once(seed, NULL);
        assert_int_equal(reference.stop, MNP_STOP_FINISHED);
        for (uint64_t i = 0; i < 6; i++) {
            uint32_t threads = (uint32_t)(1 + toy_below(seed, 200 + i, 4));
            expect_same(seed, &reference,
                        &(struct mnp_run_options){
                            .executor = i == 0 ? &mnp_executor_serial : &mnp_executor_window, .threads = threads,
                            .schedule = (enum mnp_schedule)toy_below(seed, 300 + i, 3), .hash_epochs = true,
                            .window = window_cycles[toy_below(seed, 400 + i, 3)],
                            .no_skip = toy_below(seed, 500 + i, 4) == 0, .worth = 1});
        }
        if (seed % 4 == 0)
            expect_others_same(seed, &reference, 1);
        free(reference.bytes);
    }
}

/* Without epoch hashes there are fewer windows: the end must be the same all the same. */
static void without_hashes(void **state)
{
    (void)state;
    for (uint64_t seed = 5000; seed < 5000 + toy_effort(20); seed++) {
        struct mnp_run_options options = {.executor = &mnp_executor_serial, .threads = 1, .window = 1, .no_skip = true};
        struct toy_result reference = run_once(seed, &options);
        options = (struct mnp_run_options){.executor = &mnp_executor_window, .threads = 2, .worth = 1};
        expect_same(seed, &reference, &options);
        options.window = 1;
        expect_same(seed, &reference, &options);
        options = (struct mnp_run_options){.executor = &mnp_executor_serial, .threads = 1};
        expect_same(seed, &reference, &options);
        free(reference.bytes);
    }
}

/* A machine in relaxed windows of `cycles` core cycles. */
static struct toy_result run_relaxed(uint64_t seed, uint64_t cycles, uint32_t threads, enum mnp_schedule schedule)
{
    struct toy_parameters parameters = toy_random_parameters(seed);
    struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
    struct toy_program(*programs)[TOY_THREADS] = mnp_allocate(parameters.cores, sizeof *programs);
    struct toy_result result = {0};
    parameters.drain = seed % 2; /* as run_once */
    toy_random_programs(&parameters, seed, 1, programs);
    toy_build(machine, &parameters, (const struct toy_program(*)[TOY_THREADS])programs);
    mnp_time window = cycles ? cycles * (MNP_SECOND / parameters.core_hertz) : machine->engine.epoch;
    mnp_engine_relax(&machine->engine, window);
    toy_observe(machine,
                &(struct mnp_run_options){.executor = &mnp_executor_relaxed, .threads = threads, .schedule = schedule,
                                          .limit = MNP_SECOND / 1000, .hash_epochs = true, .worth = 1}, &result);
    toy_release(machine);
    free(programs);
    free(machine);
    return result;
}

/* Relaxed windows depend on their length, but on nothing else; as long as an epoch, they are not relaxed at all. */
static void relaxed(void **state)
{
    (void)state;
    static const uint64_t cycles[] = {0, 20, 100, 1000};
    for (uint64_t i = 0; i < 4 * toy_effort(6); i++) {
        uint64_t seed = 3 + 2 * (i / 4); /* odd seeds below 100: see run_once */
        struct toy_result first = run_relaxed(seed, cycles[i % 4], 1, MNP_SCHEDULE_STATIC);
        for (uint32_t threads = 2; threads <= 4; threads++) {
            struct toy_result again = run_relaxed(seed, cycles[i % 4], threads, (enum mnp_schedule)(threads % 3));
            assert_true(toy_same(&first, &again));
            free(again.bytes);
        }
        if (i % 4 == 0) {
            struct toy_result reference = run_once(seed, NULL);
            assert_true(toy_same(&reference, &first));
            free(reference.bytes);
        }
        free(first.bytes);
    }
}

/* The matrix is worth something only if different machines and programs show different bytes. */
static void seeds_differ(void **state)
{
    (void)state;
    struct toy_result a = run_once(1, NULL), b = run_once(2, NULL);
    assert_true(a.length > 1000 && b.length > 1000);
    assert_true(a.now != b.now);
    free(a.bytes);
    free(b.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(matrix),
        cmocka_unit_test(without_hashes),
        cmocka_unit_test(fuzz),
        cmocka_unit_test(relaxed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
