/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worked example of a unit (docs/examples/prefetch). A stream of n lines, read one after another, costs n round
 * trips and one time of the memory for each miss; a prefetcher of k lines leaves one miss in k + 1 lines. A stream of
 * every (k + 1)th line gains nothing. All executors agree.
 */
#include "machine.h"

#include "engine/core/port.h"
#include "engine/executors/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { READS = 120, LINK = 3, MEMORY = 50 };

struct outcome {
    uint64_t hash, cycles, misses, late, asked, useful;
};

static struct outcome run_with(const struct prefetch_options *options, const struct mnp_run_options *how)
{
    struct prefetch_machine machine;
    prefetch_machine_build(&machine, options);
    assert_int_equal(mnp_engine_run(&machine.engine, how), MNP_STOP_FINISHED);
    const uint64_t *l2 = mnp_counters(machine.l2, 0);
    assert_int_equal(l2[L2_READS], options->reads);
    assert_int_equal(machine.prefetcher != NULL, options->prefetch.lines != 0);
    assert_int_equal(machine.engine.unit_count, options->prefetch.lines ? 3 : 2);
    assert_int_equal(mnp_port_is_connected(machine.l2, 2), options->prefetch.lines != 0);
    struct outcome outcome = {.hash = mnp_engine_hash(&machine.engine),
                              .cycles = mnp_counters(machine.reader, 0)[0],
                              .misses = l2[L2_MISSES],
                              .late = l2[L2_LATE],
                              .asked = machine.prefetcher ? mnp_counters(machine.prefetcher, 0)[PREFETCH_ASKED] : 0,
                              .useful = l2[L2_USEFUL]};
    prefetch_machine_release(&machine);
    return outcome;
}

static struct outcome run(uint64_t lines, uint64_t stride)
{
    struct prefetch_options options = {
        .prefetch.lines = lines, .reads = READS, .stride = stride, .link = LINK, .memory = MEMORY};
    return run_with(&options, &(struct mnp_run_options){.executor = &mnp_executor_serial, .threads = 1});
}

static void without_it_every_line_is_missed(void **state)
{
    (void)state;
    struct outcome outcome = run(0, 1);
    assert_int_equal(outcome.misses, READS);
    assert_int_equal(outcome.cycles, READS * (2 * LINK + MEMORY));
}

static void a_stream_misses_one_line_in_so_many(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines <= 5; lines++) { /* READS is a multiple of 2 … 6 */
        struct outcome outcome = run(lines, 1);
        uint64_t misses = READS / (lines + 1);
        assert_int_equal(outcome.misses, misses);
        assert_int_equal(outcome.late, 0); /* a line behind the miss comes as the next read does */
        assert_int_equal(outcome.asked, misses * lines);
        assert_int_equal(outcome.useful, READS - misses);
        assert_int_equal(outcome.cycles, READS * 2 * LINK + misses * MEMORY);
    }
}

static void a_stride_beyond_its_reach_gains_nothing(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines <= 4; lines++) {
        struct outcome outcome = run(lines, lines + 1);
        assert_int_equal(outcome.misses, READS);
        assert_int_equal(outcome.asked, READS * lines);
        assert_int_equal(outcome.useful, 0);
        assert_int_equal(outcome.cycles, READS * (2 * LINK + MEMORY));
    }
}

static void all_executors_agree(void **state)
{
    (void)state;
    struct prefetch_options options = {
        .prefetch.lines = 3, .reads = READS, .stride = 1, .link = LINK, .memory = MEMORY};
    const struct mnp_executor *executors[] = {&mnp_executor_serial, &mnp_executor_window, &mnp_executor_lockstep,
                                              &mnp_executor_pool};
    struct outcome first = run(3, 1);
    for (uint32_t i = 0; i < sizeof executors / sizeof *executors; i++)
        for (uint32_t threads = 1; threads <= (i ? 3 : 1); threads++) {
            struct mnp_run_options how = {.executor = executors[i], .threads = threads, .no_skip = threads == 2};
            struct outcome outcome = run_with(&options, &how);
            assert_memory_equal(&outcome, &first, sizeof first);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_it_every_line_is_missed), cmocka_unit_test(a_stream_misses_one_line_in_so_many),
        cmocka_unit_test(a_stride_beyond_its_reach_gains_nothing), cmocka_unit_test(all_executors_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
