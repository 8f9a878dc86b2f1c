// SPDX-License-Identifier: BSD-3-Clause
// Kernels without a fault: no rule of `maniple report` is to fire on them.
// nvcc sm_86
// lines

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

KERNEL good_add(float4 *out, const float4 *in, int n)
{
    for (int k = 0; k < n; k++) {
        float4 a = __ldcs(&in[k * THREADS + THREAD]), b = __ldcs(&in[(n + k) * THREADS + THREAD]);
        out[k * THREADS + THREAD] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

KERNEL good_copy(float *out, const float *in, int n)
{
#pragma unroll 4
    for (int k = 0; k < n; k++)
        out[k * THREADS + THREAD] = in[k * THREADS + THREAD];
}

KERNEL good_multiply_add(float *out, const float *in, int n)
{
    float a[8], all = 0;
    for (int i = 0; i < 8; i++)
        a[i] = (float)(threadIdx.x + i);
#pragma unroll 4
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            a[i] = a[i] * 1.5f + 2.5f;
    for (int i = 0; i < 8; i++)
        all += a[i];
    out[THREAD] = all;
}

KERNEL good_integers(float *out, const float *in, int n)
{
    unsigned a = THREAD, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        a = (a ^ b) + 0x9e3779b9u;
        b = (b ^ c) + 0x7f4a7c15u;
        c = (c ^ d) + 0x94d049bbu;
        d = (d ^ a) + 0x133111ebu;
    }
    out[THREAD] = (float)(a ^ b ^ c ^ d);
}

// A transposition through shared memory, with a pad.
KERNEL good_transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 32; i += 8)
            tile[y + i][x] = in[((blockIdx.x * n + k) * 32 + y + i) * 32 + x];
        __syncthreads();
        for (int i = 0; i < 32; i += 8)
            out[((blockIdx.x * n + k) * 32 + y + i) * 32 + x] = tile[x][y + i];
        __syncthreads();
    }
}

KERNEL good_sum(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += in[k * THREADS + THREAD];
    for (int lanes = 16; lanes; lanes /= 2)
        sum += __shfl_xor_sync(~0u, sum, lanes);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(out + THREAD / 32 * 8, sum);
}

// Bodies that attract one another, from registers and shared memory.
KERNEL good_bodies(float *out, const float *in, int n)
{
    __shared__ float4 bodies[256];
    float x = (float)threadIdx.x, y = x + 1, ax = 0, ay = 0, bx = 0, by = 0;
    bodies[threadIdx.x] = make_float4(x, y, 1, 1);
    __syncthreads();
    for (int k = 0; k < n; k++)
#pragma unroll 8
        for (int i = 0; i < 256; i++) {
            float4 other = bodies[i];
            float dx = other.x - x, dy = other.y - y, ex = other.x - y, ey = other.y - x;
            ax = dx * other.z + ax;
            ay = dy * other.z + ay;
            bx = ex * other.w + bx;
            by = ey * other.w + by;
        }
    out[THREAD] = ax + ay + bx + by;
}

KERNEL good_scale(float2 *out, const float2 *in, int n)
{
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        float2 a = in[k * THREADS + THREAD];
        out[k * THREADS + THREAD] = make_float2(a.x * 2.5f, a.y * 2.5f);
    }
}

KERNEL good_half(unsigned *out, const unsigned *in, int n)
{
    unsigned a[4];
    for (int i = 0; i < 4; i++)
        a[i] = 0x3c003c00u + threadIdx.x;
#pragma unroll 8
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            asm("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a[i]) : "r"(0x38003800u));
    out[THREAD] = a[0] ^ a[1] ^ a[2] ^ a[3];
}

// A filter of three points from the L2's lines in order.
KERNEL good_stencil(float *out, const float *in, int n)
{
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        int at = k * THREADS + THREAD;
        float own = in[at], left = __shfl_up_sync(~0u, own, 1), right = __shfl_down_sync(~0u, own, 1);
        out[at] = 0.25f * left + 0.5f * own + 0.25f * right;
    }
}
