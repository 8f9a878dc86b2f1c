// SPDX-License-Identifier: BSD-3-Clause
// The potential of charges at the points of a plane: those of one launch are in constant memory, four numbers each, and a
// thread makes four points that lie a block apart, so that a charge's distance in y is computed once for all of them.
#include "common/device.h"

enum { MOST = 512, POINTS = 4 };

extern "C" __constant__ float cp_charges[4 * MOST] = {};

extern "C" __global__ void cp(float *potential, u32 width, u32 height, float spacing, u32 charges)
{
    u32 x = blockIdx.x * blockDim.x * POINTS + threadIdx.x, y = GLOBAL_Y;
    float px = (float)x * spacing, py = (float)y * spacing, step = (float)blockDim.x * spacing;
    float sums[POINTS] = {};
    for (u32 i = 0; i < charges; i++) {
        float dy = py - cp_charges[4 * i + 1], dz = cp_charges[4 * i + 2], charge = cp_charges[4 * i + 3];
        float rest = dy * dy + dz * dz, dx = px - cp_charges[4 * i];
#pragma unroll
        for (u32 point = 0; point < POINTS; point++) {
            sums[point] += charge * rsqrt_approx(dx * dx + rest);
            dx += step;
        }
    }
#pragma unroll
    for (u32 point = 0; point < POINTS; point++)
        if (x + point * blockDim.x < width && y < height)
            potential[y * width + x + point * blockDim.x] += sums[point];
}
