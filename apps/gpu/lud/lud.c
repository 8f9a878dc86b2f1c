/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE };

/* The product of what was found, L with ones on its diagonal, must be the matrix again. */
static float *multiply(struct app_run *run, const float *lu, size_t n)
{
    float *product = app_host(run, n * n, 4);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = i <= j ? lu[i * n + j] : 0;
            for (size_t k = 0; k < i && k <= j; k++)
                sum += (double)lu[i * n + k] * lu[k * n + j];
            product[i * n + j] = (float)sum;
        }
    return product;
}

static void lud_run(struct app_run *run)
{
    uint32_t n = run->sizes[SIZE];
    size_t bytes = 4 * (size_t)n * n;
    float *a = app_floats(run, (size_t)n * n, -1, 1);
    for (size_t i = 0; i < n; i++)
        a[i * n + i] += (float)n;
    CUdeviceptr matrix = app_copy(run, a, bytes);
    for (uint32_t start = 0; start < n; start += 16) {
        uint32_t left = (n - start) / 16 - 1;
        app_launch(run, "lud_diagonal", app_shape(16, 16), &matrix, &n, &start);
        if (!left)
            break;
        app_launch(run, "lud_perimeter", app_shape(32 * left, 32), &matrix, &n, &start);
        app_launch(run, "lud_inside", app_shape2(16 * left, 16 * left, 16, 16), &matrix, &n, &start);
    }
    app_check_floats(run, "product of the factors", multiply(run, app_read(run, matrix, bytes), n), a, (size_t)n * n,
                     1e-5);
}

const struct app app_lud = {
    .name = "lud",
    .suite = "Rodinia",
    .summary = "a matrix as the product of two triangular ones",
    .stresses =
        "Three kernels in turn: one block of half a warp that everything waits for, a row of blocks in which the "
        "two halves of each warp go different ways, and a square of blocks that multiply tiles as gemm does. How "
        "much the first costs beside the last changes with the size.",
    .tolerance = "1e-5",
    .sizes = {{"size", 64, 16, 2048, 16, "rows and columns", NULL}},
    .run = lud_run};
