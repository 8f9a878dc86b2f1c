// SPDX-License-Identifier: BSD-3-Clause
// Singular values and vectors by the one-sided method of Jacobi and Hestenes: rotations of pairs of columns until all are
// orthogonal; their lengths are the singular values (Golub and Van Loan, Matrix Computations, 8.6.3).
#include "mathlib/solver/cta.cuh"

template <class T> struct decomposition {
    view<T> a, v;    // the matrix, or its adjoint if that has more rows; the product of the rotations
    T *shares;       // of a vector in the directions of those before it
    double *lengths; // of the columns of a; 0: none is there
    int *places;     // of the columns, by length
    int rows, columns, all; // all: columns of a with those that complete a basis
    bool vectors;
};

template <class T> __device__ inline decomposition<T> decomposition_of(const solver_system &s)
{
    bool flat = s.m < s.n;
    decomposition<T> d;
    d.rows = (int)(flat ? s.n : s.m), d.columns = (int)(flat ? s.m : s.n);
    int wanted = (int)(flat ? s.columns_c : s.columns_b);
    d.all = wanted > d.columns ? wanted : d.columns;
    d.vectors = s.vectors != 0;
    int room = (d.all + 3) / 4 * 4; // what follows begins at a multiple of 16 bytes
    d.lengths = (double *)((char *)s.work + blockIdx.x * s.work_stride);
    d.places = (int *)(d.lengths + room);
    d.a = view<T>{(T *)(d.places + room), 1, d.rows};
    d.v = view<T>{d.a.data + (long long)d.rows * d.all, 1, d.columns};
    d.shares = d.v.data + (long long)d.columns * d.columns;
    return d;
}

// Numbers of 1 at most; returns by how much larger they were. NaN: one of them is NaN or infinite.
template <class T> __device__ inline double prepare(const solver_system &s, const decomposition<T> &d)
{
    view<T> from = matrix_of<T>(s.a);
    bool flat = s.m < s.n;
    double largest = 0, sum = 0;
#pragma unroll 1
    BY_WARPS(j, 0, d.columns)
#pragma unroll 1
    BY_LANES(i, 0, d.rows)
    {
        T value = flat ? numbers<T>::conj(from.at(j, i)) : from.at(i, j);
        double size = (double)numbers<T>::norm1(value);
        largest = size > largest ? size : largest;
        sum += size * 0;
        d.a.at(i, j) = value;
        if (i < d.columns)
            d.v.at(i, j) = numbers<T>::make(i == j, 0);
    }
    largest = largest_of_cta(largest, 0).value;
    sum = sum_of_cta(sum);
#pragma unroll 1
    BY_WARPS(j, 0, largest > 0 ? d.columns : 0)
#pragma unroll 1
    BY_LANES(i, 0, d.rows) d.a.at(i, j) = scaled(d.a.at(i, j), 1 / largest);
    __syncthreads();
    return largest + sum;
}

// Makes two columns orthogonal; returns whether they were not.
template <class T> __device__ inline bool turn(const decomposition<T> &d, pair at, double tolerance)
{
    double p = 0, q = 0;
    c64 off = {0, 0};
#pragma unroll 1
    BY_LANES(i, 0, d.rows)
    {
        c64 x = parts_of(d.a.at(i, at.p)), y = parts_of(d.a.at(i, at.q));
        p += x.re * x.re + x.im * x.im;
        q += y.re * y.re + y.im * y.im;
        off.re += x.re * y.re + x.im * y.im;
        off.im += x.re * y.im - x.im * y.re;
    }
    p = sum_of_lanes(p), q = sum_of_lanes(q), off = sum_of_lanes(off);
    double tiny = precision_of<T>::tiny();
    if (!(size_of(off) > tolerance * sqrt(p) * sqrt(q)) || p < tiny * tiny || q < tiny * tiny)
        return false;
    rotation<T> one = rotation_of<T>(p, q, off);
#pragma unroll 1
    BY_LANES(i, 0, d.rows) rotate(d.a.at(i, at.p), d.a.at(i, at.q), one.c, one.s);
#pragma unroll 1
    BY_LANES(i, 0, d.vectors ? d.columns : 0) rotate(d.v.at(i, at.p), d.v.at(i, at.q), one.c, one.s);
    return true;
}

// Lengths of the columns, their places by descending length, and columns of length 1.
template <class T> __device__ inline void measure(const solver_system &s, const decomposition<T> &d)
{
#pragma unroll 1
    BY_WARPS(j, 0, d.all)
    {
        double sum = 0;
#pragma unroll 1
        BY_LANES(i, 0, j < d.columns ? d.rows : 0) sum += numbers<T>::square(d.a.at(i, j));
        double length = sqrt(sum_of_lanes(sum));
        length = length > precision_of<T>::tiny() ? length : 0;
        d.lengths[j] = length;
#pragma unroll 1
        BY_LANES(i, 0, length > 0 ? d.rows : 0) d.a.at(i, j) = scaled(d.a.at(i, j), 1 / length);
    }
    __syncthreads();
#pragma unroll 1
    BY_THREADS(j, 0, d.all)
    {
        int place = s.sort && j < d.columns ? 0 : j;
        for (int i = 0; i < d.columns && s.sort && j < d.columns; i++)
            place += d.lengths[i] > d.lengths[j] || (d.lengths[i] == d.lengths[j] && i < j);
        d.places[j] = place;
    }
    __syncthreads();
}

