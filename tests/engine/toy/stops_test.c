/* SPDX-License-Identifier: BSD-3-Clause */
/* How runs end: hang, livelock, limit, faults, interrupt; each at the same time and with the same bytes everywhere. */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct trial {
    struct toy_parameters parameters;
    struct toy_program programs[TOY_CORES][TOY_THREADS];
    struct mnp_run_options options;
    struct toy_result result;
    char *report;
};

static struct trial *begin(uint64_t seed)
{
    struct trial *trial = mnp_allocate(1, sizeof *trial);
    trial->parameters = seed ? toy_random_parameters(seed) : toy_defaults();
    trial->options = (struct mnp_run_options){.limit = MNP_SECOND / 10000, .hash_epochs = true};
    return trial;
}

static void run(struct trial *trial, uint64_t seed)
{
    assert_true(toy_same_everywhere(&trial->parameters, (const struct toy_program(*)[TOY_THREADS])trial->programs,
                                    &trial->options, seed, 2 + toy_effort(6), &trial->result, &trial->report));
}

static void end(struct trial *trial)
{
    free(trial->result.bytes);
    free(trial->report);
    free(trial);
}

static void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is missing in:\n%s", part, text);
}

static void load(struct toy_program *program, uint8_t d, uint64_t address, enum toy_order order)
{
    toy_emit(program, (struct toy_instruction){.op = TOY_LOAD, .order = (uint8_t)order, .bytes = 8, .d = d,
                                               .immediate = address});
}

static void delay(struct toy_program *program, uint64_t cycles)
{
    toy_emit(program, (struct toy_instruction){.op = TOY_DELAY, .immediate = cycles});
}

/* A barrier that a thread never reaches. A limit or a patience does not turn the hang into something else. */
static void hang_at_barrier(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < toy_effort(8); seed++) {
        struct trial *trial = begin(seed);
        trial->parameters.threads = 2;
        trial->options.livelock = seed % 2 ? MNP_SECOND / 100000 : 0;
        trial->options.hash_epochs = seed / 2 % 2; /* without, epochs in which nothing was written have no end */
        toy_emit(&trial->programs[0][0], (struct toy_instruction){.op = TOY_BARRIER});
        delay(&trial->programs[0][1], 50);
        run(trial, seed);
        assert_int_equal(trial->result.stop, MNP_STOP_HANG);
        assert_true(trial->result.now < MNP_SECOND / 1000000);
        expect_text(trial->report, "core0 thread 0: at instruction 0 since");
        expect_text(trial->report, "waits for a barrier");
        end(trial);
    }
}

/* A slice that serves no more: the chain leads from the core to it. */
static void hang_at_slice(void **state)
{
    (void)state;
    struct trial *trial = begin(0);
    trial->parameters.cores = 1;
    trial->parameters.slices = 2;
    trial->parameters.stuck_after = 3;
    for (uint32_t i = 0; i < 60; i++)
        load(&trial->programs[0][0], 0, MNP_MEMORY_LINE, TOY_PLAIN); /* slice 1, at node 2 */
    trial->parameters.entries = 32;
    trial->parameters.depth = 3;
    run(trial, 0);
    assert_int_equal(trial->result.stop, MNP_STOP_HANG);
    expect_text(trial->report, "core0 waits for router0 since");
    expect_text(trial->report, "a place for a request of thread 0");
    expect_text(trial->report, "router0 waits for router1 since");
    expect_text(trial->report, "router1 waits for router2 since");
    expect_text(trial->report, "router2 waits for slice1 since");
    expect_text(trial->report, "slice1 waits since");
    expect_text(trial->report, "3 requests are not served");
    end(trial);
}

/* Without the bubble rule the ring fills up, and everybody waits for the next in a circle. */
static void hang_in_circle(void **state)
{
    (void)state;
    struct trial *trial = begin(0);
    trial->parameters.cores = 6;
    trial->parameters.bubble = 0;
    trial->parameters.depth = 1;
    trial->parameters.entries = 32;
    trial->parameters.slices = 5;
    trial->parameters.placement = 3;
    trial->parameters.stagger = 1;
    for (uint32_t core = 0; core < 6; core++)
        for (uint32_t i = 0; i < 200; i++)
            load(&trial->programs[core][0], 0, MNP_MEMORY_LINE * toy_below(core, i, 5), TOY_PLAIN);
    run(trial, 1);
    assert_int_equal(trial->result.stop, MNP_STOP_HANG);
    expect_text(trial->report, "which closes the circle at router");
    expect_text(trial->report, "requests from the ring");
    end(trial);
}

