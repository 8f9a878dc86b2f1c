// SPDX-License-Identifier: BSD-3-Clause
// Products of sparse matrices with vectors and matrices.
#include "mathlib/common/numbers.cuh"
#include "mathlib/sparse/product.h"
#include "mathlib/sparse/lists.cuh"

template <class T> __device__ __forceinline__ T from_lane(T value, int lane) { return __shfl_xor_sync(~0u, value, lane); }
template <class R> __device__ __forceinline__ complex_of<R> from_lane(complex_of<R> value, int lane)
{
    return complex_of<R>{__shfl_xor_sync(~0u, value.re, lane), __shfl_xor_sync(~0u, value.im, lane)};
}
template <class IN, class T> __device__ __forceinline__ T value_at(const sparse_product &p, long long i)
{
    T value = convert<T>(((const IN *)p.values)[i]);
    return p.conjugate ? numbers<T>::conj(value) : value;
}
template <class OUT, class T> __device__ __forceinline__ void set(const sparse_product &p, long long i, long long j, T sum)
{
    OUT *y = (OUT *)p.y + i * p.y_row + j * p.y_column;
    T alpha = scalar_value<T>(p.alpha), beta = scalar_value<T>(p.beta), value = multiply(alpha, sum);
    *y = convert<OUT>(is_zero(beta) ? value : mad(beta, convert<T>(*y), value));
}

// A vector: a warp for each row, its lanes take the row's numbers.
template <class IN, class OUT, class T> __device__ __forceinline__ void rows_vector(const sparse_product &p)
{
    int lane = threadIdx.x % 32;
    long long row = blockIdx.x * 8LL + threadIdx.x / 32;
    if (row >= p.lines)
        return;
    long long end = place(p.offsets, p.wide_offsets, row + 1, p.base);
    T sum = zero_of<T>();
    for (long long i = place(p.offsets, p.wide_offsets, row, p.base) + lane; i < end; i += 32)
        sum = mad(value_at<IN, T>(p, i), convert<T>(((const IN *)p.x)[place(p.across, p.wide, i, p.base) * p.x_row]), sum);
    for (int distance = 16; distance > 0; distance /= 2)
        sum = add(sum, from_lane(sum, distance));
    if (lane == 0)
        set<OUT>(p, row, 0, sum);
}

// The sum of a row's products with a column. WIDE: places have 64 bits; the loop need not ask.
template <class IN, class T, bool WIDE>
__device__ __forceinline__ T row_sum(const sparse_product &p, long long first, long long end, long long j)
{
    T sum = zero_of<T>();
#pragma unroll 4
    for (long long i = first; i < end; i++)
        sum = mad(value_at<IN, T>(p, i), convert<T>(((const IN *)p.x)[place(p.across, WIDE, i, p.base) * p.x_row + j * p.x_column]),
                  sum);
    return sum;
}

// A matrix: a warp for each row and 32 columns, one for each lane.
template <class IN, class OUT, class T> __device__ __forceinline__ void rows_matrix(const sparse_product &p)
{
    long long row = blockIdx.x * 8LL + threadIdx.x / 32, j = blockIdx.y * 32LL + threadIdx.x % 32;
    if (row >= p.lines || j >= p.columns)
        return;
    long long end = place(p.offsets, p.wide_offsets, row + 1, p.base);
    long long first = place(p.offsets, p.wide_offsets, row, p.base);
    set<OUT>(p, row, j, p.wide ? row_sum<IN, T, true>(p, first, end, j) : row_sum<IN, T, false>(p, first, end, j));
}

// What does not come row by row is added where it belongs, after Y is scaled.
template <class T> __device__ __forceinline__ void scale(const sparse_product &p)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= p.y_rows * p.columns)
        return;
    T *y = (T *)p.y + i % p.y_rows * p.y_row + i / p.y_rows * p.y_column, beta = scalar_value<T>(p.beta);
    *y = is_zero(beta) ? zero_of<T>() : multiply(beta, *y);
}
__device__ __forceinline__ void add_to(float *to, float value) { atomicAdd(to, value); }
__device__ __forceinline__ void add_to(double *to, double value) { atomicAdd(to, value); }
template <class R> __device__ __forceinline__ void add_to(complex_of<R> *to, complex_of<R> value)
{
    atomicAdd(&to->re, value.re), atomicAdd(&to->im, value.im);
}
template <class T> __device__ __forceinline__ void one(const sparse_product &p, long long i, long long from, long long to, long long j, T alpha)
{
    T product = multiply(value_at<T, T>(p, i), ((const T *)p.x)[from * p.x_row + j * p.x_column]);
    add_to((T *)p.y + to * p.y_row + j * p.y_column, multiply(alpha, product));
}
// Compressed lines that are the columns of op(A).
template <class T> __device__ __forceinline__ void lines(const sparse_product &p)
{
    long long line = blockIdx.x * 8LL + threadIdx.x / 32, j = blockIdx.y;
    if (line >= p.lines)
        return;
    T alpha = scalar_value<T>(p.alpha);
    long long end = place(p.offsets, p.wide_offsets, line + 1, p.base);
    for (long long i = place(p.offsets, p.wide_offsets, line, p.base) + threadIdx.x % 32; i < end; i += 32)
        one(p, i, line, place(p.across, p.wide, i, p.base), j, alpha);
}
template <class T> __device__ __forceinline__ void places(const sparse_product &p)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < p.count)
        one(p, i, place(p.across, p.wide, i, p.base), place(p.line, p.wide, i, p.base), blockIdx.y, scalar_value<T>(p.alpha));
}

#define KERNEL(name, call)                                                                                             \
    extern "C" __global__ void __launch_bounds__(256) maniple_sp_##name(const __grid_constant__ sparse_product p) { call(p); }
#define KERNELS(letter, IN, OUT, T)                                                                                    \
    KERNEL(letter##_vector, (rows_vector<IN, OUT, T>))                                                                 \
    KERNEL(letter##_matrix, (rows_matrix<IN, OUT, T>))
#define MORE(letter, T)                                                                                                \
    KERNELS(letter, T, T, T)                                                                                           \
    KERNEL(letter##_scale, scale<T>)                                                                                   \
    KERNEL(letter##_lines, lines<T>)                                                                                   \
    KERNEL(letter##_places, places<T>)
MORE(s, float)
MORE(d, double)
MORE(c, c32)
MORE(z, c64)
KERNELS(h, f16, f16, float)
KERNELS(hs, f16, float, float)
KERNELS(b, bf16, bf16, float)
KERNELS(bs, bf16, float, float)
