// SPDX-License-Identifier: BSD-3-Clause
/* Numbers that kernels of the mathematics libraries calculate with: real, complex and half ones behind one set of names. */
#ifndef MATHLIB_NUMBERS_CUH
#define MATHLIB_NUMBERS_CUH

#include "mathlib/common/half.cuh"
#include "mathlib/common/scalar.h"

template <class R> struct alignas(2 * sizeof(R)) complex_of {
    R re, im;
};
typedef complex_of<float> c32;
typedef complex_of<double> c64;

template <class T> struct numbers { // real types
    typedef T real;
    static __device__ T make(double re, double) { return (T)re; }
    static __device__ T conj(T a) { return a; }
    static __device__ T norm1(T a) { return a < 0 ? -a : a; }
    static __device__ double square(T a) { return (double)a * (double)a; }
    static __device__ T only_real(T a) { return a; }
};
template <class R> struct numbers<complex_of<R>> {
    typedef R real;
    typedef complex_of<R> C;
    static __device__ C make(double re, double im) { return C{(R)re, (R)im}; }
    static __device__ C conj(C a) { return C{a.re, -a.im}; }
    static __device__ R norm1(C a) { return (a.re < 0 ? -a.re : a.re) + (a.im < 0 ? -a.im : a.im); }
    static __device__ double square(C a) { return (double)a.re * a.re + (double)a.im * a.im; }
    static __device__ C only_real(C a) { return C{a.re, 0}; }
};

template <class T> __device__ __forceinline__ T add(T a, T b) { return a + b; }
template <class R> __device__ __forceinline__ complex_of<R> add(complex_of<R> a, complex_of<R> b)
{
    return complex_of<R>{a.re + b.re, a.im + b.im};
}
template <class T> __device__ __forceinline__ T multiply(T a, T b) { return a * b; }
template <class R> __device__ __forceinline__ complex_of<R> multiply(complex_of<R> a, complex_of<R> b)
{
    return complex_of<R>{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T> __device__ __forceinline__ T divide(T a, T b) { return a / b; }
template <class R> __device__ __forceinline__ complex_of<R> divide(complex_of<R> a, complex_of<R> b)
{
    // Smith's way: no square of the divisor, which could leave the range.
    R p = b.re < 0 ? -b.re : b.re, q = b.im < 0 ? -b.im : b.im;
    if (p >= q) {
        R ratio = b.im / b.re, below = b.re + b.im * ratio;
        return complex_of<R>{(a.re + a.im * ratio) / below, (a.im - a.re * ratio) / below};
    }
    R ratio = b.re / b.im, below = b.re * ratio + b.im;
    return complex_of<R>{(a.re * ratio + a.im) / below, (a.im * ratio - a.re) / below};
}
// sum + a * b
template <class T> __device__ __forceinline__ T mad(T a, T b, T sum) { return a * b + sum; }
template <> __device__ __forceinline__ float mad(float a, float b, float sum) { return fmaf(a, b, sum); }
template <> __device__ __forceinline__ double mad(double a, double b, double sum) { return fma(a, b, sum); }
template <class R> __device__ __forceinline__ complex_of<R> mad(complex_of<R> a, complex_of<R> b, complex_of<R> sum)
{
    return complex_of<R>{mad(-a.im, b.im, mad(a.re, b.re, sum.re)), mad(a.im, b.re, mad(a.re, b.im, sum.im))};
}
template <class T> __device__ __forceinline__ T zero_of() { return numbers<T>::make(0, 0); }
template <class T> __device__ __forceinline__ bool is_zero(T a) { return a == 0; }
template <class R> __device__ __forceinline__ bool is_zero(complex_of<R> a) { return a.re == 0 && a.im == 0; }

// Between what lies in memory and what is calculated with.
template <class TO, class FROM> __device__ __forceinline__ TO convert(FROM a) { return (TO)a; }

// A scalar that the host gave by value, or an address of the device at which it lies.
template <class T> __device__ __forceinline__ T scalar_value(const struct mathlib_scalar &s)
{
    const void *p = s.device;
    if (!p)
        return numbers<T>::make(s.re, s.im);
    switch (s.type) {
    case MATHLIB_F32:
        return numbers<T>::make(*(const float *)p, 0);
    case MATHLIB_F64:
        return numbers<T>::make(*(const double *)p, 0);
    case MATHLIB_C32:
        return numbers<T>::make(((const float *)p)[0], s.conjugate ? -((const float *)p)[1] : ((const float *)p)[1]);
    case MATHLIB_C64:
        return numbers<T>::make(((const double *)p)[0], s.conjugate ? -((const double *)p)[1] : ((const double *)p)[1]);
    case MATHLIB_F16:
        return numbers<T>::make((float)*(const f16 *)p, 0);
    case MATHLIB_BF16:
        return numbers<T>::make((float)*(const bf16 *)p, 0);
    default:
        return numbers<T>::make(*(const int *)p, 0);
    }
}

#endif
