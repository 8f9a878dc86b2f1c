// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Fourier transforms of lines that fit shared memory, by Stockham's way (the order comes out right by itself; after
// Govindaraju et al., SC 2008), radices up to 13; and tables of roots of unity.
#include "mathlib/common/numbers.cuh"
#include "mathlib/fft/pass.h"

template <class C> __device__ inline C less(C a, C b) { return C{a.re - b.re, a.im - b.im}; }
// times -i
template <class C> __device__ inline C turned(C a) { return C{a.im, -a.re}; }

__device__ inline long long place(const fft_pass &p, const fft_lines &l, long long line)
{
    long long at = 0;
    for (int i = 0; i < FFT_LEVELS; i++) {
        at += line % p.count[i] * l.level[i];
        line /= p.count[i];
    }
    return at;
}

template <class R> __device__ inline complex_of<R> read(const fft_pass &p, long long line, int k)
{
    typedef complex_of<R> C;
    long long base = place(p, p.in, line);
    C value = {0, 0};
    if (p.in.numbers == FFT_REAL) {
        if (k < p.in.limit)
            value.re = ((const R *)p.in.data)[base + k * p.in.step];
    } else if (p.in.numbers == FFT_HALF) {
        bool mirrored = k > p.n / 2;
        value = ((const C *)p.in.data)[base + (mirrored ? p.n - k : k) * p.in.step];
        if (mirrored)
            value.im = -value.im;
        if (k == 0 || 2 * k == p.n)
            value.im = 0;
    } else if (k < p.in.limit) {
        value = ((const C *)p.in.data)[base + k * p.in.step];
    }
    if (p.in.conjugate)
        value.im = -value.im;
    if (p.factor_in)
        value = multiply(value, ((const C *)p.factor_in)[k]);
    if (p.inverse)
        value.im = -value.im;
    return value;
}

template <class R> __device__ inline void write(const fft_pass &p, long long line, int k, complex_of<R> value)
{
    typedef complex_of<R> C;
    if (k >= p.out.limit)
        return;
    if (p.twiddle) {
        double c, s, turns = 2.0 * (double)(line % p.count[0] * k % p.twiddle) / (double)p.twiddle;
        sincospi(turns, &s, &c);
        value = multiply(value, C{(R)c, (R)-s});
    }
    if (p.inverse)
        value.im = -value.im;
    if (p.factor)
        value = multiply(value, ((const C *)p.factor)[k]);
    if (p.out.conjugate)
        value.im = -value.im;
    if (p.scale != 1)
        value = C{(R)(value.re * p.scale), (R)(value.im * p.scale)};
    long long at = place(p, p.out, line) + k * p.out.step;
    if (p.out.numbers == FFT_REAL)
        ((R *)p.out.data)[at] = value.re;
    else
        ((C *)p.out.data)[at] = value;
}

template <class C> __device__ inline void butterfly2(C *v)
{
    C a = v[0];
    v[0] = add(a, v[1]), v[1] = less(a, v[1]);
}
template <class C> __device__ inline void butterfly4(C *v)
{
    C a = add(v[0], v[2]), b = less(v[0], v[2]), c = add(v[1], v[3]), d = turned(less(v[1], v[3]));
    v[0] = add(a, c), v[1] = add(b, d), v[2] = less(a, c), v[3] = less(b, d);
}
template <class R> __device__ inline void butterfly8(complex_of<R> *v)
{
    typedef complex_of<R> C;
    const R h = (R)0.70710678118654752440;
    C even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    butterfly4(even), butterfly4(odd);
    odd[1] = C{(odd[1].re + odd[1].im) * h, (odd[1].im - odd[1].re) * h};
    odd[2] = turned(odd[2]);
    odd[3] = C{(odd[3].im - odd[3].re) * h, (-odd[3].im - odd[3].re) * h};
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = add(even[i], odd[i]), v[i + 4] = less(even[i], odd[i]);
}

