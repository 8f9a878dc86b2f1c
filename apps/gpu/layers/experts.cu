// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// A layer of experts as serving systems launch it (the fused kernels of vLLM): choices of experts are counted and
// sorted, one kernel multiplies tiles of choices with the matrices of their experts, whatever the expert, and a last
// one adds up what a token's experts say.
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
    static const u32 high = ROWS / DOWN / 16, wide = COLUMNS / ACROSS / 8;                       // tiles of a warp
    static const u32 of_rows = ROWS * pieces / threads, of_columns = COLUMNS * pieces / threads; // pieces of a thread
    static const u32 a_bytes = ROWS * DEPTH * 2, bytes = (ROWS + COLUMNS) * DEPTH * 2;
};

struct
    sources { // of a thread: its piece of the first column, a step down columns, how many columns there are from it on
    const u16 *column;
    u64 step;
    int columns;
};

template <typename F>
static __device__ void load_stage(u32 to, const u16 *const (&rows)[F::of_rows], const sources &from, u32 first,
                                  u32 depth)
{
    const u32 step = F::threads / F::pieces;
    u32 row = threadIdx.x / F::pieces, piece = threadIdx.x % F::pieces, at = place<F::depth>(to, row, piece);
    bool there = first + piece * 8 < depth;
    u32 behind = there ? first : 0;
    int columns = there ? from.columns : 0;
    const u16 *column = from.column + behind;
#pragma unroll
    for (u32 i = 0; i < F::of_rows; i++)
        copy_16(at + i * step * F::depth * 2, rows[i] + behind, there);
#pragma unroll
    for (u32 i = 0; i < F::of_columns; i++) {
        bool good = (int)(i * step) < columns;
        copy_16(at + F::a_bytes + i * step * F::depth * 2, good ? column : from.column, good);
        column += from.step;
    }
}

// What a warp multiplies for 16 numbers of depth.
template <typename F> struct operands {
    u32 rows[F::high][4], columns[F::wide / 2][4];
};

template <typename F> static __device__ void load_operands(operands<F> &to, u32 at, u32 k)
{
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 rows = place<F::depth>(at, warp / F::across * F::high * 16 + lane % 16, 2 * k + lane / 16);
    u32 columns = place<F::depth>(at + F::a_bytes, warp % F::across * F::wide * 8 + lane / 16 * 8 + lane % 8,
                                  2 * k + lane / 8 % 2);
#pragma unroll
    for (u32 i = 0; i < F::high; i++)
        load_matrices(to.rows[i], rows + i * 16 * F::depth * 2);
#pragma unroll
    for (u32 j = 0; j < F::wide / 2; j++)
        load_matrices(to.columns[j], columns + j * 16 * F::depth * 2);
}

template <typename F> static __device__ void add_stage(float (&sums)[F::high][F::wide][4], u32 at)
{
    operands<F> both[2];
    load_operands<F>(both[0], at, 0);
#pragma unroll
    for (u32 k = 0; k < F::depth / 16; k++) {
        if (k + 1 < F::depth / 16)
            load_operands<F>(both[(k + 1) % 2], at, k + 1);
        const operands<F> &now = both[k % 2];
#pragma unroll
        for (u32 j = 0; j < F::wide / 2; j++) {
#pragma unroll
            for (u32 i = 0; i < F::high; i++) {
                multiply(sums[i][2 * j], now.rows[i], now.columns[j][0], now.columns[j][1]);
                multiply(sums[i][2 * j + 1], now.rows[i], now.columns[j][2], now.columns[j][3]);
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
    const u32 row = threadIdx.x / F::pieces, piece = threadIdx.x % F::pieces, down = F::threads / F::pieces;
    u64 column = (u64)((const u32 *)p.experts)[tile] * p.columns + first + row;
    const sources from = {(const u16 *)p.matrices + (row + first < p.columns ? column * p.depth : 0) + piece * 8,
                          (u64)down * p.depth, (int)(p.columns - first) - (int)row};
    const u16 *rows[F::of_rows];
    float sums[F::high][F::wide][4] = {};
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < F::of_rows; i++) {
        u32 choice = choices[row + i * down];
        rows[i] = (const u16 *)p.in + (choice < p.choices ? (u64)(choice / p.share) * p.depth : 0) + piece * 8;
    }
#pragma unroll
    for (u32 i = 0; i < F::stages - 1; i++) {
        if (i < steps)
            load_stage<F>(at + i * F::bytes, rows, from, i * F::depth, p.depth);
        copies_done();
    }
    u32 now = 0, next = F::stages - 1;
    for (u32 step = 0; step < steps; step++) { // of depth
        wait_copies<F::stages - 2>();
        __syncthreads();
        if (step + F::stages - 1 < steps)
            load_stage<F>(at + next * F::bytes, rows, from, (step + F::stages - 1) * F::depth, p.depth);
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

// What a token's experts of this GPU say is added up: eight numbers in each thread, four experts at a time.
extern "C" __global__ void experts_sum(u16 *out, const u16 *in, const int *chosen, u32 share, u32 width)
{
    u32 at = (blockIdx.y * blockDim.x + threadIdx.x) * 8;
    u64 token = blockIdx.x;
    float sums[8] = {};
    if (at >= width)
        return;
    for (u32 first = 0; first < share; first += 4) {
        vector said[4];
        int experts[4];
#pragma unroll
        for (u32 i = 0; i < 4; i++)
            experts[i] = first + i < share ? chosen[token * share + first + i] : -1;
#pragma unroll
        for (u32 i = 0; i < 4; i++)
            said[i] = experts[i] >= 0 ? load(in + (token * share + first + i) * width + at) : vector{0, 0, 0, 0};
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
            float numbers[8];
            widen(numbers, said[i]);
#pragma unroll
            for (u32 j = 0; j < 8; j++)
                sums[j] += numbers[j];
        }
    }
    store(out + token * width + at, narrow(sums));
}
