/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids whose blocks wait for one another (grid.cu), on a device without time: what every block must find. */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 40, FEW = 4 };

static void open_grid(struct bench *bench)
{
    bench_open(bench, GRID, NULL);
}

static void run_good(bool good, const struct bench *bench)
{
    if (!good)
        fail_msg("%s", bench->error.text);
}

static void expect_order(struct bench *bench, uint64_t order)
{
    unsigned found[BLOCKS];
    bench_read(bench, order, found, sizeof found);
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_int_equal(found[i], BLOCKS - 1 - i);
}

static void test_hand_down(void **unused)
{
    (void)unused;
    struct bench bench;
    open_grid(&bench);
    uint64_t token = bench_buffer(&bench, &(unsigned){0}, 4), order = bench_buffer(&bench, NULL, BLOCKS * 4);
    run_good(BENCH_RUN(&bench, "hand_down", BLOCKS, 96, 0, &token, &order), &bench);
    expect_order(&bench, order);
    bench_close(&bench);
}

static void test_pauses(void **unused)
{
    (void)unused;
    struct bench bench;
    open_grid(&bench);
    uint64_t token = bench_buffer(&bench, &(unsigned){0}, 4), order = bench_buffer(&bench, NULL, BLOCKS * 4);
    uint64_t tries = bench_buffer(&bench, &(unsigned){0}, 4);
    run_good(BENCH_RUN(&bench, "hand_down_slowly", FEW, 32, 0, &token, &order, &tries), &bench);
    unsigned found[FEW];
    bench_read(&bench, order, found, sizeof found);
    for (unsigned i = 0; i < FEW; i++)
        assert_int_equal(found[i], FEW - 1 - i);
    bench_close(&bench);
}

/* A launch of hand_down on a machine that holds `resident` CTAs. */
static bool hand_down_on(struct bench *bench, uint64_t resident)
{
    const uint32_t grid[3] = {FEW, 1, 1}, block[3] = {32, 1, 1};
    unsigned char storage[64];
    struct execute_launch launch;
    const struct execute_code *code = ptx_program_kernel(&bench->program, "hand_down", &bench->error);
    uint64_t token = bench_buffer(bench, &(unsigned){0}, 4), order = bench_buffer(bench, NULL, BLOCKS * 4);
    const void *const arguments[] = {&token, &order};
    assert_non_null(code);
    assert_true(execute_launch_prepare(&launch, code, grid, block, 0, arguments, storage, &bench->error));
    launch.resident = resident;
    return execute_device_run(&bench->device, &launch, &bench->error);
}

/* The last block, for which all wait, has a place where the machine holds all, and never gets one where it does not. */
static void test_residents(void **unused)
{
    (void)unused;
    struct bench bench;
    open_grid(&bench);
    run_good(hand_down_on(&bench, FEW), &bench);
    assert_false(hand_down_on(&bench, FEW - 1));
    assert_non_null(strstr(bench.error.text, "kernel hand_down, block (0,0,0): its warps only poll memory"));
    bench_close(&bench);
}

static void test_lock(void **unused)
{
    (void)unused;
    struct bench bench;
    unsigned sum;
    open_grid(&bench);
    uint64_t lock = bench_buffer(&bench, &(unsigned){0}, 4), tried = bench_buffer(&bench, &(unsigned){0}, 4);
    uint64_t out = bench_buffer(&bench, &(unsigned){0}, 4);
    run_good(BENCH_RUN(&bench, "lock_together", BLOCKS, 64, 0, &lock, &tried, &out), &bench);
    bench_read(&bench, out, &sum, 4);
    assert_int_equal(sum, BLOCKS * (BLOCKS + 1) / 2);
    bench_close(&bench);
}

static void test_ring(void **unused)
{
    (void)unused;
    enum { N = BLOCKS * 32, STEPS = 20 };
    struct bench bench;
    unsigned cells[2][N] = {{0}}, steps = STEPS, found[N];
    const uint32_t grid[3] = {BLOCKS, 1, 1}, block[3] = {32, 1, 1};
    unsigned char storage[64];
    struct execute_launch launch;
    open_grid(&bench);
    cells[0][N / 2] = 1;
    uint64_t from = bench_buffer(&bench, cells[0], sizeof cells[0]), to = bench_buffer(&bench, NULL, sizeof cells[0]);
    uint64_t workspace = bench_buffer(&bench, cells[1], 64);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "ring", &bench.error);
    const void *const arguments[] = {&from, &to, &steps};
    assert_non_null(code);
    assert_true(execute_launch_prepare(&launch, code, grid, block, 0, arguments, storage, &bench.error));
    launch.workspace = workspace;
    run_good(bench_launch(&bench, &launch), &bench);
    for (unsigned step = 0; step < STEPS; step++)
        for (unsigned i = 0; i < N; i++)
            cells[(step + 1) % 2][i] = cells[step % 2][(i + N - 1) % N] + cells[step % 2][(i + 1) % N];
    bench_read(&bench, from, found, sizeof found);
    assert_memory_equal(found, cells[0], sizeof found);
    bench_close(&bench);
}

static void test_look_back(void **unused)
{
    (void)unused;
    enum { N = BLOCKS * 64 };
    struct bench bench;
    unsigned in[N], out[N], sum = 0;
    uint64_t state = 7, zeros[BLOCKS] = {0};
    open_grid(&bench);
    for (unsigned i = 0; i < N; i++)
        in[i] = (unsigned)(bench_random(&state) % 1000);
    uint64_t from = bench_buffer(&bench, in, sizeof in), to = bench_buffer(&bench, NULL, sizeof out);
    uint64_t tiles = bench_buffer(&bench, zeros, sizeof zeros);
    run_good(BENCH_RUN(&bench, "look_back", BLOCKS, 64, 0, &from, &to, &tiles), &bench);
    bench_read(&bench, to, out, sizeof out);
    for (unsigned i = 0; i < N; i++) {
        sum += in[i];
        assert_int_equal(out[i], sum);
    }
    bench_close(&bench);
}

static void test_last_block(void **unused)
{
    (void)unused;
    enum { N = BLOCKS * 32 };
    struct bench bench;
    unsigned in[N], sum = 0, found;
    uint64_t state = 9;
    open_grid(&bench);
    for (unsigned i = 0; i < N; i++)
        sum += in[i] = (unsigned)(bench_random(&state) % 1000);
    uint64_t from = bench_buffer(&bench, in, sizeof in), parts = bench_buffer(&bench, NULL, BLOCKS * 4);
    uint64_t count = bench_buffer(&bench, &(unsigned){0}, 4), out = bench_buffer(&bench, NULL, 4);
    run_good(BENCH_RUN(&bench, "last_block", BLOCKS, 32, 0, &from, &parts, &count, &out), &bench);
    bench_read(&bench, out, &found, 4);
    assert_int_equal(found, sum);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_down),  cmocka_unit_test(test_pauses), cmocka_unit_test(test_residents),
        cmocka_unit_test(test_lock),       cmocka_unit_test(test_ring),   cmocka_unit_test(test_look_back),
        cmocka_unit_test(test_last_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
