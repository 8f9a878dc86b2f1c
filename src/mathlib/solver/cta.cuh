// SPDX-License-Identifier: BSD-3-Clause
/* Matrices, sums and maxima of a CTA that works on one matrix. Sums go by trees of fixed shape: the same bits in every run. */
#ifndef MATHLIB_SOLVER_CTA_CUH
#define MATHLIB_SOLVER_CTA_CUH

#include "mathlib/common/numbers.cuh"
#include "mathlib/solver/system.h"

static const int THREADS = 128, WARPS = THREADS / 32;

// Loops over a range by the threads of a CTA, the lanes of a warp, and the warps of a CTA.
#define BY_THREADS(i, first, end) for (int i = (first) + (int)threadIdx.x; i < (end); i += THREADS)
#define BY_LANES(i, first, end)   for (int i = (first) + (int)threadIdx.x % 32; i < (end); i += 32)
#define BY_WARPS(i, first, end)   for (int i = (first) + (int)threadIdx.x / 32; i < (end); i += WARPS)

template <class T> struct view {
    T *data;
    long long down, across; // distances of neighbours in a column and in a row
    __device__ T &at(int i, int j) const
    {
        return data[i * down + j * across];
    }
    __device__ view transposed() const
    {
        return view{data, across, down};
    }
    __device__ view from(int i, int j) const
    {
        return view{&at(i, j), down, across};
    }
};

template <class T> __device__ inline view<T> matrix_of(const solver_matrix &m)
{
    T *data = m.list ? (T *)m.list[blockIdx.x] : (T *)m.data + blockIdx.x * m.stride;
    return view<T>{data, 1, m.ld};
}

template <class T> struct precision_of {
    static __device__ double unit() { return 1.1102230246251565e-16; }
    static __device__ double tiny() { return 1e-140; } // squares of such numbers are still normal
};
template <> struct precision_of<float> {
    static __device__ double unit() { return 5.9604644775390625e-8; }
    static __device__ double tiny() { return 1e-30; }
};
template <class R> struct precision_of<complex_of<R>> : precision_of<R> {};

// Real and imaginary parts in double precision, and numbers from them.
template <class T> __device__ __forceinline__ c64 parts_of(T a) { return c64{(double)a, 0}; }
template <class R> __device__ __forceinline__ c64 parts_of(complex_of<R> a) { return c64{(double)a.re, (double)a.im}; }
template <class T> __device__ __forceinline__ T number_of(c64 a) { return numbers<T>::make(a.re, a.im); }
template <class T> __device__ __forceinline__ T scaled(T a, double by)
{
    c64 p = parts_of(a);
    return numbers<T>::make(p.re * by, p.im * by);
}
template <class T> __device__ __forceinline__ T negative(T a) { return multiply(numbers<T>::make(-1, 0), a); }
template <class T> __device__ __forceinline__ T conjugate_if(bool wanted, T a) { return wanted ? numbers<T>::conj(a) : a; }
__device__ __forceinline__ double size_of(c64 a)
{
    double p = a.re < 0 ? -a.re : a.re, q = a.im < 0 ? -a.im : a.im, large = p > q ? p : q, small = p > q ? q : p;
    return large == 0 ? 0 : large * sqrt(1 + small / large * (small / large));
}

template <class T> __device__ __forceinline__ T from_lane(T value, int lane) { return __shfl_xor_sync(~0u, value, lane); }
template <class R> __device__ __forceinline__ complex_of<R> from_lane(complex_of<R> value, int lane)
{
    return complex_of<R>{__shfl_xor_sync(~0u, value.re, lane), __shfl_xor_sync(~0u, value.im, lane)};
}
template <class T> __device__ __forceinline__ T sum_of_lanes(T value)
{
#pragma unroll 1
    for (int lane = 16; lane > 0; lane /= 2)
        value = add(value, from_lane(value, lane));
    return value;
}

__device__ inline double sum_of_cta(double value)
{
    __shared__ double parts[WARPS];
    value = sum_of_lanes(value);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < WARPS; i++)
        sum += parts[i];
    __syncthreads();
    return sum;
}

// The largest value of the threads' and its place, the first of several that are as large.
struct maximum {
    double value;
    int place;
};
__device__ inline maximum largest_of_cta(double value, int place)
{
    __shared__ double values[THREADS];
    __shared__ int places[THREADS];
    values[threadIdx.x] = value, places[threadIdx.x] = place;
#pragma unroll 1
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        __syncthreads();
        int mine = threadIdx.x, other = mine + distance;
        if (mine < distance &&
            (values[other] > values[mine] || (values[other] == values[mine] && places[other] < places[mine])))
            values[mine] = values[other], places[mine] = places[other];
    }
    __syncthreads();
    maximum found = {values[0], places[0]};
    __syncthreads();
    return found;
}

// Pair i of a round in which each of `count` columns (an even number) meets one other (a round-robin tournament).
struct pair {
    int p, q;
};
__device__ inline pair pair_of(int count, int round, int i)
{
    int others = count - 1, one = i ? (round + i) % others : others, two = (round - i + others) % others;
    return one < two ? pair{one, two} : pair{two, one};
}

// The rotation that makes the off-diagonal number of the matrix ((p, off), (conj(off), q)) zero: columns x and y become
// c x - conj(s) y and s x + c y.
template <class T> struct rotation {
    double c;
    T s; // 0: no rotation
};
template <class T> __device__ inline rotation<T> rotation_of(double p, double q, c64 off)
{
    double size = size_of(off), theta = (q - p) / (2 * size), root = theta < 0 ? -theta : theta;
    double t = (theta < 0 ? -1 : 1) / (root + (root > 1e100 ? root : sqrt(root * root + 1))), c = 1 / sqrt(t * t + 1);
    return rotation<T>{c, numbers<T>::make(t * c * (off.re / size), t * c * (off.im / size))};
}
template <class T> __device__ __forceinline__ void rotate(T &x, T &y, double c, T s)
{
    T cosine = numbers<T>::make(c, 0), p = x, q = y;
    x = mad(negative(numbers<T>::conj(s)), q, multiply(cosine, p));
    y = mad(s, p, multiply(cosine, q));
}

#define SOLVER_KERNEL(name, call)                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS) maniple_##name(const __grid_constant__ solver_system s)      \
    {                                                                                                                  \
        call(s);                                                                                                       \
    }
// A kernel in each of the four types.
#define SOLVER_KERNELS(name)                                                                                           \
    SOLVER_KERNEL(s##name, name<float>)                                                                                \
    SOLVER_KERNEL(d##name, name<double>)                                                                               \
    SOLVER_KERNEL(c##name, name<c32>)                                                                                  \
    SOLVER_KERNEL(z##name, name<c64>)

#endif
