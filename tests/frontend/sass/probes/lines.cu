// SPDX-License-Identifier: BSD-3-Clause
// Lines of machine code (nvcc -lineinfo -cubin): an access outside all allocations at a line of its own, and one in an
// inlined function.
__device__ __forceinline__ void put(float *at, float value)
{
    at[1ull << 40] = value;
}

extern "C" __global__ void plain(float *out)
{
    out[threadIdx.x] = 1.0f;
    out[threadIdx.x + (1ull << 40)] = 2.0f;
}

extern "C" __global__ void inlined(float *out)
{
    out[threadIdx.x] = 1.0f;
    put(out + threadIdx.x, 2.0f);
}
