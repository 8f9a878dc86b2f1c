// SPDX-License-Identifier: BSD-3-Clause
// Generators of random numbers, from their publications: XORWOW (Marsaglia, 2003), MRG32k3a (L'Ecuyer, 1999), Philox4x32-10
// (Salmon et al., SC 2011), Sobol's sequence in Gray-code order (Antonov and Saleev, 1979); and distributions.
#include "mathlib/common/functions.cuh"
#include "mathlib/rand/rand.h"

#define KERNEL(name, what) extern "C" __global__ void __launch_bounds__(256) maniple_##name(const __grid_constant__ what v)

// Each thread is one of RAND_STREAMS generators, and goes on from where it was.
KERNEL(rand_xorwow, rand_fill)
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x, *state = (unsigned *)v.states + stream * 6, *to = (unsigned *)v.to;
    unsigned d = state[0], a = state[1], b = state[2], c = state[3], e = state[4], f = state[5];
    unsigned long long i = (stream + RAND_STREAMS - v.first % RAND_STREAMS) % RAND_STREAMS;
    for (; i < v.count; i += RAND_STREAMS) {
        unsigned t = a ^ (a >> 2);
        a = b, b = c, c = e, e = f;
        f = (f ^ (f << 4)) ^ (t ^ (t << 1));
        d += 362437;
        to[i] = d + f;
    }
    state[0] = d, state[1] = a, state[2] = b, state[3] = c, state[4] = e, state[5] = f;
}

KERNEL(rand_mrg, rand_fill)
{
    const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x, *state = (unsigned *)v.states + stream * 6, *to = (unsigned *)v.to;
    unsigned long long a = state[0], b = state[1], c = state[2], p = state[3], q = state[4], r = state[5];
    unsigned long long i = (stream + RAND_STREAMS - v.first % RAND_STREAMS) % RAND_STREAMS;
    for (; i < v.count; i += RAND_STREAMS) {
        unsigned long long x = (1403580ull * b + 810728ull * (m1 - a)) % m1, y = (527612ull * r + 1370589ull * (m2 - p)) % m2;
        a = b, b = c, c = x;
        p = q, q = r, r = y;
        to[i] = (unsigned)(x > y ? x - y : x + m1 - y); // from 1 to m1
    }
    state[0] = (unsigned)a, state[1] = (unsigned)b, state[2] = (unsigned)c;
    state[3] = (unsigned)p, state[4] = (unsigned)q, state[5] = (unsigned)r;
}

KERNEL(rand_philox, rand_fill)
{
    unsigned long long block = v.first / 4 + blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    unsigned x[4] = {(unsigned)block, (unsigned)(block >> 32), 0, 0}, k0 = (unsigned)v.seed, k1 = (unsigned)(v.seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        unsigned h0 = __umulhi(0xD2511F53u, x[0]), l0 = 0xD2511F53u * x[0], h1 = __umulhi(0xCD9E8D57u, x[2]), l1 = 0xCD9E8D57u * x[2];
        unsigned y1 = x[1], y3 = x[3];
        x[0] = h1 ^ y1 ^ k0, x[1] = l1, x[2] = h0 ^ y3 ^ k1, x[3] = l0;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned long long at = block * 4 + i;
        if (at >= v.first && at - v.first < v.count)
            ((unsigned *)v.to)[at - v.first] = x[i];
    }
}

// Numbers of the first dimension, then of the second, and so on.
template <class WORD> __device__ __forceinline__ void sobol(const rand_fill &v)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= v.count)
        return;
    const WORD *vectors = (const WORD *)v.vectors + i / v.each * (8 * sizeof(WORD));
    unsigned long long at = v.first + i % v.each, gray = at ^ (at >> 1);
    WORD x = 0;
    for (int bit = 0; gray; bit++, gray >>= 1)
        if (gray & 1)
            x ^= vectors[bit];
    ((WORD *)v.to)[i] = x;
}
KERNEL(rand_sobol32, rand_fill) { sobol<unsigned>(v); }
KERNEL(rand_sobol64, rand_fill) { sobol<unsigned long long>(v); }

// ===== distributions =====

__device__ __forceinline__ float uniform(const rand_change &v, unsigned long long i)
{
    const unsigned *word = (const unsigned *)v.from;
    if (v.wide)
        return (float)(((const unsigned long long *)v.from)[i] >> 40) * 5.9604644775390625e-08f + 2.98023223876953125e-08f;
    if (v.scaled)
        return (float)(word[i] * 2.3283065498378288e-10);
    return word[i] * 2.3283064365386963e-10f + 1.16415321826934815e-10f;
}
// Of two words where they have 32 bits.
__device__ __forceinline__ double uniform_double(const rand_change &v, unsigned long long i)
{
    const unsigned *word = (const unsigned *)v.from;
    if (v.wide)
        return (double)(((const unsigned long long *)v.from)[i] >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
    if (v.quasi)
        return word[i] * 2.3283064365386963e-10 + 1.16415321826934815e-10;
    if (v.scaled)
        return word[i] * 2.3283065498378288e-10;
    unsigned long long z = word[2 * i] ^ (unsigned long long)word[2 * i + 1] << 21;
    return z * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

KERNEL(rand_uniform, rand_change)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < v.count)
        ((float *)v.to)[i] = uniform(v, i);
}
KERNEL(rand_uniform_double, rand_change)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < v.count)
        ((double *)v.to)[i] = uniform_double(v, i);
}

// Box and Muller (1958), of neighbours; quasi-random numbers by the inverse of the distribution.
template <class R> __device__ __forceinline__ void normal(const rand_change &v)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, at = v.quasi ? i : 2 * i;
    const bool twice = sizeof(R) == 8;
    if (at >= v.count)
        return;
    R z[2];
    if (v.quasi) {
        z[0] = (R)normcdfinv(uniform_double(v, i)), z[1] = 0;
    } else if (twice) {
        double radius = sqrt(-2 * log(uniform_double(v, at))), s, c;
        sincospi(2 * uniform_double(v, at + 1), &s, &c);
        z[0] = (R)(radius * s), z[1] = (R)(radius * c);
    } else {
        float radius = sqrtf(-2 * logf(uniform(v, at))), s, c;
        sincospif(2 * uniform(v, at + 1), &s, &c);
        z[0] = radius * s, z[1] = radius * c;
    }
    for (int n = 0; n < (v.quasi ? 1 : 2) && at + n < v.count; n++) {
        R value = (R)v.mean + (R)v.deviation * z[n];
        ((R *)v.to)[at + n] = v.logarithmic ? (twice ? (R)exp((double)value) : (R)expf((float)value)) : value;
    }
}
KERNEL(rand_normal, rand_change) { normal<float>(v); }
KERNEL(rand_normal_double, rand_change) { normal<double>(v); }

// By the inverse of the sum: mean values up to some hundreds. Beyond, the nearest number of a normal distribution.
KERNEL(rand_poisson, rand_change)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= v.count)
        return;
    double u = v.wide ? uniform_double(v, i) : ((const unsigned *)v.from)[i] * 2.3283064365386963e-10 + 1.16415321826934815e-10;
    unsigned k = 0;
    if (v.mean > 500) {
        double z = v.mean + sqrt(v.mean) * normcdfinv(u);
        k = z < 0 ? 0 : (unsigned)(z + 0.5);
    } else {
        double term = exp(-v.mean), sum = term;
        while (u > sum && term > 0) {
            k++;
            term *= v.mean / k;
            sum += term;
        }
    }
    ((unsigned *)v.to)[i] = k;
}
