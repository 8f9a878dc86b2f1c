/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory values in simulated time (DESIGN §3): litmus tests whose answers sequential reasoning or the memory model
 * gives, and programs in which blocks wait for one another. Each is run by one thread, and by 1, 2 and 4 with windows
 * of two lengths: everything that it writes, and the state of the machine, must be the same.
 */
#include "timed.h"

#include "../../sanitized.h"
#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 1 << 18, OUT = 1 << 14 }; /* of memory, and of results */

struct run {
    struct bench bench;
    struct mnp_source *source;
    uint64_t x, out;
    int *memory, *results; /* copies */
    struct mnp_results statistics;
    char *printed;
};

struct program {
    const char *kernel;
    uint32_t blocks, threads;
    void (*arguments)(struct run *run, uint64_t values[8]);
    void (*fill)(int *memory); /* NULL: zeros */
    void (*check)(const int *memory, const int *out);
};

static void run_program(struct run *run, const struct program *program, const struct timed_how *how)
{
    uint64_t values[8] = {0};
    const void *arguments[8];
    const uint32_t grid[3] = {program->blocks, 1, 1}, block[3] = {program->threads, 1, 1};
    memset(run, 0, sizeof *run);
    bench_open(&run->bench, LITMUS, NULL);
    run->memory = calloc(WORDS, sizeof *run->memory);
    run->results = calloc(OUT, sizeof *run->results);
    if (program->fill)
        program->fill(run->memory);
    run->x = bench_buffer(&run->bench, run->memory, WORDS * sizeof(int));
    run->out = bench_buffer(&run->bench, run->results, OUT * sizeof(int));
    run->source = execute_source_open(&run->bench.device, 80);
    program->arguments(run, values);
    for (int i = 0; i < 8; i++)
        arguments[i] = &values[i];
    const struct execute_code *code = ptx_program_kernel(&run->bench.program, program->kernel, &run->bench.error);
    if (!code || !execute_source_launch(run->source, code, grid, block, 0, arguments, &run->bench.error) ||
        !timed_run(&run->bench, run->source, how, &run->statistics))
        fail_msg("%s: %s", program->kernel, run->bench.error.text);
    if (run->statistics.end != MNP_END_FINISHED)
        fail_msg("%s does not finish:\n%s", program->kernel, run->statistics.report ? run->statistics.report : "");
    bench_read(&run->bench, run->x, run->memory, WORDS * sizeof(int));
    bench_read(&run->bench, run->out, run->results, OUT * sizeof(int));
    run->printed = strdup(run->bench.printed ? run->bench.printed : "");
}

static void end_run(struct run *run)
{
    mnp_results_release(&run->statistics);
    run->source->close(run->source);
    bench_close(&run->bench);
    free(run->memory);
    free(run->results);
    free(run->printed);
}

static void expect_same(const struct run *first, const struct program *program, const struct timed_how *how)
{
    struct run other;
    run_program(&other, program, how);
    assert_memory_equal(first->memory, other.memory, WORDS * sizeof(int));
    assert_memory_equal(first->results, other.results, OUT * sizeof(int));
    assert_string_equal(first->statistics.hash, other.statistics.hash);
    assert_string_equal(first->printed, other.printed);
    end_run(&other);
}

/* Runs it in all ways, and compares. With a slow core a window is few of its cycles, and two at the least; what a check
 * says of who comes first holds for equal clocks. */
static void try(const struct program *program)
{
    static const struct timed_how ways[] = {{.executor = &mnp_executor_window, .threads = 1, .window = 11},
                                            {.executor = &mnp_executor_window, .threads = 2},
                                            {.executor = &mnp_executor_window, .threads = 4},
                                            {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true}};
    static const char *const slow[] = {"clock.core=345MHz", "clock.core=3MHz"};
    struct run first;
    run_program(&first, program, &(struct timed_how){.executor = &mnp_executor_serial, .threads = 1});
    program->check(first.memory, first.results);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        expect_same(&first, program, &ways[i]);
    end_run(&first);
    for (size_t i = 0; i < sizeof slow / sizeof *slow && !TEST_SANITIZED; i++) { /* no other code runs there */
        run_program(&first, program,
                    &(struct timed_how){.executor = &mnp_executor_serial, .threads = 1, .set = slow[i]});
        expect_same(&first, program,
                    &(struct timed_how){.executor = &mnp_executor_window, .threads = 2, .window = 1, .set = slow[i]});
        end_run(&first);
    }
}

