/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE };

static void mvt_run(struct app_run *run)
{
    uint32_t n = run->sizes[SIZE];
    size_t bytes = 4 * (size_t)n;
    float *a = app_floats(run, (size_t)n * n, 0, 1), *x1 = app_floats(run, n, 0, 1), *x2 = app_floats(run, n, 0, 1);
    float *y1 = app_floats(run, n, -1, 1), *y2 = app_floats(run, n, -1, 1);
    CUdeviceptr da = app_copy(run, a, bytes * n), dx1 = app_copy(run, x1, bytes), dx2 = app_copy(run, x2, bytes);
    CUdeviceptr dy1 = app_copy(run, y1, bytes), dy2 = app_copy(run, y2, bytes);
    app_launch(run, "mvt_rows", app_shape(n, 128), &da, &dx1, &dy1, &n);
    app_launch(run, "mvt_columns", app_shape(n, 128), &da, &dx2, &dy2, &n);
    for (size_t i = 0; i < n; i++) {
        double by_row = x1[i], by_column = x2[i];
        for (size_t j = 0; j < n; j++) {
            by_row += (double)a[i * n + j] * y1[j];
            by_column += (double)a[j * n + i] * y2[j];
        }
        x1[i] = (float)by_row;
        x2[i] = (float)by_column;
    }
    app_check_floats(run, "x1 + a y1", app_read(run, dx1, bytes), x1, n, 1e-4);
    app_check_floats(run, "x2 + a' y2", app_read(run, dx2, bytes), x2, n, 1e-4);
}

const struct app app_mvt = {
    .name = "mvt",
    .suite = "Polybench",
    .summary = "a matrix times one vector, and its transpose times another",
    .stresses = "As atax, with two kernels that do not depend on one another: by rows the caches have to keep 32 lines "
                "for each warp, by columns nothing is ever used again and DRAM's bandwidth is the limit.",
    .tolerance = "1e-4",
    .sizes = {{"size", 256, 1, 16384, 0, "rows and columns", NULL}},
    .run = mvt_run};
