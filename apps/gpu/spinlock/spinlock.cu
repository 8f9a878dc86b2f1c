// SPDX-License-Identifier: BSD-3-Clause
// One thread of each block takes a lock, changes two words with plain loads and stores, and releases it. Whoever misses
// what the holder before wrote, or what a fence is for, loses counts.
#include "common/device.h"

extern "C" __global__ void spinlock(u32 *lock, u32 *counter, u32 *trail, u32 rounds)
{
    if (threadIdx.x)
        return;
    for (u32 i = 0; i < rounds; i++) {
        while (atomicCAS(lock, 0u, 1u))
            ;
        __threadfence();
        u32 value = counter[0];
        trail[value] = blockIdx.x;
        counter[0] = value + 1;
        counter[64] += value; // on another line, in another slice
        __threadfence();
        atomicExch(lock, 0u);
    }
}