/* A core that waits for a flag that nobody writes. The others finish before. */
static void livelock(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < toy_effort(12); seed++) {
        struct trial *trial = begin(seed);
        trial->parameters.cores = 2;
        trial->options.livelock = MNP_SECOND / 500000;
        enum toy_order order = seed % 3 == 0 ? TOY_PLAIN : seed % 3 == 1 ? TOY_RELAXED : TOY_ACQUIRE;
        load(&trial->programs[0][0], 1, 0x4040, order);
        if (seed % 2)
            delay(&trial->programs[0][0], 10);
        toy_emit(&trial->programs[0][0], (struct toy_instruction){.op = TOY_BRANCH_EQ, .a = 1, .target = 0});
        toy_emit(&trial->programs[1][0], (struct toy_instruction){.op = TOY_RED_ADD, .bytes = 8, .immediate = 0x4040});
        delay(&trial->programs[1][0], 1000); /* longer than it seems: waiting for a delay is no livelock */
        delay(&trial->programs[1][0], 3000);
        run(trial, seed);
        assert_int_equal(trial->result.stop, MNP_STOP_LIVELOCK);
        assert_true(trial->result.progress > 4000 * (MNP_SECOND / trial->parameters.core_hertz));
        mnp_time patience = trial->result.progress + trial->options.livelock; /* and then the end of the epoch */
        assert_int_equal(trial->result.now, (patience / trial->result.epoch + 1) * trial->result.epoch);
        expect_text(trial->report, "core0 thread 0: sees 0 at 0x4040 since");
        assert_null(strstr(trial->report, "core1 thread 0"));
        end(trial);
    }
}

/* A flag that is written in the end is no livelock, however long the patience is tried but for one progress. */
static void no_livelock(void **state)
{
    (void)state;
    struct trial *trial = begin(0);
    trial->parameters.cores = 2;
    trial->options.livelock = MNP_SECOND / 500000;
    load(&trial->programs[0][0], 1, 0x4040, TOY_RELAXED);
    toy_emit(&trial->programs[0][0], (struct toy_instruction){.op = TOY_BRANCH_EQ, .a = 1, .target = 0});
    delay(&trial->programs[1][0], 5000); /* five microseconds */
    toy_emit(&trial->programs[1][0], (struct toy_instruction){.op = TOY_SET, .d = 1, .immediate = 1});
    toy_emit(&trial->programs[1][0],
             (struct toy_instruction){.op = TOY_STORE, .bytes = 8, .b = 1, .immediate = 0x4040});
    run(trial, 0);
    assert_int_equal(trial->result.stop, MNP_STOP_FINISHED);
    end(trial);
}

/* A run that waits for its end only is neither a hang nor a livelock, and a limit before the end is a limit. */
static void waiting_for_the_end(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct trial *trial = begin(0);
        trial->parameters.drain = 4000; /* four microseconds */
        trial->options.livelock = MNP_SECOND / 1000000;
        trial->options.limit = i ? MNP_SECOND / 500000 : 0;
        run(trial, i);
        assert_int_equal(trial->result.stop, i ? MNP_STOP_LIMIT : MNP_STOP_FINISHED);
        end(trial);
    }
}

/* The limit is kept to the femtosecond, wherever it lies in an epoch. */
static void limit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= toy_effort(12); seed++) {
        struct trial *trial = begin(seed);
        toy_random_programs(&trial->parameters, seed, 4, trial->programs);
        trial->options.limit = 30000000 + toy_below(seed, 1, 900000000);
        run(trial, seed);
        assert_true(trial->result.stop == MNP_STOP_LIMIT || trial->result.stop == MNP_STOP_FINISHED);
        assert_true(trial->result.stop == MNP_STOP_FINISHED || trial->result.now == trial->options.limit);
        assert_true(seed > 1 || trial->result.stop == MNP_STOP_LIMIT);
        end(trial);
    }
}

