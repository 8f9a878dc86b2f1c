/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that is saved at the end of a span and goes on in a freshly built machine shows the bytes of one that never
 * stopped; and snapshots that are damaged or of another machine are refused. */
#include "engine/core/snapshot.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct trial {
    struct toy_parameters parameters;
    struct toy_program programs[TOY_CORES][TOY_THREADS];
    struct toy_machine machine;
};

static struct trial *build(uint64_t seed)
{
    struct trial *trial = mnp_allocate(1, sizeof *trial);
    trial->parameters = toy_random_parameters(seed);
    toy_random_programs(&trial->parameters, seed, 4, trial->programs);
    toy_build(&trial->machine, &trial->parameters, (const struct toy_program(*)[TOY_THREADS])trial->programs);
    return trial;
}

static void end(struct trial *trial)
{
    toy_release(&trial->machine);
    free(trial);
}

static const struct mnp_run_options usual = {.executor = &mnp_executor_serial, .threads = 1, .hash_epochs = true,
                                             .limit = MNP_SECOND / 1000};

/* The bytes of a run and its length. */
static struct toy_result whole_run(uint64_t seed)
{
    struct toy_result result = {0};
    struct trial *trial = build(seed);
    toy_observe(&trial->machine, &usual, &result);
    assert_int_equal(result.stop, MNP_STOP_FINISHED);
    end(trial);
    return result;
}

/* The bytes behind the snapshot must be the last bytes of the whole run. */
static void goes_on(uint64_t seed, const struct toy_result *whole, mnp_time at)
{
    struct mnp_snapshot snapshot = {0};
    struct mnp_error error = {""};
    struct toy_result rest = {0};
    struct mnp_run_options options = usual;
    struct trial *first = build(seed);
    options.limit = at;
    assert_int_equal(mnp_engine_run(&first->machine.engine, &options), MNP_STOP_LIMIT);
    mnp_snapshot_save(&snapshot, &first->machine.engine, &first->machine.memory);
    end(first);
    struct trial *second = build(seed);
    struct mnp_snapshot_reader reader = mnp_snapshot_read(&snapshot, &error);
    assert_true(mnp_snapshot_restore(&reader, &second->machine.engine, &second->machine.memory));
    options.limit = usual.limit;
    if (seed % 2) {
        options.executor = &mnp_executor_window;
        options.threads = 2;
        options.no_skip = seed % 4 == 1;
    }
    toy_observe(&second->machine, &options, &rest);
    assert_int_equal(rest.now, whole->now);
    assert_true(rest.length < whole->length);
    if (memcmp(whole->bytes + (whole->length - rest.length), rest.bytes, rest.length) != 0)
        fail_msg("seed %llu, saved at %llu fs: other bytes", (unsigned long long)seed, (unsigned long long)at);
    free(rest.bytes);
    mnp_snapshot_release(&snapshot);
    end(second);
}

static void continuation(void **state)
{
    (void)state;
    uint64_t seeds = toy_effort(30);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct toy_result whole = whole_run(seed);
        struct trial *trial = build(seed);
        mnp_time span = trial->machine.engine.span, spans = whole.now / span;
        end(trial);
        for (uint64_t i = 0; i < 3; i++) /* behind the first spans, in which nothing may have been hashed yet */
            goes_on(seed, &whole, span * (spans / 4 + toy_below(seed, i, spans / 2)));
        free(whole.bytes);
    }
}

static void refusals(void **state)
{
    (void)state;
    struct mnp_snapshot snapshot = {0};
    struct mnp_run_options options = usual;
    struct trial *first = build(1);
    options.limit = 20 * first->machine.engine.epoch;
    assert_int_equal(mnp_engine_run(&first->machine.engine, &options), MNP_STOP_LIMIT);
    mnp_snapshot_save(&snapshot, &first->machine.engine, &first->machine.memory);
    size_t step = snapshot.length / 50;
    for (size_t length = 0; length < snapshot.length; length += step) {
        struct mnp_snapshot cut = {.bytes = snapshot.bytes, .length = length};
        struct mnp_error error = {""};
        struct trial *second = build(1);
        struct mnp_snapshot_reader reader = mnp_snapshot_read(&cut, &error);
        assert_false(mnp_snapshot_restore(&reader, &second->machine.engine, &second->machine.memory));
        assert_string_equal(error.text, "the snapshot is cut short: save it again");
        end(second);
    }
    struct mnp_error error = {""};
    struct trial *other = build(2);
    struct mnp_snapshot_reader reader = mnp_snapshot_read(&snapshot, &error);
    assert_false(mnp_snapshot_restore(&reader, &other->machine.engine, &other->machine.memory));
    assert_non_null(strstr(error.text, "another machine"));
    end(other);
    mnp_snapshot_release(&snapshot);
    end(first);
}

/* A count that a damaged snapshot states may be anything: times the size of an item it must not wrap around to few. */
static void counts(void **state)
{
    (void)state;
    unsigned char bytes[24] = {0};
    struct mnp_snapshot snapshot = {.bytes = bytes, .length = sizeof bytes};
    static const uint64_t too_many[] = {4, UINT64_C(1) << 61, UINT64_MAX, UINT64_MAX / 8 + 2};
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        struct mnp_error error = {""};
        struct mnp_snapshot_reader reader = mnp_snapshot_read(&snapshot, &error);
        assert_null(mnp_snapshot_take_items(&reader, too_many[i], 8));
        assert_string_equal(error.text, "the snapshot is cut short: save it again");
        assert_non_null(mnp_snapshot_take_items(&reader, 3, 8));
        assert_ptr_equal(mnp_snapshot_take_items(&reader, 0, 8), bytes + sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(continuation),
        cmocka_unit_test(refusals),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