/* ===== arguments ===== */

enum { ROUNDS = 24, BUSY_ROUNDS = 6 /* of programs that fill queues */ };

static void memory_out(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->out;
}

static void memory_out_rounds(struct run *run, uint64_t values[8])
{
    memory_out(run, values);
    values[2] = ROUNDS;
}

static void memory_flag_out_rounds(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->x + WORDS / 2 * sizeof(int);
    values[2] = run->out;
    values[3] = ROUNDS;
}

static void with_release(struct run *run, uint64_t values[8])
{
    memory_flag_out_rounds(run, values);
    values[4] = 1;
}

/* ===== one thread, one block ===== */

enum { BLOCKS = 8, THREADS = 96, ALL = BLOCKS * THREADS };

static void check_red_store(const int *memory, const int *out)
{
    for (int i = 0; i < ALL; i++) {
        assert_int_equal(memory[i], 5);
        assert_int_equal(out[i], 5);
    }
}

static void check_store_red(const int *memory, const int *out)
{
    for (int i = 0; i < ALL; i++) {
        assert_int_equal(memory[i], 6);
        assert_int_equal(out[i], 12);
    }
}

static void check_volatile_load(const int *memory, const int *out)
{
    for (int i = 0; i < ALL; i++) {
        assert_int_equal(memory[i], i + 7);
        assert_int_equal(out[i], i + 7);
    }
}

static void check_in_turn(const int *memory, const int *out)
{
    for (int i = 0; i < ALL; i++) {
        int sum = 0;
        for (int k = 0; k < 8; k++)
            sum += i + k + (i + k + 3 + k) + k + 100;
        assert_int_equal(out[i], sum);
        assert_int_equal(memory[i], 100);
    }
}

static void check_co_ww(const int *memory, const int *out)
{
    (void)out;
    for (int i = 0; i < ALL; i++) {
        assert_int_equal(memory[i], 2);
        assert_int_equal(memory[i + 4096], 2);
    }
}

static void check_atomic_barrier(const int *memory, const int *out)
{
    for (int i = 0; i < ALL; i++)
        assert_int_equal(out[i], 1234);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(memory[i], 4);
}

static void check_neighbours(const int *memory, const int *out)
{
    (void)memory;
    for (int i = 0; i < ALL; i++) {
        int sum = 0;
        for (int k = 0; k < 4; k++)
            sum += k + (i % THREADS + 33) % THREADS + k + 1;
        assert_int_equal(out[i], sum);
    }
}

/* ===== blocks ===== */

static void check_message(const int *memory, const int *out)
{
    (void)memory;
    for (int i = 32; i < 6 * 32; i++)
        assert_int_equal(out[i], 1); /* none was wrong */
}

static void check_acquire_once(const int *memory, const int *out)
{
    int seen = 0;
    (void)memory;
    for (int i = 1; i < 6; i++) {
        assert_int_equal(out[2 * i], 0);
        seen += out[2 * i + 1];
    }
    assert_true(seen > 0 && seen < 5 * ROUNDS); /* both outcomes occur, or the test shows nothing */
}

static void check_all_right(const int *memory, const int *out)
{
    (void)memory;
    for (int i = 0; i < 4 * 64; i++)
        assert_int_equal(out[i], 0);
}

static void check_store_buffering(const int *memory, const int *out)
{
    (void)memory;
    for (int k = 0; k < ROUNDS; k++)
        assert_true(out[2 * k] || out[2 * k + 1]);
}

static void check_co_rr(const int *memory, const int *out)
{
    assert_int_equal(memory[0], ROUNDS);
    for (int i = 1; i < 4; i++)
        assert_int_equal(out[i], 1);
}

