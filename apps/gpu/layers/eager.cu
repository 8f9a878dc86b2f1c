// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// Kernels of a framework that computes a norm one operator after the other: blocks of 128 threads, four numbers for
// each, which lie a block apart where types or extents differ and beside each other elsewhere.
#include "layers/numbers.h"

enum { THREADS = 128, EACH = 4 };

static __device__ u32 number_of(u32 i)
{
    return blockIdx.x * THREADS * EACH + i * THREADS + threadIdx.x;
}

#define EACH_NUMBER(i, count)                                                                                          \
    _Pragma("unroll") for (u32 at = 0; at < EACH; at++) if (u32 i = number_of(at); i < (count))

extern "C" __global__ void __launch_bounds__(THREADS) eager_widen(float *out, const u16 *in, u32 count)
{
    EACH_NUMBER(i, count)
    out[i] = low(in[i]);
}

extern "C" __global__ void __launch_bounds__(THREADS) eager_square(float *out, const float *in, u32 count)
{
    u32 i = GLOBAL_X;
    if (i * EACH >= count)
        return;
    float4 v = ((const float4 *)in)[i];
    ((float4 *)out)[i] = {v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w};
}

// A block of 512 threads for each row.
extern "C" __global__ void __launch_bounds__(512) eager_mean(float *out, const float *in, u32 width)
{
    __shared__ float sums[512];
    float sum[4] = {};
    const float4 *row = (const float4 *)(in + (u64)blockIdx.x * width);
    for (u32 i = threadIdx.x; i < width / 4; i += 512) {
        float4 v = row[i];
        sum[0] += v.x;
        sum[1] += v.y;
        sum[2] += v.z;
        sum[3] += v.w;
    }
    sums[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
    for (u32 i = 256; i >= 32; i /= 2) {
        __syncthreads();
        if (threadIdx.x < i)
            sums[threadIdx.x] += sums[threadIdx.x + i];
    }
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    float all = sum_of_warp(sums[threadIdx.x]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = all / width;
}

extern "C" __global__ void __launch_bounds__(THREADS) eager_add(float *x, u32 count)
{
    EACH_NUMBER(i, count)
    x[i] += 1e-5f;
}

extern "C" __global__ void __launch_bounds__(THREADS) eager_rsqrt(float *x, u32 count)
{
    EACH_NUMBER(i, count)
    x[i] = rsqrt_approx(x[i]);
}

extern "C" __global__ void __launch_bounds__(THREADS) eager_scale(float *x, const float *of_row, u32 count, u32 width)
{
    EACH_NUMBER(i, count)
    x[i] *= of_row[i / width];
}

extern "C" __global__ void __launch_bounds__(THREADS) eager_narrow(u16 *out, const float *in, u32 count)
{
    EACH_NUMBER(i, count)
    out[i] = (u16)pair_of(in[i], 0);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    eager_weigh(u16 *out, const u16 *in, const u16 *of_column, u32 count, u32 width)
{
    EACH_NUMBER(i, count)
    out[i] = (u16)pair_of(low(in[i]) * low(of_column[i % width]), 0);
}
