/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs on a system of two GPUs that share nothing but one flat memory, in which each has a range of addresses:
 * their values and results are, to the last byte, those of the same program on a GPU that is alone.
 */
#include "timed.h"

#include "execute/live/source.h"
#include "results/write/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 32, VALUES = 1500, OUT_BYTES = N * N * 4, DEVICES = 2 };

struct program {
    struct bench bench;
    struct mnp_source *source;
    uint64_t out[4];
    unsigned char values[4][OUT_BYTES];
};

static void launch(struct program *p, const char *name, uint32_t blocks, uint32_t threads, const void *const *arguments)
{
    bool square = strcmp(name, "gemm") == 0;
    const uint32_t grid[3] = {blocks, square ? blocks : 1, 1}, block[3] = {threads, square ? threads : 1, 1};
    const struct execute_code *code = ptx_program_kernel(&p->bench.program, name, &p->bench.error);
    if (!code || !execute_source_launch(p->source, code, grid, block, 0, arguments, &p->bench.error))
        fail_msg("%s", p->bench.error.text);
}

/* Program `number` on a device of its own, or in `memory` on device `number`: a product in shared memory, a reduction
 * with atomics, a lock that is spun on, blocks of device malloc. */
static void open(struct program *p, struct mnp_memory *memory, uint32_t number)
{
    float a[2 * N * N];
    int in[VALUES], n = N, values = VALUES - 700 * (int)number;
    bench_open_in(&p->bench, memory, number, KERNELS, NULL);
    p->source = execute_source_open(&p->bench.device, 80);
    for (uint32_t i = 0; i < 2 * N * N; i++)
        a[i] = (float)((i + number) % 13) - 6;
    for (uint32_t i = 0; i < VALUES; i++)
        in[i] = (int)(i * (number + 3)) - 100;
    for (uint32_t i = 0; i < 4; i++)
        p->out[i] = bench_buffer(&p->bench, NULL, OUT_BYTES);
    uint64_t left = bench_buffer(&p->bench, a, sizeof a), right = left + sizeof a / 2;
    uint64_t total = p->out[2] + 1024, list = bench_buffer(&p->bench, in, sizeof in);
    launch(p, "gemm", N / 16, 16, (const void *const[]){&left, &right, &p->out[0], &n});
    launch(p, "reduce", 3, 256, (const void *const[]){&list, &p->out[1], &values});
    launch(p, "lock", 3, 64, (const void *const[]){&p->out[2], &total});
    launch(p, "heap", 2, 64, (const void *const[]){&p->out[3]});
    if (number)
        launch(p, "reduce", 2, 256, (const void *const[]){&list, &p->out[1], &values});
}

static void close_program(struct program *p)
{
    for (uint32_t i = 0; i < 4; i++)
        bench_read(&p->bench, p->out[i], p->values[i], OUT_BYTES);
    p->source->close(p->source);
    bench_close(&p->bench);
}

/* All results but the description of the run and the hash of the state; to be freed. */
static char *text_of(struct mnp_results *results)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    results->run = (struct mnp_run_info){0};
    results->hash[0] = 0;
    results_write_json(results, out);
    fclose(out);
    return text;
}

static char *alone(struct program *p, uint32_t number, const struct timed_how *how)
{
    struct mnp_results results;
    memset(p, 0, sizeof *p);
    open(p, NULL, number);
    if (!timed_run(&p->bench, p->source, how, &results))
        fail_msg("%s", p->bench.error.text);
    char *text = text_of(&results);
    mnp_results_release(&results);
    close_program(p);
    return text;
}

static struct program single, programs[DEVICES];

static void check(const struct timed_how *how, const struct timed_how *how_alone)
{
    static struct mnp_memory memory;
    struct mnp_results results;
    struct mnp_error error = {{0}};
    struct mnp_source *sources[DEVICES];
    memset(programs, 0, sizeof programs);
    mnp_memory_init(&memory, 4096);
    for (uint32_t i = 0; i < DEVICES; i++) {
        open(&programs[i], &memory, i);
        sources[i] = programs[i].source;
        assert_true(programs[i].out[0] - mnp_space_base(i) < MNP_SPACE_PART_BYTES);
    }
    if (!timed_run_several(sources, DEVICES, how, &results, &error))
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < DEVICES; i++) {
        close_program(&programs[i]);
        char *expected = alone(&single, i, how_alone), *text = text_of(results.devices[i]);
        assert_string_equal(text, expected);
        assert_memory_equal(programs[i].values, single.values, sizeof single.values);
        free(text);
        free(expected);
    }
    mnp_results_release(&results);
    mnp_memory_release(&memory);
}

static void test_as_alone(void **state)
{
    (void)state;
    const struct timed_how usual = {.executor = &mnp_executor_serial, .threads = 1};
    const struct timed_how ways[] = {
        {.executor = &mnp_executor_serial, .threads = 1},
        {.executor = &mnp_executor_window, .threads = 2},
        {.executor = &mnp_executor_window, .threads = 2, .window = 1},
        {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        check(&ways[i], &usual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