static void check_iriw(const int *memory, const int *out)
{
    (void)memory;
    for (int k = 0; k < ROUNDS; k++)
        assert_false(out[2 * k] == 2 && out[2 * k + 1] == 2); /* each saw its first and not the other's */
}

static void busy_arguments(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->x + WORDS / 2 * sizeof(int);
    values[2] = run->x + WORDS / 4 * sizeof(int);
    values[3] = run->out;
    values[4] = BUSY_ROUNDS;
}

static void busy_own(struct run *run, uint64_t values[8])
{
    busy_arguments(run, values);
    values[5] = 1;
}

static void check_busy_slice(const int *memory, const int *out)
{
    assert_int_equal(memory[0], BUSY_ROUNDS);
    assert_int_equal(out[0], 1);
}

static void behind_arguments(struct run *run, uint64_t values[8])
{
    busy_arguments(run, values);
    values[4] = run->x + 3 * WORDS / 4 * sizeof(int); /* zeros */
    values[5] = BUSY_ROUNDS;
}

static void check_acquire_behind(const int *memory, const int *out)
{
    (void)memory;
    assert_int_equal(out[0], 1);
}

static void overtaking_arguments(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->out;
    values[2] = run->x + 3 * WORDS / 4 * sizeof(int); /* zeros */
    values[3] = BUSY_ROUNDS;
}

static void check_overtaking(const int *memory, const int *out)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(memory[i], BUSY_ROUNDS);
    for (int i = 0; i < 512; i++)
        assert_int_equal(out[i], 0);
}

/* ===== programs ===== */

static void lock_beside(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->x + 4;
    values[2] = 6;
}

static void lock_apart(struct run *run, uint64_t values[8])
{
    lock_beside(run, values);
    values[1] = run->x + 4 * 4096;
}

static void check_lock_beside(const int *memory, const int *out)
{
    (void)out;
    assert_int_equal(memory[0], 0);
    assert_int_equal(memory[1], 8 * 6);
}

static void check_lock_apart(const int *memory, const int *out)
{
    (void)out;
    assert_int_equal(memory[0], 0);
    assert_int_equal(memory[4096], 8 * 6);
}

static void check_lane_lock(const int *memory, const int *out)
{
    (void)out;
    assert_int_equal(memory[0], 0);
    assert_int_equal(memory[4096], 2 * 32);
}

static void half_arguments(struct run *run, uint64_t values[8])
{
    memory_out(run, values);
    values[2] = 3;
}

static void check_half_waits(const int *memory, const int *out)
{
    (void)memory;
    for (int i = 0; i < ALL; i++) {
        bool waits = i / 32 % 2 ? i % 32 >= 16 : i % 32 < 16;
        int mine = 0, theirs = 0;
        for (int k = 0; k < 3; k++) {
            mine += waits ? 1000 : 1;
            theirs += waits ? 1 : 1000;
            mine = theirs = mine + theirs;
        }
        assert_int_equal(out[i], mine);
    }
}

enum { VALUES = 20000 };

static void numbers(int *memory)
{
    for (int i = 0; i < VALUES; i++)
        memory[i] = i % 1000 - 300;
}

static void sum_arguments(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->x + WORDS / 2 * sizeof(int);
    values[2] = run->x + WORDS / 4 * sizeof(int);
    values[3] = run->out;
    values[4] = VALUES;
}

static void check_last_block(const int *memory, const int *out)
{
    int sum = 0;
    for (int i = 0; i < VALUES; i++)
        sum += memory[i];
    assert_int_equal(*out, sum);
}

static void ticket_arguments(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->out;
    values[2] = run->x + 4096;
    values[3] = run->x + 8192;
    values[4] = run->x + 8192 + 8;
}

