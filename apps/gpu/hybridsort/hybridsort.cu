// SPDX-License-Identifier: BSD-3-Clause
// Values are dealt out to buckets by their upper bits, in whatever order atomics give, and each bucket is sorted by
// Batcher's bitonic network in shared memory.
#include "common/device.h"

enum { MOST = 1024 };

extern "C" __global__ void hybridsort_count(const u32 *values, u32 *counts, u32 count, u32 shift)
{
    u32 i = GLOBAL_X;
    if (i < count)
        atomicAdd(&counts[values[i] >> shift], 1u);
}

extern "C" __global__ void hybridsort_deal(const u32 *values, u32 *places, u32 *dealt, u32 count, u32 shift)
{
    u32 i = GLOBAL_X;
    if (i < count)
        dealt[atomicAdd(&places[values[i] >> shift], 1u)] = values[i];
}

extern "C" __global__ void hybridsort_sort(u32 *values, const u32 *first)
{
    __shared__ u32 part[MOST];
    u32 start = first[blockIdx.x], count = first[blockIdx.x + 1] - start, size = 2;
    while (size < count)
        size *= 2;
    for (u32 i = threadIdx.x; i < size; i += blockDim.x)
        part[i] = i < count ? values[start + i] : 0xffffffff;
    for (u32 length = 2; length <= size; length *= 2)
        for (u32 step = length / 2; step; step /= 2) {
            __syncthreads();
            for (u32 pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {
                u32 low = pair / step * 2 * step + pair % step, high = low + step;
                bool up = (low & length) == 0;
                u32 a = part[low], b = part[high];
                if ((a > b) == up) {
                    part[low] = b;
                    part[high] = a;
                }
            }
        }
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += blockDim.x)
        values[start + i] = part[i];
}
