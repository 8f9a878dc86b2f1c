// SPDX-License-Identifier: BSD-3-Clause
// C = alpha A B + beta C, row by row. A block makes a tile of 64 x 64 values, each of its 16 x 16 threads 4 x 4 of them in
// registers, from strips of A and B that are 16 deep and lie in shared memory.
#include "common/device.h"

enum { TILE = 64, DEEP = 16, EACH = 4 };

static __device__ float at(const float *matrix, u32 row, u32 column, u32 rows, u32 columns)
{
    return row < rows && column < columns ? matrix[row * columns + column] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(256)
    sgemm(const float *a, const float *b, float *c, u32 m, u32 n, u32 k, float alpha, float beta)
{
    __shared__ float strip_a[DEEP][TILE + 1], strip_b[DEEP][TILE];
    u32 top = blockIdx.y * TILE, left = blockIdx.x * TILE, tx = threadIdx.x, ty = threadIdx.y;
    u32 number = ty * 16 + tx;
    float sums[EACH][EACH] = {};
    for (u32 depth = 0; depth < k; depth += DEEP) {
        for (u32 i = number; i < TILE * DEEP; i += 256) {
            strip_a[i % DEEP][i / DEEP] = at(a, top + i / DEEP, depth + i % DEEP, m, k);
            strip_b[i / TILE][i % TILE] = at(b, depth + i / TILE, left + i % TILE, k, n);
        }
        __syncthreads();
#pragma unroll
        for (u32 step = 0; step < DEEP; step++) {
            float left_side[EACH], right_side[EACH];
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
                left_side[i] = strip_a[step][ty + 16 * i];
                right_side[i] = strip_b[step][tx + 16 * i];
            }
#pragma unroll
            for (u32 i = 0; i < EACH; i++)
#pragma unroll
                for (u32 j = 0; j < EACH; j++)
                    sums[i][j] += left_side[i] * right_side[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 i = 0; i < EACH; i++)
#pragma unroll
        for (u32 j = 0; j < EACH; j++) {
            u32 row = top + ty + 16 * i, column = left + tx + 16 * j;
            if (row < m && column < n)
                c[row * n + column] = alpha * sums[i][j] + beta * c[row * n + column];
        }
}