// One butterfly of radix RADIX: input j + q n / RADIX, output (j / done) done RADIX + j % done + q done.
template <class R, int RADIX>
__device__ inline void step(const complex_of<R> *from, complex_of<R> *to, const complex_of<R> *roots, int n, int done, int j)
{
    typedef complex_of<R> C;
    C v[RADIX];
    int within = j % done, apart = n / RADIX, turn = within * (apart / done);
#pragma unroll
    for (int q = 0; q < RADIX; q++) {
        v[q] = from[j + q * apart];
        if (q > 0 && done > 1)
            v[q] = multiply(v[q], roots[q * turn]);
    }
    int at = (j / done) * done * RADIX + within;
    if constexpr (RADIX == 2 || RADIX == 4 || RADIX == 8) {
        if (RADIX == 2)
            butterfly2(v);
        else if (RADIX == 4)
            butterfly4(v);
        else
            butterfly8(v);
#pragma unroll
        for (int q = 0; q < RADIX; q++)
            to[at + q * done] = v[q];
        return;
    }
#pragma unroll
    for (int s = 0; s < RADIX; s++) {
        C sum = v[0];
#pragma unroll
        for (int q = 1; q < RADIX; q++)
            sum = s == 0 ? add(sum, v[q]) : mad(v[q], roots[q * s % RADIX * apart], sum);
        to[at + s * done] = sum;
    }
}

template <class R> __device__ inline void transform(const fft_pass &p)
{
    typedef complex_of<R> C;
    extern __shared__ __align__(16) char shared[];
    int n = p.n, total = p.group * n;
    C *from = (C *)shared, *to = from + total;
    const C *roots = (const C *)p.roots;
    long long first = (long long)blockIdx.x * p.group;
    for (int i = threadIdx.x; i < total; i += blockDim.x) {
        int line = p.adjacent_in ? i % p.group : i / n, k = p.adjacent_in ? i / p.group : i % n;
        if (first + line < p.lines)
            from[line * n + k] = read<R>(p, first + line, k);
    }
    int done = 1;
    for (int f = 0; f < p.radices; f++) {
        __syncthreads();
        int radix = p.radix[f], each = n / radix;
        for (int i = threadIdx.x; i < p.group * each; i += blockDim.x) {
            int line = i / each, j = i % each;
            const C *in = from + line * n;
            C *out = to + line * n;
            switch (radix) {
            case 8: step<R, 8>(in, out, roots, n, done, j); break;
            case 4: step<R, 4>(in, out, roots, n, done, j); break;
            case 2: step<R, 2>(in, out, roots, n, done, j); break;
            case 3: step<R, 3>(in, out, roots, n, done, j); break;
            case 5: step<R, 5>(in, out, roots, n, done, j); break;
            case 7: step<R, 7>(in, out, roots, n, done, j); break;
            case 11: step<R, 11>(in, out, roots, n, done, j); break;
            default: step<R, 13>(in, out, roots, n, done, j); break;
            }
        }
        done *= radix;
        C *held = from;
        from = to, to = held;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < total; i += blockDim.x) {
        int line = p.adjacent_out ? i % p.group : i / n, k = p.adjacent_out ? i / p.group : i % n;
        if (first + line < p.lines)
            write(p, first + line, k, from[line * n + k]);
    }
}

// Numbers from one place to another, with their factors: what comes before and after transforms that take several passes.
template <class R> __device__ inline void move(const fft_pass &p)
{
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= p.lines * p.n)
        return;
    write(p, at / p.n, (int)(at % p.n), read<R>(p, at / p.n, (int)(at % p.n)));
}

template <class R> __device__ inline void table(const fft_table &t)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= t.count)
        return;
    long long k = t.mirrored && 2 * i > t.count ? t.count - i : i;
    double c = 0, s = 0;
    if (k < t.filled)
        sincospi(t.chirp ? (double)(k * k % (2 * t.n)) / (double)t.n : 2.0 * (double)k / (double)t.n, &s, &c);
    ((complex_of<R> *)t.data)[i] = complex_of<R>{(R)c, (R)(t.mirrored ? s : -s)};
}

#define KERNEL(name, threads, what, call)                                                                              \
    extern "C" __global__ void __launch_bounds__(threads) maniple_##name(const __grid_constant__ what v) { call(v); }
KERNEL(cfft, 256, fft_pass, transform<float>)
KERNEL(zfft, 256, fft_pass, transform<double>)
KERNEL(cfft_move, 256, fft_pass, move<float>)
KERNEL(zfft_move, 256, fft_pass, move<double>)
KERNEL(cfft_table, 256, fft_table, table<float>)
KERNEL(zfft_table, 256, fft_table, table<double>)
