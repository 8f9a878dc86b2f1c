/* SPDX-License-Identifier: BSD-3-Clause */
/* All-reduce of halves over all GPUs of the machine by kernels that read one another's memory: in one step, every GPU adds all
 * inputs, and in two, every GPU adds its part of them and then gathers the others'. Launches are those of a graph, as far as
 * BYTES BLOCKS THREADS TIMES say: reduce one|two BYTES [BLOCKS [THREADS [TIMES]]]. Prints microseconds of a kernel, and checks
 * the sums. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>

enum { MOST = 8, BLOCKS = 64 };

struct node {
    const uint4 *in[MOST];
    uint4 *part[MOST];
    unsigned *flags[MOST]; /* [2][BLOCKS][MOST] */
    int count, rank;
};

/* A block meets those of its number on all GPUs. With `orders`, what was written before is seen after it. */
static __device__ void meet(const node &n, int which, unsigned round, bool orders)
{
    if (orders)
        __syncthreads();
    if (threadIdx.x < n.count) {
        unsigned *to = n.flags[threadIdx.x] + (which * BLOCKS + blockIdx.x) * MOST + n.rank;
        const unsigned *from = n.flags[n.rank] + (which * BLOCKS + blockIdx.x) * MOST + threadIdx.x;
        unsigned seen;
        if (orders)
            asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(round) : "memory");
        else
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(to), "r"(round) : "memory");
        do {
            if (orders)
                asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(from) : "memory");
            else
                asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(seen) : "l"(from) : "memory");
        } while ((int)(seen - round) < 0);
    }
    __syncthreads();
}

static __device__ uint4 sum(const node &n, size_t i)
{
    float total[8] = {};
    uint4 words[MOST];
#pragma unroll
    for (int g = 0; g < MOST; g++)
        if (g < n.count)
            words[g] = n.in[g][i];
#pragma unroll
    for (int g = 0; g < MOST; g++)
        if (g < n.count) {
            const __half2 *h = (const __half2 *)&words[g];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                float2 f = __half22float2(h[k]);
                total[2 * k] += f.x, total[2 * k + 1] += f.y;
            }
        }
    uint4 out;
    __half2 *h = (__half2 *)&out;
#pragma unroll
    for (int k = 0; k < 4; k++)
        h[k] = __floats2half2_rn(total[2 * k], total[2 * k + 1]);
    return out;
}

__global__ void __launch_bounds__(512, 1) one(node n, uint4 *out, size_t count, unsigned round)
{
    meet(n, 0, round, false);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        out[i] = sum(n, i);
    meet(n, 1, round, false); /* inputs may change from here on */
}

__global__ void __launch_bounds__(512, 1) two(node n, uint4 *out, size_t count, unsigned round)
{
    size_t part = count / n.count, step = (size_t)gridDim.x * blockDim.x;
    size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    meet(n, 0, round, false);
    for (size_t i = first; i < part; i += step)
        n.part[n.rank][i] = sum(n, n.rank * part + i);
    meet(n, 1, round, true);
    for (size_t i = first; i < part; i += step)
        for (int g = 0; g < n.count; g++) {
            int from = (n.rank + g) % n.count;
            out[from * part + i] = n.part[from][i];
        }
}

int main(int argc, char **argv)
{
    bool single = argc < 2 || !strcmp(argv[1], "one");
    size_t bytes = argc > 2 ? strtoull(argv[2], 0, 0) : 65536;
    int blocks = argc > 3 ? atoi(argv[3]) : 36, threads = argc > 4 ? atoi(argv[4]) : 512,
        times = argc > 5 ? atoi(argv[5]) : 3;
    node n = {};
    uint4 *out[MOST];
    cudaEvent_t begin[MOST], end[MOST];
    CHECK(cudaGetDeviceCount(&n.count));
    for (int d = 0; d < n.count; d++) {
        CHECK(cudaSetDevice(d));
        for (int other = 0; other < n.count; other++)
            if (other != d)
                CHECK(cudaDeviceEnablePeerAccess(other, 0));
        void *in;
        __half *host = (__half *)malloc(bytes);
        for (size_t i = 0; i < bytes / 2; i++)
            host[i] = __float2half((float)((i + d) % 64));
        CHECK(cudaMalloc(&in, bytes));
        CHECK(cudaMalloc(&n.part[d], bytes));
        CHECK(cudaMalloc(&out[d], bytes));
        CHECK(cudaMalloc(&n.flags[d], 2 * BLOCKS * MOST * 4));
        CHECK(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(n.flags[d], 0, 2 * BLOCKS * MOST * 4));
        CHECK(cudaEventCreate(&begin[d]));
        CHECK(cudaEventCreate(&end[d]));
        CHECK(cudaDeviceSynchronize());
        n.in[d] = (const uint4 *)in;
        free(host);
    }
    unsigned round = 0;
    cudaGraphExec_t run[MOST];
    for (int d = 0; d < n.count; d++) {
        cudaStream_t stream;
        cudaGraph_t graph;
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        round = 0;
        n.rank = d;
        for (int t = 0; t <= times; t++) {
            if (t == 1)
                CHECK(cudaEventRecordWithFlags(begin[d], stream, cudaEventRecordExternal));
            round++;
            if (single)
                one<<<blocks, threads, 0, stream>>>(n, out[d], bytes / 16, round);
            else
                two<<<blocks, threads, 0, stream>>>(n, out[d], bytes / 16, round);
        }
        CHECK(cudaEventRecordWithFlags(end[d], stream, cudaEventRecordExternal));
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&run[d], graph, 0));
    }
    for (int d = 0; d < n.count; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaGraphLaunch(run[d], 0));
    }
    float most = 0;
    unsigned wrong = 0;
    __half *host = (__half *)malloc(bytes);
    for (int d = 0; d < n.count; d++) {
        float ms;
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, begin[d], end[d]));
        most = ms > most ? ms : most;
        CHECK(cudaMemcpy(host, out[d], bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < bytes / 2; i++) {
            float expected = 0;
            for (int g = 0; g < n.count; g++)
                expected += (float)((i + g) % 64);
            wrong += __half2float(host[i]) != expected;
        }
    }
    printf("%s %zu bytes, %d GPUs: %.2f us, %u wrong\n", single ? "one" : "two", bytes, n.count, 1000 * most / times,
           wrong);
    return wrong != 0;
}
