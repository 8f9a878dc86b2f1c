/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"
#include "common/host.h"

enum { SIZE };

static void sgemm_run(struct app_run *run)
{
    uint32_t n = run->sizes[SIZE];
    size_t count = (size_t)n * n;
    float *a = app_floats(run, count, -1, 1), *b = app_floats(run, count, -1, 1), *c = app_floats(run, count, -1, 1);
    float alpha = 1.5f, beta = 0.5f;
    CUdeviceptr da = app_copy(run, a, 4 * count), db = app_copy(run, b, 4 * count), dc = app_copy(run, c, 4 * count);
    struct app_shape shape = {.grid = {(n + 63) / 64, (n + 63) / 64, 1}, .block = {16, 16, 1}};
    app_launch(run, "sgemm", shape, &da, &db, &dc, &n, &n, &n, &alpha, &beta);
    host_gemm(run, a, b, c, n, n, n, alpha, beta);
    app_check_floats(run, "product", app_read(run, dc, 4 * count), c, count, 1e-5);
}

const struct app app_sgemm = {
    .name = "sgemm",
    .suite = "Parboil",
    .summary = "product of two square matrices of floats, in tiles of shared memory and registers",
    .stresses = "Each value that a block brings from memory is used 64 times, first from shared memory and then from "
                "registers: 16 multiply-adds follow 8 loads from shared memory. The FP32 pipes, the register file, and "
                "the issue of two kinds of instructions side by side decide.",
    .tolerance = "1e-5",
    .sizes = {{"size", 256, 1, 8192, 0, "rows and columns", NULL}},
    .run = sgemm_run};
