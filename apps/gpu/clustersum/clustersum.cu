// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90
// The sum of an array: threads of a block add up what they read, and every block of a cluster sends its sum to the first
// one's shared memory (st.async), whose mbarrier counts the bytes; that one adds up the cluster's sums, and then, with
// one atomic addition for each cluster, all of them.
#include "common/hopper.h"

enum { THREADS = 256, MOST = 16 /* blocks of a cluster */ };

// Sends a value to the shared memory of the block of a rank, and its eight bytes to the mbarrier there.
static __device__ void send(u32 to, u32 barrier, u32 rank, u64 value)
{
    asm volatile("{\n\t.reg .b32 there, bell;\n\tmapa.shared::cluster.u32 there, %0, %3;\n\t"
                 "mapa.shared::cluster.u32 bell, %1, %3;\n\t"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [there], %2, [bell];\n\t}" ::"r"(to),
                 "r"(barrier), "l"(value), "r"(rank)
                 : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS) clustersum(const u32 *words, u64 *sum, u32 count)
{
    __shared__ u64 of_warps[THREADS / 32], of_blocks[MOST], bell;
    u32 rank = cluster_rank(), size = cluster_size(), thread = threadIdx.x, barrier = shared_address(&bell);
    u64 mine = 0;
    if (rank == 0 && thread == 0) {
        barrier_init(barrier, 1);
        barrier_init_done();
        arrive_expect(barrier, 8 * size);
    }
    cluster_sync(); // the mbarrier is there
    for (u32 i = blockIdx.x * THREADS + thread; i < count; i += gridDim.x * THREADS)
        mine += words[i];
    for (u32 i = 16; i; i /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, i);
    if (thread % 32 == 0)
        of_warps[thread / 32] = mine;
    __syncthreads();
    if (thread == 0) {
        u64 block = 0;
        for (u32 i = 0; i < THREADS / 32; i++)
            block += of_warps[i];
        send(shared_address(&of_blocks[rank]), barrier, 0, block);
    }
    if (rank == 0 && thread == 0) {
        u64 all = 0;
        wait(barrier, 0);
        for (u32 i = 0; i < size; i++)
            all += of_blocks[i];
        atomicAdd(sum, all);
    }
}
