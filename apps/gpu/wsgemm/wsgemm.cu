// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// A product of matrices by warpgroups that do different work: one thread of the first feeds a ring of stages in shared
// memory through the tensor memory accelerator, two others multiply out of it (wgmma). A stage is full when the bytes of
// its boxes have come (an mbarrier with a transaction count), and empty when both consumers have arrived; a consumer lets
// a stage go when its products of the next one are under way. d = a · b: a is m × k by rows, b is k × n by columns, so that
// k runs along the rows of the boxes, 128 bytes of it.
//
// Blocks stay and take one tile after another, so the ring is filled for the next tile while the sums of the last one are
// written. Sums leave through two buffers for each consumer, of 64 rows of 128 bytes, which the accelerator stores.
//
// Blocks of a cluster lie below one another and have the same columns: each loads its share of b's rows for all of them
// (multicast), and a stage is empty when the consumers of all blocks have arrived.
//
// Products of a batch lie below one another in a, b and d.
#include "common/hopper.h"

enum { ROWS = 128, CONSUMERS = 2, BUFFERS = 2, BUFFER = 64 * 128 /* bytes */ };

// As many stages as shared memory has room for beside the buffers; wsgemm.c has the same numbers.
template <u32 COLUMNS> struct layout {
    static const u32 box_a = ROWS * 128, box_b = COLUMNS * 128, stage = box_a + box_b;
    static const u32 stages = COLUMNS == 256 ? 4 : COLUMNS == 128 ? 6 : 8;
};

// What is computed: tiles by rows, `across` of them in a row and `down` in a column of each product, each of a cluster's
// blocks; `steps` of 128 bytes of k. wsgemm.c has the same.
struct work {
    u32 tiles, across, down, steps;
    u32 halves; // the product is of halves, otherwise of single precision
};

// The tile of a cluster's block: its first row and column; and the first of b's rows.
static __device__ u32 row_of(work w, u32 tile)
{
    return (tile / w.across * cluster_size() + cluster_rank()) * ROWS;
}

template <u32 COLUMNS> static __device__ u32 column_of(work w, u32 tile)
{
    return tile % w.across * COLUMNS;
}

template <u32 COLUMNS> static __device__ u32 operand_of(work w, u32 tile)
{
    return tile / w.across / w.down * w.across * COLUMNS + column_of<COLUMNS>(w, tile);
}

static __device__ u32 first_tile()
{
    return blockIdx.x / cluster_size();
}

static __device__ u32 next_tile(u32 tile)
{
    return tile + gridDim.x / cluster_size();
}

// The barriers: full ones, then empty ones.
template <u32 COLUMNS>
static __device__ void produce(const tensor_map *a, const tensor_map *b, u32 stages, u32 barriers, work w, u32 size)
{
    typedef layout<COLUMNS> at;
    u32 rank = cluster_rank(), blocks = cluster_size(), share = COLUMNS / blocks /* rows of b */;
    ring now = {0, 0};
    for (u32 tile = first_tile(); tile < w.tiles; tile = next_tile(tile))
        for (u32 i = 0; i < w.steps; i++, now = next_of<at::stages>(now)) {
            u32 full = barriers + 8 * now.stage, to = stages + now.stage * at::stage;
            u32 k = i * 128 / size, column = operand_of<COLUMNS>(w, tile) + rank * share;
            wait(full + 8 * at::stages, now.phase ^ 1);
            arrive_expect(full, at::stage);
            load_box(to, a, k, row_of(w, tile), full);
            to += at::box_a + rank * share * 128;
            if (blocks > 1)
                load_box_to(to, b, k, column, full, (1 << blocks) - 1);
            else
                load_box(to, b, k, column, full);
        }
    // The block stays until nobody arrives at it any more.
    for (u32 i = 0; i < at::stages; i++, now = next_of<at::stages>(now))
        wait(barriers + 8 * (at::stages + now.stage), now.phase ^ 1);
}

// Of numbers of so many bytes.
template <u32 bytes, u32 count> static __device__ void multiply(float (&d)[count], u64 a, u64 b, u32 adds)
{
    if (bytes == 1)
        multiply_bytes(d, a, b, adds);
    else if (bytes == 2)
        multiply_halves(d, a, b, adds);
    else
        multiply_floats(d, a, b, adds);
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

// 16 rows of a warp, 16 numbers of which are 32 columns, in single precision, where put_halves() has twice as many.
static __device__ void put_floats(u32 buffer, const float *sums)
{
    u32 lane = threadIdx.x % 32, row = threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
    for (u32 i = 0; i < 8; i++) {
        u32 here = row + i % 2 * 8, piece = i / 2 * 2 + lane % 4 / 2;
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(buffer + here * 128 + (piece ^ (here % 8)) * 16 +
                                                              lane % 2 * 8),
                     "f"(sums[2 * i]), "f"(sums[2 * i + 1])
                     : "memory");
    }
}

