// SPDX-License-Identifier: BSD-3-Clause
// Memory as programs see it: chains of dependent loads, small and large CTAs that each read once, the L2 read again and
// again, few SMs that read and write it, and kernels that follow one another. Words of the command line: a part (chase, read, again, few, one,
// scale, graph, sync, flags, nothing, idle), then its numbers, as often as wanted; see the functions of these names. Built outside the project, or by
// bench/programs.sh:
//   nvcc -arch=sm_90 -O2 -cudart shared -o memory bench/hopper/memory.cu
//   maniple run --machine h100-pcie -- ./memory chase 1024
#include "chain.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

enum { LINE = 128 };

// A chain through lines in an order of no pattern, a whole round first where it is small enough to stay somewhere.
__global__ void follow(char **chain, long long first, long long then, long long *out)
{
    char **at = chain;
#pragma unroll 1
    for (long long i = 0; i < first; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            at = (char **)*at;
    }
    out[1] = (long long)at;
    long long begin = clock64();
#pragma unroll 1
    for (long long i = 0; i < then; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            at = (char **)*at;
    }
    out[2] = (long long)at;
    out[0] = clock64() - begin;
}

__global__ void read_once(double *out, const double *__restrict__ in, size_t count, bool never)
{
    extern __shared__ double room[];
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i >= count)
        return;
    double value = in[i];
    if (never || value == 123.0)
        out[i] = value + room[threadIdx.x];
}

// Two blocks on each of the first `sms` SMs divide the data; all others end at once.
__global__ void of_few(double *data, int count, int sms, bool writes)
{
    unsigned sm;
    double sum = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    int place = (int)sm * 2 + (int)(blockIdx.x / (gridDim.x / 2));
    for (int i = place * 1024 + threadIdx.x; (int)sm < sms && i < count; i += sms * 2048) {
        if (writes)
            data[i] = i;
        else
            sum += __ldcg(&data[i]);
    }
    if (sum == 123.0)
        data[0] = sum;
}

// Each block reads 512 KiB: part b mod `parts` of the data.
__global__ void read_again(double *out, const double *__restrict__ in, int parts)
{
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 32; i++) {
        int at = (1024 * parts * i + (int)blockIdx.x % parts * 1024) * 2 + threadIdx.x;
        sum += in[at] * in[at + 1024];
    }
    if (threadIdx.x > 1233 || sum == 23.12)
        out[threadIdx.x] += sum;
}

__global__ void scale(double *__restrict__ out, const double *__restrict__ in, int count)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < count)
        out[i] = in[i] * 0.25;
}

__global__ void nothing()
{
}

__global__ void scale_rounds(double *__restrict__ out, double *__restrict__ in, int count, int rounds)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int round = 0; round < rounds; round++) {
        for (int i = (int)grid.thread_rank(); i < count; i += (int)(blockDim.x * gridDim.x))
            out[i] = in[i] * 0.25;
        grid.sync();
    }
}

__global__ void scale_flags(volatile int *flags, double *__restrict__ out, double *__restrict__ in, int count,
                            int rounds)
{
    int first = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (int round = 0; round < rounds; round++) {
        for (int i = first; i < count; i += (int)(blockDim.x * gridDim.x))
            out[i] = in[i] * 0.25;
        __syncthreads();
        __threadfence();
        if (threadIdx.x == 0) {
            atomicAdd((int *)&flags[round], 1);
            while (flags[round] != (int)gridDim.x)
                ;
        }
        __syncthreads();
    }
}

template <typename Type> static Type *fresh(size_t count)
{
    Type *memory;
    if (cudaMalloc(&memory, count * sizeof(Type)) != cudaSuccess)
        exit(1);
    return memory;
}

static int sms()
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return properties.multiProcessorCount;
}

template <typename Work> static double seconds(Work work)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
    work();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    return ms * 1e-3;
}

