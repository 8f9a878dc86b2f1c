/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { N, M };

static void syrk_run(struct app_run *run)
{
    uint32_t n = run->sizes[N], m = run->sizes[M];
    size_t na = (size_t)n * m, nc = (size_t)n * n;
    float *a = app_floats(run, na, 0, 1), *c = app_floats(run, nc, 0, 1), alpha = 1.25f, beta = 0.75f;
    CUdeviceptr da = app_copy(run, a, 4 * na), dc = app_copy(run, c, 4 * nc);
    app_launch(run, "syrk", app_shape2(n, n, 32, 8), &da, &dc, &n, &m, &alpha, &beta);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++)
                sum += (double)a[i * m + k] * a[j * m + k];
            c[i * n + j] = (float)(alpha * sum + (double)beta * c[i * n + j]);
        }
    app_check_floats(run, "product", app_read(run, dc, 4 * nc), c, nc, 2e-5);
}

const struct app app_syrk = {
    .name = "syrk",
    .suite = "Polybench",
    .summary = "a matrix times its own transpose, one value for each thread",
    .stresses = "The lanes of a warp read 32 rows at once, a sector of each, and come back for the next word of it: L1 "
                "must hold 32 lines for each warp, and where it does not, L2 pays for it.",
    .tolerance = "2e-5",
    .sizes = {{"n", 96, 1, 4096, 0, "rows and columns of the result", NULL},
              {"m", 64, 1, 4096, 0, "length of the sums", NULL}},
    .run = syrk_run};
