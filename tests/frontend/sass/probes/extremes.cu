// SPDX-License-Identifier: BSD-3-Clause
// The least and the greatest of three halves, which sm_90 has an operation for: pairs and single ones, with the other rule
// for what is no number, signs and absolute values, .bf16, constants and parameters. nvcc -O3 -arch=sm_90 -cubin, -ptx.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned u32;

template <typename To, typename From> __device__ To as(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "the same bits");
    memcpy(&to, &from, sizeof to);
    return to;
}

extern "C" __global__ void extremes(const u32 *in, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    __half2 a = as<__half2>(in[i]), b = as<__half2>(in[i + threads]), c = as<__half2>(in[i + 2 * threads]);
    out[i] = as<u32>(__hmax2(__hmax2(a, b), c));
    out[i + threads] = as<u32>(__hmin2(__hmin2(a, b), c));
    out[i + 2 * threads] = as<u32>(__hmax2_nan(__hmax2_nan(a, b), c));
    out[i + 3 * threads] = as<u32>(__hmin2_nan(__hmin2_nan(a, b), c));
    out[i + 4 * threads] = as<u32>(__hmax2(__hmax2(__habs2(a), __hneg2(b)), __habs2(c)));
    out[i + 5 * threads] = as<u32>(__hmin2(__hmin2(a, __float2half2_rn(1.5f)), c));
    out[i + 6 * threads] = as<unsigned short>(__hmax(__hmax(__low2half(a), __high2half(b)), __high2half(c)));
    out[i + 7 * threads] =
        as<unsigned short>(__hmax(__hmax(__habs(__low2half(a)), __habs(__low2half(b))), __float2half(2.5f)));
    __nv_bfloat162 x = as<__nv_bfloat162>(in[i]), y = as<__nv_bfloat162>(in[i + threads]);
    __nv_bfloat162 z = as<__nv_bfloat162>(in[i + 2 * threads]);
    out[i + 8 * threads] = as<u32>(__hmax2(__hmax2(x, y), z));
    out[i + 9 * threads] = as<u32>(__hmin2_nan(__hmin2_nan(x, y), z));
    out[i + 10 * threads] = as<u32>(__hmin2(__hmin2(__habs2(x), y), __hneg2(z)));
}
