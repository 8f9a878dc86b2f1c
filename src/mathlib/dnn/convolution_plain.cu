// SPDX-License-Identifier: BSD-3-Clause
// Convolutions and their gradients without tensor cores: in tiles, one result per thread where channels are few, and the
// kernel that adds the sums of parts.
#include "mathlib/dnn/tile.cuh"

enum { TILE = 64, DEPTH = 16, LOADS = TILE * DEPTH / 256, SIDE = 4 };

template <class S> struct dnn_operands {
    S a[DEPTH][TILE + 4], b[DEPTH][TILE + 4];
};

// The thread's number `load` of a tile of an operand: neighbours along the lines (tall), or along the inner dimension.
struct dnn_position {
    int line, k;
};
__device__ __forceinline__ dnn_position position(int load, int tall)
{
    int number = threadIdx.x + load * 256;
    return tall ? dnn_position{number % TILE, number / TILE} : dnn_position{number / DEPTH, number % DEPTH};
}

template <int KIND, class T, class S, class TABLES>
__device__ __forceinline__ void fetch(const dnn_convolution &p, const TABLES &tables, const dnn_share &share, int first_k, int which,
                                      S (&a)[LOADS], S (&b)[LOADS])
{
    const T *from_a = operand_a<KIND, T>(p, share.group), *from_b = operand_b<KIND, T>(p, share.group);
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        dnn_position of_a = position(i, p.tall_a), of_b = position(i, p.tall_b);
        int row = share.first_row + of_a.line;
        a[i] = b[i] = 0;
        if (row < p.rows && first_k + of_a.k < share.end_k)
            a[i] = convert<S>(from_a[row * row_step<KIND>(p) + tables.inner[which][of_a.k].a]);
        long long place = number_place<KIND>(p, tables.column[of_b.line], tables.inner[which][of_b.k]);
        if (place >= 0)
            b[i] = convert<S>(from_b[place]);
    }
}

template <class S> __device__ __forceinline__ void multiply_tiles(const dnn_operands<S> &tile, S (&sum)[SIDE][SIDE])
{
    int row = threadIdx.x / 16, column = threadIdx.x % 16;
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        S a[SIDE], b[SIDE];
#pragma unroll
        for (int i = 0; i < SIDE; i++)
            a[i] = tile.a[k][row + i * 16], b[i] = tile.b[k][column + i * 16];
#pragma unroll
        for (int i = 0; i < SIDE; i++)
#pragma unroll
            for (int j = 0; j < SIDE; j++)
                sum[i][j] = mad(a[i], b[j], sum[i][j]);
    }
}

// Operands, and sums once there are no more of these.
template <class S> union dnn_shared {
    dnn_operands<S> tile;
    dnn_results<S, TILE> results;
};

template <int KIND, class S>
__device__ __forceinline__ void deliver_tile(const dnn_convolution &p, const dnn_share &share, const S (&sum)[SIDE][SIDE], dnn_results<S, TILE> &results)
{
    results.template set_places<KIND>(p, share.first_column);
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            results.sum[threadIdx.x / 16 + i * 16][threadIdx.x % 16 + j * 16] = sum[i][j];
    __syncthreads();
    results.template deliver_all<KIND>(p, share);
}

template <int KIND, class T, class S> __device__ __forceinline__ void tiled(const dnn_convolution &p)
{
    __shared__ dnn_tables<KIND, TILE, DEPTH> tables;
    __shared__ dnn_shared<S> shared;
    dnn_operands<S> &tile = shared.tile;
    dnn_share share = share_of(p, TILE, TILE);
    S a[LOADS], b[LOADS], sum[SIDE][SIDE] = {};
    tables.set_columns(p, share.first_column);
    tables.set_inner(p, share.first_k, share.end_k, 0);
    __syncthreads();
    fetch<KIND, T, S>(p, tables, share, share.first_k, 0, a, b);
    for (int k = share.first_k, which = 1; k < share.end_k; k += DEPTH, which ^= 1) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            dnn_position of_a = position(i, p.tall_a), of_b = position(i, p.tall_b);
            tile.a[of_a.k][of_a.line] = a[i], tile.b[of_b.k][of_b.line] = b[i];
        }
        tables.set_inner(p, k + DEPTH, share.end_k, which);
        __syncthreads();
        if (k + DEPTH < share.end_k)
            fetch<KIND, T, S>(p, tables, share, k + DEPTH, which, a, b);
        multiply_tiles(tile, sum);
        __syncthreads();
    }
    deliver_tile<KIND>(p, share, sum, shared.results);
}

