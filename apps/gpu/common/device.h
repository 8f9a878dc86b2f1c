/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that kernels of several workloads use. Functions that hardware approximates are named after their instruction:
 * the programs compare with the host within a tolerance that allows for them.
 */
#ifndef APP_DEVICE_H
#define APP_DEVICE_H

#include "maniple/device.h"

typedef unsigned int u32;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;

/* The index of this thread in a grid of one dimension, and in both directions of one of two. */
#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)

static inline __device__ float ex2_approx(float x)
{
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float lg2_approx(float x)
{
    float y;
    asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float sin_approx(float x)
{
    float y;
    asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float cos_approx(float x)
{
    float y;
    asm("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float rsqrt_approx(float x)
{
    float y;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float sqrt_rn(float x)
{
    float y;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float exp_approx(float x)
{
    return ex2_approx(x * 1.44269504f);
}
static inline __device__ float log_approx(float x)
{
    return lg2_approx(x) * 0.693147181f;
}
static inline __device__ float tanh_approx(float x)
{
    return 1.0f - 2.0f / (exp_approx(2.0f * x) + 1.0f);
}
static inline __device__ float min_f(float a, float b)
{
    return a < b ? a : b;
}
static inline __device__ float max_f(float a, float b)
{
    return a > b ? a : b;
}

#endif