static void check_tickets(const int *memory, const int *out)
{
    char seen[ALL + 1] = {0};
    uint64_t wide[2], sum = 0;
    float real;
    for (int i = 0; i < ALL; i++) {
        assert_true(out[i] >= 1 && out[i] <= ALL && !seen[out[i]]);
        seen[out[i]] = 1;
        sum += UINT64_C(0x100000001) * (uint64_t)i;
    }
    memcpy(wide, memory + 1024, sizeof wide);
    memcpy(&real, memory + 2048, sizeof real);
    assert_int_equal(memory[0], ALL);
    assert_true(wide[0] == sum && wide[1] == (uint64_t)(ALL - 1) << 33);
    assert_true(real == 0.5f * ALL);
    assert_int_equal(memory[2050], ALL % 7);
    assert_int_equal(memory[2051], ALL / 32 % 2 ? -1 : 0);
}

static void check_vectors(const int *memory, const int *out)
{
    (void)memory;
    for (int i = 0; i < ALL; i++)
        assert_int_equal(out[i], i + 3 * (i + 1) + 5 * (i + 2) + 7 * (i + 3) + 33 * i + 65 * i + (signed char)i);
}

static void heap_arguments(struct run *run, uint64_t values[8])
{
    values[0] = run->x;
    values[1] = run->out;
    values[2] = 3;
}

static void check_heap(const int *memory, const int *out)
{
    const uint64_t *given = (const uint64_t *)(const void *)memory;
    for (int i = 0; i < ALL; i++) {
        int other = i / THREADS * THREADS + (i % THREADS + 37) % THREADS, sum = 0;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < (other % 5 + 1) * 10; j++)
                sum += j + k;
        assert_int_equal(out[i], sum);
        for (int j = 0; j < i; j++)
            assert_true(given[i] != given[j]);
    }
}

static void out_alone(struct run *run, uint64_t values[8])
{
    values[0] = run->out;
}

static void check_clocks(const int *memory, const int *out)
{
    uint32_t seen = 0;
    (void)memory;
    for (int i = 0; i < BLOCKS * 32; i++) {
        int64_t line[4];
        memcpy(line, out + 8 * i, sizeof line);
        assert_in_range(line[0], 2000, 2400);
        assert_in_range(line[1], line[0] - 200, line[0]); /* at 1 GHz */
        assert_in_range(line[2], 0, 3);
        assert_int_equal(line[3], 4);
        seen |= 1u << line[2];
    }
    assert_int_equal(seen, 15);
}

static void pipeline_arguments(struct run *run, uint64_t values[8])
{
    values[0] = run->out;
    values[1] = 5;
}

static void check_pipeline(const int *memory, const int *out)
{
    (void)memory;
    for (int i = 0; i < 3 * 128; i++)
        assert_int_equal(out[i], i % 128 < 64 ? 0 : 1000 + 5 * (63 - (i % 128 - 64)));
}

static const struct program alone[] = {
    {"red_store", BLOCKS, THREADS, memory_out, NULL, check_red_store},
    {"store_red", BLOCKS, THREADS, memory_out, NULL, check_store_red},
    {"volatile_load", BLOCKS, THREADS, memory_out, NULL, check_volatile_load},
    {"in_turn", BLOCKS, THREADS, memory_out, NULL, check_in_turn},
    {"co_ww", BLOCKS, THREADS, memory_out, NULL, check_co_ww},
    {"vectors", BLOCKS, THREADS, memory_out, NULL, check_vectors},
    {"atomic_barrier", BLOCKS, THREADS, memory_out, NULL, check_atomic_barrier},
    {"neighbours", BLOCKS, THREADS, memory_out, NULL, check_neighbours},
};

static const struct program together[] = {
    {"message", 6, 32, memory_flag_out_rounds, NULL, check_message},
    {"message", 6, 32, with_release, NULL, check_message},
    {"acquire_once", 6, 1, memory_flag_out_rounds, NULL, check_acquire_once},
    {"red_release", 4, 64, memory_flag_out_rounds, NULL, check_all_right},
    {"busy_slice", 4, 512, busy_arguments, NULL, check_busy_slice},
    {"busy_slice", 4, 512, busy_own, NULL, check_busy_slice},
    {"acquire_behind", 2, 512, behind_arguments, NULL, check_acquire_behind},
    {"overtaking", 4, 512, overtaking_arguments, NULL, check_overtaking},
    {"store_buffering", 2, 1, memory_out_rounds, NULL, check_store_buffering},
    {"co_rr", 4, 1, memory_out_rounds, NULL, check_co_rr},
    {"iriw", 4, 1, memory_out_rounds, NULL, check_iriw},
};

