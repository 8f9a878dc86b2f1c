// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of matrices by tensor cores: a CTA computes BM x BN numbers of D, a warp WM x WN of them, in fragments of
 * 16 x 16. Tiles of both operands lie in shared memory as they lie in global memory, so that rows of 16 bytes are moved;
 * STAGES of each, so that the next ones come while the present ones are multiplied. CTAs may share the inner dimension
 * of a tile (`depth`): then each leaves its sums, and a kernel behind them adds these in their order and finishes D.
 */
#ifndef MATHLIB_TENSOR_CUH
#define MATHLIB_TENSOR_CUH

#include "mathlib/blas/fragment.cuh"
#include "mathlib/blas/gemm.cuh"
#include "mathlib/common/functions.cuh"

struct alignas(16) vector_words { // numbers that are moved at once
    unsigned x[4];
};

// A tile of one operand in shared memory. LINES: what is contiguous is m or n, and else k.
template <class IN, int COUNT, int BK, int THREADS, bool LINES, bool ASYNC> struct tensor_tile {
    static const int V = 16 / sizeof(IN), ROWS = LINES ? BK : COUNT, COLUMNS = LINES ? COUNT : BK, PITCH = COLUMNS + V;
    static const int LOADS = ROWS * COLUMNS / V / THREADS, BYTES = ROWS * PITCH * sizeof(IN);
    const IN *data, *from[LOADS]; // `from`: of the next tile
    long long step, depth;
    int whole[LOADS]; // how many numbers of a vector exist where k goes on
    int aligned;
    vector_words held[ASYNC ? 1 : LOADS];

    static __device__ int row_of(int n) { return (n * THREADS + threadIdx.x) / (COLUMNS / V); }
    static __device__ int column_of(int n) { return (n * THREADS + threadIdx.x) % (COLUMNS / V) * V; }
    __device__ __forceinline__ tensor_tile(const mathlib_operand &o, const IN *matrix, long long first, long long lines, long long first_k,
                           long long last_k, bool by_row)
        : data(matrix), depth(last_k), aligned(o.aligned)
    {
        long long pitch = LINES == by_row ? o.column : o.row;
        step = LINES ? BK * pitch : BK;
#pragma unroll
        for (int n = 0; n < LOADS; n++) {
            long long row = (LINES ? first_k : first) + row_of(n), column = (LINES ? first : first_k) + column_of(n);
            long long left = LINES ? lines - column : (lines - row) * V;
            from[n] = matrix + row * pitch + column;
            whole[n] = left <= 0 ? 0 : left < V ? (int)left : V;
        }
    }
    // How many numbers of vector n exist, where `left` ones are left along k.
    __device__ int valid(int n, int left) const
    {
        if (LINES)
            return row_of(n) < left ? whole[n] : 0;
        left -= column_of(n);
        return left <= 0 ? 0 : left < V ? (whole[n] ? left : 0) : whole[n];
    }
    __device__ __forceinline__ vector_words read(const IN *from, int count) const
    {
        vector_words vector = {};
        if (aligned && count == V)
            return *(const vector_words *)from;
        if (sizeof(IN) == 2) {
#pragma unroll
            for (int n = 0; n < V; n++)
                if (n < count)
                    vector.x[n / 2] |= (unsigned)((const unsigned short *)from)[n] << n % 2 * 16;
        } else {
#pragma unroll
            for (int n = 0; n < V; n++)
                if (n < count)
                    vector.x[n] = ((const unsigned *)from)[n];
        }
        return vector;
    }
    // Begins to bring the tile at depth `k`, which lies behind the one before.
    __device__ __forceinline__ void fetch([[maybe_unused]] IN *tile, long long k)
    {
        int left = depth - k < BK ? (int)(depth - k) : BK;
#pragma unroll
        for (int n = 0; n < LOADS; n++) {
            int count = valid(n, left);
            const IN *source = from[n];
            from[n] += step;
            if (!ASYNC) {
                held[n] = read(source, count);
                continue;
            }
#if __CUDA_ARCH__ >= 800
            unsigned to = shared_address(tile + row_of(n) * PITCH + column_of(n));
            if (aligned)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(count ? source : data),
                             "r"(count * (int)sizeof(IN)));
            else
                *(vector_words *)(tile + row_of(n) * PITCH + column_of(n)) = read(source, count);
#endif
        }
    }
    // It has come, if it did not go to shared memory by itself.
    __device__ __forceinline__ void put(IN *tile)
    {
        if (!ASYNC)
#pragma unroll
            for (int n = 0; n < LOADS; n++)
                *(vector_words *)(tile + row_of(n) * PITCH + column_of(n)) = held[n];
    }
};

__device__ __forceinline__ float activated(float value, int epilogue)
{
    if (epilogue == MATHLIB_RELU)
        return value > 0 ? value : 0;
    if (epilogue == MATHLIB_GELU) { // the tanh approximation; tanh(u) = 1 - 2 / (exp(2u) + 1)
        float u = 0.7978845608f * (value + 0.044715f * value * value * value);
        return 0.5f * value * (2 - 2 / (power_of_two(2.885390082f * u) + 1));
    }
    return value;
}

