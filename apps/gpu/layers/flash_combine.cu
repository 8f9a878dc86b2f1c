// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90
// Joins the splits of attention on Hopper, as FlashAttention-3 does (vllm-project/flash-attention, hopper/): blocks
// have ROWS rows of results of one sequence and COLUMNS of their numbers, and those of a sequence with one split end at
// once. The kernel may begin before attention has ended. The last block clears the counter of tiles.
#include "layers/flash_schedule.h"

enum { THREADS = 256, AHEAD = 4 /* splits */ };

struct block_place {
    u32 rows, sequence;
};

static __device__ void wait_for_attention()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

static __device__ u32 shared_number(const void *at)
{
    return (u32)__cvta_generic_to_shared(at);
}

// The place of a block where blocks of all sequences have one number: 32 sequences at a time.
template <u32 ROWS> static __device__ void find_place(const flash_work &w, block_place *place)
{
    u32 lane = threadIdx.x, block = blockIdx.x, before = 0, sum, blocks, sequence = 0, all;
    for (;; sequence += 32) {
        bool there = sequence + lane < w.sequences;
        blocks = there ? (((const u32 *)w.rows_of)[sequence + lane] * w.kv_heads + ROWS - 1) / ROWS : 0;
        sum = blocks;
#pragma unroll
        for (u32 i = 1; i < 32; i *= 2) {
            u32 other = __shfl_up_sync(0xffffffff, sum, i);
            sum += lane >= i ? other : 0;
        }
        all = __shfl_sync(0xffffffff, sum, 31);
        if (block < before + all || sequence + 32 >= w.sequences)
            break;
        before += all;
    }
    u32 behind = __popc(__ballot_sync(0xffffffff, before + sum <= block));
    before += __shfl_sync(0xffffffff, sum - blocks, behind % 32);
    if (lane == 0)
        *place = block_place{block - before, behind == 32 ? w.sequences : sequence + behind};
}

static __device__ float max_over(float x, u32 lanes)
{
    for (u32 i = lanes / 2; i; i /= 2)
        x = max_f(x, __shfl_xor_sync(0xffffffff, x, i));
    return x;
}

static __device__ float sum_over(float x, u32 lanes)
{
    for (u32 i = lanes / 2; i; i /= 2)
        x += __shfl_xor_sync(0xffffffff, x, i);
    return x;
}

template <u32 ROWS, u32 COLUMNS, u32 MOST> struct memory {
    float weights[MOST][ROWS], parts[AHEAD][ROWS][COLUMNS];
    u32 last[ROWS]; // the last split that has keys
    block_place place;
};

// Logarithms become weights; a row's are those of THREADS / ROWS lanes.
template <u32 ROWS, u32 MOST, typename M> static __device__ void weigh(M &m)
{
    const u32 lanes = THREADS / ROWS < 32 ? THREADS / ROWS : 32, each = (MOST + lanes - 1) / lanes;
    u32 row = threadIdx.x / lanes, lane = threadIdx.x % lanes, last = 0;
    float logs[each], most = -1e30f, sum = 0;
#pragma unroll
    for (u32 i = 0; i < each; i++) {
        u32 split = lane + i * lanes;
        logs[i] = m.weights[split][row];
        most = max_f(most, logs[i]);
        last = logs[i] > -1e29f ? split : last;
    }
    most = max_over(most, lanes);
    for (u32 i = lanes / 2; i; i /= 2)
        last = max(last, __shfl_xor_sync(0xffffffff, last, i));
#pragma unroll
    for (u32 i = 0; i < each; i++) {
        logs[i] = logs[i] > -1e29f ? ex2_approx(logs[i] - most) : 0;
        sum += logs[i];
    }
    sum = sum_over(sum, lanes);
    float over = sum > 0 ? 1 / sum : 0;
#pragma unroll
    for (u32 i = 0; i < each; i++)
        m.weights[lane + i * lanes][row] = logs[i] * over;
    if (lane == 0)
        m.last[row] = last;
}

template <u32 ROWS, u32 COLUMNS, u32 MOST> static __device__ void combine(const flash_work &w, u32 d)
{
    __shared__ __align__(16) memory<ROWS, COLUMNS, MOST> m;
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1 && blockIdx.z == gridDim.z - 1) {
        wait_for_attention();
        atomicExch((u32 *)w.counter, 0u); // runs without values perform it, too
    }
    block_place at = {blockIdx.x, blockIdx.z};
    if (w.in_line) {
        if (threadIdx.x < 32)
            find_place<ROWS>(w, &m.place);
        __syncthreads();
        at = m.place;
    }
    if (at.sequence >= w.sequences)
        return;
    sequence s = sequence_at(w, at.sequence);
    u32 first = at.rows * ROWS, rows = s.queries * w.heads;
    if (first >= rows)
        return;
    u32 splits = ((const u32 *)w.splits_of)[at.sequence];
    if (splits <= 1)
        return;
    wait_for_attention();
    u64 all = (u64)w.queries * w.sequences * w.heads;
#pragma unroll
    for (u32 i = threadIdx.x; i < MOST * ROWS; i += THREADS) {
        u32 row = first + i % ROWS, split = i / ROWS, head = row / s.queries;
        float *to = &m.weights[split][i % ROWS];
        if (row < rows && split < splits) {
            u64 number = (u64)(s.start + row - head * s.queries) * w.heads + head;
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_number(to)),
                         "l"((const float *)w.logs + split * all + number));
        } else
            *to = -1e30f;
    }
    copies_done();
    const u32 lanes = COLUMNS / 4;
    u32 own = threadIdx.x / lanes, column = threadIdx.x % lanes * 4, row = first + own, head = row / s.queries;
    u32 of_block = blockIdx.y * COLUMNS + column;
    bool there = row < rows && of_block < d;
    u64 number = ((u64)(s.start + row - head * s.queries) * w.heads + head) * d + of_block;
    const float *from = (const float *)w.parts + number;
    float *stage = &m.parts[0][own][column];
#pragma unroll
    for (u32 i = 0; i < AHEAD - 1; i++) {
        if (there && i < splits)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_number(stage + i * ROWS * COLUMNS)),
                         "l"(from + i * all * d));
        copies_done();
    }
    wait_copies<AHEAD - 1>();
    __syncthreads();
    weigh<ROWS, MOST>(m);
    __syncthreads();
    u32 last = m.last[own];
    float sums[4] = {};
    for (u32 i = 0; i <= last; i++) {
        u32 next = i + AHEAD - 1;
        float weight = m.weights[i][own];
        if (there && next <= last)
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_number(stage + next % AHEAD * ROWS * COLUMNS)),
                "l"(from + next * all * d));
        copies_done();
        wait_copies<AHEAD - 1>();
        if (weight > 0) {
            const float4 part = *(const float4 *)(stage + i % AHEAD * ROWS * COLUMNS);
            sums[0] += weight * part.x;
            sums[1] += weight * part.y;
            sums[2] += weight * part.z;
            sums[3] += weight * part.w;
        }
    }
    if (there)
        *(uint2 *)((u16 *)w.out + number) = uint2{pair_of(sums[0], sums[1]), pair_of(sums[2], sums[3])};
}

#define COMBINE(NAME, ROWS, COLUMNS, MOST)                                                                             \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        flash_combine_##NAME(const __grid_constant__ flash_work work, u32 d)                                           \
    {                                                                                                                  \
        combine<ROWS, COLUMNS, MOST>(work, d);                                                                         \
    }
COMBINE(32, 8, 128, 32)
COMBINE(128, 8, 128, 128)
COMBINE(narrow, 16, 64, 128)
