// SPDX-License-Identifier: BSD-3-Clause
// Laplace's equation in three dimensions: each value becomes the mean of its six neighbours. A block goes through all
// planes with a tile of the one it is in in shared memory, and those above and below in registers.
#include "common/device.h"

enum { TILE_X = 32, TILE_Y = 4 };

extern "C" __global__ void lps(const float *from, float *to, u32 nx, u32 ny, u32 nz)
{
    __shared__ float plane[TILE_Y + 2][TILE_X + 2];
    u32 tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = GLOBAL_X, y = GLOBAL_Y, size = nx * ny, at = y * nx + x;
    bool inside = x < nx && y < ny, inner = x - 1 < nx - 2 && y - 1 < ny - 2;
    float below = 0, here = inside ? from[at] : 0.0f, above = inside && nz > 1 ? from[size + at] : 0.0f;
    for (u32 z = 0; z < nz; z++, at += size) {
        plane[ty][tx] = here;
        if (inside && tx == 1 && x > 0)
            plane[ty][0] = from[at - 1];
        if (inside && tx == TILE_X && x + 1 < nx)
            plane[ty][TILE_X + 1] = from[at + 1];
        if (inside && ty == 1 && y > 0)
            plane[0][tx] = from[at - nx];
        if (inside && ty == TILE_Y && y + 1 < ny)
            plane[TILE_Y + 1][tx] = from[at + nx];
        __syncthreads();
        if (inside) {
            float mean = (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + below + above) *
                         (1.0f / 6.0f);
            to[at] = inner && z - 1 < nz - 2 ? mean : here;
        }
        __syncthreads();
        below = here;
        here = above;
        above = inside && z + 2 < nz ? from[at + 2 * size] : 0.0f;
    }
}