__device__ __forceinline__ float number_at(const void *data, long long at, int type)
{
    return type == MATHLIB_F32   ? ((const float *)data)[at]
           : type == MATHLIB_F16 ? (float)((const f16 *)data)[at]
                                 : (float)((const bf16 *)data)[at];
}

__device__ __forceinline__ void finish_number(const mathlib_gemm &g, const char *c, char *d, long long batch, float sum, long long i,
                                     long long j, float alpha, float beta)
{
    if (i >= g.m || j >= g.n)
        return;
    float value = alpha * sum;
    if (beta != 0)
        value = fmaf(beta, number_at(c, i * g.c.row + j * g.c.column, g.output), value);
    if (g.bias)
        value += number_at(g.bias, i + batch * g.bias_batch, (int)g.bias_type);
    value = activated(value, g.epilogue);
    long long at = i * g.d.row + j * g.d.column;
    if (g.output == MATHLIB_F32)
        ((float *)d)[at] = value;
    else if (g.output == MATHLIB_F16)
        ((f16 *)d)[at] = f16(value);
    else
        ((bf16 *)d)[at] = bf16(value);
}

__device__ __forceinline__ char *bytes_of(const mathlib_operand &o, long long batch, int type)
{
    int size = type == MATHLIB_F32 ? 4 : 2;
    return o.array ? ((char *const *)o.data)[batch] + o.offset * size : (char *)o.data + batch * o.batch * size;
}

// The oldest group of copies but `left` has come.
template <int LEFT> __device__ __forceinline__ void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}
__device__ __forceinline__ void end_group_of_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <class IN, int BM, int BN, int BK, int WM, int WN, int STAGES, bool A_LINES, bool B_LINES, bool ASYNC>
__device__ __forceinline__ void tensor_gemm(const mathlib_gemm &g)
{
    const int WARPS_M = BM / WM, WARPS = WARPS_M * (BN / WN), THREADS = WARPS * 32, KF = fragment_of<IN>::K;
    typedef tensor_tile<IN, BM, BK, THREADS, A_LINES, ASYNC> reader_a;
    typedef tensor_tile<IN, BN, BK, THREADS, B_LINES, ASYNC> reader_b;
    const int BYTES = STAGES * (reader_a::BYTES + reader_b::BYTES), STAGING = WARPS * 1024;
    __shared__ __align__(128) char shared[BYTES > STAGING ? BYTES : STAGING];
    IN *tile_a = (IN *)shared, *tile_b = (IN *)(shared + STAGES * reader_a::BYTES);
    const int STEP_A = reader_a::BYTES / sizeof(IN), STEP_B = reader_b::BYTES / sizeof(IN);
    unsigned tiles = (unsigned)((g.m + BM - 1) / BM), part = blockIdx.x / tiles;
    long long first_i = (long long)(blockIdx.x - part * tiles) * BM, first_j = (long long)blockIdx.y * BN, batch = blockIdx.z;
    long long first_k = part * g.depth, last_k = g.depth && first_k + g.depth < g.k ? first_k + g.depth : g.k;
    reader_a a(g.a, matrix_of<IN>(g.a, batch), first_i, g.m, first_k, last_k, true);
    reader_b b(g.b, matrix_of<IN>(g.b, batch), first_j, g.n, first_k, last_k, false);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warp_i = warp % WARPS_M * WM, warp_j = warp / WARPS_M * WN;
    fragment_sum sum[WM / 16][WN / 16];
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++)
            sum[i][j] = {};
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        if (first_k + stage * BK < last_k) {
            a.fetch(tile_a + stage * STEP_A, first_k + stage * BK), b.fetch(tile_b + stage * STEP_B, first_k + stage * BK);
            a.put(tile_a + stage * STEP_A), b.put(tile_b + stage * STEP_B);
        }
        end_group_of_copies();
    }
    int turn = 0;
    for (long long k = first_k; k < last_k; k += BK, turn = turn + 1 < STAGES ? turn + 1 : 0) {
        if (ASYNC)
            wait_for_copies<STAGES - 2>();
        __syncthreads();
        bool more = k + (STAGES - 1) * BK < last_k;
        int next = turn ? turn - 1 : STAGES - 1; // its tiles have been multiplied in the turn before
        if (more)
            a.fetch(tile_a + next * STEP_A, k + (STAGES - 1) * BK), b.fetch(tile_b + next * STEP_B, k + (STAGES - 1) * BK);
        end_group_of_copies();
#pragma unroll
        for (int depth = 0; depth < BK; depth += KF) {
            fragment_of<IN> fa[WM / 16], fb[WN / 16];
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
                int line = warp_i + i * 16, at = A_LINES ? depth * reader_a::PITCH + line : line * reader_a::PITCH + depth;
                load_a<!A_LINES>(fa[i], tile_a + turn * STEP_A + at, reader_a::PITCH);
                round_fragment(fa[i]);
            }
#pragma unroll
            for (int j = 0; j < WN / 16; j++) {
                int line = warp_j + j * 16, at = B_LINES ? depth * reader_b::PITCH + line : line * reader_b::PITCH + depth;
                load_b<B_LINES>(fb[j], tile_b + turn * STEP_B + at, reader_b::PITCH);
                round_fragment(fb[j]);
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 16; j++)
                    multiply_fragments<!A_LINES, B_LINES>(sum[i][j], fa[i], fb[j]);
        }
        if (more)
            a.put(tile_a + next * STEP_A), b.put(tile_b + next * STEP_B);
    }
    __syncthreads();
    // Each warp writes its fragments by way of shared memory, where columns of D are contiguous.
    float *staging = (float *)shared + warp * 256, alpha = scalar_value<float>(g.alpha), beta = scalar_value<float>(g.beta);
    const char *c = bytes_of(g.c, batch, g.output);
    char *d = bytes_of(g.d, batch, g.output);
    if (g.sums) {
        float *sums = g.sums + ((batch * (gridDim.x / tiles) + part) * g.columns + first_j + warp_j) * g.rows + first_i + warp_i;
#pragma unroll
        for (int i = 0; i < WM / 16; i++)
#pragma unroll
            for (int j = 0; j < WN / 16; j++)
                store_global(sums + j * 16 * g.rows + i * 16, sum[i][j], g.rows);
        return;
    }
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++) {
            store_shared(staging, sum[i][j], 16);
            __syncwarp();
#pragma unroll 1
            for (int n = lane; n < 256; n += 32)
                finish_number(g, c, d, batch, staging[n], first_i + warp_i + i * 16 + n % 16,
                              first_j + warp_j + j * 16 + n / 16, alpha, beta);
            __syncwarp();
        }
}

