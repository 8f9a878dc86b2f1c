// SPDX-License-Identifier: BSD-3-Clause
// Small kernels, each with one fault that costs it time (bad_…), and the same kernel mended in its source (good_…). The
// tables in faults.c say how each is launched, and which rule of `maniple report` is to name the fault.
// nvcc sm_86
// lines

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

// A lane reads a row of 32 words: 32 lines for each load of a warp.
KERNEL bad_row_loads(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[THREAD * n + k]);
    out[THREAD] = sum;
}

KERNEL good_row_loads(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[k * THREADS + THREAD]);
    out[THREAD] = sum;
}

// The same with stores.
KERNEL bad_row_stores(float *out, const float *in, int n)
{
#pragma unroll 8
    for (int k = 0; k < n; k++)
        out[THREAD * n + k] = (float)k;
}

KERNEL good_row_stores(float *out, const float *in, int n)
{
#pragma unroll 8
    for (int k = 0; k < n; k++)
        out[k * THREADS + THREAD] = (float)k;
}

// A column of a square tile in shared memory lies in one bank.
template <int pitch> static __device__ void transpose(float *out, int n)
{
    __shared__ float tile[32 * pitch];
    int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    float sum = 0;
    tile[y * pitch + x] = (float)x;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < n; k++)
        sum += tile[x * pitch + ((y + k) & 31)];
    out[THREAD] = sum;
}

KERNEL bad_bank_column(float *out, const float *in, int n)
{
    transpose<32>(out, n);
}

KERNEL good_bank_column(float *out, const float *in, int n)
{
    transpose<33>(out, n);
}

// A value that goes to local memory and back, as spilled registers do, between steps that need it; mended, it does not.
#define EACH8(DO) DO(0) DO(4) DO(8) DO(12) DO(16) DO(20) DO(24) DO(28)
#define STEP_SPILLED(AT)                                                                                               \
    asm volatile("st.local.f32 [spill+" #AT "], %0;" : : "f"(sum));                                                    \
    asm volatile("ld.local.f32 %0, [spill+" #AT "];" : "=f"(sum));                                                     \
    STEP_KEPT(AT)
#define STEP_KEPT(AT)                                                                                                  \
    for (int i = 0; i < 10; i++)                                                                                        \
        sum = sum * 0.5f + 1.5f;

KERNEL bad_local_array(float *out, const float *in, int n)
{
    float sum = (float)threadIdx.x;
    asm volatile(".local .align 4 .b8 spill[64];");
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        EACH8(STEP_SPILLED)
    }
    out[THREAD] = sum;
}

KERNEL good_local_array(float *out, const float *in, int n)
{
    float sum = (float)threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        EACH8(STEP_KEPT)
    }
    out[THREAD] = sum;
}

// All warps add to one word; mended, each to its own.
template <int apart> static __device__ void count(float *out, int n)
{
    float a = (float)threadIdx.x, b = a + 1;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            a = a * 1.5f + 2.5f;
            b = b * 1.5f + 2.5f;
        }
        if ((threadIdx.x & 31) == 0)
            atomicAdd((int *)out + THREAD / 32 * apart, k);
    }
    out[(1 << 20) + THREAD] = a + b;
}

KERNEL bad_hot_atomic(float *out, const float *in, int n)
{
    count<0>(out, n);
}

KERNEL good_hot_atomic(float *out, const float *in, int n)
{
    count<8>(out, n);
}

// Arithmetic that depends on nothing else: `parts` sums of n steps in all.
template <int parts> static __device__ float chains(float start, int n)
{
    float sum[parts], all = 0;
    for (int i = 0; i < parts; i++)
        sum[i] = start + i;
#pragma unroll 1
    for (int k = 0; k < n; k += 160)
#pragma unroll
        for (int i = 0; i < 160; i++)
            sum[i % parts] = sum[i % parts] * 1.5f + 2.5f;
    for (int i = 0; i < parts; i++)
        all += sum[i];
    return all;
}

// The work of one CTA in place of four, or eight: n is said by the launch.
KERNEL bad_one_cta(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}

KERNEL good_one_cta(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}

// One CTA more than there is room for.
KERNEL bad_tail(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}

KERNEL good_tail(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}

// Loads that follow one another: only other warps hide them.
static __device__ int walk(const int *in, int from, int n)
{
    int at = from;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        at = __ldcg(&in[(at & 4095) + k]) + from;
    return at;
}

// A table in shared memory, or many registers, leave room for few CTAs.
KERNEL bad_shared_table(float *out, const float *in, int n)
{
    extern __shared__ float table[];
    table[threadIdx.x] = 0;
    out[THREAD] = (float)walk((const int *)in, THREAD, n);
}

KERNEL good_shared_table(float *out, const float *in, int n)
{
    extern __shared__ float table[];
    table[threadIdx.x] = 0;
    out[THREAD] = (float)walk((const int *)in, THREAD, n);
}

template <int width> static __device__ void keep_and_walk(float *out, const float *in, int n)
{
    float kept[width], sum = 0;
#pragma unroll
    for (int i = 0; i < width; i++)
        asm volatile("add.f32 %0, %1, %2;" : "=f"(kept[i]) : "f"((float)threadIdx.x), "f"((float)i));
    int at = walk((const int *)in, THREAD, n);
#pragma unroll
    for (int i = 0; i < width; i++)
        sum += kept[i] * (float)at;
    out[THREAD] = sum;
}

KERNEL bad_registers(float *out, const float *in, int n)
{
    keep_and_walk<90>(out, in, n);
}

