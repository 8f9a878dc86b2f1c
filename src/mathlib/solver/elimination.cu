// SPDX-License-Identifier: BSD-3-Clause
// Factors L U with partial pivoting and L L', and systems of equations by them: column by column in the place where the matrix
// lies (Golub and Van Loan, Matrix Computations, 3.4 and 4.2).
#include "mathlib/solver/triangle.cuh"

template <class T> __device__ inline void exchange(const view<T> &a, int columns, int one, int other)
{
#pragma unroll 1
    BY_THREADS(j, 0, one == other ? 0 : columns)
    {
        c64 p = parts_of(a.at(one, j)), q = parts_of(a.at(other, j));
        a.at(one, j) = number_of<T>(q);
        a.at(other, j) = number_of<T>(p);
    }
    __syncthreads();
}

__device__ inline int pivot(const solver_system &s, int i)
{
    return s.wide ? (int)((const long long *)s.pivots)[i] - 1 : ((const int *)s.pivots)[i] - 1;
}

template <class T> __device__ inline void choose(const solver_system &s, const view<T> &a, int k)
{
    double best = -1;
    int row = k;
#pragma unroll 1
    BY_THREADS(i, k, (int)s.m)
    {
        double size = (double)numbers<T>::norm1(a.at(i, k));
        if (size > best)
            best = size, row = i;
    }
    row = largest_of_cta(best, row).place;
    exchange(a, (int)s.n, k, row);
    if (threadIdx.x == 0 && s.wide)
        ((long long *)s.pivots)[k] = row + 1;
    else if (threadIdx.x == 0)
        ((int *)s.pivots)[k] = row + 1;
}

template <class T> __device__ inline void getrf(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a);
    int m = (int)s.m, n = (int)s.n, least = m < n ? m : n, info = 0;
#pragma unroll 1
    for (int k = 0; k < least; k++) {
        if (s.pivots)
            choose(s, a, k);
        T diagonal = a.at(k, k);
        if (is_zero(diagonal))
            info = info ? info : k + 1;
#pragma unroll 1
        BY_THREADS(i, k + 1, is_zero(diagonal) ? 0 : m) a.at(i, k) = divide(a.at(i, k), diagonal);
        __syncthreads();
#pragma unroll 1
        BY_WARPS(j, k + 1, n)
        {
            T minus = negative(a.at(k, j));
#pragma unroll 1
            BY_LANES(i, k + 1, m) a.at(i, j) = mad(a.at(i, k), minus, a.at(i, j));
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = info;
}

template <class T> __device__ inline void getrs(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a), b = matrix_of<T>(s.b), t = s.operation ? a.transposed() : a;
    int n = (int)s.n, columns = (int)s.k;
    bool plain = s.operation == 0, conjugated = s.operation == 2;
#pragma unroll 1
    for (int k = 0; k < n && s.pivots && plain; k++)
        exchange(b, columns, k, pivot(s, k));
    triangle(t, n, conjugated, true, plain, b, columns);
    triangle(t, n, conjugated, false, !plain, b, columns);
#pragma unroll 1
    for (int k = n - 1; k >= 0 && s.pivots && !plain; k--)
        exchange(b, columns, k, pivot(s, k));
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = 0;
}

// The upper triangle, transposed, is worked on as the lower one is: its factor is then the transpose of L's conjugate.
template <class T> __device__ inline void potrf(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a), l = s.upper ? a.transposed() : a;
    int n = (int)s.n, info = 0;
#pragma unroll 1
    for (int k = 0; k < n && !info; k++) {
        double square = parts_of(l.at(k, k)).re, root = sqrt(square);
        __syncthreads();
        if (!(square > 0)) {
            info = k + 1;
            break;
        }
        if (threadIdx.x == 0)
            l.at(k, k) = numbers<T>::make(root, 0);
#pragma unroll 1
        BY_THREADS(i, k + 1, n) l.at(i, k) = divide(l.at(i, k), numbers<T>::make(root, 0));
        __syncthreads();
#pragma unroll 1
        BY_WARPS(j, k + 1, n)
        {
            T minus = negative(numbers<T>::conj(l.at(j, k)));
#pragma unroll 1
            BY_LANES(i, j, n) l.at(i, j) = mad(l.at(i, k), minus, l.at(i, j));
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = info;
}

template <class T> __device__ inline void potrs(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a), l = s.upper ? a.transposed() : a, b = matrix_of<T>(s.b);
    triangle(l, (int)s.n, s.upper, true, false, b, (int)s.k);
    triangle(l.transposed(), (int)s.n, !s.upper, false, false, b, (int)s.k);
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = 0;
}

SOLVER_KERNELS(getrf)
SOLVER_KERNELS(getrs)
SOLVER_KERNELS(potrf)
SOLVER_KERNELS(potrs)
