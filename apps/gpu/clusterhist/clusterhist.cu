// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90
// How often each value occurs, where the bins of one count are spread over the shared memories of a cluster's blocks:
// each block holds a part of them, and every thread of the cluster adds to whichever part a value belongs to.
#include "common/hopper.h"

// Adds 1 to a word of shared memory of the block of a rank.
static __device__ void add_at(u32 address, u32 rank)
{
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
}

extern "C" __global__ void clusterhist(const u32 *words, u32 *counts, u32 count, u32 bins)
{
    extern __shared__ u32 mine[]; // bins / cluster_size() of them, rounded up
    u32 each = (bins + cluster_size() - 1) / cluster_size(), first = each * cluster_rank();
    for (u32 i = threadIdx.x; i < each; i += blockDim.x)
        mine[i] = 0;
    cluster_sync();
    u32 address = (u32)__cvta_generic_to_shared(mine);
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        u32 bin = words[i] % bins;
        add_at(address + bin % each * 4, bin / each);
    }
    cluster_sync();
    for (u32 i = threadIdx.x; i < each && first + i < bins; i += blockDim.x)
        if (mine[i])
            atomicAdd(&counts[first + i], mine[i]);
}
