// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// A product of matrices by warpgroups that do different work: one thread of the first feeds a ring of stages in shared
// memory through the tensor memory accelerator, two others multiply out of it (wgmma). A stage is full when the bytes of
// its boxes have come (an mbarrier with a transaction count), and empty when both consumers have arrived; a consumer lets
// a stage go when its products of the next one are under way. d = a · b: a is m × k by rows, b is k × n by columns, so that
// k runs along the rows of the boxes, 128 bytes of it.
//
// Blocks of a cluster lie below one another and have the same columns: each loads its share of b's rows for all of them
// (multicast), and a stage is empty when the consumers of all blocks have arrived.
#include "common/hopper.h"

enum { ROWS = 128, STAGES = 4, CONSUMERS = 2 };

template <u32 COLUMNS> struct layout {
    static const u32 box_a = ROWS * 128, box_b = COLUMNS * 128, stage = box_a + box_b;
};

// The barriers: full ones, then empty ones.
template <u32 COLUMNS>
static __device__ void produce(const tensor_map *a, const tensor_map *b, u32 stages, u32 barriers, u32 k_bytes, u32 size)
{
    typedef layout<COLUMNS> at;
    u32 row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS, rank = cluster_rank(), blocks = cluster_size();
    u32 share = COLUMNS / blocks; // rows of b
    for (u32 i = 0; i < k_bytes / 128; i++) {
        u32 stage = i % STAGES, full = barriers + 8 * stage, to = stages + stage * at::stage, k = i * 128 / size;
        wait(barriers + 8 * (STAGES + stage), (i / STAGES & 1) ^ 1);
        arrive_expect(full, at::stage);
        load_box(to, a, k, row, full);
        to += at::box_a + rank * share * 128;
        if (blocks > 1)
            load_box_to(to, b, k, column + rank * share, full, (1 << blocks) - 1);
        else
            load_box(to, b, k, column, full);
    }
    // The block stays until nobody arrives at it any more.
    for (u32 i = k_bytes / 128, end = i + STAGES; i < end; i++)
        wait(barriers + 8 * (STAGES + i % STAGES), (i / STAGES & 1) ^ 1);
}

template <bool bytes> static __device__ void multiply(float (&d)[64], u64 a, u64 b, u32 adds)
{
    if (bytes)
        multiply_bytes(d, a, b, adds);
    else
        multiply_halves(d, a, b, adds);
}

template <bool bytes> static __device__ void multiply(float (&d)[128], u64 a, u64 b, u32 adds)
{
    if (bytes)
        multiply_bytes(d, a, b, adds);
    else
        multiply_halves(d, a, b, adds);
}

// The stage is empty, for each block that loads a part of it.
static __device__ void release(u32 barrier, u32 blocks)
{
    if (threadIdx.x % 128 < blocks) {
        if (blocks > 1)
            arrive_at(barrier, threadIdx.x % 128);
        else
            arrive(barrier);
    }
}

// Two numbers of a row, in single precision or as halves.
static __device__ void store_pair(void *d, u64 place, float first, float second, u32 halves)
{
    u32 pair;
    asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(pair) : "f"(first), "f"(second));
    if (halves)
        *(u32 *)&((u16 *)d)[place] = pair;
    else
        *(float2 *)&((float *)d)[place] = make_float2(first, second);
}

template <u32 COLUMNS, bool bytes>
static __device__ void consume(void *d, u32 stages, u32 barriers, u32 k_bytes, u32 n, u32 halves)
{
    typedef layout<COLUMNS> at;
    u32 group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128, blocks = cluster_size();
    float sums[COLUMNS / 2];
    for (u32 i = 0; i < k_bytes / 128; i++) {
        u32 stage = i % STAGES, from = stages + stage * at::stage;
        wait(barriers + 8 * stage, i / STAGES & 1);
        product_begin();
#pragma unroll
        for (u32 k = 0; k < 4; k++) // 32 bytes of k each
            multiply<bytes>(sums, descriptor(from + group * 64 * 128 + k * 32), descriptor(from + at::box_a + k * 32),
                            i + k);
        product_commit();
        product_wait<1>();
        if (i)
            release(barriers + 8 * (STAGES + (i - 1) % STAGES), blocks);
    }
    product_wait<0>();
    keep(sums);
    release(barriers + 8 * (STAGES + (k_bytes / 128 - 1) % STAGES), blocks);
    u32 row = blockIdx.y * ROWS + group * 64 + thread / 32 * 16 + thread % 32 / 4;
    u32 column = blockIdx.x * COLUMNS + thread % 4 * 2;
#pragma unroll
    for (u32 i = 0; i < COLUMNS / 2; i += 2)
        store_pair(d, (u64)(row + i / 2 % 2 * 8) * n + column + i / 4 * 8, sums[i], sums[i + 1], halves);
}

template <u32 COLUMNS, bool bytes>
static __device__ void product(const tensor_map *a, const tensor_map *b, void *d, u32 n, u32 k, u32 halves)
{
    extern __shared__ __align__(1024) u8 stages[];
    __shared__ u64 words[2 * STAGES];
    u32 barriers = shared_address(words), size = bytes ? 1 : 2;
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2 * STAGES; i++)
            barrier_init(barriers + 8 * i, i < STAGES ? 1 : CONSUMERS * cluster_size());
        barrier_init_done();
    }
    cluster_sync();
    if (threadIdx.x >= 128) {
        REGISTERS_INC(232);
        consume<COLUMNS, bytes>(d, shared_address(stages), barriers, k * size, n, halves);
    } else {
        REGISTERS_DEC(40);
        if (threadIdx.x == 0)
            produce<COLUMNS>(a, b, shared_address(stages), barriers, k * size, size);
    }
}

#define KERNEL(name, columns, bytes)                                                                                   \
    extern "C" __global__ void __launch_bounds__(384, 1)                                                               \
        name(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, void *d, u32 n, u32 k,        \
             u32 halves)                                                                                               \
    {                                                                                                                  \
        product<columns, bytes>(&a, &b, d, n, k, halves);                                                              \
    }
KERNEL(wsgemm_f16, 128, false)
KERNEL(wsgemm_fp8, 128, true)
KERNEL(wsgemm_f16_wide, 256, false)
KERNEL(wsgemm_fp8_wide, 256, true)
