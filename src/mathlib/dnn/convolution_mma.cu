// SPDX-License-Identifier: BSD-3-Clause
// sm_80
// Convolutions and their gradients of halves and bfloat16 by tensor cores. A CTA of four warps computes a tile of 64 x 64
// of the product that the convolution is, a warp 32 x 32 of it.
#include "mathlib/ampere/fragment.cuh"
#include "mathlib/dnn/tile.cuh"

enum { TILE = 64, DEPTH = 32, THREADS = 128, PITCH = DEPTH + 8, LOADS = TILE * DEPTH / THREADS };

struct alignas(16) dnn_eight {
    unsigned word[4];
};
template <class T> struct alignas(16) dnn_operands {
    T a[TILE][PITCH], b[TILE][PITCH];
};

struct dnn_position {
    int line, k;
};

// What a thread reads of the next tile of an operand: single numbers, or pieces of eight along the inner dimension (WIDE).
// `place`: of the number at a line and a place along the inner dimension; negative: it is 0.
template <class T, bool WIDE> struct dnn_reader {
    T number[LOADS];

    static __device__ __forceinline__ dnn_position position(int load, int tall)
    {
        int number = threadIdx.x + load * THREADS;
        return tall ? dnn_position{number % TILE, number / TILE} : dnn_position{number / DEPTH, number % DEPTH};
    }
    template <class PLACE> __device__ __forceinline__ void read(const T *from, int tall, PLACE place)
    {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            long long at = place(position(i, tall));
            number[i].bits = 0;
            if (at >= 0)
                number[i] = from[at];
        }
    }
    __device__ __forceinline__ void write(T (&to)[TILE][PITCH], int tall) const
    {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            dnn_position at = position(i, tall);
            to[at.line][at.k] = number[i];
        }
    }
};
template <class T> struct dnn_reader<T, true> {
    dnn_eight eight[LOADS / 8];

    static __device__ __forceinline__ dnn_position position(int load)
    {
        int number = threadIdx.x + load * THREADS;
        return dnn_position{number / (DEPTH / 8), number % (DEPTH / 8) * 8};
    }
    template <class PLACE> __device__ __forceinline__ void read(const T *from, int, PLACE place)
    {
#pragma unroll
        for (int i = 0; i < LOADS / 8; i++) {
            long long at = place(position(i));
            eight[i] = dnn_eight{{0, 0, 0, 0}};
            if (at >= 0)
                eight[i] = *(const dnn_eight *)(from + at);
        }
    }
    __device__ __forceinline__ void write(T (&to)[TILE][PITCH], int) const
    {
#pragma unroll
        for (int i = 0; i < LOADS / 8; i++) {
            dnn_position at = position(i);
            *(dnn_eight *)&to[at.line][at.k] = eight[i];
        }
    }
};

template <int KIND, class T, class TABLES, class A, class B>
__device__ __forceinline__ void fetch(const dnn_convolution &p, const TABLES &tables, const dnn_share &share, int first_k, int which, A &a,
                                      B &b)
{
    a.read(operand_a<KIND, T>(p, share.group), p.tall_a, [&](dnn_position at) {
        int row = share.first_row + at.line;
        return row < p.rows && first_k + at.k < share.end_k ? row * row_step<KIND>(p) + tables.inner[which][at.k].a : -1LL;
    });
    b.read(operand_b<KIND, T>(p, share.group), p.tall_b,
           [&](dnn_position at) { return number_place<KIND>(p, tables.column[at.line], tables.inner[which][at.k]); });
}

// The warp's 32 x 32 sums: two fragments of 16 rows, four of 8 columns.
template <class T> __device__ __forceinline__ void multiply_tiles(const dnn_operands<T> &tile, float (&sum)[2][4][4])
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
    unsigned from_a = shared_address(&tile.a[row + lane % 16][lane / 16 * 8]);
    unsigned from_b = shared_address(&tile.b[column + lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]);
#pragma unroll
    for (int k = 0; k < DEPTH / 16; k++) {
        unsigned a[2][4], b[2][4];
        load_matrices<false, 0>(a[0], from_a + k * 32);
        load_matrices<false, 16 * PITCH * 2>(a[1], from_a + k * 32);
        load_matrices<false, 0>(b[0], from_b + k * 32);
        load_matrices<false, 16 * PITCH * 2>(b[1], from_b + k * 32);
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                mma_of<T>::multiply(sum[i][j], a[i], &b[j / 2][j % 2 * 2]);
    }
}

// Operands, and sums once there are no more of these.
template <class T> union dnn_shared {
    dnn_operands<T> tile;
    dnn_results<float, TILE> results;
};

template <int KIND>
__device__ __forceinline__ void deliver_tile(const dnn_convolution &p, const dnn_share &share, const float (&sum)[2][4][4],
                                             dnn_results<float, TILE> &results)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32 + lane / 4, column = warp % 2 * 32 + lane % 4 * 2;
    results.template set_places<KIND>(p, share.first_column);
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++)
            results.sum[row + i * 8][column + j / 2 * 8 + j % 2] = sum[i / 2][j / 2][i % 2 * 2 + j % 2];
    __syncthreads();
    results.template deliver_all<KIND>(p, share);
}

template <int KIND, class T, bool WIDE> __device__ __forceinline__ void tiled(const dnn_convolution &p)
{
    __shared__ dnn_tables<KIND, TILE, DEPTH> tables;
    __shared__ dnn_shared<T> shared;
    dnn_operands<T> &tile = shared.tile;
    dnn_share share = share_of(p, TILE, TILE);
    dnn_reader<T, WIDE && KIND == DNN_FORWARD> a; // wide numbers of the filter lie along its inputs
    dnn_reader<T, WIDE> b;
    float sum[2][4][4] = {};
    tables.set_columns(p, share.first_column);
    tables.set_inner(p, share.first_k, share.end_k, 0);
    __syncthreads();
    fetch<KIND, T>(p, tables, share, share.first_k, 0, a, b);
    for (int k = share.first_k, which = 1; k < share.end_k; k += DEPTH, which ^= 1) {
        a.write(tile.a, p.tall_a);
        b.write(tile.b, p.tall_b);
        tables.set_inner(p, k + DEPTH, share.end_k, which);
        __syncthreads();
        if (k + DEPTH < share.end_k)
            fetch<KIND, T>(p, tables, share, k + DEPTH, which, a, b);
        multiply_tiles(tile, sum);
        __syncthreads();
    }
    deliver_tile<KIND>(p, share, sum, shared.results);
}

#define KERNEL(letter, name, kind, T, WIDE)                                                                            \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        maniple_##letter##conv_##name##_64x64(const __grid_constant__ dnn_convolution p)                               \
    {                                                                                                                  \
        tiled<kind, T, WIDE>(p);                                                                                       \
    }
#define KINDS(letter, T)                                                                                               \
    KERNEL(letter, forward_mma, DNN_FORWARD, T, false)                                                                 \
    KERNEL(letter, forward_wide, DNN_FORWARD, T, true)                                                                 \
    KERNEL(letter, data_mma, DNN_DATA, T, false)                                                                       \
    KERNEL(letter, data_wide, DNN_DATA, T, true)                                                                       \
    KERNEL(letter, filter_mma, DNN_FILTER, T, false)
KINDS(h, f16)
KINDS(b, bf16)
