// SPDX-License-Identifier: BSD-3-Clause
// A separable filter of 17 values over an image, first along rows, then along columns; outside lie zeros. The filter is
// in constant memory, and a block keeps its part of the image with the edges on both sides in shared memory.
#include "common/device.h"

enum { RADIUS = 8, LENGTH = 128, SIDE = 16 };

extern "C" __constant__ float convolution_filter[2 * RADIUS + 1] = {};

extern "C" __global__ void convolution_rows(const float *from, float *to, u32 width)
{
    __shared__ float part[LENGTH + 2 * RADIUS];
    u32 start = blockIdx.x * LENGTH, y = blockIdx.y;
    for (u32 i = threadIdx.x; i < LENGTH + 2 * RADIUS; i += LENGTH) {
        u32 x = start + i - RADIUS; // beyond the width where it is negative
        part[i] = x < width ? from[y * width + x] : 0.0f;
    }
    __syncthreads();
    u32 x = start + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (u32 i = 0; i <= 2 * RADIUS; i++)
        sum += part[threadIdx.x + i] * convolution_filter[i];
    if (x < width)
        to[y * width + x] = sum;
}

extern "C" __global__ void convolution_columns(const float *from, float *to, u32 width, u32 height)
{
    __shared__ float part[4 * SIDE + 2 * RADIUS][SIDE];
    u32 x = blockIdx.x * SIDE + threadIdx.x, start = blockIdx.y * 4 * SIDE;
    for (u32 i = threadIdx.y; i < 4 * SIDE + 2 * RADIUS; i += SIDE) {
        u32 y = start + i - RADIUS;
        part[i][threadIdx.x] = x < width && y < height ? from[y * width + x] : 0.0f;
    }
    __syncthreads();
    for (u32 row = threadIdx.y; row < 4 * SIDE; row += SIDE) {
        float sum = 0;
#pragma unroll
        for (u32 i = 0; i <= 2 * RADIUS; i++)
            sum += part[row + i][threadIdx.x] * convolution_filter[i];
        if (x < width && start + row < height)
            to[(start + row) * width + x] = sum;
    }
}
