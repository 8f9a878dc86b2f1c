// SPDX-License-Identifier: BSD-3-Clause
// Operations on vectors (level 1 of the BLAS). Sums go by a tree of fixed shape: the same bits in every run.
#include "mathlib/common/numbers.cuh"
#include "mathlib/blas/vectors.h"

#define EACH(n) for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)

template <class T> __device__ __forceinline__ void axpy(const mathlib_vectors &v)
{
    T alpha = scalar_value<T>(v.alpha);
    const T *x = (const T *)v.x;
    T *y = (T *)v.y;
    EACH(v.n) y[i * v.step_y] = mad(alpha, x[i * v.step_x], y[i * v.step_y]);
}
template <class T> __device__ __forceinline__ void scal(const mathlib_vectors &v)
{
    T alpha = scalar_value<T>(v.alpha);
    T *x = (T *)v.y;
    EACH(v.n) x[i * v.step_y] = multiply(alpha, x[i * v.step_y]);
}
template <class T> __device__ __forceinline__ void copy(const mathlib_vectors &v)
{
    const T *x = (const T *)v.x;
    T *y = (T *)v.y;
    EACH(v.n) y[i * v.step_y] = x[i * v.step_x];
}
// Part by part, so that clang keeps complex numbers in registers.
template <class T> __device__ __forceinline__ T held(const T &value) { return value; }
template <class R> __device__ __forceinline__ complex_of<R> held(const complex_of<R> &value)
{
    return complex_of<R>{value.re, value.im};
}
template <class T> __device__ __forceinline__ void swap(const mathlib_vectors &v)
{
    T *x = (T *)v.x, *y = (T *)v.y;
    EACH(v.n)
    {
        T p = held(x[i * v.step_x]), q = held(y[i * v.step_y]);
        x[i * v.step_x] = q;
        y[i * v.step_y] = p;
    }
}
// x = c x + s y, y = c y - conj(s) x
template <class T> __device__ __forceinline__ void rot(const mathlib_vectors &v)
{
    T c = numbers<T>::only_real(scalar_value<T>(v.alpha)), s = scalar_value<T>(v.beta);
    T minus = multiply(numbers<T>::make(-1, 0), numbers<T>::conj(s));
    T *x = (T *)v.x, *y = (T *)v.y;
    EACH(v.n)
    {
        T p = x[i * v.step_x], q = y[i * v.step_y];
        x[i * v.step_x] = mad(c, p, multiply(s, q));
        y[i * v.step_y] = mad(c, q, multiply(minus, p));
    }
}
// The modified rotation; its flag and numbers lie where `alpha` says, or are `matrix`.
template <class T> __device__ __forceinline__ void rotm(const mathlib_vectors &v)
{
    const T *p = (const T *)v.alpha.device;
    double flag = p ? p[0] : v.matrix[0];
    T h11 = p ? p[1] : v.matrix[1], h21 = p ? p[2] : v.matrix[2], h12 = p ? p[3] : v.matrix[3], h22 = p ? p[4] : v.matrix[4];
    if (flag == -2)
        return;
    if (flag == 0)
        h11 = h22 = 1;
    if (flag == 1)
        h12 = 1, h21 = -1;
    T *x = (T *)v.x, *y = (T *)v.y;
    EACH(v.n)
    {
        T a = x[i * v.step_x], b = y[i * v.step_y];
        x[i * v.step_x] = mad(h11, a, h12 * b);
        y[i * v.step_y] = mad(h21, a, h22 * b);
    }
}

// What a CTA has found out goes to `partial`; a last CTA brings it together.
template <class S> __device__ __forceinline__ S sum_of_cta(S value)
{
    __shared__ __align__(16) char memory[256 * sizeof(S)];
    S *all = (S *)memory;
    all[threadIdx.x] = value;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            all[threadIdx.x] = add(all[threadIdx.x], all[threadIdx.x + half]);
    }
    return all[0];
}
template <class T> __device__ __forceinline__ void dot(const mathlib_vectors &v)
{
    const T *x = (const T *)v.x, *y = (const T *)v.y;
    T sum = zero_of<T>();
    EACH(v.n) sum = mad(v.conjugate ? numbers<T>::conj(x[i * v.step_x]) : x[i * v.step_x], y[i * v.step_y], sum);
    sum = sum_of_cta(sum);
    if (threadIdx.x == 0)
        ((T *)v.partial)[blockIdx.x] = sum;
}
template <class T> __device__ __forceinline__ void asum(const mathlib_vectors &v)
{
    const T *x = (const T *)v.x;
    typedef typename numbers<T>::real R;
    R sum = 0;
    EACH(v.n) sum += numbers<T>::norm1(x[i * v.step_x]);
    sum = sum_of_cta(sum);
    if (threadIdx.x == 0)
        ((R *)v.partial)[blockIdx.x] = sum;
}
template <class T> __device__ __forceinline__ void add_up(const mathlib_vectors &v)
{
    T sum = zero_of<T>();
    for (int i = threadIdx.x; i < v.partials; i += 256)
        sum = add(sum, ((const T *)v.partial)[i]);
    sum = sum_of_cta(sum);
    if (threadIdx.x == 0)
        *(T *)v.y = sum;
}

