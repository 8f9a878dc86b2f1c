// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Operations on a matrix and vectors (level 2 of the BLAS), sums of matrices, and triangular systems.
#include "mathlib/blas/gemm.cuh"
#include "mathlib/blas/matrices.h"

template <class T> __device__ inline T element(const mathlib_operand &o, const T *data, long long i, long long j)
{
    if (o.shape != MATHLIB_FULL)
        return shaped(o, data, i, j);
    T value = data[i * o.row + j * o.column];
    return o.conjugate ? numbers<T>::conj(value) : value;
}
template <class T> __device__ inline const T *vector_of(const mathlib_matrix_vector &v, const void *x, long long step)
{
    return v.array ? ((const T *const *)x)[blockIdx.y] : (const T *)x + blockIdx.y * step;
}
template <class T> __device__ inline void set(const mathlib_matrix_vector &v, T *y, long long i, T sum)
{
    T alpha = scalar_value<T>(v.alpha), beta = scalar_value<T>(v.beta);
    T value = multiply(alpha, sum);
    y[i * v.step_y] = is_zero(beta) ? value : mad(beta, y[i * v.step_y], value);
}

// Neighbouring rows are contiguous: 32 rows for each CTA, its eight warps take every eighth column.
template <class T> __device__ inline void mv_rows(const mathlib_matrix_vector &v)
{
    __shared__ alignas(16) char memory[256 * sizeof(T)];
    T *all = (T *)memory;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long i = blockIdx.x * 32LL + lane;
    const T *a = matrix_of<T>(v.a, blockIdx.y), *x = vector_of<T>(v, v.x, v.batch_x);
    T sum = zero_of<T>();
    if (i < v.m)
        for (long long j = warp; j < v.n; j += 8)
            sum = mad(element(v.a, a, i, j), x[j * v.step_x], sum);
    all[threadIdx.x] = sum;
    __syncthreads();
    if (warp || i >= v.m)
        return;
    for (int w = 1; w < 8; w++)
        sum = add(sum, all[w * 32 + lane]);
    set(v, (T *)vector_of<T>(v, v.y, v.batch_y), i, sum);
}

// Neighbouring columns are contiguous: a warp for each row.
template <class T> __device__ inline T from_lane(T value, int lane) { return __shfl_xor_sync(~0u, value, lane); }
template <class R> __device__ inline complex_of<R> from_lane(complex_of<R> value, int lane)
{
    return complex_of<R>{__shfl_xor_sync(~0u, value.re, lane), __shfl_xor_sync(~0u, value.im, lane)};
}
template <class T> __device__ inline void mv_columns(const mathlib_matrix_vector &v)
{
    int lane = threadIdx.x % 32;
    long long i = blockIdx.x * 8LL + threadIdx.x / 32;
    if (i >= v.m)
        return;
    const T *a = matrix_of<T>(v.a, blockIdx.y), *x = vector_of<T>(v, v.x, v.batch_x);
    T sum = zero_of<T>();
    for (long long j = lane; j < v.n; j += 32)
        sum = mad(element(v.a, a, i, j), x[j * v.step_x], sum);
    for (int distance = 16; distance > 0; distance /= 2)
        sum = add(sum, from_lane(sum, distance));
    if (lane == 0)
        set(v, (T *)vector_of<T>(v, v.y, v.batch_y), i, sum);
}

template <class T> __device__ inline void rank(const mathlib_rank &r)
{
    long long i = blockIdx.x * 32LL + threadIdx.x % 32, j = blockIdx.y * 8LL + threadIdx.x / 32;
    if (i >= r.m || j >= r.n || (r.part == MATHLIB_LOWER && i < j) || (r.part == MATHLIB_UPPER && i > j))
        return;
    const T *x = (const T *)r.x, *y = (const T *)r.y;
    T alpha = scalar_value<T>(r.alpha), *to = (T *)r.a + i * r.row + j * r.column, first = y[j * r.step_y];
    T value = mad(multiply(alpha, x[i * r.step_x]), r.conjugate ? numbers<T>::conj(first) : first, *to);
    if (r.twice) {
        T second = x[j * r.step_x];
        value = mad(multiply(r.conjugate ? numbers<T>::conj(alpha) : alpha, y[i * r.step_y]),
                    r.conjugate ? numbers<T>::conj(second) : second, value);
    }
    *to = r.real_diagonal && i == j ? numbers<T>::only_real(value) : value;
}

