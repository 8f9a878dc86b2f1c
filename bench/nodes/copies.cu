/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between two GPUs by kernels, in both directions at once: stores (put), loads (get), packets of 16 bytes with two
 * flags (LL). Usage: copies put|get|ll BYTES [BLOCKS [THREADS [TIMES]]]; prints microseconds of a kernel and GB/s of a direction.
 * Checks what has arrived. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

/* A block tells its partner on the other GPU that its part is there, and waits for the partner's. */
static __device__ void meet(unsigned *mine, unsigned *theirs, unsigned round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.acq_rel.sys; st.relaxed.sys.global.u32 [%0], %1;" ::"l"(theirs + blockIdx.x * 32),
                     "r"(round)
                     : "memory");
        unsigned seen;
        do
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(mine + blockIdx.x * 32) : "memory");
        while ((int)(seen - round) < 0);
    }
    __syncthreads();
}

__global__ void put(uint4 *to, const uint4 *from, size_t count, unsigned *mine, unsigned *theirs, unsigned round)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
    meet(mine, theirs, round);
}

__global__ void get(uint4 *to, const uint4 *from, size_t count, unsigned *mine, unsigned *theirs, unsigned round)
{
    meet(mine, theirs, round);
    size_t step = (size_t)gridDim.x * blockDim.x, i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i + 3 * step < count; i += 4 * step) {
        uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
        to[i] = a, to[i + step] = b, to[i + 2 * step] = c, to[i + 3 * step] = d;
    }
    for (; i < count; i += step)
        to[i] = from[i];
}

/* `packets` of the other GPU, `mine` here: twice as long as the data. */
__global__ void ll(uint2 *to, const uint2 *from, size_t count, uint4 *mine, uint4 *packets, unsigned round)
{
    packets += (round & 1) * count,
        mine += (round & 1) * count; /* the other GPU may still read those of the round before */
    size_t step = (size_t)gridDim.x * blockDim.x, first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (size_t i = first; i < count; i += step)
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %3, %2, %3};" ::"l"(packets + i), "r"(from[i].x),
                     "r"(from[i].y), "r"(round)
                     : "memory");
    for (size_t i = first; i < count; i += step) {
        uint4 p;
        do
            asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(p.x), "=r"(p.y), "=r"(p.z), "=r"(p.w)
                         : "l"(mine + i)
                         : "memory");
        while (p.y != round || p.w != round);
        to[i] = make_uint2(p.x, p.z);
    }
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "put";
    size_t bytes = argc > 2 ? strtoull(argv[2], 0, 0) : 1 << 20;
    int blocks = argc > 3 ? atoi(argv[3]) : 32, threads = argc > 4 ? atoi(argv[4]) : 512,
        times = argc > 5 ? atoi(argv[5]) : 3;
    unsigned *from[2], *to[2], *flags[2];
    uint4 *packets[2];
    cudaEvent_t begin[2], end[2];
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceEnablePeerAccess(!d, 0));
        CHECK(cudaMalloc(&from[d], bytes));
        CHECK(cudaMalloc(&to[d], bytes));
        CHECK(cudaMalloc(&flags[d], blocks * 128));
        CHECK(cudaMalloc(&packets[d], 4 * bytes));
        CHECK(cudaMemset(from[d], d + 1, bytes));
        CHECK(cudaMemset(flags[d], 0, blocks * 128));
        CHECK(cudaMemset(packets[d], 0, 4 * bytes));
        CHECK(cudaEventCreate(&begin[d]));
        CHECK(cudaEventCreate(&end[d]));
        CHECK(cudaDeviceSynchronize());
    }
    for (int t = 0; t <= times; t++)
        for (int d = 0; d < 2; d++) {
            CHECK(cudaSetDevice(d));
            if (t == 1)
                CHECK(cudaEventRecord(begin[d]));
            if (!strcmp(kind, "put"))
                put<<<blocks, threads>>>((uint4 *)to[!d], (uint4 *)from[d], bytes / 16, flags[d], flags[!d], t + 1);
            else if (!strcmp(kind, "get"))
                get<<<blocks, threads>>>((uint4 *)to[d], (uint4 *)from[!d], bytes / 16, flags[d], flags[!d], t + 1);
            else
                ll<<<blocks, threads>>>((uint2 *)to[d], (uint2 *)from[d], bytes / 8, packets[d], packets[!d], t + 1);
            if (t == times)
                CHECK(cudaEventRecord(end[d]));
        }
    unsigned *host = (unsigned *)malloc(bytes), wrong = 0;
    for (int d = 0; d < 2; d++) {
        float ms;
        CHECK(cudaSetDevice(d));
        CHECK(cudaEventSynchronize(end[d]));
        CHECK(cudaEventElapsedTime(&ms, begin[d], end[d]));
        CHECK(cudaMemcpy(host, to[d], bytes, cudaMemcpyDefault));
        for (size_t i = 0; i < bytes / 4; i++)
            wrong += host[i] != 0x01010101u * (2 - d);
        printf("%s %zu bytes, GPU %d: %.2f us, %.1f GB/s, %u wrong\n", kind, bytes, d, 1000 * ms / times,
               bytes / (1e6 * ms / times), wrong);
    }
    return wrong != 0;
}
