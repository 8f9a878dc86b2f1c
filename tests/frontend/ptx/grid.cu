/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels whose blocks wait for one another. grid.ptx is made from this file by
 *   nvcc -ptx -arch=sm_80 grid.cu -o grid.ptx
 * and kept, so that the tests need no compiler of NVIDIA's.
 */
#include <cooperative_groups.h>

extern "C" {

/* Each block waits for its successor; the last one begins. */
__global__ void hand_down(volatile unsigned *token, unsigned *order)
{
    unsigned turn = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) {
        while (*token != turn)
            ;
        order[turn] = blockIdx.x;
        __threadfence();
        *token = turn + 1;
    }
    __syncthreads();
}

/* The same with an atomic, a pause that is a loop of its own, and a count of the tries in memory. */
__global__ void hand_down_slowly(unsigned *token, unsigned *order, unsigned *tries)
{
    unsigned turn = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) {
        while (atomicCAS(token, turn, gridDim.x) != turn) {
            long long end = clock64() + 50;
            while (clock64() < end)
                ;
            atomicAdd(tries, 1);
        }
        order[turn] = blockIdx.x;
        __threadfence();
        atomicExch(token, turn + 1);
    }
    __syncthreads();
}

/* Blocks meet, take a lock one after the other, and hold it until another one has tried to take it too. */
__global__ void lock_together(int *lock, volatile unsigned *tried, unsigned *sum)
{
    if (threadIdx.x == 0) {
        bool mine = false;
        while (!mine)
            if (atomicCAS(lock, 0, 1) == 0) {
                mine = true;
                unsigned seen = *sum;
                while (*tried < gridDim.x - 1)
                    ;
                *(volatile unsigned *)sum = seen + blockIdx.x + 1;
                __threadfence();
                atomicExch(lock, 0);
            } else {
                atomicAdd((unsigned *)tried, 1);
            }
    }
}

/* Cells of a ring become the sum of their neighbours, many times; all blocks meet after each time. */
__global__ void ring(unsigned *from, unsigned *to, unsigned steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned step = 0; step < steps; step++) {
        to[i] = from[(i + n - 1) % n] + from[(i + 1) % n];
        grid.sync();
        unsigned *other = from;
        from = to;
        to = other;
    }
}

/* Inclusive sums; a tile's block looks back at the tile before it. Tiles are given out from the last block on. */
__global__ void look_back(const unsigned *in, unsigned *out, volatile unsigned long long *state)
{
    __shared__ unsigned sums[64], before;
    unsigned tile = gridDim.x - 1 - blockIdx.x, i = threadIdx.x;
    sums[i] = in[tile * 64 + i];
    __syncthreads();
    for (unsigned d = 1; d < 64; d *= 2) {
        unsigned add = i >= d ? sums[i - d] : 0;
        __syncthreads();
        sums[i] += add;
        __syncthreads();
    }
    if (i == 0) {
        unsigned long long last = 1ull << 32;
        while (tile > 0 && !((last = state[tile - 1]) >> 32))
            ;
        before = (unsigned)last;
        state[tile] = 1ull << 32 | (before + sums[63]);
    }
    __syncthreads();
    out[tile * 64 + i] = before + sums[i];
}

/* The block that comes last adds what all have found. */
__global__ void last_block(const unsigned *in, unsigned *parts, unsigned *count, unsigned *out)
{
    __shared__ bool last;
    unsigned sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        unsigned total = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += 32)
            total += ((volatile unsigned *)parts)[b];
        total = __reduce_add_sync(~0u, total);
        if (threadIdx.x == 0)
            *out = total;
    }
}

} /* extern "C" */