static const struct program programs[] = {
    {"spin_lock", 8, 32, lock_beside, NULL, check_lock_beside},
    {"spin_lock", 8, 32, lock_apart, NULL, check_lock_apart},
    {"lane_lock", 2, 32, lock_apart, NULL, check_lane_lock},
    {"half_waits", BLOCKS, THREADS, half_arguments, NULL, check_half_waits},
    {"last_block", 24, 64, sum_arguments, numbers, check_last_block},
    {"tickets", BLOCKS, THREADS, ticket_arguments, NULL, check_tickets},
    {"heap", BLOCKS, THREADS, heap_arguments, NULL, check_heap},
    {"clocks", BLOCKS, 32, out_alone, NULL, check_clocks},
    {"pipeline", 3, 128, pipeline_arguments, NULL, check_pipeline},
};

#define TRY_ALL(NAME, PROGRAMS)                                                                                        \
    static void NAME(void **unused)                                                                                    \
    {                                                                                                                  \
        (void)unused;                                                                                                  \
        for (size_t i = 0; i < sizeof PROGRAMS / sizeof *(PROGRAMS); i++) {                                            \
            print_message("%s\n", (PROGRAMS)[i].kernel);                                                               \
            try(&(PROGRAMS)[i]);                                                                                       \
        }                                                                                                              \
    }

TRY_ALL(test_alone, alone)
TRY_ALL(test_together, together)
TRY_ALL(test_programs, programs)

/* Blocks of `wrong_address`, whose thread 5 of block 3 leaves the allocations far behind. The others access what lies
 * `offset` bytes behind the start of a buffer of 4096. The error of the run is left in `text`. */
static void find_fault(uint32_t blocks, uint32_t threads, uint64_t offset, char *text)
{
    struct bench bench;
    struct mnp_results results;
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {32, 1, 1};
    bench_open(&bench, LITMUS, NULL);
    uint64_t x = bench_buffer(&bench, NULL, 4096) + offset;
    struct mnp_source *source = execute_source_open(&bench.device, 80);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "wrong_address", &bench.error);
    assert_true(execute_source_launch(source, code, grid, block, 0, (const void *const[]){&x}, &bench.error));
    assert_false(timed_run(&bench, source, &(struct timed_how){&mnp_executor_window, threads}, &results));
    strcpy(text, bench.error.text);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
}

/* The first fault in time ends the run, and names its thread. */
static void test_fault(void **unused)
{
    (void)unused;
    char first[sizeof((struct mnp_error *)0)->text] = "", text[sizeof first];
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        find_fault(6, threads, 0, text);
        assert_non_null(strstr(text, "kernel wrong_address, block (3,0,0), thread (5,0,0)"));
        assert_non_null(strstr(text, "outside every allocation, at address 0x123450"));
        assert_null(strstr(text, "nearest allocation")); /* none is near */
        assert_null(strstr(text, "host.slack"));
        assert_true(!*first || !strcmp(first, text));
        strcpy(first, text);
    }
}

/* An access just behind an allocation says which one that is. */
static void test_fault_near(void **unused)
{
    (void)unused;
    char text[sizeof((struct mnp_error *)0)->text];
    find_fault(1, 1, 4096, text);
    assert_non_null(strstr(text, "kernel wrong_address, block (0,0,0), thread (0,0,0)"));
    assert_non_null(strstr(text, "outside every allocation, at address 0x"));
    assert_non_null(strstr(text, "; the nearest allocation is 0x"));
    assert_non_null(strstr(text, ", 4096 bytes"));
    assert_non_null(strstr(text, "may not notice it (--set host.slack=2MiB)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone), cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_programs), cmocka_unit_test(test_fault),
                                       cmocka_unit_test(test_fault_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