template <class T> __device__ inline bool present(const decomposition<T> &d, int l, int j)
{
    return l < j || d.lengths[l] > 0;
}

// Takes from column j its shares in the directions of columns that are there.
template <class T> __device__ inline void project(const decomposition<T> &d, int j)
{
#pragma unroll 1
    BY_WARPS(l, 0, d.all)
    {
        T sum = zero_of<T>();
#pragma unroll 1
        BY_LANES(i, 0, l != j && present(d, l, j) ? d.rows : 0)
            sum = mad(numbers<T>::conj(d.a.at(i, l)), d.a.at(i, j), sum);
        d.shares[l] = negative(sum_of_lanes(sum));
    }
    __syncthreads();
#pragma unroll 1
    BY_THREADS(i, 0, d.rows)
    {
        T value = d.a.at(i, j);
#pragma unroll 1
        for (int l = 0; l < d.all; l++)
            if (l != j && present(d, l, j))
                value = mad(d.a.at(i, l), d.shares[l], value);
        d.a.at(i, j) = value;
    }
    __syncthreads();
}

// Columns of length 0 become directions at right angles to all others: the unit vector that is least in them, less its shares.
template <class T> __device__ inline void complete(const decomposition<T> &d)
{
#pragma unroll 1
    for (int j = 0; j < d.all; j++) {
        if (d.lengths[j] > 0)
            continue;
        double best = -1e300;
        int row = 0;
#pragma unroll 1
        BY_THREADS(i, 0, d.rows)
        {
            double rest = 1;
#pragma unroll 1
            for (int l = 0; l < d.all; l++)
                rest -= l != j && present(d, l, j) ? numbers<T>::square(d.a.at(i, l)) : 0;
            if (rest > best)
                best = rest, row = i;
        }
        row = largest_of_cta(best, row).place;
#pragma unroll 1
        BY_THREADS(i, 0, d.rows) d.a.at(i, j) = numbers<T>::make(i == row, 0);
        __syncthreads();
#pragma unroll 1
        for (int again = 0; again < 2; again++) {
            project(d, j);
            double sum = 0;
#pragma unroll 1
            BY_THREADS(i, 0, d.rows) sum += numbers<T>::square(d.a.at(i, j));
            sum = 1 / sqrt(sum_of_cta(sum));
#pragma unroll 1
            BY_THREADS(i, 0, d.rows) d.a.at(i, j) = scaled(d.a.at(i, j), sum);
            __syncthreads();
        }
    }
}

// The first columns of a basis, each in its place, or its adjoint.
template <class T>
__device__ inline void give(const decomposition<T> &d, const view<T> &from, int rows, int columns, const view<T> &to,
                            int wanted, bool adjoint)
{
#pragma unroll 1
    BY_WARPS(j, 0, columns)
    {
        int place = d.places[j];
#pragma unroll 1
        BY_LANES(i, 0, place < wanted ? rows : 0)
        {
            c64 value = parts_of(from.at(i, j));
            if (adjoint)
                to.at(place, i) = number_of<T>(c64{value.re, -value.im});
            else
                to.at(i, place) = number_of<T>(value);
        }
    }
}

template <class T> __device__ inline void give_values(const solver_system &s, const decomposition<T> &d, double scale)
{
    typedef typename numbers<T>::real real;
    real *values = (real *)s.values + blockIdx.x * s.values_stride;
    int kept = s.k ? (int)s.k : d.columns;
    double omitted = 0;
#pragma unroll 1
    BY_THREADS(j, 0, d.columns)
    {
        double value = d.lengths[j] * scale;
        if (d.places[j] < kept)
            values[d.places[j]] = (real)value;
        else
            omitted += value * value;
    }
    omitted = sum_of_cta(omitted);
    if (threadIdx.x == 0 && s.residuals)
        s.residuals[blockIdx.x] = sqrt(omitted);
}

template <class T> __device__ inline void gesvdj(const solver_system &s)
{
    decomposition<T> d = decomposition_of<T>(s);
    double scale = prepare(s, d), unit = precision_of<T>::unit() * sqrt((double)d.rows);
    double tolerance = s.tolerance > unit ? s.tolerance : unit;
    int even = d.columns + d.columns % 2, left = 1;
    bool numeric = scale >= 0;
#pragma unroll 1
    for (int sweep = 0; sweep < s.sweeps && left && numeric; sweep++) {
        left = 0;
#pragma unroll 1
        for (int round = 0; round + 1 < even; round++) {
#pragma unroll 1
            BY_WARPS(i, 0, even / 2)
            {
                pair at = pair_of(even, round, i);
                left += at.q < d.columns && turn(d, at, tolerance);
            }
            __syncthreads();
        }
        left = sum_of_cta(left) > 0;
    }
    measure(s, d);
    give_values(s, d, scale);
    if (d.vectors) {
        complete(d);
        bool flat = s.m < s.n;
        view<T> u = matrix_of<T>(s.b), v = matrix_of<T>(s.c);
        give(d, flat ? d.v : d.a, (int)s.m, flat ? d.columns : d.all, u, (int)s.columns_b, false);
        give(d, flat ? d.a : d.v, (int)s.n, flat ? d.all : d.columns, v, (int)s.columns_c, s.adjoint != 0);
    }
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = numeric && !left ? 0 : s.failure;
}

SOLVER_KERNELS(gesvdj)
