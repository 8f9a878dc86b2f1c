/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE };

static void substitute_back(const float *a, const float *b, float *x, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        double sum = b[i];
        for (size_t j = i + 1; j < n; j++)
            sum -= (double)a[i * n + j] * x[j];
        x[i] = (float)(sum / a[i * n + i]);
    }
}

/* The system is made from its solution, so that nothing has to be solved to know it. */
static void gaussian_run(struct app_run *run)
{
    uint32_t n = run->sizes[SIZE];
    size_t count = (size_t)n * n;
    float *a = app_floats(run, count, -1, 1), *x = app_floats(run, n, -1, 1), *b = app_host(run, n, 4);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        a[i * n + i] += (float)n; /* the diagonal outweighs its row: no pivoting is needed */
        for (size_t j = 0; j < n; j++)
            sum += (double)a[i * n + j] * x[j];
        b[i] = (float)sum;
    }
    CUdeviceptr da = app_copy(run, a, 4 * count), db = app_copy(run, b, 4 * (size_t)n);
    CUdeviceptr factors = app_device(run, 4 * (size_t)n);
    for (uint32_t step = 0; step + 1 < n; step++) {
        app_launch(run, "gaussian_factors", app_shape(n - 1 - step, 64), &da, &factors, &n, &step);
        app_launch(run, "gaussian_rows", app_shape2(n - step, n - 1 - step, 16, 16), &da, &db, &factors, &n, &step);
    }
    float *solution = app_host(run, n, 4);
    substitute_back(app_read(run, da, 4 * count), app_read(run, db, 4 * (size_t)n), solution, n);
    app_check_floats(run, "solution", solution, x, n, 1e-4);
}

const struct app app_gaussian = {
    .name = "gaussian",
    .suite = "Rodinia",
    .summary = "a system of linear equations, by elimination",
    .stresses = "Two small kernels for each row, one after the other: launch latency first of all, and a GPU that gets "
                "emptier towards the end.",
    .tolerance = "1e-4",
    .sizes = {{"size", 32, 2, 4096, 0, "unknowns", NULL}},
    .run = gaussian_run};
