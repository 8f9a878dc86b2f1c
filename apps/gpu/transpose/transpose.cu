// SPDX-License-Identifier: BSD-3-Clause
#include "common/device.h"

enum { TILE = 32, ROWS = 8 };

extern "C" __global__ void transpose_naive(const float *from, float *to, u32 width, u32 height)
{
    u32 x = blockIdx.x * TILE + threadIdx.x;
    for (u32 i = threadIdx.y; i < TILE; i += ROWS) {
        u32 y = blockIdx.y * TILE + i;
        if (x < width && y < height)
            to[x * height + y] = from[y * width + x];
    }
}

// One column more than needed, so that a column of the tile lies in different banks.
extern "C" __global__ void transpose_tiled(const float *from, float *to, u32 width, u32 height)
{
    __shared__ float tile[TILE][TILE + 1];
    u32 x = blockIdx.x * TILE + threadIdx.x;
    for (u32 i = threadIdx.y; i < TILE; i += ROWS) {
        u32 y = blockIdx.y * TILE + i;
        if (x < width && y < height)
            tile[i][threadIdx.x] = from[y * width + x];
    }
    __syncthreads();
    u32 out = blockIdx.y * TILE + threadIdx.x;
    for (u32 i = threadIdx.y; i < TILE; i += ROWS) {
        u32 row = blockIdx.x * TILE + i;
        if (out < height && row < width)
            to[row * height + out] = tile[threadIdx.x][i];
    }
}
