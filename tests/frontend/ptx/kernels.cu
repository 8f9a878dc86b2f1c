/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels for the tests of the PTX front-end. kernels.ptx is made from this file by
 *   nvcc -ptx -arch=sm_80 kernels.cu -o kernels.ptx
 * and kept, so that the tests need no compiler of NVIDIA's.
 */
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <mma.h>

extern "C" {

__constant__ float weights[8] = {0.5f, 1.5f, -2.0f, 3.25f, 8.0f, -0.125f, 7.0f, 11.0f};
__device__ int counter = 40;
__device__ int table[4] = {3, 1, 4, 1};
__device__ int *table_pointer = table + 1;

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* c = a · b, n × n, tiles of 16 × 16 in shared memory */
__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* steps of the Collatz sequence: every lane loops another number of times */
__global__ void collatz(unsigned *steps, unsigned first)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = first + i, count = 0;
    while (x != 1) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x >>= 1;
        count++;
    }
    steps[i] = count;
}

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion(unsigned *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x % 8);
}

struct pair {
    int first;
    double second;
};

__device__ __noinline__ pair twice(pair p, float f)
{
    p.first *= 2;
    p.second += f;
    return p;
}

__global__ void structures(pair in, double *out)
{
    pair p = twice(in, (float)threadIdx.x);
    out[threadIdx.x] = p.second * p.first;
}

typedef int (*operation)(int, int);
__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int minus(int a, int b) { return a - b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ operation operations[3] = {plus, minus, times};

__global__ void pointers(int *out, int a)
{
    out[threadIdx.x] = operations[threadIdx.x % 3](a, (int)threadIdx.x);
}

__global__ void choice(int *out)
{
    int i = threadIdx.x, r = 0;
    switch (out[i]) {
    case 0: r = i * 3; break;
    case 1: r = i ^ 0x55; break;
    case 2: r = __popc(i); break;
    case 3: r = -i; break;
    case 4: r = i / 3; break;
    case 5: r = i % 5; break;
    case 6: r = __clz(i); break;
    default: r = 1000; break;
    }
    out[i] = r;
}

__global__ void local_array(int *out, int step)
{
    int values[32];
    for (int i = 0; i < 32; i++)
        values[(i * step) & 31] = i + (int)threadIdx.x;
    out[threadIdx.x] = values[threadIdx.x & 31];
}

/* sum over a block by shuffles and shared memory, one atomic per block */
__global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int partial[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = i < n ? in[i] : 0;
    for (int offset = 16; offset; offset >>= 1)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if ((threadIdx.x & 31) == 0)
        partial[threadIdx.x >> 5] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        for (int offset = 16; offset; offset >>= 1)
            value += __shfl_xor_sync(0xffffffff, value, offset);
        if (threadIdx.x == 0)
            atomicAdd(out, value);
    }
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    extern __shared__ unsigned local_bins[];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local_bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local_bins[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local_bins[i])
            atomicAdd(&bins[i], local_bins[i]);
}

__global__ void votes(unsigned *out, int limit)
{
    int i = threadIdx.x;
    unsigned ballot = __ballot_sync(0xffffffff, i % 3 == 0), matched = __match_any_sync(0xffffffff, i / 5);
    int all = __all_sync(0xffffffff, i < limit), any = __any_sync(0xffffffff, i == 7);
    int count = __syncthreads_count(i & 1), both = __syncthreads_and(i < 64), either = __syncthreads_or(i == 100);
    unsigned sum = __reduce_add_sync(0xffffffff, (unsigned)i), most = __reduce_max_sync(0xffffffff, (unsigned)i);
    unsigned active = 0;
    if (i & 1)
        active = __activemask();
    out[i * 10 + 0] = ballot;
    out[i * 10 + 1] = matched;
    out[i * 10 + 2] = all;
    out[i * 10 + 3] = any;
    out[i * 10 + 4] = count;
    out[i * 10 + 5] = both;
    out[i * 10 + 6] = either;
    out[i * 10 + 7] = sum;
    out[i * 10 + 8] = most;
    out[i * 10 + 9] = active;
}

__global__ void vectors(const float4 *in, float4 *out, const double2 *more, double *sums)
{
    int i = threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.w, v.z, v.y, v.x);
    double2 d = more[i];
    sums[i] = d.x + d.y;
}

__global__ void halves(const float *in, float *out)
{
    int i = threadIdx.x;
    __half h = __float2half(in[i]), k = __hfma(h, h, __float2half(1.0f));
    __half2 two = __halves2half2(h, k);
    two = __hadd2(two, two);
    out[i] = __half2float(k) + __low2float(two) * 0.5f;
}

__global__ void globals(int *out)
{
    int i = threadIdx.x;
    out[i] = table_pointer[0] * 100 + table[i & 3] + (int)weights[i & 7] * 10;
    if (i == 0)
        out[32] = atomicAdd(&counter, 2);
}

__global__ void speak(int n)
{
    if (threadIdx.x < 2)
        printf("%d %5.2f %s %c %llu %%\n", n + (int)threadIdx.x, 1.5 * threadIdx.x, "text", 'x', 1ull << 40);
}

