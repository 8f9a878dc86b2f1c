// SPDX-License-Identifier: BSD-3-Clause
// What instructions take, as machine code of compute capability 9.0: those of dynamic programming (DPX), pipes of one warp,
// the memory side of an SM (MIO), and barriers of a block. A line for each name given, or for all. Built outside the project, or by
// bench/programs.sh:
//   nvcc -arch=sm_90 -O3 -cudart shared -o instructions bench/hopper/instructions.cu
//   maniple run --code sass --machine h100-pcie -- ./instructions viaddmax_s32_bw MUFU
// DPX by three kinds: _lat, a chain of one thread; _bw, four independent ones of 1024 threads; _global_bw, of all SMs,
// with two such blocks each, for an eighth of the time.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { TIMES = 1024, FEW = 128, THREADS = 1024, PARTS = 4 };

static __device__ uint32_t now()
{
    uint32_t cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

// ===== DPX: those of 32 bits that add are an IMAD and a VIMNMX, as the compilers made them that were measured with =====

#define DPX(X)                                                                                                         \
    X(viaddmax_s16x2, __viaddmax_s16x2(a, b, c))                                                                       \
    X(viaddmax_s16x2_relu, __viaddmax_s16x2_relu(a, b, c))                                                             \
    X(viaddmax_s32, max((int)(a * one + b), (int)c))                                                                   \
    X(viaddmax_s32_relu, max(max((int)(a * one + b), (int)c), 0))                                                      \
    X(viaddmax_u32, max(a *one + b, c))                                                                                \
    X(viaddmin_s16x2_relu, __viaddmin_s16x2_relu(a, b, c))                                                             \
    X(viaddmin_s32, min((int)(a * one + b), (int)c))                                                                         \
    X(vimax3_s16x2, __vimax3_s16x2(a, b, c))                                                                           \
    X(vimax3_s16x2_relu, __vimax3_s16x2_relu(a, b, c))                                                                 \
    X(vimax3_s32_relu, __vimax3_s32_relu(a, b, c))                                                                     \
    X(vimax_s16x2_relu, __vimax_s16x2_relu(a, b))                                                                      \
    X(vimax_s32_relu, __vimax_s32_relu(a, b))                                                                          \
    X(vibmax_s16x2, both(a, b, c))

static __device__ uint32_t both(uint32_t a, uint32_t b, uint32_t)
{
    bool high, low; // of which nobody asks, as in what was measured
    return __vibmax_s16x2(a, b, &high, &low);
}

// A chain, or four: each takes the next one's number, too.
#define KERNEL(name, value)                                                                                            \
    struct name {                                                                                                      \
        static __device__ uint32_t of(uint32_t a, uint32_t b, uint32_t c, uint32_t one)                                            \
        {                                                                                                              \
            (void)c, (void)one;                                                                                                \
            return (uint32_t)(value);                                                                                  \
        }                                                                                                              \
    };
DPX(KERNEL)

template <typename Operation, bool chain, int times = TIMES> __global__ void dpx(const uint32_t *in, uint32_t *cycles, uint32_t *out,
                                                                                                 uint32_t one)
{
    uint32_t place = blockIdx.x * blockDim.x + threadIdx.x, s[PARTS + 2];
    for (int i = 0; i < PARTS + 2; i++)
        s[i] = in[(place + i * 37) & 1023] + i % 3;
    __syncthreads();
    uint32_t begin = now();
    for (int j = 0; j < times; j++) {
        s[0] = Operation::of(s[0], s[1], s[2], one);
        for (int i = 1; i < PARTS && !chain; i++)
            s[i] = Operation::of(s[i], s[i + 1], s[i + 2], one);
    }
    __syncthreads();
    uint32_t end = now();
    out[place] = s[0] + s[1] + s[2] + s[3];
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - begin;
}

// ===== pipes, by warps that do nothing else =====

struct buffers {
    uint32_t *in, *cycles, *out;
};

// 16,384 instructions of each warp, with registers of their own.
#define EIGHT(one) one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7)
#define PIPE(name, type, body)                                                                                         \
    static __global__ void name(const uint32_t *in, uint32_t *cycles, uint32_t *out)                                   \
    {                                                                                                                  \
        __shared__ uint32_t space[1024];                                                                               \
        type r[64], a[8], b[8], sum = 0;                                                                               \
        for (int i = 0; i < 8; i++)                                                                                    \
            a[i] = (type)in[i + 8 + threadIdx.x], b[i] = (type)in[i + 16 + threadIdx.x];                               \
        space[threadIdx.x] = 0;                                                                                        \
        uint32_t base = (uint32_t)__cvta_generic_to_shared(space), begin = 0, end = 0;                                 \
        for (int pass = 0; pass < 2; pass++) { /* the second one finds its code near */                                \
            __syncthreads();                                                                                           \
            begin = now();                                                                                             \
            for (int i = 0; i < 64; i++) /* … nor before it */                                                         \
                r[i] = (type)(in[i + threadIdx.x] + (begin == 0x12345));                                               \
            _Pragma("unroll 1") for (int k = 0; k < 16; k++)                                                           \
            {                                                                                                          \
                _Pragma("unroll") for (int j = 0; j < 1024; j += 8)                                                    \
                {                                                                                                      \
                    EIGHT(body)                                                                                        \
                }                                                                                                      \
            }                                                                                                          \
            for (int i = 0; i < 64; i++)                                                                               \
                sum += r[i];                                                                                           \
            *(volatile uint32_t *)&space[threadIdx.x] = (uint32_t)sum; /* nothing is done behind the clock */          \
            __syncthreads();                                                                                           \
            end = now();                                                                                               \
        }                                                                                                              \
        out[threadIdx.x] = (uint32_t)sum + base;                                                                       \
        if (threadIdx.x == 0)                                                                                          \
            cycles[0] = end - begin;                                                                                   \
    }
#define FFMA(i)  asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(r[(j + i) % 16]) : "f"(a[i]), "f"(b[(i + 3 * (j / 8)) % 8]));
#define IMAD(i)  asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(r[(j + i) % 16]) : "r"(a[i]), "r"(b[(i + 3 * (j / 8)) % 8]));
#define HFMA2(i)                                                                                                       \
    asm volatile("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(r[(j + i) % 16]) : "r"(a[i]), "r"(b[(i + 3 * (j / 8)) % 8]));
#define DFMA(i)  asm volatile("fma.rn.f64 %0, %1, %2, %0;" : "+d"(r[(j + i) % 8]) : "d"(a[i]), "d"(b[i]));
#define IADD3(i) asm volatile("add.u32 %0, %1, %0;" : "+r"(r[(j + i) % 16]) : "r"(a[i]));
#define LDS(i)   asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r[(j + i) % 64]) : "r"(base));
#define SHFL(i)  asm volatile("shfl.sync.idx.b32 %0, %0, 3, 31, -1;" : "+r"(r[(j + i) % 16]));
#define SHFL3(i)                                                                                                       \
    asm volatile("shfl.sync.idx.b32 %0, %0, %1, %2, -1;" : "+r"(r[(j + i) % 16]) : "r"(b[i]), "r"(b[(i + 3) % 8]));
#define MUFU(i) asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(r[(j + i) % 16]));
PIPE(ffma, float, FFMA)
PIPE(imad, uint32_t, IMAD)
PIPE(hfma2, uint32_t, HFMA2)
PIPE(dfma, double, DFMA)
PIPE(iadd3, uint32_t, IADD3)
PIPE(lds, uint32_t, LDS)
PIPE(shfl, uint32_t, SHFL)
PIPE(shfl3, uint32_t, SHFL3)
PIPE(mufu, float, MUFU)

// ===== barriers of a block: one thread adds to a word of shared memory between them =====

static __global__ void barrier(uint32_t *cycles, uint32_t *out)
{
    __shared__ uint32_t sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    uint32_t start = now();
#pragma unroll 8
    for (int i = 0; i < TIMES; i++) {
        if (threadIdx.x == 0)
            sum += 1;
        __syncthreads();
    }
    uint32_t end = now();
    if (threadIdx.x == 0)
        *cycles = end - start, *out = sum;
}

// ===== all of it =====

static bool wanted(int argc, char **argv, const char *name)
{
    bool found = argc < 2;
    for (int i = 1; i < argc; i++)
        found |= strcmp(argv[i], name) == 0;
    return found;
}

static uint32_t slowest(const buffers &b, int blocks)
{
    static uint32_t cycles[1024];
    uint32_t most = 0;
    cudaMemcpy(cycles, b.cycles, blocks * sizeof *cycles, cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks; i++)
        most = cycles[i] > most ? cycles[i] : most;
    return most;
}

template <typename Operation> static void measure(int argc, char **argv, const buffers &b, int sms, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "%s_lat", name);
    if (wanted(argc, argv, full)) {
        dpx<Operation, true><<<1, 1>>>(b.in, b.cycles, b.out, 1);
        printf("%s: %.3f\n", full, (double)slowest(b, 1) / TIMES);
    }
    snprintf(full, sizeof full, "%s_bw", name);
    if (wanted(argc, argv, full)) {
        dpx<Operation, false><<<1, THREADS>>>(b.in, b.cycles, b.out, 1);
        printf("%s: %.3f\n", full, (double)THREADS * PARTS * TIMES / slowest(b, 1));
    }
    snprintf(full, sizeof full, "%s_global_bw", name);
    if (wanted(argc, argv, full)) {
        dpx<Operation, false, FEW><<<2 * sms, THREADS>>>(b.in, b.cycles, b.out, 1);
        printf("%s: %.3f\n", full, 2.0 * sms * THREADS * PARTS * FEW / slowest(b, 2 * sms));
    }
    fflush(stdout);
}

// Cycles of an instruction of one warp, and the same of one of four warps, each on its sub-core.
static void pipe(int argc, char **argv, const buffers &b, const char *name,
                 void (*kernel)(const uint32_t *, uint32_t *, uint32_t *))
{
    if (!wanted(argc, argv, name))
        return;
    for (int warps = 1; warps <= 4; warps *= 4) {
        kernel<<<1, 32 * warps>>>(b.in, b.cycles, b.out);
        printf("%s %d: %.3f\n", name, warps, slowest(b, 1) / 16384.0);
    }
    fflush(stdout);
}

// Cycles of a round of a barrier, by the warps of the block.
static void barriers(int argc, char **argv, const buffers &b)
{
    for (int warps = 1; wanted(argc, argv, "barrier") && warps <= 32; warps *= 2) {
        barrier<<<1, 32 * warps>>>(b.cycles, b.out);
        printf("barrier %d: %.3f\n", warps, (double)slowest(b, 1) / TIMES);
    }
}

int main(int argc, char **argv)
{
    buffers b;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int sms = properties.multiProcessorCount;
    static uint32_t numbers[2048];
    for (int i = 0; i < 2048; i++)
        numbers[i] = (uint32_t)(i * 2654435761u);
    cudaMalloc(&b.in, sizeof numbers), cudaMalloc(&b.cycles, 4096), cudaMalloc(&b.out, 8u * sms * THREADS);
    cudaMemcpy(b.in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
#define MEASURE(name, value) measure<name>(argc, argv, b, sms, #name);
    DPX(MEASURE)
    pipe(argc, argv, b, "FFMA", ffma);
    pipe(argc, argv, b, "IMAD", imad);
    pipe(argc, argv, b, "HFMA2", hfma2);
    pipe(argc, argv, b, "DFMA", dfma);
    pipe(argc, argv, b, "IADD3", iadd3);
    pipe(argc, argv, b, "LDS", lds);
    pipe(argc, argv, b, "SHFL", shfl);
    pipe(argc, argv, b, "SHFL3", shfl3);
    pipe(argc, argv, b, "MUFU", mufu);
    barriers(argc, argv, b);
    return cudaDeviceSynchronize();
}
