// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Factors A = P' L U of batches of matrices, systems of equations and inverses by them: a matrix for each CTA, column by
// column as LAPACK's getf2 has it, in the place where it lies.
#include "mathlib/blas/factors.h"
#include "mathlib/common/numbers.cuh"

static const int THREADS = 128;

template <class T> struct square {
    T *data;
    long long ld;
    int n;
    __device__ T &at(long long i, long long j) const
    {
        return data[i + j * ld];
    }
};

// The row, from k on, of column k's largest number; the first where several are as large.
template <class T> __device__ inline int pivot_row(const square<T> &a, int k)
{
    typedef typename numbers<T>::real real;
    __shared__ double largest[THREADS];
    __shared__ int rows[THREADS];
    real best = -1;
    int row = k;
#pragma unroll 1
    for (int i = k + (int)threadIdx.x; i < a.n; i += THREADS) {
        real size = numbers<T>::norm1(a.at(i, k));
        if (size > best)
            best = size, row = i;
    }
    largest[threadIdx.x] = (double)best, rows[threadIdx.x] = row;
#pragma unroll 1
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        __syncthreads();
        int other = threadIdx.x + distance;
        if ((int)threadIdx.x < distance &&
            (largest[other] > largest[threadIdx.x] ||
             (largest[other] == largest[threadIdx.x] && rows[other] < rows[threadIdx.x])))
            largest[threadIdx.x] = largest[other], rows[threadIdx.x] = rows[other];
    }
    __syncthreads();
    row = rows[0];
    __syncthreads();
    return row;
}

template <class T> __device__ inline void exchange(T *data, long long ld, int columns, int one, int other)
{
#pragma unroll 1
    for (int j = threadIdx.x; j < columns && one != other; j += THREADS) {
        T value = data[one + j * ld];
        data[one + j * ld] = data[other + j * ld];
        data[other + j * ld] = value;
    }
    __syncthreads();
}

template <class T> __device__ inline int factor(const square<T> &a, int *pivots)
{
    T minus = numbers<T>::make(-1, 0);
    int info = 0;
#pragma unroll 1
    for (int k = 0; k < a.n; k++) {
        if (pivots) {
            int row = pivot_row(a, k);
            exchange(a.data, a.ld, a.n, k, row);
            if (threadIdx.x == 0)
                pivots[k] = row + 1;
        }
        T diagonal = a.at(k, k);
        int below = a.n - k - 1;
        if (is_zero(diagonal))
            info = info ? info : k + 1;
#pragma unroll 1
        for (int i = threadIdx.x; i < below && !is_zero(diagonal); i += THREADS)
            a.at(k + 1 + i, k) = divide(a.at(k + 1 + i, k), diagonal);
        __syncthreads();
#pragma unroll 1
        for (long long e = threadIdx.x; e < (long long)below * below; e += THREADS) {
            int i = k + 1 + (int)(e % below), j = k + 1 + (int)(e / below);
            a.at(i, j) = mad(multiply(minus, a.at(i, k)), a.at(k, j), a.at(i, j));
        }
        __syncthreads();
    }
    return info;
}

// Solves with one triangle of op(A), from its first row down or from its last row up.
template <class T>
__device__ inline void triangle(const square<T> &a, int operation, bool down, bool unit, T *b, long long ldb,
                                int columns)
{
    T minus = numbers<T>::make(-1, 0);
#pragma unroll 1
    for (int step = 0; step < a.n; step++) {
        int k = down ? step : a.n - 1 - step, left = a.n - 1 - step, first = down ? k + 1 : 0;
        T diagonal = operation == 2 ? numbers<T>::conj(a.at(k, k)) : a.at(k, k);
#pragma unroll 1
        for (int j = threadIdx.x; j < columns && !unit; j += THREADS)
            b[k + j * ldb] = divide(b[k + j * ldb], diagonal);
        __syncthreads();
#pragma unroll 1
        for (long long e = threadIdx.x; e < (long long)left * columns; e += THREADS) {
            int i = first + (int)(e % left), j = (int)(e / left);
            T value = operation ? a.at(k, i) : a.at(i, k);
            value = operation == 2 ? numbers<T>::conj(value) : value;
            b[i + j * ldb] = mad(multiply(minus, value), b[k + j * ldb], b[i + j * ldb]);
        }
        __syncthreads();
    }
}