__global__ void heap(int *out)
{
    int *p = (int *)malloc(4 * (threadIdx.x + 1));
    for (unsigned i = 0; i <= threadIdx.x; i++)
        p[i] = (int)i;
    int sum = 0;
    for (unsigned i = 0; i <= threadIdx.x; i++)
        sum += p[i];
    out[threadIdx.x] = sum;
    free(p);
}

__global__ void early(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < i; j++) {
        if (j == 10)
            break;
        if (j % 3 == 1)
            continue;
        out[i] += j;
    }
    if (i % 2)
        return;
    out[i] += 1000;
}

/* the lanes of a warp take a lock in turn */
__global__ void lock(int *mutex, int *total)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(mutex, 0, 1) == 0) {
            *(volatile int *)total += 1;
            __threadfence();
            atomicExch(mutex, 0);
            done = true;
        }
    }
}

/* the same with the work behind the loop, which needs the lane that has the lock to go on while others poll */
__global__ void lock_behind(int *mutex, int *total)
{
    while (atomicCAS(mutex, 0, 1) != 0)
        ;
    *(volatile int *)total += 1;
    __threadfence();
    atomicExch(mutex, 0);
}

/* block 0 waits for a flag that another block sets, if there is one */
__global__ void wait_for(volatile int *flag)
{
    if (blockIdx.x == 0)
        while (*flag == 0)
            ;
    *flag = 1;
}

__global__ void generic(int *out, int which)
{
    __shared__ int shared[32];
    int local[4] = {1, 2, 3, 4};
    shared[threadIdx.x] = 100 + threadIdx.x;
    __syncthreads();
    int *p = which == 0 ? &shared[threadIdx.x] : which == 1 ? &local[threadIdx.x & 3] : out + threadIdx.x;
    if (which == 3)
        p = threadIdx.x & 1 ? &shared[threadIdx.x] : out + threadIdx.x;
    *p += 5;
    __syncthreads();
    out[threadIdx.x] = *p;
}

__global__ void matrices(const __half *a, const __half *b, float *c)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

/* c (16 × 8) = a (16 × 16, rows) · b (16 × 8, columns) by mma, with ldmatrix; a and b go to shared memory by cp.async */
__global__ void mma(const __half *a, const __half *b, float *c)
{
    __shared__ __align__(16) __half sa[16 * 16], sb[8 * 16];
    int lane = threadIdx.x;
    __pipeline_memcpy_async(&sa[lane * 8], &a[lane * 8], 16);
    if (lane < 16)
        __pipeline_memcpy_async(&sb[lane * 8], &b[lane * 8], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    unsigned fa[4], fb[2];
    float d[4] = {0, 0, 0, 0};
    unsigned pa = (unsigned)__cvta_generic_to_shared(&sa[(lane % 16) * 16 + (lane / 16) * 8]);
    unsigned pb = (unsigned)__cvta_generic_to_shared(&sb[(lane % 8) * 16 + (lane / 8 % 2) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(pb));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    int row = lane / 4, column = lane % 4 * 2;
    c[row * 8 + column] = d[0];
    c[row * 8 + column + 1] = d[1];
    c[(row + 8) * 8 + column] = d[2];
    c[(row + 8) * 8 + column + 1] = d[3];
}

__global__ void functions(const float *in, float *out)
{
    int i = threadIdx.x;
    float x = in[i];
    out[i * 8 + 0] = sinf(x);
    out[i * 8 + 1] = expf(x);
    out[i * 8 + 2] = logf(fabsf(x) + 1.0f);
    out[i * 8 + 3] = sqrtf(fabsf(x));
    out[i * 8 + 4] = x / 3.0f;
    out[i * 8 + 5] = powf(fabsf(x), 1.5f);
    out[i * 8 + 6] = (float)(cos((double)x) + exp((double)x * 0.1));
    out[i * 8 + 7] = __expf(x) + __sinf(x) + rsqrtf(fabsf(x) + 1.0f);
}

__global__ void long_numbers(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    int i = threadIdx.x;
    out[i * 4 + 0] = a[i] / b[i];
    out[i * 4 + 1] = a[i] % b[i];
    out[i * 4 + 2] = __umul64hi(a[i], b[i]);
    out[i * 4 + 3] = a[i] * b[i] + (uint64_t)((int64_t)a[i] >> 7);
}

/* in: pairs of coordinates; out: a list element, the point sample, the filtered one, and a filtered byte */
__global__ void textures(cudaTextureObject_t list, cudaTextureObject_t point, cudaTextureObject_t linear,
                         cudaTextureObject_t bytes, const float2 *in, float *out)
{
    int i = threadIdx.x;
    out[i * 4 + 0] = tex1Dfetch<float>(list, i - 2);
    out[i * 4 + 1] = (float)tex2D<int>(point, in[i].x, in[i].y);
    float2 v = tex2D<float2>(linear, in[i].x, in[i].y);
    out[i * 4 + 2] = v.x + 1000 * v.y;
    out[i * 4 + 3] = tex1D<float>(bytes, in[i].x);
}

__global__ void wild(int *p) { p[threadIdx.x] = 1; }
__global__ void failing(int n) { assert(n < (int)threadIdx.x); }
__global__ void stuck(int n)
{
    if (n)
        asm volatile("bar.sync 1, 128;");
}
}