KERNEL good_registers(float *out, const float *in, int n)
{
    keep_and_walk<8>(out, in, n);
}

// Double precision on a machine that has little of it.
template <typename real> static __device__ void series(float *out, int n)
{
    real a = (real)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        a = a * (real)1.5 + (real)2.5;
        b = b * (real)1.5 + (real)2.5;
        c = c * (real)1.5 + (real)2.5;
        d = d * (real)1.5 + (real)2.5;
    }
    out[THREAD] = (float)(a + b + c + d);
}

KERNEL bad_double(float *out, const float *in, int n)
{
    series<double>(out, n);
}

KERNEL good_double(float *out, const float *in, int n)
{
    series<float>(out, n);
}

// Two ways by turns of lanes, or of warps.
static __device__ void two_ways(float *out, int which, int n)
{
    float a = (float)threadIdx.x, b = a + 1;
    if (which & 1) {
#pragma unroll 4
        for (int k = 0; k < n; k++) {
            a = a * 1.5f + 2.5f;
            b = b * 1.5f + 2.5f;
        }
    } else {
#pragma unroll 4
        for (int k = 0; k < n; k++) {
            a = a * 0.5f - 2.5f;
            b = b * 0.5f - 2.5f;
        }
    }
    out[THREAD] = a + b;
}

KERNEL bad_two_ways(float *out, const float *in, int n)
{
    two_ways(out, threadIdx.x, n);
}

KERNEL good_two_ways(float *out, const float *in, int n)
{
    two_ways(out, threadIdx.x >> 5, n);
}

// One sum, or sixteen.
KERNEL bad_one_sum(float *out, const float *in, int n)
{
    out[THREAD] = chains<1>((float)threadIdx.x, n);
}

KERNEL good_one_sum(float *out, const float *in, int n)
{
    out[THREAD] = chains<16>((float)threadIdx.x, n);
}

// Faults of the host: copies around each launch, and many small launches.
KERNEL bad_copies(float *out, const float *in, int n)
{
    out[THREAD] = in[THREAD] + chains<4>((float)threadIdx.x, n);
}

KERNEL good_copies(float *out, const float *in, int n)
{
    out[THREAD] = in[THREAD] + chains<4>((float)threadIdx.x, n);
}

KERNEL bad_launches(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}

KERNEL good_launches(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}

// More code than the instruction caches hold, run by few warps.
#define STEP a = a * 1.5f + b; b = b * 0.5f + a;
#define STEPS4 STEP STEP STEP STEP
#define STEPS16 STEPS4 STEPS4 STEPS4 STEPS4
#define STEPS64 STEPS16 STEPS16 STEPS16 STEPS16
#define STEPS256 STEPS64 STEPS64 STEPS64 STEPS64
#define STEPS1024 STEPS256 STEPS256 STEPS256 STEPS256
KERNEL bad_long_code(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        STEPS1024 STEPS1024 STEPS1024 STEPS1024 STEPS1024 STEPS1024
    }
    out[THREAD] = a + b;
}

KERNEL good_long_code(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1;
#pragma unroll 1
    for (int k = 0; k < n * 96; k++) {
        STEPS64
    }
    out[THREAD] = a + b;
}

// Four passes over what the L2 does not hold; mended, over one piece after another.
KERNEL bad_passes(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < 8; pass++)
#pragma unroll 8
        for (int k = 0; k < n; k++)
            sum += __ldcg(&in[k * THREADS + THREAD]);
    out[THREAD] = sum;
}

KERNEL good_passes(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int part = 0; part < n; part += 8)
#pragma unroll 1
        for (int pass = 0; pass < 8; pass++)
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum += __ldcg(&in[(part + k) * THREADS + THREAD]);
    out[THREAD] = sum;
}

// Loads past the L1 of what it would hold.
KERNEL bad_past_l1(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldcg(&in[k % 32 * 64 + threadIdx.x % 64]);
    out[THREAD] = sum;
}

KERNEL good_past_l1(float *out, const float *in, int n)
{
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < n; k++)
        sum += __ldca(&in[k % 32 * 64 + threadIdx.x % 64]);
    out[THREAD] = sum;
}

// All lanes count in one word of shared memory; mended, each in its own.
KERNEL bad_shared_atomic(float *out, const float *in, int n)
{
    __shared__ int count[1024];
    count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < n; k++)
        atomicAdd(&count[k & 1], k);
    __syncthreads();
    out[THREAD] = (float)count[threadIdx.x];
}

KERNEL good_shared_atomic(float *out, const float *in, int n)
{
    __shared__ int count[1024];
    count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < n; k++)
        atomicAdd(&count[threadIdx.x ^ (k & 1)], k);
    __syncthreads();
    out[THREAD] = (float)count[threadIdx.x];
}

// Sines by the special-function unit; mended, by a polynomial.
KERNEL bad_sines(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(a));
        asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(b));
        asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(c));
        asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(d));
    }
    out[THREAD] = a + b + c + d;
}

KERNEL good_sines(float *out, const float *in, int n)
{
    float a = (float)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        a = a * 0.25f + 0.5f;
        b = b * 0.25f + 0.5f;
        c = c * 0.25f + 0.5f;
        d = d * 0.25f + 0.5f;
    }
    out[THREAD] = a + b + c + d;
}

// Eight threads in a CTA: a quarter of a warp.
KERNEL bad_small_ctas(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}

KERNEL good_small_ctas(float *out, const float *in, int n)
{
    out[THREAD] = chains<4>((float)threadIdx.x, n);
}