template <class T>
__device__ inline void solve(const square<T> &a, const int *pivots, int operation, T *b, long long ldb, int columns)
{
#pragma unroll 1
    for (int k = 0; k < a.n && pivots && !operation; k++)
        exchange(b, ldb, columns, k, pivots[k] - 1);
    triangle(a, operation, true, operation == 0, b, ldb, columns);
    triangle(a, operation, false, operation != 0, b, ldb, columns);
#pragma unroll 1
    for (int k = a.n - 1; k >= 0 && pivots && operation; k--)
        exchange(b, ldb, columns, k, pivots[k] - 1);
}

template <class T> __device__ inline void identity(T *b, long long ldb, int n)
{
#pragma unroll 1
    for (long long e = threadIdx.x; e < (long long)n * n; e += THREADS)
        b[e % n + e / n * ldb] = numbers<T>::make(e % n == e / n, 0);
    __syncthreads();
}

template <class T> __device__ inline square<T> own(const mathlib_batch &m)
{
    return square<T>{(T *)m.a[blockIdx.x], m.lda, (int)m.n};
}
template <class T> __device__ inline int *own_pivots(const mathlib_batch &m)
{
    return m.pivots ? m.pivots + blockIdx.x * m.n : nullptr;
}

template <class T> __device__ inline void getrf(const mathlib_batch &m)
{
    int info = factor(own<T>(m), own_pivots<T>(m));
    if (threadIdx.x == 0)
        m.info[blockIdx.x] = info;
}

template <class T> __device__ inline int zero_on_diagonal(const square<T> &a)
{
#pragma unroll 1
    for (int k = 0; k < a.n; k++)
        if (is_zero(a.at(k, k)))
            return k + 1;
    return 0;
}

template <class T> __device__ inline void getrs(const mathlib_batch &m)
{
    square<T> a = own<T>(m);
    T *b = (T *)m.b[blockIdx.x];
    if (m.inverse) {
        int info = zero_on_diagonal(a);
        if (threadIdx.x == 0)
            m.info[blockIdx.x] = info;
        if (info)
            return;
        identity(b, m.ldb, a.n);
    }
    solve(a, own_pivots<T>(m), m.operation, b, m.ldb, (int)m.columns);
}

// The inverse of a matrix that is kept: its factors are in `work`.
template <class T> __device__ inline void matinv(const mathlib_batch &m)
{
    square<T> from = own<T>(m), a = {(T *)m.work + blockIdx.x * m.n * m.n, m.n, (int)m.n};
#pragma unroll 1
    for (long long e = threadIdx.x; e < m.n * m.n; e += THREADS)
        a.data[e] = from.at(e % m.n, e / m.n);
    __syncthreads();
    int *pivots = own_pivots<T>(m), info = factor(a, pivots);
    if (threadIdx.x == 0)
        m.info[blockIdx.x] = info;
    if (info)
        return;
    identity((T *)m.b[blockIdx.x], m.ldb, a.n);
    solve(a, pivots, 0, (T *)m.b[blockIdx.x], m.ldb, a.n);
}

#define KERNEL(name, call)                                                                                             \
    extern "C" __global__ void __launch_bounds__(THREADS) maniple_##name(const __grid_constant__ mathlib_batch m)      \
    {                                                                                                                  \
        call(m);                                                                                                       \
    }
#define KERNELS(letter, T)                                                                                             \
    KERNEL(letter##getrf, getrf<T>)                                                                                    \
    KERNEL(letter##getrs, getrs<T>)                                                                                    \
    KERNEL(letter##matinv, matinv<T>)
KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, c32)
KERNELS(z, c64)
