// SPDX-License-Identifier: BSD-3-Clause
// Operations on a matrix and vectors (level 2 of the BLAS), sums of matrices, and triangular systems.
#include "mathlib/blas/gemm.cuh"
#include "mathlib/blas/matrices.h"

// PLAIN: the operand is stored as a whole and not conjugated, so that loops need not ask.
__device__ __forceinline__ bool is_plain(const mathlib_operand &o) { return o.shape == MATHLIB_FULL && !o.conjugate; }
template <bool PLAIN = false, class T>
__device__ __forceinline__ T element(const mathlib_operand &o, const T *data, long long i, long long j)
{
    if (!PLAIN && o.shape != MATHLIB_FULL)
        return shaped(o, data, i, j);
    T value = data[i * o.row + j * o.column];
    return !PLAIN && o.conjugate ? numbers<T>::conj(value) : value;
}
// The sum of every STEP-th product of a row.
template <bool PLAIN, int STEP, class T>
__device__ __forceinline__ T row_sum(const mathlib_matrix_vector &v, const T *a, const T *x, long long i, long long first)
{
    T sum = zero_of<T>();
#pragma unroll 4
    for (long long j = first; j < v.n; j += STEP)
        sum = mad(element<PLAIN>(v.a, a, i, j), x[j * v.step_x], sum);
    return sum;
}
template <class T> __device__ __forceinline__ const T *vector_of(const mathlib_matrix_vector &v, const void *x, long long step)
{
    return v.array ? ((const T *const *)x)[blockIdx.y] : (const T *)x + blockIdx.y * step;
}
template <class T> __device__ __forceinline__ void set(const mathlib_matrix_vector &v, T *y, long long i, T sum)
{
    T alpha = scalar_value<T>(v.alpha), beta = scalar_value<T>(v.beta);
    T value = multiply(alpha, sum);
    y[i * v.step_y] = is_zero(beta) ? value : mad(beta, y[i * v.step_y], value);
}

// Neighbouring rows are contiguous: 32 rows for each CTA, its eight warps take every eighth column.
template <class T> __device__ __forceinline__ void mv_rows(const mathlib_matrix_vector &v)
{
    __shared__ __align__(16) char memory[256 * sizeof(T)];
    T *all = (T *)memory;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long i = blockIdx.x * 32LL + lane;
    const T *a = matrix_of<T>(v.a, blockIdx.y), *x = vector_of<T>(v, v.x, v.batch_x);
    T sum = zero_of<T>();
    if (i < v.m)
        sum = is_plain(v.a) ? row_sum<true, 8>(v, a, x, i, warp) : row_sum<false, 8>(v, a, x, i, warp);
    all[threadIdx.x] = sum;
    __syncthreads();
    if (warp || i >= v.m)
        return;
    for (int w = 1; w < 8; w++)
        sum = add(sum, all[w * 32 + lane]);
    set(v, (T *)vector_of<T>(v, v.y, v.batch_y), i, sum);
}

// Neighbouring columns are contiguous: a warp for each row.
template <class T> __device__ __forceinline__ T from_lane(T value, int lane) { return __shfl_xor_sync(~0u, value, lane); }
template <class R> __device__ __forceinline__ complex_of<R> from_lane(complex_of<R> value, int lane)
{
    return complex_of<R>{__shfl_xor_sync(~0u, value.re, lane), __shfl_xor_sync(~0u, value.im, lane)};
}
template <class T> __device__ __forceinline__ void mv_columns(const mathlib_matrix_vector &v)
{
    int lane = threadIdx.x % 32;
    long long i = blockIdx.x * 8LL + threadIdx.x / 32;
    if (i >= v.m)
        return;
    const T *a = matrix_of<T>(v.a, blockIdx.y), *x = vector_of<T>(v, v.x, v.batch_x);
    T sum = is_plain(v.a) ? row_sum<true, 32>(v, a, x, i, lane) : row_sum<false, 32>(v, a, x, i, lane);
    for (int distance = 16; distance > 0; distance /= 2)
        sum = add(sum, from_lane(sum, distance));
    if (lane == 0)
        set(v, (T *)vector_of<T>(v, v.y, v.batch_y), i, sum);
}

