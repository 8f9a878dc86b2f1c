// SPDX-License-Identifier: BSD-3-Clause
// The sum of an array by one kernel: blocks store their sums, fence, and draw a number; who draws the last one adds up.
#include "common/device.h"

extern "C" __global__ void lastblock(const u32 *values, u32 *sums, u32 *drawn, u32 *result, u32 count)
{
    __shared__ u32 part[128], is_last;
    u32 thread = threadIdx.x, sum = 0;
    for (u32 i = GLOBAL_X; i < count; i += blockDim.x * gridDim.x)
        sum += values[i];
    for (u32 round = 0; round < 2; round++) {
        part[thread] = sum;
        __syncthreads();
        for (u32 half = 64; half; half /= 2) {
            if (thread < half)
                part[thread] += part[thread + half];
            __syncthreads();
        }
        if (round) {
            if (thread == 0) {
                result[0] = part[0];
                drawn[0] = 0; // for the next launch
            }
            return;
        }
        if (thread == 0) {
            sums[blockIdx.x] = part[0];
            __threadfence();
            is_last = atomicAdd(drawn, 1u) == gridDim.x - 1;
            __threadfence();
        }
        __syncthreads();
        if (!is_last)
            return;
        sum = 0;
        for (u32 i = thread; i < gridDim.x; i += blockDim.x)
            sum += ((volatile u32 *)sums)[i];
    }
}
