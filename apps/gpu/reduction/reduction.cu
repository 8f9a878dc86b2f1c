// SPDX-License-Identifier: BSD-3-Clause
// The sum of an array: a tree in shared memory for each block, and once more over the blocks' sums.
#include "common/device.h"

extern "C" __global__ void reduction(const u32 *values, u32 *sums, u32 count)
{
    __shared__ u32 part[256];
    u32 thread = threadIdx.x, sum = 0;
    for (u32 i = GLOBAL_X; i < count; i += blockDim.x * gridDim.x)
        sum += values[i];
    part[thread] = sum;
    __syncthreads();
    for (u32 half = 128; half; half /= 2) {
        if (thread < half)
            part[thread] += part[thread + half];
        __syncthreads();
    }
    if (thread == 0)
        sums[blockIdx.x] = part[0];
}
