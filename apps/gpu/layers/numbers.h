/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of bfloat16 in registers and memory, as all kernels of layers have them. */
#ifndef LAYERS_NUMBERS_H
#define LAYERS_NUMBERS_H

#include "common/device.h"

struct vector { // eight numbers of bfloat16
    u32 x, y, z, w;
};

static inline __device__ vector load(const u16 *from)
{
    vector v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
    return v;
}

static inline __device__ void store(u16 *to, vector v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
}

static inline __device__ float low(u32 pair)
{
    return __uint_as_float(pair << 16);
}

static inline __device__ float high(u32 pair)
{
    return __uint_as_float(pair & 0xffff0000);
}

static inline __device__ u32 pair_of(float lower, float upper)
{
    u32 pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(upper), "f"(lower));
    return pair;
}

static inline __device__ void widen(float (&to)[8], vector v)
{
    const u32 pairs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        to[2 * i] = low(pairs[i]);
        to[2 * i + 1] = high(pairs[i]);
    }
}

static inline __device__ vector narrow(const float (&from)[8])
{
    return {pair_of(from[0], from[1]), pair_of(from[2], from[3]), pair_of(from[4], from[5]), pair_of(from[6], from[7])};
}

static inline __device__ float sum_of_warp(float x)
{
#pragma unroll
    for (u32 i = 16; i; i /= 2)
        x += __shfl_xor_sync(0xffffffff, x, i);
    return x;
}

#endif