// chase KIB: cycles of a load of one thread.
static void chase(long kib)
{
    long lines = kib * 1024 / LINE;
    uint32_t *order = shuffled(lines);
    uint64_t *words = (uint64_t *)calloc(lines < 1 << 19 ? 1 << 19 : lines, LINE);
    char *device = fresh<char>(lines * LINE);
    for (long i = 0; i < lines; i++)
        words[order[i] * (LINE / 8)] = (uint64_t)device + order[(i + 1) % lines] * (uint64_t)LINE;
    cudaMemcpy(device, words, lines * LINE, cudaMemcpyHostToDevice);
    bool stays = kib <= 56 << 10;
    if (!stays) { /* what a round has visited long ago is in no L2 any more: something else has come there */
        memset(words, 0, 64 << 20);
        cudaMemcpy(fresh<char>(64 << 20), words, 64 << 20, cudaMemcpyHostToDevice);
    }
    long first = stays ? lines : 64, then = 16384; /* one round, and all that follow are alike */
    long long *out = fresh<long long>(3), cycles;
    cudaFuncSetAttribute(follow, cudaFuncAttributePreferredSharedMemoryCarveout, 0);
    follow<<<1, 1>>>((char **)device, first / 8 * 8, then / 8 * 8, out);
    cudaMemcpy(&cycles, out, 8, cudaMemcpyDeviceToHost);
    printf("chase %ld: %.1f cycles\n", kib, (double)cycles / (double)(then / 8 * 8));
    free(order), free(words), cudaFree(device);
}

// read THREADS BLOCKS: GB/s of CTAs of so many threads that read 8 bytes a thread and end, as many on an SM.
static void read(int threads, int blocks)
{
    int room = 1024, most = 0, waves[] = {2, 10};
    double took[2];
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, read_once, threads, room);
    while (most > blocks) {
        room += 256;
        cudaFuncSetAttribute(read_once, cudaFuncAttributeMaxDynamicSharedMemorySize, room);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, read_once, threads, room);
    }
    double *other = fresh<double>(threads);
    read_once<<<1, threads, room>>>(other, other, threads, false); // the function's first launch, which loads its code
    cudaDeviceSynchronize();
    for (int k = 0; k < 2; k++) {
        size_t count = (size_t)sms() * threads * blocks * waves[k];
        double *in = fresh<double>(count);
        took[k] = seconds([&] { read_once<<<count / threads, threads, room>>>(in, in, count, false); });
    }
    double bytes = 8.0 * sms() * threads * blocks * (waves[1] - waves[0]);
    printf("read %d %d: %.1f GB/s\n", threads, blocks, 1e-9 * bytes / (took[1] - took[0]));
}

// again PARTS: GB/s of many blocks of 1024 threads that each read 512 KiB of so many.
static void again(int parts)
{
    double *in = fresh<double>((size_t)parts * 65536), took[2];
    int waves[] = {1, 2};
    if (parts > 2 * sms() * 3)
        parts = 2 * sms() * 3;
    read_again<<<2 * sms(), 1024>>>(in, in, parts); // so that the L2 has what it can hold
    cudaDeviceSynchronize();
    for (int k = 0; k < 2; k++)
        took[k] = seconds([&] { read_again<<<2 * sms() * waves[k], 1024>>>(in, in, parts); });
    printf("again %d: %.1f GB/s\n", parts, 524288e-9 * 2 * sms() / (took[1] - took[0]));
    cudaFree(in);
}

// few SMS: GB/s of the first so many SMs that read what the L2 has, and that write it: 512 KiB each more.
static void few(int count)
{
    double *data = fresh<double>((size_t)count * 131072);
    float took[3];
    for (bool writes : {false, true}) {
        for (int k = 0; k < 3; k++) // the first one alone loads the code
            took[k] = seconds([&] { of_few<<<2 * sms(), 1024>>>(data, count * (k == 2 ? 131072 : 65536), count, writes); });
        printf("few %d, %s: %.1f GB/s\n", count, writes ? "written" : "read", 524288e-9 * count / (took[2] - took[1]));
    }
    cudaFree(data);
}

template <typename Launches> static float in_a_stream(Launches launches)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    return seconds([&] { launches(stream); });
}

template <typename Launches> static float in_a_graph(Launches launches)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    launches(stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, NULL, NULL, 0);
    return seconds([&] { cudaGraphLaunch(made, stream); });
}

