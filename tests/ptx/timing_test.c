/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PTX kernels on the models of time: right results, counts that agree with the execution, and the same statistics on
 * any number of threads.
 */
#include "bench.h"

#include "engine/executors/executor.h"
#include "frontend/ptx/source.h"
#include "gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char machine[] =
    "machine: { name = \"ptx-gpu\"; kind = \"gpu\"; architecture = 80; description = \"for tests\"; };\n"
    "clock: { core = \"1000MHz\"; noc = \"1000MHz\"; l2 = \"1000MHz\"; dram = \"1000MHz\"; };\n"
    "sm: { count = 4; subcores = 4; warps = 48; ctas = 16; fp64: { lanes = 8; latency = 8; };\n"
    "  l1d: { size = \"16KiB\"; ways = 8; mshrs = 64; merge = 16; }; };\n"
    "gpc: { count = 2; };\npartition: { count = 3; };\n"
    "l2: { slices_per_partition = 2; slice: { size = \"64KiB\"; ways = 16; }; };\n"
    "dram: { kind = \"hbm2\"; bus_width = \"16\"; burst = 2; data_rate = 2; timing: { ccd = 1; rrd = 3; rcd = 12;\n"
    "  ras = 28; rp = 12; rc = 40; cl = 12; wl = 2; cdlr = 3; wr = 10; ccdl = 2; rtpl = 3; }; };\n"
    "latency: { l1 = 30; shared = 24; l2 = 200; dram = 420; };\nlaunch: { kernel = 100; };\n";

enum { N = 64, VALUES = 3000 };

struct outcome {
    uint64_t cycles[4], warp_instructions[4], thread_instructions[4], l1d[4], kernels;
    uint64_t steps; /* operations executed */
    float product[N * N];
    int sum;
    char hash[64];
};

/* The kernels of the run: a product, a reduction with barriers and an atomic, local arrays, printf. */
static void queue(struct bench *bench, struct mnp_source *source, uint64_t buffers[4])
{
    float *a = malloc(2 * N * N * sizeof *a);
    int *in = malloc(VALUES * sizeof *in), n = N, values = VALUES, step = 5;
    for (int i = 0; i < 2 * N * N; i++)
        a[i] = (float)(i % 13 - 6) * 0.5f;
    for (int i = 0; i < VALUES; i++)
        in[i] = i - 100;
    buffers[0] = bench_buffer(bench, a, 2 * N * N * sizeof *a);
    buffers[1] = bench_buffer(bench, NULL, N * N * sizeof *a);
    buffers[2] = bench_buffer(bench, in, VALUES * sizeof *in);
    buffers[3] = bench_buffer(bench, NULL, 4096);
    uint64_t b = buffers[0] + N * N * sizeof *a;
    const struct {
        const char *name;
        uint32_t grid[3], block[3];
        const void *arguments[4];
    } launches[] = {
        {"gemm", {N / 16, N / 16, 1}, {16, 16, 1}, {&buffers[0], &b, &buffers[1], &n}},
        {"reduce", {(VALUES + 255) / 256, 1, 1}, {256, 1, 1}, {&buffers[2], &buffers[3], &values}},
        {"local_array", {2, 1, 1}, {64, 1, 1}, {&buffers[2], &step}},
        {"speak", {2, 1, 1}, {40, 1, 1}, {&step}},
    };
    for (size_t i = 0; i < 4; i++) {
        const struct ptx_code *code = ptx_program_kernel(&bench->program, launches[i].name, &bench->error);
        if (!code || !ptx_source_launch(source, code, launches[i].grid, launches[i].block, 0, launches[i].arguments,
                                        &bench->error))
            fail_msg("%s", bench->error.text);
    }
    free(a);
    free(in);
}

static void run(struct outcome *outcome, const struct mnp_executor *executor, uint32_t threads)
{
    static const struct mnp_machine_file files[] = {{"ptx-gpu", machine}, {NULL, NULL}};
    struct mnp_settings_source source = {.machine = "ptx-gpu", .built_in = files};
    struct gpu_run_options options = {.executor = executor, .threads = threads};
    struct mnp_results results;
    struct bench bench;
    uint64_t buffers[4];
    bench_open(&bench, KERNELS, NULL);
    struct mnp_source *kernels = ptx_source_open(&bench.device, 80);
    queue(&bench, kernels, buffers);
    struct mnp_settings *settings = mnp_settings_load(&source, &bench.error);
    mnp_results_init(&results, MNP_QUIET);
    if (!settings || !gpu_run(settings, kernels, &options, &results, &bench.error))
        fail_msg("%s", bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    memset(outcome, 0, sizeof *outcome);
    outcome->kernels = results.kernel_count;
    for (uint32_t i = 0; i < results.kernel_count && i < 4; i++) {
        const struct mnp_statistic_set *set = &results.kernels[i]->statistics;
        outcome->cycles[i] = mnp_statistics_get(set, "gpu_sim_cycle");
        outcome->warp_instructions[i] = mnp_statistics_get(set, "gpgpu_n_tot_w_icount");
        outcome->thread_instructions[i] = mnp_statistics_get(set, "gpu_sim_insn");
        outcome->l1d[i] = mnp_statistics_get(set, "L1D_total_cache_accesses");
    }
    strncpy(outcome->hash, results.hash, sizeof outcome->hash - 1);
    outcome->steps = bench.device.steps;
    bench_read(&bench, buffers[1], outcome->product, sizeof outcome->product);
    bench_read(&bench, buffers[3], &outcome->sum, sizeof outcome->sum);
    fflush(bench.device.out);
    assert_non_null(strstr(bench.printed, "5  0.00 text x"));
    results.machine = NULL;
    mnp_results_release(&results);
    mnp_settings_free(settings);
    kernels->close(kernels);
    bench_close(&bench);
}

static void test_counts(void **unused)
{
    (void)unused;
    struct outcome *o = malloc(sizeof *o);
    run(o, &mnp_executor_serial, 1);
    assert_int_equal(o->kernels, 4);
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++) {
            float sum = 0; /* exact: small multiples of 1/4 */
            for (int k = 0; k < N; k++)
                sum += (float)((row * N + k) % 13 - 6) * 0.5f * ((float)((N * N + k * N + column) % 13 - 6) * 0.5f);
            assert_true(o->product[row * N + column] == sum);
        }
    assert_int_equal(o->sum, VALUES * (VALUES - 1) / 2 - 100 * VALUES);
    uint64_t issued = 0;
    for (int i = 0; i < 4; i++)
        issued += o->warp_instructions[i];
    assert_int_equal(issued, o->steps);
    /* every thread of the product does the same; two branches of each of the 8 warps of a CTA are taken by no lane */
    assert_int_equal(o->thread_instructions[0], 32 * (o->warp_instructions[0] - 2 * 8 * (N / 16) * (N / 16)));
    /* it reads 2·N/16 tiles per CTA, a row of a tile is 2 sectors; and writes one tile: 16 · 2 sectors */
    assert_int_equal(o->l1d[0], (N / 16) * (N / 16) * (2 * (N / 16) + 1) * 32);
    assert_true(o->cycles[0] > o->warp_instructions[0] / 16);
    free(o);
}

static void test_threads(void **unused)
{
    (void)unused;
    struct outcome *reference = malloc(sizeof *reference), *other = malloc(sizeof *other);
    run(reference, &mnp_executor_serial, 1);
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        run(other, &mnp_executor_window, threads);
        assert_memory_equal(reference, other, sizeof *other);
    }
    free(reference);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