// A sum of squares as scale^2 * sum, so that no square leaves the range of a double.
struct squares {
    double scale, sum;
};
__device__ __forceinline__ squares add(squares a, squares b)
{
    if (a.scale < b.scale) {
        squares held = a;
        a = b, b = held;
    }
    if (b.scale == 0 || a.scale == b.scale)
        return squares{a.scale, a.sum + (b.scale == 0 ? 0 : b.sum)};
    double ratio = b.scale / a.scale;
    return squares{a.scale, fma(b.sum * ratio, ratio, a.sum)};
}
__device__ __forceinline__ squares square_of(double value)
{
    value = value < 0 ? -value : value;
    return squares{value, value == 0 ? 0.0 : 1.0};
}
template <class R> __device__ __forceinline__ squares squares_of(R value) { return square_of(value); }
template <class R> __device__ __forceinline__ squares squares_of(complex_of<R> value) { return add(square_of(value.re), square_of(value.im)); }

// No square of a float leaves the range of a double.
template <class T> __device__ __forceinline__ void nrm2_floats(const mathlib_vectors &v)
{
    const T *x = (const T *)v.x;
    double sum = 0;
    _Pragma("unroll 4") EACH(v.n) sum += numbers<T>::square(x[i * v.step_x]);
    sum = sum_of_cta(sum);
    if (threadIdx.x == 0)
        ((squares *)v.partial)[blockIdx.x] = squares{1, sum};
}
template <class T> __device__ __forceinline__ void nrm2(const mathlib_vectors &v)
{
    const T *x = (const T *)v.x;
    squares sum = {0, 0};
    EACH(v.n) sum = add(sum, squares_of(x[i * v.step_x]));
    sum = sum_of_cta(sum);
    if (threadIdx.x == 0)
        ((squares *)v.partial)[blockIdx.x] = sum;
}
template <class R> __device__ __forceinline__ void root(const mathlib_vectors &v)
{
    squares sum = {0, 0};
    for (int i = threadIdx.x; i < v.partials; i += 256)
        sum = add(sum, ((const squares *)v.partial)[i]);
    sum = sum_of_cta(sum);
    if (threadIdx.x == 0)
        *(R *)v.y = (R)(sum.scale * sqrt(sum.sum));
}

// The largest or smallest number, of equal ones the first; places count from 1, 0 is none.
struct extreme {
    double value;
    long long place;
};
struct largest_of {
    extreme e;
};
struct smallest_of {
    extreme e;
};
__device__ __forceinline__ bool first(extreme a, extreme b, bool less)
{
    if (!a.place || !b.place)
        return b.place == 0;
    return a.value == b.value ? a.place < b.place : (a.value < b.value) == less;
}
__device__ __forceinline__ largest_of add(largest_of a, largest_of b) { return first(a.e, b.e, false) ? a : b; }
__device__ __forceinline__ smallest_of add(smallest_of a, smallest_of b) { return first(a.e, b.e, true) ? a : b; }
template <class T, class E> __device__ __forceinline__ void extreme_of(const mathlib_vectors &v)
{
    const T *x = (const T *)v.x;
    E found = {{0, 0}};
    EACH(v.n)
    {
        E here = {{(double)numbers<T>::norm1(x[i * v.step_x]), i + 1}};
        found = add(found, here);
    }
    found = sum_of_cta(found);
    if (threadIdx.x == 0)
        ((E *)v.partial)[blockIdx.x] = found;
}
template <class E> __device__ __forceinline__ void place_of(const mathlib_vectors &v)
{
    E found = {{0, 0}};
    for (int i = threadIdx.x; i < v.partials; i += 256)
        found = add(found, ((const E *)v.partial)[i]);
    found = sum_of_cta(found);
    if (threadIdx.x != 0)
        return;
    if (v.wide)
        *(long long *)v.y = found.e.place;
    else
        *(int *)v.y = (int)found.e.place;
}

#define KERNEL(name, call)                                                                                             \
    extern "C" __global__ void __launch_bounds__(256) maniple_##name(const __grid_constant__ mathlib_vectors v) { call(v); }
#define KERNELS(letter, T, R)                                                                                          \
    KERNEL(letter##axpy, axpy<T>)                                                                                      \
    KERNEL(letter##scal, scal<T>)                                                                                      \
    KERNEL(letter##copy, copy<T>)                                                                                      \
    KERNEL(letter##swap, swap<T>)                                                                                      \
    KERNEL(letter##rot, rot<T>)                                                                                        \
    KERNEL(letter##dot, dot<T>)                                                                                        \
    KERNEL(letter##dot_end, add_up<T>)                                                                                 \
    KERNEL(letter##asum, asum<T>)                                                                                      \
    KERNEL(letter##asum_end, add_up<R>)                                                                                \
    KERNEL(letter##nrm2_end, root<R>)                                                                                  \
    KERNEL(letter##amax, (extreme_of<T, largest_of>))                                                                  \
    KERNEL(letter##amin, (extreme_of<T, smallest_of>))
KERNELS(s, float, float)
KERNELS(d, double, double)
KERNELS(c, c32, float)
KERNELS(z, c64, double)
KERNEL(snrm2, nrm2_floats<float>)
KERNEL(dnrm2, nrm2<double>)
KERNEL(cnrm2, nrm2_floats<c32>)
KERNEL(znrm2, nrm2<c64>)
KERNEL(srotm, rotm<float>)
KERNEL(drotm, rotm<double>)
KERNEL(amax_end, place_of<largest_of>)
KERNEL(amin_end, place_of<smallest_of>)
