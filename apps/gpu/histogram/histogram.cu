// SPDX-License-Identifier: BSD-3-Clause
// How often each byte occurs: each block counts in shared memory and then adds to the counts of all.
#include "common/device.h"

extern "C" __global__ void histogram(const u32 *words, u32 *counts, u32 count)
{
    __shared__ u32 mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = GLOBAL_X; i < count; i += blockDim.x * gridDim.x) {
        u32 word = words[i];
        for (u32 byte = 0; byte < 4; byte++)
            atomicAdd(&mine[word >> 8 * byte & 255], 1u);
    }
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
