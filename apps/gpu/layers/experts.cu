// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// A layer of experts as serving systems launch it (the fused kernels of vLLM): choices of experts are counted and sorted,
// one kernel multiplies tiles of choices with the matrices of their experts, whatever the expert, and a last one adds up
// what a token's experts say.
#include "layers/experts.h"
#include "layers/tiles.h"

enum { MOST_EXPERTS = 1024 };

// ===== sorting =====

static __device__ u32 sum_before(u32 x) // of threads before this one of a block of 1,024
{
    __shared__ u32 sums[32];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = x, of_warps;
#pragma unroll
    for (u32 i = 1; i < 32; i *= 2) {
        u32 other = __shfl_up_sync(0xffffffff, sum, i);
        sum += lane >= i ? other : 0;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    of_warps = sums[lane];
#pragma unroll
    for (u32 i = 1; i < 32; i *= 2) {
        u32 other = __shfl_up_sync(0xffffffff, of_warps, i);
        of_warps += lane >= i ? other : 0;
    }
    u32 before = __shfl_sync(0xffffffff, of_warps, warp ? warp - 1 : 0);
    return sum - x + (warp ? before : 0);
}

// The first block finds where each expert's choices begin, and the expert of each tile; the second one fills the order.
extern "C" __global__ void __launch_bounds__(1024)
    experts_count(const int *chosen, u32 *begins, u32 *tiles, u32 *sorted, u32 *sorted_count, u32 choices, u32 experts,
                  u32 rows, u32 room)
{
    __shared__ u32 counts[MOST_EXPERTS];
    if (blockIdx.x) {
        for (u32 i = threadIdx.x; i < room; i += 1024)
            sorted[i] = choices;
        return;
    }
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < choices; i += 1024) {
        int expert = chosen[i];
        if (expert >= 0)
            atomicAdd(&counts[expert], 1u);
    }
    __syncthreads();
    u32 whole = (counts[threadIdx.x] + rows - 1) / rows * rows, before = sum_before(whole);
    if (threadIdx.x < experts)
        begins[threadIdx.x] = before;
    for (u32 i = 0; i < whole; i += rows)
        tiles[(before + i) / rows] = threadIdx.x;
    if (threadIdx.x == 1023)
        *sorted_count = before + whole;
}

extern "C" __global__ void experts_sort(const int *chosen, u32 *begins, u32 *sorted, u32 choices)
{
    for (u32 i = GLOBAL_X; i < choices; i += gridDim.x * blockDim.x) {
        int expert = chosen[i];
        if (expert >= 0)
            sorted[atomicAdd(&begins[expert], 1u)] = i;
    }
}

// ===== products =====

// ROWS choices times COLUMNS of an expert in a block of DOWN x ACROSS warps, DEPTH numbers of each row in a stage.
template <u32 ROWS, u32 COLUMNS, u32 DEPTH, u32 STAGES, u32 DOWN, u32 ACROSS> struct form {
    static const u32 rows = ROWS, columns = COLUMNS, depth = DEPTH, stages = STAGES, across = ACROSS;
    static const u32 threads = DOWN * ACROSS * 32, pieces = DEPTH / 8 /* of 16 bytes in a row */;
    static const u32 high = ROWS / DOWN / 16, wide = COLUMNS / ACROSS / 8; // tiles of a warp
    static const u32 of_rows = ROWS * pieces / threads, of_columns = COLUMNS * pieces / threads; // pieces of a thread
    static const u32 a_bytes = ROWS * DEPTH * 2, bytes = (ROWS + COLUMNS) * DEPTH * 2;
};

template <typename F>
static __device__ void load_stage(u32 to, const u16 *const (&rows)[F::of_rows], const u16 *columns, u32 first, u32 end,
                                  u32 depth)
{
    u32 row = threadIdx.x / F::pieces, piece = threadIdx.x % F::pieces, step = F::threads / F::pieces;
    bool there = first + piece * 8 < depth;
#pragma unroll
    for (u32 i = 0; i < F::of_rows; i++)
        copy_16(place<F::depth>(to, row + i * step, piece), rows[i] + (there ? first + piece * 8 : 0), there);
#pragma unroll
    for (u32 i = 0; i < F::of_columns; i++) {
        u32 column = row + i * step;
        bool good = there && column < end;
        copy_16(place<F::depth>(to + F::a_bytes, column, piece),
                columns + (good ? (u64)column * depth + first + piece * 8 : 0), good);
    }
}

template <typename F> static __device__ void add_stage(float (&sums)[F::high][F::wide][4], u32 at)
{
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, a[F::high][4], b[4];
    u32 first_row = warp / F::across * F::high * 16, first_column = warp % F::across * F::wide * 8;
#pragma unroll
    for (u32 k = 0; k < F::depth / 16; k++) {
#pragma unroll
        for (u32 i = 0; i < F::high; i++)
            load_matrices(a[i], place<F::depth>(at, first_row + i * 16 + lane % 16, 2 * k + lane / 16));
#pragma unroll
        for (u32 j = 0; j < F::wide / 2; j++) {
            load_matrices(b, place<F::depth>(at + F::a_bytes, first_column + j * 16 + lane / 16 * 8 + lane % 8,
                                             2 * k + lane / 8 % 2));
#pragma unroll
            for (u32 i = 0; i < F::high; i++) {
                multiply(sums[i][2 * j], a[i], b[0], b[1]);
                multiply(sums[i][2 * j + 1], a[i], b[2], b[3]);
            }
        }
    }
}

