// SPDX-License-Identifier: BSD-3-Clause
/* Numbers of 16 bits as they lie in memory: halves and bfloat16. Kernels calculate with floats. */
#ifndef MATHLIB_HALF_CUH
#define MATHLIB_HALF_CUH

#include "maniple/device.h"

struct alignas(2) f16 {
    unsigned short bits;
    f16() = default;
    __device__ explicit f16(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
    __device__ explicit operator float() const
    {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

struct alignas(2) bf16 {
    unsigned short bits;
    bf16() = default;
    // To the nearest, of two the even one; a NaN becomes 0x7FFF.
    __device__ explicit bf16(float value)
    {
#if __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
        unsigned word = __builtin_bit_cast(unsigned, value);
        bits = (word & 0x7FFFFFFF) > 0x7F800000 ? 0x7FFF : (unsigned short)((word + 0x7FFF + (word >> 16 & 1)) >> 16);
#endif
    }
    __device__ explicit operator float() const { return __builtin_bit_cast(float, (unsigned)bits << 16); }
};

#endif