// scale COUNT, graph COUNT, sync COUNT, flags COUNT: GB/s of rounds of a kernel of blocks of 256, of a stream's kernels, of a
// graph's, or within one. nothing BLOCKS, idle BLOCKS: the same of kernels that do nothing, of a stream and of a graph.
static void rounds(const char *kind, int count)
{
    enum { BLOCK = 256 };
    double *a = fresh<double>(count), *b = fresh<double>(count), took[3];
    int few = count > 4000000 ? 2 : 4, many = count > 4000000 ? 4 : 12, times[] = {few, few, many};
    int most = 0, *flags = fresh<int>(64), blocks = count / BLOCK;
    for (int k = 0; k < 3; k++) { // the first one alone loads code and data, and is a function's first launch
        int n = times[k];
        if (strcmp(kind, "sync") == 0) {
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, scale_rounds, BLOCK, 0);
            void *words[] = {&a, &b, &count, &n};
            int grid = blocks < sms() * most ? blocks : sms() * most;
            took[k] = seconds([&] { cudaLaunchCooperativeKernel((void *)scale_rounds, grid, BLOCK, words, 0, 0); });
        } else if (strcmp(kind, "flags") == 0) {
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, scale_flags, BLOCK, 0);
            int grid = blocks < sms() * most ? blocks : sms() * most;
            cudaMemset(flags, 0, 256);
            took[k] = seconds([&] { scale_flags<<<grid, BLOCK>>>(flags, a, b, count, n); });
        } else {
            bool empty = strcmp(kind, "nothing") == 0 || strcmp(kind, "idle") == 0;
            auto all = [&](cudaStream_t stream) {
                for (int i = 0; i < n; i++) {
                    if (empty)
                        nothing<<<count, BLOCK, 0, stream>>>();
                    else
                        scale<<<blocks + 1, BLOCK, 0, stream>>>(i % 2 ? b : a, i % 2 ? a : b, count);
                }
            };
            took[k] = strcmp(kind, "graph") == 0 || strcmp(kind, "idle") == 0 ? in_a_graph(all) : in_a_stream(all);
        }
    }
    double each = (took[2] - took[1]) / (many - few);
    if (strcmp(kind, "nothing") == 0 || strcmp(kind, "idle") == 0)
        printf("%s %d: %.1f ns\n", kind, count, 1e9 * each);
    else
        printf("%s %d: %.1f GB/s, %.0f ns\n", kind, count, 16e-9 * count / each, 1e9 * each);
}

// Each warp stores one word, as a volatile one or not, or adds to it: the same word for all.
enum how { STORED, ADDED_TO, PLAIN };
__global__ void one_word(unsigned *at, enum how how)
{
    if (threadIdx.x % 32)
        return;
    if (how == ADDED_TO)
        atomicAdd(at, 1);
    else if (how == STORED)
        *(volatile unsigned *)at = 1;
    else
        *at = 1;
}

// one WARPS: nanoseconds for each of so many warps more that store one word, add to it without a result, and store it as a
// program does that does not say volatile.
static void one(int warps)
{
    unsigned *at;
    float took[3];
    cudaEvent_t begin, end;
    cudaMalloc(&at, sizeof *at);
    cudaEventCreate(&begin), cudaEventCreate(&end);
    for (enum how how : {STORED, ADDED_TO, PLAIN}) {
        for (int k = 0; k < 3; k++) { // the first one alone loads the code
            cudaEventRecord(begin);
            one_word<<<warps / 16 * (k ? k : 1), 512>>>(at, how);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&took[k], begin, end);
        }
        const char *done[] = {"stored", "added to", "stored, not volatile"};
        printf("one word, %s: %.3f ns\n", done[how], (took[2] - took[1]) * 1e6 / warps);
    }
    cudaFree(at);
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "chase") == 0)
            chase(atol(argv[i + 1]));
        else if (strcmp(argv[i], "read") == 0 && i + 2 < argc)
            read(atoi(argv[i + 1]), atoi(argv[i + 2])), i++;
        else if (strcmp(argv[i], "again") == 0)
            again(atoi(argv[i + 1]));
        else if (strcmp(argv[i], "few") == 0)
            few(atoi(argv[i + 1]));
        else if (strcmp(argv[i], "one") == 0)
            one(atoi(argv[i + 1]));
        else
            rounds(argv[i], atoi(argv[i + 1]));
        fflush(stdout);
    }
    return cudaDeviceSynchronize();
}