template <typename F>
static __device__ void put_sums(const experts_product &p, const float (&sums)[F::high][F::wide][4], const u32 *choices,
                                u32 first)
{
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 column = first + warp % F::across * F::wide * 8 + lane % 4 * 2;
#pragma unroll
    for (u32 i = 0; i < F::high * 2; i++) {
        u32 choice = choices[warp / F::across * F::high * 16 + i * 8 + lane / 4];
        if (choice >= p.choices)
            continue;
        float weight = p.weights ? ((const float *)p.weights)[choice] : 1;
#pragma unroll
        for (u32 j = 0; j < F::wide; j++) {
            const float *pair = sums[i / 2][j] + i % 2 * 2;
            if (column + j * 8 < p.columns)
                *(u32 *)((u16 *)p.out + (u64)choice * p.columns + column + j * 8) =
                    pair_of(pair[0] * weight, pair[1] * weight);
        }
    }
}

template <typename F> static __device__ void multiply_experts(const experts_product &p)
{
    extern __shared__ __align__(1024) u8 memory[];
    __shared__ u32 choices[F::rows];
    const u32 across = (p.columns + F::columns - 1) / F::columns, tile = blockIdx.x / across, at = shared_place(memory);
    const u32 first = blockIdx.x % across * F::columns, steps = (p.depth + F::depth - 1) / F::depth;
    if (tile * F::rows >= *(const u32 *)p.sorted_count)
        return;
    if (threadIdx.x < F::rows)
        choices[threadIdx.x] = ((const u32 *)p.sorted)[tile * F::rows + threadIdx.x];
    const u16 *columns = (const u16 *)p.matrices + ((u64)((const u32 *)p.experts)[tile] * p.columns + first) * p.depth;
    const u16 *rows[F::of_rows];
    float sums[F::high][F::wide][4] = {};
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < F::of_rows; i++) {
        u32 choice = choices[threadIdx.x / F::pieces + i * (F::threads / F::pieces)];
        rows[i] = (const u16 *)p.in + (choice < p.choices ? (u64)(choice / p.share) * p.depth : 0);
    }
#pragma unroll
    for (u32 i = 0; i < F::stages - 1; i++) {
        if (i < steps)
            load_stage<F>(at + i * F::bytes, rows, columns, i * F::depth, p.columns - first, p.depth);
        copies_done();
    }
    u32 now = 0, next = F::stages - 1;
    for (u32 step = 0; step < steps; step++) {
        wait_copies<F::stages - 2>();
        __syncthreads();
        if (step + F::stages - 1 < steps)
            load_stage<F>(at + next * F::bytes, rows, columns, (step + F::stages - 1) * F::depth, p.columns - first,
                          p.depth);
        copies_done();
        add_stage<F>(sums, at + now * F::bytes);
        now = now + 1 < F::stages ? now + 1 : 0;
        next = next + 1 < F::stages ? next + 1 : 0;
    }
    put_sums<F>(p, sums, choices, first);
}

#define PRODUCT(name, ...)                                                                                             \
    extern "C" __global__ void __launch_bounds__(form<__VA_ARGS__>::threads)                                           \
        name(const __grid_constant__ experts_product product)                                                          \
    {                                                                                                                  \
        multiply_experts<form<__VA_ARGS__>>(product);                                                                  \
    }
PRODUCT(experts_product_16x64, 16, 64, 128, 4, 1, 4)
PRODUCT(experts_product_32x64, 32, 64, 128, 3, 2, 2)
PRODUCT(experts_product_64x128, 64, 128, 64, 3, 2, 2)
PRODUCT(experts_product_128x128, 128, 128, 64, 3, 4, 2)

// ===== between and behind products =====

// Squares of what is above zero, where experts have no gate: a block for each choice.
extern "C" __global__ void experts_square(u16 *out, const u16 *in, u32 width)
{
    for (u32 i = threadIdx.x; i < width; i += blockDim.x) {
        float x = max_f(low(in[(u64)blockIdx.x * width + i]), 0);
        out[(u64)blockIdx.x * width + i] = (u16)pair_of(x * x, 0);
    }
}

// A block for each token adds up what its experts of this GPU say.
extern "C" __global__ void experts_sum(u16 *out, const u16 *in, const int *chosen, u32 share, u32 width)
{
    for (u32 i = threadIdx.x; i < width; i += blockDim.x) {
        float sum = 0;
        for (u32 j = 0; j < share; j++) {
            u64 choice = (u64)blockIdx.x * share + j;
            sum += chosen[choice] >= 0 ? low(in[choice * width + i]) : 0;
        }
        out[(u64)blockIdx.x * width + i] = (u16)pair_of(sum, 0);
    }
}
