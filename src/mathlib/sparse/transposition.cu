// SPDX-License-Identifier: BSD-3-Clause
// CSR to CSC: a sort of the numbers by column that keeps the order of those of one column, so that rows go up.
#include "maniple/device.h"
#include "mathlib/sparse/lists.cuh"
#include "mathlib/sparse/transposition.h"

#define KERNEL(name, threads)                                                                                          \
    extern "C" __global__ void __launch_bounds__(threads)                                                              \
        maniple_sp_##name(const __grid_constant__ sparse_transposition p)

KERNEL(clear, 256)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < (long long)p.chunks * p.columns)
        p.counts[i] = 0;
}

__device__ __forceinline__ int chunk_end(const sparse_transposition &p)
{
    long long end = (blockIdx.x + 1LL) * p.each;
    return end < p.count ? (int)end : p.count;
}

KERNEL(count, 32)
{
    int *counts = p.counts + (long long)blockIdx.x * p.columns;
    for (int i = (int)blockIdx.x * p.each + (int)threadIdx.x; i < chunk_end(p); i += 32)
        atomicAdd(counts + p.across[i] - p.base, 1);
}

// A thread for each column; its number of numbers stands where its offset will.
KERNEL(before, 256)
{
    long long column = blockIdx.x * 256LL + threadIdx.x;
    if (column >= p.columns)
        return;
    int sum = 0;
#pragma unroll 4
    for (int chunk = 0; chunk < p.chunks; chunk++) {
        int *here = p.counts + (long long)chunk * p.columns + column, count = *here;
        *here = sum;
        sum += count;
    }
    p.to_offsets[column] = sum;
}

KERNEL(offsets_of_counts, 256) { offsets_of_sizes<int>(p.to_offsets, p.columns, p.base); }

// The last row that begins at or before a number.
__device__ __forceinline__ int row_of(const sparse_transposition &p, int i)
{
    int low = 0, high = p.rows - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (p.offsets[middle] - p.base <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// A warp's lanes that have the same column take its next places in their order.
KERNEL(place, 32)
{
    int *counts = p.counts + (long long)blockIdx.x * p.columns;
    for (int first = (int)blockIdx.x * p.each; first < chunk_end(p); first += 32) {
        int i = first + (int)threadIdx.x;
        unsigned active = __ballot_sync(~0u, i < chunk_end(p));
        if (i < chunk_end(p)) {
            int column = p.across[i] - p.base;
            unsigned same = __match_any_sync(active, column), lower = same & ((1u << threadIdx.x) - 1);
            int to = p.to_offsets[column] - p.base + counts[column] + __popc(lower);
            __syncwarp(active);
            if (lower == 0)
                counts[column] += __popc(same);
            p.to_across[to] = row_of(p, i) + p.base;
            for (int b = 0; b < p.size; b++)
                ((char *)p.to_values)[(long long)to * p.size + b] = ((const char *)p.values)[(long long)i * p.size + b];
        }
        __syncwarp();
    }
}
