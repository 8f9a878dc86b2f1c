// SPDX-License-Identifier: BSD-3-Clause
// The temperature of a chip over time: what its surface gives off, what flows from its four neighbours, and the power it
// takes. A block makes two steps on a tile before it writes the part of it that is still right.
#include "common/device.h"

enum { TILE = 16, STEPS = 2, INNER = TILE - 2 * STEPS };

extern "C" __global__ void hotspot(const float *power, const float *from, float *to, int width, int height, u32 steps,
                                   float conduction, float loss)
{
    __shared__ float tile[TILE][TILE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int x = (int)blockIdx.x * INNER + tx - STEPS, y = (int)blockIdx.y * INNER + ty - STEPS;
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    int at = y * width + x;
    float mine = inside ? from[at] : 0, watt = inside ? power[at] : 0;
    // At the chip's edge the missing neighbour is the place itself.
    int north = y > 0 ? ty - 1 : ty, south = y < height - 1 ? ty + 1 : ty;
    int west = x > 0 ? tx - 1 : tx, east = x < width - 1 ? tx + 1 : tx;
    for (int step = 1; step <= (int)steps; step++) {
        tile[ty][tx] = mine;
        __syncthreads();
        if (inside && tx >= step && tx < TILE - step && ty >= step && ty < TILE - step)
            mine += watt +
                    conduction * (tile[north][tx] + tile[south][tx] + tile[ty][west] + tile[ty][east] - 4.0f * mine) +
                    loss * (80.0f - mine);
        __syncthreads();
    }
    if (inside && tx >= STEPS && tx < TILE - STEPS && ty >= STEPS && ty < TILE - STEPS)
        to[at] = mine;
}
