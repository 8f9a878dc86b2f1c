// SPDX-License-Identifier: BSD-3-Clause
// Elimination without pivoting: the factors of one column, then the rows below it.
#include "common/device.h"

extern "C" __global__ void gaussian_factors(const float *a, float *factors, u32 n, u32 step)
{
    u32 row = step + 1 + GLOBAL_X;
    if (row < n)
        factors[row] = a[row * n + step] / a[step * n + step];
}

extern "C" __global__ void gaussian_rows(float *a, float *b, const float *factors, u32 n, u32 step)
{
    u32 column = step + GLOBAL_X, row = step + 1 + GLOBAL_Y;
    if (row >= n || column >= n)
        return;
    a[row * n + column] -= factors[row] * a[step * n + column];
    if (column == step)
        b[row] -= factors[row] * b[step];
}
