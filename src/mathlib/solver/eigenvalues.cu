// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and eigenvectors of symmetric and Hermitian matrices by Jacobi's method: rotations of pairs of rows and columns,
// as many at a time as do not meet (Golub and Van Loan, Matrix Computations, 8.5).
#include "mathlib/solver/cta.cuh"

template <class T> struct problem {
    view<T> h, v; // the matrix, which becomes diagonal, and the product of the rotations
    rotation<T> *turns;
    int n;
    bool vectors;
};

// Both triangles from the one that is stored, as numbers of 1 at most; returns by how much larger they were.
template <class T> __device__ inline double prepare(const solver_system &s, const problem<T> &p)
{
    view<T> a = matrix_of<T>(s.a);
    double largest = 0;
#pragma unroll 1
    BY_WARPS(j, 0, p.n)
#pragma unroll 1
    BY_LANES(i, 0, p.n)
    {
        bool stored = i == j || (s.upper ? i < j : i > j);
        T value = stored ? a.at(i, j) : numbers<T>::conj(a.at(j, i));
        p.h.at(i, j) = i == j ? numbers<T>::only_real(value) : value;
        double size = (double)numbers<T>::norm1(value);
        largest = size > largest ? size : largest;
        if (p.vectors)
            p.v.at(i, j) = numbers<T>::make(i == j, 0);
    }
    largest = largest_of_cta(largest, 0).value;
#pragma unroll 1
    BY_WARPS(j, 0, largest > 0 ? p.n : 0)
#pragma unroll 1
    BY_LANES(i, 0, p.n) p.h.at(i, j) = scaled(p.h.at(i, j), 1 / largest);
    __syncthreads();
    return largest;
}

template <class T> __device__ inline double sum_of_squares(const problem<T> &p)
{
    double sum = 0;
#pragma unroll 1
    BY_WARPS(j, 0, p.n)
#pragma unroll 1
    BY_LANES(i, 0, p.n) sum += numbers<T>::square(p.h.at(i, j));
    return sum_of_cta(sum);
}

// Rows p and q of the matrix, after its columns; what the rotation makes zero becomes exactly that.
template <class T> __device__ inline void turn_rows(const problem<T> &p, pair rows, const rotation<T> &turn)
{
#pragma unroll 1
    BY_LANES(j, 0, p.n)
    {
        T x = p.h.at(rows.p, j), y = p.h.at(rows.q, j);
        rotate(x, y, turn.c, numbers<T>::conj(turn.s));
        x = j == rows.p ? numbers<T>::only_real(x) : j == rows.q ? zero_of<T>() : x;
        y = j == rows.q ? numbers<T>::only_real(y) : j == rows.p ? zero_of<T>() : y;
        p.h.at(rows.p, j) = x;
        p.h.at(rows.q, j) = y;
    }
}

// One round of rotations; returns how many of them this thread has found.
template <class T> __device__ inline int turn(const problem<T> &p, int round, double threshold)
{
    int even = p.n + p.n % 2, found = 0;
#pragma unroll 1
    BY_THREADS(i, 0, even / 2)
    {
        pair at = pair_of(even, round, i);
        p.turns[i] = rotation<T>{1, zero_of<T>()};
        c64 off = at.q < p.n ? parts_of(p.h.at(at.p, at.q)) : c64{0, 0};
        if (at.q < p.n && size_of(off) > threshold) {
            p.turns[i] = rotation_of<T>(parts_of(p.h.at(at.p, at.p)).re, parts_of(p.h.at(at.q, at.q)).re, off);
            found++;
        }
    }
    __syncthreads();
#pragma unroll 1
    BY_WARPS(i, 0, even / 2)
    {
        pair at = pair_of(even, round, i);
        rotation<T> one = p.turns[i];
#pragma unroll 1
        BY_LANES(j, 0, is_zero(one.s) ? 0 : p.n)
        {
            rotate(p.h.at(j, at.p), p.h.at(j, at.q), one.c, one.s);
            if (p.vectors)
                rotate(p.v.at(j, at.p), p.v.at(j, at.q), one.c, one.s);
        }
    }
    __syncthreads();
#pragma unroll 1
    BY_WARPS(i, 0, even / 2)
    {
        rotation<T> one = p.turns[i];
        if (!is_zero(one.s))
            turn_rows(p, pair_of(even, round, i), one);
    }
    __syncthreads();
    return found;
}

// Eigenvalues, in ascending order where that is wanted, and their vectors in the place of the matrix.
template <class T> __device__ inline void give(const solver_system &s, const problem<T> &p, double scale)
{
    typedef typename numbers<T>::real real;
    view<T> a = matrix_of<T>(s.a);
    real *values = (real *)s.values + blockIdx.x * s.values_stride;
#pragma unroll 1
    BY_WARPS(i, 0, p.n)
    {
        real own = (real)parts_of(p.h.at(i, i)).re;
        int place = s.sort ? 0 : i;
#pragma unroll 1
        for (int j = 0; j < p.n && s.sort; j++) {
            real other = (real)parts_of(p.h.at(j, j)).re;
            place += other < own || (other == own && j < i);
        }
        if (threadIdx.x % 32 == 0)
            values[place] = (real)(own * scale);
#pragma unroll 1
        BY_LANES(l, 0, p.vectors ? p.n : 0) a.at(l, place) = p.v.at(l, i);
    }
}

template <class T> __device__ inline void syevj(const solver_system &s)
{
    typedef typename numbers<T>::real real;
    int n = (int)s.n, even = n + n % 2;
    T *work = (T *)((char *)s.work + blockIdx.x * s.work_stride);
    problem<T> p = {{work, 1, n}, {work + (long long)n * n, 1, n}, nullptr, n, s.vectors != 0};
    p.turns = (rotation<T> *)(work + 2 * (long long)n * n);
    double scale = prepare(s, p), all = sum_of_squares(p), unit = precision_of<T>::unit();
    double threshold = (s.tolerance > unit ? s.tolerance : unit) * sqrt(all) / n;
    bool numeric = all >= 0; // no NaN or infinity is among the numbers
    int left = 1;
#pragma unroll 1
    for (int sweep = 0; sweep < s.sweeps && left && numeric; sweep++) {
        left = 0;
#pragma unroll 1
        for (int round = 0; round + 1 < even; round++)
            left += turn(p, round, threshold);
        left = sum_of_cta(left) > 0;
    }
    if (numeric)
        give(s, p, scale);
    else
        BY_THREADS(i, 0, n) ((real *)s.values + blockIdx.x * s.values_stride)[i] = (real)all;
    if (threadIdx.x == 0 && s.info)
        s.info[blockIdx.x] = numeric && !left ? 0 : s.failure;
}

SOLVER_KERNELS(syevj)
