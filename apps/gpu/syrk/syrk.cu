// SPDX-License-Identifier: BSD-3-Clause
#include "common/device.h"

// c = alpha a a' + beta c, where a is n x m.
extern "C" __global__ void syrk(const float *a, float *c, u32 n, u32 m, float alpha, float beta)
{
    u32 column = GLOBAL_X, row = GLOBAL_Y;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (u32 k = 0; k < m; k++)
        sum += a[row * m + k] * a[column * m + k];
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
