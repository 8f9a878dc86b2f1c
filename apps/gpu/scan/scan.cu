// SPDX-License-Identifier: BSD-3-Clause
// Sums of all prefixes, without the value itself: Blelloch's sweep up and down a tree in shared memory, for blocks of
// 512 values; then the same over the blocks' sums; then these are added.
#include "common/device.h"

enum { VALUES = 512 };

extern "C" __global__ void scan_block(const u32 *from, u32 *to, u32 *sums, u32 count)
{
    __shared__ u32 tree[VALUES];
    u32 thread = threadIdx.x, start = blockIdx.x * VALUES;
    for (u32 i = thread; i < VALUES; i += VALUES / 2)
        tree[i] = start + i < count ? from[start + i] : 0;
    u32 step = 1;
    for (u32 pairs = VALUES / 2; pairs; pairs /= 2, step *= 2) {
        __syncthreads();
        if (thread < pairs)
            tree[(2 * thread + 2) * step - 1] += tree[(2 * thread + 1) * step - 1];
    }
    if (thread == 0) {
        sums[blockIdx.x] = tree[VALUES - 1];
        tree[VALUES - 1] = 0;
    }
    for (u32 pairs = 1; pairs < VALUES; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (thread < pairs) {
            u32 left = (2 * thread + 1) * step - 1, right = (2 * thread + 2) * step - 1, value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    for (u32 i = thread; i < VALUES; i += VALUES / 2)
        if (start + i < count)
            to[start + i] = tree[i];
}

extern "C" __global__ void scan_add(u32 *values, const u32 *sums, u32 count)
{
    u32 i = GLOBAL_X;
    if (i < count)
        values[i] += sums[i / VALUES];
}
