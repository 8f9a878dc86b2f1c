// SPDX-License-Identifier: BSD-3-Clause
// Random points in a square: how many of them lie in the circle. Marsaglia's xorshift of 32 bits, and whole numbers of
// 15 bits, so that the count is exact.
#include "common/device.h"

static __device__ u32 next(u32 x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

extern "C" __global__ void montecarlo_pi(u32 *inside, u32 points, u32 seed)
{
    u32 state = (GLOBAL_X + 1) * 2654435761u ^ seed, hits = 0;
    for (u32 i = 0; i < points; i++) {
        state = next(state);
        u32 x = state & 0x7fff, y = state >> 16 & 0x7fff;
        hits += x * x + y * y < 1u << 30;
    }
    atomicAdd(inside, hits);
}
