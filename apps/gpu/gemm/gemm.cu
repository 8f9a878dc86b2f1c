// SPDX-License-Identifier: BSD-3-Clause
// C = A B, row by row, the plain ways: each thread one value from memory, and each block a tile by way of shared memory.
#include "common/device.h"

enum { TILE = 16 };

extern "C" __global__ void gemm_naive(const float *a, const float *b, float *c, u32 m, u32 n, u32 k)
{
    u32 row = GLOBAL_Y, column = GLOBAL_X;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (u32 i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c, u32 m, u32 n, u32 k)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    u32 row = GLOBAL_Y, column = GLOBAL_X, tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (u32 depth = 0; depth < k; depth += TILE) {
        tile_a[ty][tx] = row < m && depth + tx < k ? a[row * k + depth + tx] : 0.0f;
        tile_b[ty][tx] = column < n && depth + ty < k ? b[(depth + ty) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < TILE; i++)
            sum += tile_a[ty][i] * tile_b[i][tx];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
