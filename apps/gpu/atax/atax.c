/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { ROWS, COLUMNS };

static void atax_run(struct app_run *run)
{
    uint32_t rows = run->sizes[ROWS], columns = run->sizes[COLUMNS];
    size_t count = (size_t)rows * columns;
    float *a = app_floats(run, count, 0, 1), *x = app_floats(run, columns, -1, 1);
    float *t = app_host(run, rows, 4), *y = app_host(run, columns, 4);
    double *sums = app_host(run, columns, sizeof *sums);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++)
            sum += (double)a[i * columns + j] * x[j];
        t[i] = (float)sum;
        for (size_t j = 0; j < columns; j++)
            sums[j] += a[i * columns + j] * sum;
    }
    for (size_t j = 0; j < columns; j++)
        y[j] = (float)sums[j];
    CUdeviceptr da = app_copy(run, a, 4 * count), dx = app_copy(run, x, 4 * (size_t)columns);
    CUdeviceptr dt = app_device(run, 4 * (size_t)rows), dy = app_device(run, 4 * (size_t)columns);
    app_launch(run, "atax_rows", app_shape(rows, 128), &da, &dx, &dt, &rows, &columns);
    app_launch(run, "atax_columns", app_shape(columns, 128), &da, &dt, &dy, &rows, &columns);
    app_check_floats(run, "a x", app_read(run, dt, 4 * (size_t)rows), t, rows, 1e-4);
    app_check_floats(run, "a' (a x)", app_read(run, dy, 4 * (size_t)columns), y, columns, 1e-4);
}

const struct app app_atax = {
    .name = "atax",
    .suite = "Polybench",
    .summary = "a matrix and then its transpose times a vector",
    .stresses =
        "Too few threads to fill a GPU, each with a long chain of loads and additions. In the first kernel lanes "
        "read words a row apart, 32 sectors with each load; in the second they read side by side.",
    .tolerance = "1e-4",
    .sizes = {{"rows", 256, 1, 16384, 0, "rows", NULL}, {"columns", 256, 1, 16384, 0, "columns", NULL}},
    .run = atax_run};
