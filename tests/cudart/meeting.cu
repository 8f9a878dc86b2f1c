// SPDX-License-Identifier: BSD-3-Clause
// Barriers of a block that lanes of one warp come to by several ways, for meeting.c. Each kernel is one block of 64
// threads; `number` and `threads` (64) are known when it runs.
#define BARRIER(...) asm volatile(__VA_ARGS__ ::: "memory")
#define REDUCTION(out, form, holds)                                                                                    \
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; " form ", p;}" : "=r"(out) : "r"((int)(holds)) : "memory")

extern "C" {

// a loop that a thread may leave by the kernel's end
__global__ void bail(const int *in, int *out, int number, int threads)
{
    __shared__ int words[64];
    int t = threadIdx.x, steps = 0;
    for (int v = in[t]; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
        if (++steps > 1000)
            return;
    words[t] = steps;
    __syncthreads();
    out[t] = words[63 - t];
}

// both ways of a branch; number and threads in one register of machine code
__global__ void ways(const int *in, int *out, int number, int threads)
{
    __shared__ int words[64];
    int t = threadIdx.x, v = in[t];
    if (v & 1) {
        words[t] = v * 3;
        asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
        out[t] = words[63 - t];
    } else {
        words[t] = v * 5;
        asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
        out[t] = words[63 - t] + 1000;
    }
}

__global__ void sums(const int *in, int *out, int number, int threads)
{
    int t = threadIdx.x, v = in[t], count;
    if (v & 1)
        REDUCTION(count, "barrier.red.popc.u32 %0, 0", v > 20);
    else
        REDUCTION(count, "barrier.red.popc.u32 %0, 0", v > 40);
    out[t] = count;
}

// halves of warps, 32 threads at each barrier
__global__ void halves(const int *in, int *out, int number, int threads)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    for (int round = 0; round < 3; round++) {
        words[t] = in[t] + round;
        if (t % 32 < 16) {
            BARRIER("barrier.sync 4, 32;");
            out[t] += words[t ^ 32];
            BARRIER("barrier.sync 4, 32;");
        } else {
            for (int i = 0; i < in[t] % 7; i++)
                words[t] += round & 8;
            BARRIER("barrier.sync 5, 32;");
            out[t] += words[t ^ 32];
            BARRIER("barrier.sync 5, 32;");
        }
    }
}

// a warp arrives in two parts, and the other one waits for both
__global__ void arrivals(const int *in, int *out, int number, int threads)
{
    __shared__ int words[64];
    int t = threadIdx.x, v = in[t];
    if (t >= 32) {
        BARRIER("barrier.sync 1, 64;");
        out[t] = words[t - 32];
    } else if (v & 1) {
        words[t] = v * 3;
        BARRIER("barrier.arrive 1, 64;");
    } else {
        int sum = 0;
        for (int i = 0; i < v % 9; i++)
            sum += v;
        words[t] = sum;
        BARRIER("barrier.arrive 1, 64;");
    }
}

__device__ __noinline__ int thrice(int *words, int t, int v)
{
    words[t] = v * 3;
    BARRIER("barrier.sync 0;");
    return words[63 - t] + 1;
}

__device__ __noinline__ long long wide(int *words, int t, long long v)
{
    long long product = v * 7;
    words[t] = (int)product;
    BARRIER("barrier.sync 0;");
    return words[63 - t] * product;
}

// functions, threads that exit, and who is left
__global__ void functions(const int *in, int *out, int number, int threads)
{
    __shared__ int words[64];
    int t = threadIdx.x, v = in[t];
    words[t] = 0;
    __syncthreads();
    if (v % 5 == 0)
        return;
    out[t] = v & 1 ? thrice(words, t, v) : (int)wide(words, t, v);
}
}