// A number of D for each thread, from the sums of all parts.
__device__ __forceinline__ void add_parts(const mathlib_gemm &g)
{
    int row = blockIdx.x * 64 + threadIdx.x, column = blockIdx.y;
    if (row >= g.m)
        return;
    int parts = (int)((g.k + g.depth - 1) / g.depth);
    long long batch = blockIdx.z, step = (long long)g.columns * g.rows;
    const float *from = g.sums + batch * parts * step + (long long)column * g.rows + row;
    float sum = 0;
#pragma unroll 4
    for (int part = 0; part < parts; part++, from += step)
        sum += *from;
    finish_number(g, bytes_of(g.c, batch, g.output), bytes_of(g.d, batch, g.output), batch, sum, row, column,
                  scalar_value<float>(g.alpha), scalar_value<float>(g.beta));
}

#define TENSOR_KERNEL(name, IN, BM, BN, BK, WM, WN, STAGES, A_LINES, B_LINES, ASYNC)                                           \
    extern "C" __global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32) name(const __grid_constant__ mathlib_gemm g) \
    {                                                                                                                  \
        tensor_gemm<IN, BM, BN, BK, WM, WN, STAGES, A_LINES, B_LINES, ASYNC>(g);                                               \
    }
// As they are called: n where a column of A (or B) is contiguous, t where a row is.
#define TENSOR_KERNELS(name, IN, BK, ASYNC)                                                                            \
    TENSOR_KERNEL(name##_128x128_nn, IN, 128, 128, BK, 64, 32, 2, true, false, ASYNC)                                     \
    TENSOR_KERNEL(name##_128x128_nt, IN, 128, 128, BK, 64, 32, 2, true, true, ASYNC)                                      \
    TENSOR_KERNEL(name##_128x128_tn, IN, 128, 128, BK, 64, 32, 2, false, false, ASYNC)                                    \
    TENSOR_KERNEL(name##_128x128_tt, IN, 128, 128, BK, 64, 32, 2, false, true, ASYNC)                                     \
    TENSOR_KERNEL(name##_64x64_nn, IN, 64, 64, BK, 32, 32, ASYNC ? 4 : 2, true, false, ASYNC)                                         \
    TENSOR_KERNEL(name##_64x64_nt, IN, 64, 64, BK, 32, 32, ASYNC ? 4 : 2, true, true, ASYNC)                                          \
    TENSOR_KERNEL(name##_64x64_tn, IN, 64, 64, BK, 32, 32, ASYNC ? 4 : 2, false, false, ASYNC)                                        \
    TENSOR_KERNEL(name##_64x64_tt, IN, 64, 64, BK, 32, 32, ASYNC ? 4 : 2, false, true, ASYNC)                          \
    extern "C" __global__ void __launch_bounds__(64) name##_parts(const __grid_constant__ mathlib_gemm g)              \
    {                                                                                                                  \
        add_parts(g);                                                                                                  \
    }

#endif
