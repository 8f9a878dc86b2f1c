// SPDX-License-Identifier: BSD-3-Clause
#include "common/device.h"

// t = a x: a thread for each row.
extern "C" __global__ void atax_rows(const float *a, const float *x, float *t, u32 rows, u32 columns)
{
    u32 row = GLOBAL_X;
    if (row >= rows)
        return;
    float sum = 0;
    for (u32 j = 0; j < columns; j++)
        sum += a[row * columns + j] * x[j];
    t[row] = sum;
}

// y = a' t: a thread for each column.
extern "C" __global__ void atax_columns(const float *a, const float *t, float *y, u32 rows, u32 columns)
{
    u32 column = GLOBAL_X;
    if (column >= columns)
        return;
    float sum = 0;
    for (u32 i = 0; i < rows; i++)
        sum += a[i * columns + column] * t[i];
    y[column] = sum;
}