// The sums of a consumer, 64 rows by COLUMNS, leave by the accelerator. `turn` counts buffers that were filled.
template <u32 COLUMNS, bool halves>
static __device__ void put(float (&sums)[COLUMNS / 2], const tensor_map *d, u32 buffers, u32 row, u32 column, u32 &turn)
{
    const u32 group = threadIdx.x / 128, each = halves ? 64 : 32;
    bool first = threadIdx.x % 128 == 0;
#pragma unroll
    for (u32 i = 0; i < COLUMNS / each; i++, turn++) {
        u32 buffer = buffers + turn % BUFFERS * BUFFER;
        if (first)
            store_wait_read<BUFFERS - 1>();
        named_sync(group, 128);
        if (halves)
            put_halves<each / 2>(buffer, sums + i * each / 2);
        else
            put_floats(buffer, sums + i * each / 2);
        fence_async();
        named_sync(group, 128);
        if (first) {
            store_box(buffer, d, column + i * each, row);
            store_commit();
        }
    }
}

template <u32 COLUMNS, u32 bytes> static __device__ void consume(const tensor_map *d, u32 stages, u32 barriers, work w)
{
    typedef layout<COLUMNS> at;
    u32 group = threadIdx.x / 128 - 1, blocks = cluster_size(), last = 0, turn = 0;
    ring now = {0, 0};
    u32 buffers = stages + at::stages * at::stage + group * BUFFERS * BUFFER;
    float sums[COLUMNS / 2];
    for (u32 tile = first_tile(); tile < w.tiles; tile = next_tile(tile)) {
        for (u32 i = 0; i < w.steps; i++, now = next_of<at::stages>(now)) {
            u32 from = stages + now.stage * at::stage;
            wait(barriers + 8 * now.stage, now.phase);
            product_begin();
#pragma unroll
            for (u32 k = 0; k < 4; k++) // 32 bytes of k each
                multiply<bytes>(sums, descriptor(from + group * 64 * 128 + k * 32),
                                descriptor(from + at::box_a + k * 32), i + k);
            product_commit();
            product_wait<1>();
            if (i)
                release(barriers + 8 * (at::stages + last), blocks);
            last = now.stage;
        }
        product_wait<0>();
        keep(sums);
        release(barriers + 8 * (at::stages + last), blocks);
        u32 row = row_of(w, tile) + group * 64, column = column_of<COLUMNS>(w, tile);
        if (w.halves)
            put<COLUMNS, true>(sums, d, buffers, row, column, turn);
        else
            put<COLUMNS, false>(sums, d, buffers, row, column, turn);
    }
    if (threadIdx.x % 128 == 0)
        store_wait();
}

template <u32 COLUMNS, u32 bytes>
static __device__ void product(const tensor_map *a, const tensor_map *b, const tensor_map *d, work w)
{
    typedef layout<COLUMNS> at;
    extern __shared__ __align__(1024) u8 stages[];
    __shared__ u64 words[2 * at::stages];
    u32 barriers = shared_address(words);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2 * at::stages; i++)
            barrier_init(barriers + 8 * i, i < at::stages ? 1 : CONSUMERS * cluster_size());
        barrier_init_done();
    }
    cluster_sync();
    if (threadIdx.x >= 128) {
        REGISTERS_INC(232);
        consume<COLUMNS, bytes>(d, shared_address(stages), barriers, w);
    } else {
        REGISTERS_DEC(40);
        if (threadIdx.x == 0)
            produce<COLUMNS>(a, b, shared_address(stages), barriers, w, bytes);
    }
}

#define KERNEL(name, columns, bytes)                                                                                   \
    extern "C" __global__ void __launch_bounds__(384, 1)                                                               \
        name(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,                               \
             const __grid_constant__ tensor_map d, const __grid_constant__ work w)                                     \
    {                                                                                                                  \
        product<columns, bytes>(&a, &b, &d, w);                                                                        \
    }
KERNEL(wsgemm_f16_64, 64, 2)
KERNEL(wsgemm_fp8_64, 64, 1)
KERNEL(wsgemm_tf32_64, 64, 4)
KERNEL(wsgemm_f16_128, 128, 2)
KERNEL(wsgemm_fp8_128, 128, 1)
KERNEL(wsgemm_tf32_128, 128, 4)
KERNEL(wsgemm_f16_256, 256, 2)
KERNEL(wsgemm_fp8_256, 256, 1)
KERNEL(wsgemm_tf32_256, 256, 4)