/* Whether the last bytes of a result are an error's text. */
static bool ends_with(const struct toy_result *result, const char *text)
{
    size_t length = strlen(text);
    return result->length > length && memcmp(result->bytes + result->length - length, text, length) == 0;
}

/* Two cores trap about the same time: the first in (time, unit) wins, and the run ends with its epoch. */
static void first_fault(void **state)
{
    (void)state;
    uint64_t first = 0, second = 0;
    for (uint64_t seed = 1; seed <= toy_effort(20); seed++) {
        struct trial *trial = begin(seed);
        trial->parameters.cores = 3;
        trial->parameters.stagger = 1 + seed % 2;
        uint64_t cycles[2];
        for (uint32_t core = 0; core < 2; core++) {
            cycles[core] = 100 + toy_below(seed, core, 4);
            delay(&trial->programs[core][0], cycles[core]);
            toy_emit(&trial->programs[core][0], (struct toy_instruction){.op = TOY_TRAP});
        }
        run(trial, seed);
        assert_int_equal(trial->result.stop, MNP_STOP_FAULT);
        bool zero = cycles[0] <= cycles[1] + trial->parameters.stagger; /* core 1 starts later; a tie goes to core 0 */
        assert_true(
            ends_with(&trial->result, zero ? "core0: a trap at instruction 1" : "core1: a trap at instruction 1"));
        first += zero, second += !zero;
        end(trial);
    }
    assert_true(first > 0 && (second > 0 || toy_effort(20) < 20));
}

static void store(struct toy_program *program, uint64_t address)
{
    toy_emit(program, (struct toy_instruction){.op = TOY_SET, .d = 1, .immediate = address + 1});
    toy_emit(program, (struct toy_instruction){.op = TOY_STORE, .bytes = 8, .b = 1, .immediate = address});
}

static void overlay_overflows(void **state)
{
    (void)state;
    struct trial *trial = begin(0);
    trial->parameters.overlay_lines = 2;
    for (uint32_t i = 0; i < 6; i++)
        store(&trial->programs[1][0], i * MNP_MEMORY_LINE);
    run(trial, 0);
    assert_int_equal(trial->result.stop, MNP_STOP_FAULT);
    assert_true(ends_with(&trial->result, "more than 2 lines of 128 bytes are written within one epoch: raise the "
                                          "machine's limit of lines"));
    end(trial);
}

static void pages_overflow(void **state)
{
    (void)state;
    struct trial *trial = begin(0);
    trial->parameters.pages = 3;
    for (uint32_t i = 0; i < 4; i++)
        store(&trial->programs[i % 2][0], i * MNP_MEMORY_PAGE);
    run(trial, 0);
    assert_int_equal(trial->result.stop, MNP_STOP_FAULT);
    assert_true(ends_with(&trial->result, "raise the machine's limit of memory pages"));
    end(trial);
}

struct stopper {
    _Atomic int flag;
    uint32_t windows;
};

static void stop_after_ten(void *context, mnp_time end_of_window)
{
    struct stopper *stopper = context;
    (void)end_of_window;
    if (++stopper->windows == 10)
        stopper->flag = 1;
}

static void interrupt(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct trial *trial = begin(7);
        struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
        struct stopper stopper = {0};
        toy_random_programs(&trial->parameters, 7, 4, trial->programs);
        toy_build(machine, &trial->parameters, (const struct toy_program(*)[TOY_THREADS])trial->programs);
        struct mnp_run_options options = {.executor = &mnp_executor_window, .threads = threads, .context = &stopper,
                                          .interrupt = &stopper.flag, .on_window = stop_after_ten};
        assert_int_equal(mnp_engine_run(&machine->engine, &options), MNP_STOP_INTERRUPTED);
        assert_int_equal(stopper.windows, 10);
        toy_release(machine);
        free(machine);
        end(trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hang_at_barrier), cmocka_unit_test(hang_at_slice), cmocka_unit_test(hang_in_circle),
        cmocka_unit_test(livelock), cmocka_unit_test(no_livelock),
        cmocka_unit_test(waiting_for_the_end), cmocka_unit_test(limit),
        cmocka_unit_test(first_fault), cmocka_unit_test(overlay_overflows), cmocka_unit_test(pages_overflow),
        cmocka_unit_test(interrupt),
    };
    return cmocka_run_group_tests_name("stops", tests, NULL, NULL);
}
