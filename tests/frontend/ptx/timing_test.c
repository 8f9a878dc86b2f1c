/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PTX kernels on the models of time: right results, counts that agree with the execution, and the same statistics on
 * any number of threads.
 */
#include "timed.h"

#include "execute/live/source.h"
#include "frontend/ptx/time/timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
        const struct execute_code *code = ptx_program_kernel(&bench->program, launches[i].name, &bench->error);
        if (!code || !execute_source_launch(source, code, launches[i].grid, launches[i].block, 0, launches[i].arguments,
                                            &bench->error))
            fail_msg("%s", bench->error.text);
    }
    free(a);
    free(in);
}

static void run(struct outcome *outcome, const struct mnp_executor *executor, uint32_t threads)
{
    struct mnp_results results;
    struct bench bench;
    uint64_t buffers[4];
    bench_open(&bench, KERNELS, NULL);
    struct mnp_source *kernels = execute_source_open(&bench.device, 80);
    queue(&bench, kernels, buffers);
    if (!timed_run(&bench, kernels, &(struct timed_how){.executor = executor, .threads = threads}, &results))
        fail_msg("%s", bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    memset(outcome, 0, sizeof *outcome);
    outcome->kernels = results.part_count;
    for (uint32_t i = 0; i < results.part_count && i < 4; i++) {
        const struct mnp_statistic_set *set = &results.parts[i]->statistics;
        outcome->cycles[i] = mnp_statistics_get(set, "gpu_sim_cycle");
        outcome->warp_instructions[i] = mnp_statistics_get(set, "gpgpu_n_tot_w_icount");
        outcome->thread_instructions[i] = mnp_statistics_get(set, "gpu_sim_insn");
        outcome->l1d[i] = mnp_statistics_get(set, "L1D_total_cache_accesses");
    }
    strncpy(outcome->hash, results.hash, sizeof outcome->hash - 1);
    outcome->steps = bench.device.steps;
    bench_read(&bench, buffers[1], outcome->product, sizeof outcome->product);
    bench_read(&bench, buffers[3], &outcome->sum, sizeof outcome->sum);
    assert_non_null(strstr(bench.printed, "5  0.00 text x"));
    mnp_results_release(&results);
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

/* Which pipe an instruction takes, and whether it waits for its guard as branches do. */
static void test_static(void **unused)
{
    (void)unused;
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                               ".reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<4>; .reg .b64 %d<2>;\n"
                               "ld.param.u64 %d0, [p];\nld.global.f32 %f0, [%d0];\nld.global.u32 %r0, [%d0+4];\n"
                               "setp.gt.f32 %p0, %f0, 0f3F800000;\nmin.f32 %f1, %f0, %f0;\n"
                               "fma.rn.f32 %f2, %f0, %f0, %f1;\nmul.lo.s32 %r1, %r0, %r0;\n"
                               "@%p0 sub.s32 %r2, %r0, 7;\nst.global.f32 [%d0], %f2;\nst.global.u32 [%d0+4], %r1;\n"
                               "st.global.u32 [%d0+8], %r2;\nret;\n}\n";
    uint32_t counts[MNP_CLASS_COUNT] = {0}, guarded = 0;
    struct bench bench;
    bench_open(&bench, NULL, text);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    assert_non_null(code);
    struct mnp_static_instruction *timing = ptx_timing_instructions(code);
    for (uint32_t i = 0; i < code->ops.count; i++) {
        counts[timing[i].class]++;
        guarded += timing[i].guarded;
        assert_true(!timing[i].guarded || timing[i].class == MNP_CLASS_INT);
    }
    assert_int_equal(counts[MNP_CLASS_INT], 3); /* comparison, minimum, subtraction */
    assert_int_equal(counts[MNP_CLASS_FP32], 1);
    assert_int_equal(counts[MNP_CLASS_IMAD], 1);
    assert_int_equal(guarded, 1);
    free(timing);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_static), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
