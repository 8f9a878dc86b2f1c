// SPDX-License-Identifier: BSD-3-Clause
// A = L U in place, tile by tile of 16 x 16: the tile on the diagonal, those right of it and below it, and all others.
#include "common/device.h"

enum { TILE = 16 };

extern "C" __global__ void lud_diagonal(float *a, u32 n, u32 start)
{
    __shared__ float tile[TILE][TILE];
    u32 thread = threadIdx.x;
    float *corner = a + start * n + start;
    for (u32 i = 0; i < TILE; i++)
        tile[i][thread] = corner[i * n + thread];
    __syncthreads();
    for (u32 step = 0; step < TILE - 1; step++) {
        if (thread > step) { // this thread's row
            float factor = tile[thread][step] / tile[step][step];
            tile[thread][step] = factor;
            for (u32 j = step + 1; j < TILE; j++)
                tile[thread][j] -= factor * tile[step][j];
        }
        __syncthreads();
    }
    for (u32 i = 0; i < TILE; i++)
        corner[i * n + thread] = tile[i][thread];
}

// Half of a block's 32 threads solve a tile to the right, by columns; the others one below, by rows.
extern "C" __global__ void lud_perimeter(float *a, u32 n, u32 start)
{
    __shared__ float corner[TILE][TILE], right[TILE][TILE], below[TILE][TILE + 1];
    u32 thread = threadIdx.x % TILE, next = start + (blockIdx.x + 1) * TILE;
    bool is_right = threadIdx.x < TILE;
    for (u32 i = 0; i < TILE; i++) {
        if (is_right) {
            corner[i][thread] = a[(start + i) * n + start + thread];
            right[i][thread] = a[(start + i) * n + next + thread];
        } else {
            below[i][thread] = a[(next + i) * n + start + thread];
        }
    }
    __syncthreads();
    if (is_right) {
        for (u32 i = 1; i < TILE; i++)
            for (u32 k = 0; k < i; k++)
                right[i][thread] -= corner[i][k] * right[k][thread];
    } else {
        for (u32 j = 0; j < TILE; j++) {
            for (u32 k = 0; k < j; k++)
                below[thread][j] -= below[thread][k] * corner[k][j];
            below[thread][j] /= corner[j][j];
        }
    }
    __syncthreads();
    for (u32 i = 0; i < TILE; i++) {
        if (is_right)
            a[(start + i) * n + next + thread] = right[i][thread];
        else
            a[(next + i) * n + start + thread] = below[i][thread];
    }
}

extern "C" __global__ void lud_inside(float *a, u32 n, u32 start)
{
    __shared__ float row[TILE][TILE], column[TILE][TILE];
    u32 tx = threadIdx.x, ty = threadIdx.y;
    u32 x = start + (blockIdx.x + 1) * TILE + tx, y = start + (blockIdx.y + 1) * TILE + ty;
    row[ty][tx] = a[(start + ty) * n + x];
    column[ty][tx] = a[y * n + start + tx];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (u32 k = 0; k < TILE; k++)
        sum += column[ty][k] * row[k][tx];
    a[y * n + x] -= sum;
}
