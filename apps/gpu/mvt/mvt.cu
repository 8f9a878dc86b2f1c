// SPDX-License-Identifier: BSD-3-Clause
#include "common/device.h"

extern "C" __global__ void mvt_rows(const float *a, float *x, const float *y, u32 n)
{
    u32 row = GLOBAL_X;
    if (row >= n)
        return;
    float sum = x[row];
    for (u32 j = 0; j < n; j++)
        sum += a[row * n + j] * y[j];
    x[row] = sum;
}

extern "C" __global__ void mvt_columns(const float *a, float *x, const float *y, u32 n)
{
    u32 column = GLOBAL_X;
    if (column >= n)
        return;
    float sum = x[column];
    for (u32 i = 0; i < n; i++)
        sum += a[i * n + column] * y[i];
    x[column] = sum;
}