template <class T> __device__ inline void elementwise(const mathlib_elementwise &e)
{
    long long i = blockIdx.x * 32LL + threadIdx.x % 32, j = blockIdx.y * 8LL + threadIdx.x / 32;
    if (i >= e.m || j >= e.n)
        return;
    const T *a = (const T *)e.a.data, *b = (const T *)e.b.data;
    T *d = (T *)e.d.data, value;
    if (e.x) {
        value = multiply(element(e.a, a, i, j), ((const T *)e.x)[i * e.step_x_row + j * e.step_x_column]);
    } else {
        T alpha = scalar_value<T>(e.alpha), beta = scalar_value<T>(e.beta);
        value = is_zero(alpha) ? zero_of<T>() : multiply(alpha, element(e.a, a, i, j));
        if (!is_zero(beta))
            value = mad(beta, element(e.b, b, i, j), value);
    }
    d[i * e.d.row + j * e.d.column] = value;
}

// A block of at most 32 rows: each thread solves one column of B, which it holds in shared memory.
template <class T> __device__ inline void trsm(const mathlib_solve &s)
{
    __shared__ alignas(16) char memory_l[32 * 33 * sizeof(T)], memory_x[32 * 33 * sizeof(T)];
    T *l = (T *)memory_l, *x = (T *)memory_x;
    const T *from = matrix_of<T>(s.l, blockIdx.y);
    T *b = (T *)matrix_of<T>(s.b, blockIdx.y), alpha = scalar_value<T>(s.alpha);
    int lane = threadIdx.x, n = (int)s.n;
    long long column = blockIdx.x * 32LL + lane;
    for (int j = 0; j < n; j++)
        if (lane < n && lane >= j)
            l[lane * 33 + j] = element(s.l, from, lane, j);
    __syncthreads();
    if (column >= s.columns)
        return;
    for (int i = 0; i < n; i++) {
        T value = multiply(alpha, b[i * s.b.row + column * s.b.column]), minus = numbers<T>::make(-1, 0);
        for (int j = 0; j < i; j++)
            value = mad(multiply(minus, l[i * 33 + j]), x[j * 33 + lane], value);
        value = s.l.unit ? value : divide(value, l[i * 33 + i]);
        x[i * 33 + lane] = value;
        b[i * s.b.row + column * s.b.column] = value;
    }
}

// One right-hand side of any length, by one CTA: 32 rows by a warp, then all below by all.
template <class T> __device__ inline void trsv(const mathlib_solve &s)
{
    __shared__ alignas(16) char memory[32 * sizeof(T)];
    T *solved = (T *)memory, minus = numbers<T>::make(-1, 0);
    const T *l = (const T *)s.l.data;
    T *x = (T *)s.b.data;
    for (long long first = 0; first < s.n; first += 32) {
        int count = s.n - first < 32 ? (int)(s.n - first) : 32;
        if (threadIdx.x < 32) {
            long long i = first + threadIdx.x;
            T value = i < s.n ? x[i * s.b.row] : zero_of<T>();
            for (int j = 0; j < count; j++) {
                if (threadIdx.x == j)
                    solved[j] = value = s.l.unit ? value : divide(value, element(s.l, l, i, i));
                __syncwarp();
                if (threadIdx.x > j && i < s.n)
                    value = mad(multiply(minus, element(s.l, l, i, first + j)), solved[j], value);
            }
            if (i < s.n)
                x[i * s.b.row] = value;
        }
        __syncthreads();
        for (long long i = first + 32 + threadIdx.x; i < s.n; i += blockDim.x) {
            T value = x[i * s.b.row];
            for (int j = 0; j < count; j++)
                value = mad(multiply(minus, element(s.l, l, i, first + j)), solved[j], value);
            x[i * s.b.row] = value;
        }
        __syncthreads();
    }
}

#define KERNEL(name, threads, what, call)                                                                              \
    extern "C" __global__ void __launch_bounds__(threads) maniple_##name(const __grid_constant__ what v) { call(v); }
#define KERNELS(letter, T)                                                                                             \
    KERNEL(letter##mv_rows, 256, mathlib_matrix_vector, mv_rows<T>)                                                    \
    KERNEL(letter##mv_columns, 256, mathlib_matrix_vector, mv_columns<T>)                                              \
    KERNEL(letter##rank, 256, mathlib_rank, rank<T>)                                                                   \
    KERNEL(letter##elementwise, 256, mathlib_elementwise, elementwise<T>)                                              \
    KERNEL(letter##trsm, 32, mathlib_solve, trsm<T>)                                                                   \
    KERNEL(letter##trsv, 256, mathlib_solve, trsv<T>)
KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, c32)
KERNELS(z, c64)