// A result per thread, for groups of few channels.
template <int KIND, class T, class S> __device__ __forceinline__ void single(const dnn_convolution &p)
{
    long long number = blockIdx.x * 256LL + threadIdx.x;
    dnn_share share = share_of(p, 0, 0);
    if (number >= (long long)p.rows * p.columns)
        return;
    int row = (int)(number / p.columns), column = (int)(number % p.columns);
    const T *from_a = operand_a<KIND, T>(p, share.group) + row * row_step<KIND>(p), *from_b = operand_b<KIND, T>(p, share.group);
    dnn_place at = column_place<KIND>(p, column);
    S sum = 0;
    for (int k = share.first_k; k < share.end_k; k++) {
        dnn_place inner = inner_place<KIND>(p, k);
        long long place = number_place<KIND>(p, at, inner);
        if (place >= 0)
            sum = mad(convert<S>(from_a[inner.a]), convert<S>(from_b[place]), sum);
    }
    deliver<KIND>(p, share.group, row, column, result_column<KIND>(p, column), sum);
}

// The sums of parts, in their order.
template <int KIND, class S> __device__ __forceinline__ void add_up(const dnn_convolution &p)
{
    long long number = blockIdx.x * 256LL + threadIdx.x, each = (long long)p.rows * p.columns;
    int group = blockIdx.z;
    if (number >= each)
        return;
    const S *sums = (const S *)p.sums + group * each + number;
    S sum = 0;
    for (int part = 0; part < p.parts; part++)
        sum += sums[part * each * p.groups];
    finish<KIND>(p, group, (int)(number / p.columns), result_column<KIND>(p, (int)(number % p.columns)), sum);
}

// The sum of a channel of y, by a CTA, in an order that does not depend on anything else.
template <class T, class S> __device__ __forceinline__ void bias(const dnn_convolution &p)
{
    __shared__ S sums[256];
    const T *from = (const T *)p.y.data + blockIdx.x * p.y.step[1];
    S sum = 0;
    for (int i = threadIdx.x; i < p.columns; i += 256) {
        int at[DNN_SPACE];
        long long place = split(i, p.out, at) * p.y.step[0];
#pragma unroll
        for (int j = 0; j < DNN_SPACE; j++)
            place += at[j] * p.y.step[2 + j];
        sum += convert<S>(from[place]);
    }
    sums[threadIdx.x] = sum;
    for (unsigned half = 128; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x)
        return;
    long long to = blockIdx.x * p.x.step[1];
    S value = (S)p.alpha * sums[0];
    if (p.beta != 0)
        value += (S)p.beta * number_of<S>(p.x.data, p.x.type, to);
    set_number<S>((void *)p.x.data, p.x.type, to, value);
}

#define KERNEL(letter, name, call)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256) maniple_##letter##conv_##name(const __grid_constant__ dnn_convolution p) { call(p); }
#define KIND(letter, name, kind, T, S)                                                                                 \
    KERNEL(letter, name##_64x64, (tiled<kind, T, S>))                                                                  \
    KERNEL(letter, name##_single, (single<kind, T, S>))
#define KINDS(letter, T, S)                                                                                            \
    KIND(letter, forward, DNN_FORWARD, T, S)                                                                           \
    KIND(letter, data, DNN_DATA, T, S)                                                                                 \
    KIND(letter, filter, DNN_FILTER, T, S)                                                                             \
    KERNEL(letter, bias, (bias<T, S>))
#define PARTS(letter, S)                                                                                               \
    KERNEL(letter, forward_parts, (add_up<DNN_FORWARD, S>))                                                            \
    KERNEL(letter, data_parts, (add_up<DNN_DATA, S>))                                                                  \
    KERNEL(letter, filter_parts, (add_up<DNN_FILTER, S>))
KINDS(s, float, float)
KINDS(d, double, double)
KINDS(h, f16, float)
KINDS(b, bf16, float)
PARTS(s, float)
PARTS(d, double)