template <class T> __device__ __forceinline__ void rank(const mathlib_rank &r)
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

template <class T> __device__ __forceinline__ void elementwise(const mathlib_elementwise &e)
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
template <bool PLAIN, class T> __device__ __forceinline__ void trsm_block(const mathlib_solve &s, T *l, T *x)
{
    const T *from = matrix_of<T>(s.l, blockIdx.y);
    T *b = (T *)matrix_of<T>(s.b, blockIdx.y), alpha = scalar_value<T>(s.alpha);
    int lane = threadIdx.x, n = (int)s.n;
    long long column = blockIdx.x * 32LL + lane;
    for (int j = 0; j < n; j++)
        if (lane < n && lane >= j)
            l[lane * 33 + j] = element<PLAIN>(s.l, from, lane, j);
    __syncthreads();
    if (column >= s.columns)
        return;
    for (int i = 0; i < n; i++) {
        T value = multiply(alpha, b[i * s.b.row + column * s.b.column]), minus = numbers<T>::make(-1, 0);
#pragma unroll 4
        for (int j = 0; j < i; j++)
            value = mad(multiply(minus, l[i * 33 + j]), x[j * 33 + lane], value);
        value = s.l.unit ? value : divide(value, l[i * 33 + i]);
        x[i * 33 + lane] = value;
        b[i * s.b.row + column * s.b.column] = value;
    }
}

template <class T> __device__ __forceinline__ void trsm(const mathlib_solve &s)
{
    __shared__ __align__(16) char memory_l[32 * 33 * sizeof(T)], memory_x[32 * 33 * sizeof(T)];
    if (is_plain(s.l))
        trsm_block<true>(s, (T *)memory_l, (T *)memory_x);
    else
        trsm_block<false>(s, (T *)memory_l, (T *)memory_x);
}

// One right-hand side of any length, by one CTA: 32 rows by a warp, then all below by all.
template <bool PLAIN, class T> __device__ __forceinline__ void trsv_all(const mathlib_solve &s, T *solved)
{
    T minus = numbers<T>::make(-1, 0);
    const T *l = (const T *)s.l.data;
    T *x = (T *)s.b.data;
    for (long long first = 0; first < s.n; first += 32) {
        int count = s.n - first < 32 ? (int)(s.n - first) : 32;
        if (threadIdx.x < 32) {
            long long i = first + threadIdx.x;
            T value = i < s.n ? x[i * s.b.row] : zero_of<T>();
            for (int j = 0; j < count; j++) {
                if ((int)threadIdx.x == j)
                    solved[j] = value = s.l.unit ? value : divide(value, element<PLAIN>(s.l, l, i, i));
                __syncwarp();
                if ((int)threadIdx.x > j && i < s.n)
                    value = mad(multiply(minus, element<PLAIN>(s.l, l, i, first + j)), solved[j], value);
            }
            if (i < s.n)
                x[i * s.b.row] = value;
        }
        __syncthreads();
        for (long long i = first + 32 + threadIdx.x; i < s.n; i += blockDim.x) {
            T value = x[i * s.b.row];
#pragma unroll 4
            for (int j = 0; j < count; j++)
                value = mad(multiply(minus, element<PLAIN>(s.l, l, i, first + j)), solved[j], value);
            x[i * s.b.row] = value;
        }
        __syncthreads();
    }
}

template <class T> __device__ __forceinline__ void trsv(const mathlib_solve &s)
{
    __shared__ __align__(16) char memory[32 * sizeof(T)];
    if (is_plain(s.l))
        trsv_all<true>(s, (T *)memory);
    else
        trsv_all<false>(s, (T *)memory);
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
