// SPDX-License-Identifier: BSD-3-Clause
// Factors Q R by Householder's reflections, and products with Q, in LAPACK's representation: H = I - tau v v', v(1) = 1, R and
// the rest of each v in the place of the matrix (Golub and Van Loan, Matrix Computations, 5.1 and 5.2).
#include "mathlib/solver/triangle.cuh"

// C = (I - tau v v') C for `rows` rows of C; v(1) is taken to be 1. `conjugated`: with v's conjugate in the place of v.
template <class T>
__device__ inline void reflect(const view<T> &v, bool conjugated, T tau, const view<T> &c, int rows, int columns)
{
#pragma unroll 1
    BY_WARPS(j, 0, is_zero(tau) ? 0 : columns)
    {
        T sum = zero_of<T>();
#pragma unroll 1
        BY_LANES(i, 0, rows)
        {
            T factor = i ? conjugate_if(!conjugated, v.at(i, 0)) : numbers<T>::make(1, 0);
            sum = mad(factor, c.at(i, j), sum);
        }
        T minus = negative(multiply(tau, sum_of_lanes(sum)));
#pragma unroll 1
        BY_LANES(i, 0, rows)
        {
            T factor = i ? conjugate_if(conjugated, v.at(i, 0)) : numbers<T>::make(1, 0);
            c.at(i, j) = mad(factor, minus, c.at(i, j));
        }
    }
    __syncthreads();
}

// The reflection that makes a column zero below its first number, which it leaves there; returns its tau.
template <class T> __device__ inline T make_reflection(const view<T> &x, int rows)
{
    c64 first = parts_of(x.at(0, 0));
    double largest = 0, squares = 0;
#pragma unroll 1
    BY_THREADS(i, 1, rows)
    {
        double size = (double)numbers<T>::norm1(x.at(i, 0));
        largest = size > largest ? size : largest;
    }
    largest = largest_of_cta(largest, 0).value;
    if (largest == 0 && first.im == 0)
        return zero_of<T>();
    double own = size_of(first), scale = own > largest ? own : largest;
#pragma unroll 1
    BY_THREADS(i, 0, rows)
    {
        c64 part = parts_of(x.at(i, 0));
        squares += part.re / scale * (part.re / scale) + part.im / scale * (part.im / scale);
    }
    double norm = scale * sqrt(sum_of_cta(squares)), beta = first.re < 0 ? norm : -norm;
    T divisor = number_of<T>(c64{first.re - beta, first.im});
#pragma unroll 1
    BY_THREADS(i, 1, rows) x.at(i, 0) = divide(x.at(i, 0), divisor);
    if (threadIdx.x == 0)
        x.at(0, 0) = numbers<T>::make(beta, 0);
    __syncthreads();
    return numbers<T>::make((beta - first.re) / beta, -first.im / beta);
}

template <class T> __device__ inline void geqrf(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a);
    T *taus = s.values_list ? (T *)s.values_list[blockIdx.x] : (T *)s.values + blockIdx.x * s.values_stride;
    int m = (int)s.m, n = (int)s.n, least = m < n ? m : n;
#pragma unroll 1
    for (int k = 0; k < least; k++) {
        T tau = make_reflection(a.from(k, k), m - k);
        if (threadIdx.x == 0)
            taus[k] = tau;
        if (k + 1 < n)
            reflect(a.from(k, k), false, numbers<T>::conj(tau), a.from(k, k + 1), m - k, n - k - 1);
    }
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = 0;
}

// The first n columns of the product of k reflections, in the place of the reflections.
template <class T> __device__ inline void orgqr(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a);
    const T *taus = (const T *)s.values + blockIdx.x * s.values_stride;
    int m = (int)s.m, n = (int)s.n, k = (int)s.k;
#pragma unroll 1
    BY_WARPS(j, k, n)
#pragma unroll 1
    BY_LANES(i, 0, m) a.at(i, j) = numbers<T>::make(i == j, 0);
    __syncthreads();
#pragma unroll 1
    for (int i = k - 1; i >= 0; i--) {
        T tau = taus[i], minus = negative(tau);
        if (i + 1 < n)
            reflect(a.from(i, i), false, tau, a.from(i, i + 1), m - i, n - i - 1);
#pragma unroll 1
        BY_THREADS(l, 0, m)
        {
            T below = l > i ? multiply(minus, a.at(l, i)) : zero_of<T>();
            a.at(l, i) = l == i ? add(numbers<T>::make(1, 0), minus) : below;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = 0;
}

// op(Q) C or C op(Q), with Q's reflections in A. From the right, the transpose of C is reflected from the left.
template <class T> __device__ inline void ormqr(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a), b = matrix_of<T>(s.b), c = s.right ? b.transposed() : b;
    const T *taus = (const T *)s.values + blockIdx.x * s.values_stride;
    int rows = (int)(s.right ? s.n : s.m), columns = (int)(s.right ? s.m : s.n), k = (int)s.k;
    bool up = (s.operation == 0) == !s.right;
#pragma unroll 1
    for (int step = 0; step < k; step++) {
        int i = up ? k - 1 - step : step;
        reflect(a.from(i, i), s.right != 0, conjugate_if(s.operation != 0, taus[i]), c.from(i, 0), rows - i, columns);
    }
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = 0;
}

// Least squares by Q R: R X = Q' B, in B's first rows. Info is the first zero on R's diagonal.
template <class T> __device__ inline void gels(const solver_system &s)
{
    view<T> a = matrix_of<T>(s.a), b = matrix_of<T>(s.b);
    int m = (int)s.m, n = (int)s.n, columns = (int)s.k, info = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        T tau = numbers<T>::conj(make_reflection(a.from(k, k), m - k));
        if (k + 1 < n)
            reflect(a.from(k, k), false, tau, a.from(k, k + 1), m - k, n - k - 1);
        reflect(a.from(k, k), false, tau, b.from(k, 0), m - k, columns);
        if (is_zero(a.at(k, k)))
            info = info ? info : k + 1;
    }
    if (!info)
        triangle(a, n, false, false, false, b, columns);
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = info;
}

SOLVER_KERNELS(gels)
SOLVER_KERNELS(geqrf)
SOLVER_KERNELS(orgqr)
SOLVER_KERNELS(ormqr)
