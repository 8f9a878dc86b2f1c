// SPDX-License-Identifier: BSD-3-Clause
// The cheapest way down a grid of costs, one row for each step and at most one column to the side. A block makes several
// rows; what it knows shrinks by one value on each side with each of them.
#include "common/device.h"

enum { BLOCK = 256 };

extern "C" __global__ void pathfinder(const u32 *costs, const u32 *from, u32 *to, u32 width, u32 row, u32 rows)
{
    __shared__ u32 line[2][BLOCK + 2];
    u32 thread = threadIdx.x, inner = BLOCK - 2 * rows;
    int x = (int)(blockIdx.x * inner + thread) - (int)rows;
    bool inside = x >= 0 && x < (int)width;
    u32 mine = inside ? from[x] : 0x7fffffff;
    if (thread < 2)
        line[thread][0] = line[thread][BLOCK + 1] = 0x7fffffff;
    for (u32 i = 0; i < rows; i++) {
        u32 *now = line[i & 1];
        now[thread + 1] = mine;
        __syncthreads();
        if (inside) {
            u32 left = now[thread], right = now[thread + 2], best = mine < left ? mine : left;
            mine = costs[(row + i) * width + (u32)x] + (best < right ? best : right);
        }
    }
    if (inside && thread >= rows && thread < BLOCK - rows)
        to[x] = mine;
}
