/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Litmus tests of memory values in simulated time, and programs that need them to be right. Accesses are written out in
 * PTX, so that each is the form that is meant. litmus.ptx is made from this file by
 *   nvcc -ptx -arch=sm_80 litmus.cu -o litmus.ptx
 */
#include <cstdint>
#include <cstdio>

#define LOAD(NAME, FORM)                                                                                               \
    __device__ int NAME(const int *p)                                                                                  \
    {                                                                                                                  \
        int v;                                                                                                         \
        asm volatile("ld." FORM ".s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");                                        \
        return v;                                                                                                      \
    }
#define STORE(NAME, FORM)                                                                                              \
    __device__ void NAME(int *p, int v)                                                                                \
    {                                                                                                                  \
        asm volatile("st." FORM ".s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");                                          \
    }

LOAD(load, "global")
LOAD(load_volatile, "volatile.global")
LOAD(load_relaxed, "relaxed.gpu.global")
LOAD(load_acquire, "acquire.gpu.global")
STORE(store, "global")
STORE(store_volatile, "volatile.global")
STORE(store_relaxed, "relaxed.gpu.global")
STORE(store_release, "release.gpu.global")

__device__ void reduce(int *p, int v)
{
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__device__ int exchange_acquire(int *p, int v)
{
    int old;
    asm volatile("atom.acquire.gpu.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}

__device__ void fence_sc()
{
    asm volatile("fence.sc.gpu;" ::: "memory");
}

__device__ void fence()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

extern "C" {

/* ===== one thread ===== */

__global__ void red_store(int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    reduce(&x[i], 1);
    store(&x[i], 5);
    out[i] = load(&x[i]);
}

__global__ void store_red(int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    store(&x[i], 5);
    reduce(&x[i], 1);
    out[i] = load(&x[i]) + load(&x[i]);
}

__global__ void volatile_load(int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    store_volatile(&x[i], i + 7);
    out[i] = load(&x[i]);
}

/* Stores and atomics of all kinds in turn on one word. */
__global__ void in_turn(int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 8; k++) {
        store(&x[i], i + k);
        sum += atomicAdd(&x[i], 3);
        reduce(&x[i], k);
        sum += load(&x[i]);
        store_relaxed(&x[i], k);
        sum += load_volatile(&x[i]);
        atomicCAS(&x[i], k, 100);
        sum += load(&x[i]);
    }
    out[i] = sum;
}

__global__ void co_ww(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    store_relaxed(&x[i], 1);
    store_relaxed(&x[i], 2);
    store_volatile(&x[i + 4096], 1);
    store(&x[i + 4096], 2);
}

/* ===== one block ===== */

__global__ void atomic_barrier(int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x == 0)
            atomicAdd(&x[blockIdx.x], 1);
        __syncthreads();
        sum = sum * 10 + load(&x[blockIdx.x]);
        __syncthreads();
    }
    out[i] = sum;
}

/* Every warp's stores are seen by the others behind a barrier; through the sectors next to a red that is under way. */
__global__ void neighbours(int *x, int *out)
{
    int i = threadIdx.x, sum = 0;
    int *mine = x + blockIdx.x * 2 * blockDim.x;
    for (int k = 0; k < 4; k++) {
        store(&mine[2 * i], k + i);
        reduce(&mine[2 * i + 1], 1);
        __syncthreads();
        sum += load(&mine[2 * ((i + 33) % blockDim.x)]) + load(&mine[2 * ((i + 65) % blockDim.x) + 1]);
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + i] = sum;
}

/* ===== blocks with one another ===== */

/* Message passing: block 0 writes a message and a flag, the others wait for the flag. `how`: the forms. */
__global__ void message(int *x, int *flag, int *out, int rounds, int how)
{
    if (blockIdx.x == 0) {
        for (int k = 1; k <= rounds; k++) {
            store(&x[threadIdx.x + 32 * k], k * 1000 + threadIdx.x);
            __syncthreads();
            if (threadIdx.x == 0) {
                if (how == 0) {
                    __threadfence();
                    store_volatile(flag, k);
                } else {
                    store_release(flag, k);
                }
            }
        }
        return;
    }
    int wrong = 0;
    for (int k = 1; k <= rounds; k++) {
        if (how == 0) {
            while (load_volatile(flag) < k) {
            }
            __threadfence();
        } else {
            while (load_acquire(flag) < k) {
            }
        }
        wrong += load(&x[threadIdx.x + 32 * k]) != k * 1000 + (int)threadIdx.x;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = wrong + 1;
}

/* r = ld.acquire flag; d = ld x; if (r) d is there: no waiting, whatever comes out. */
__global__ void acquire_once(int *x, int *flag, int *out, int rounds)
{
    if (blockIdx.x == 0) {
        for (int k = 0; k < rounds; k++) {
            store(&x[64 * k], k + 1);
            fence();
            store_relaxed(&flag[64 * k], 1);
        }
        return;
    }
    int wrong = 0, seen = 0;
    for (int k = 0; k < rounds; k++) {
        int r = load_acquire(&flag[64 * k]), d = load(&x[64 * k]);
        seen += r;
        wrong += r && d != k + 1;
    }
    out[2 * blockIdx.x] = wrong;
    out[2 * blockIdx.x + 1] = seen;
}

/* red data; fence; st.release flag, in different slices. */
__global__ void red_release(int *x, int *flag, int *out, int rounds)
{
    int wrong = 0;
    for (int k = 0; k < rounds; k++) {
        if (blockIdx.x == 0) {
            reduce(&x[64 * k + threadIdx.x], k + 1);
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0)
                store_release(&flag[37 * 64 * k], 1);
        } else {
            while (!load_acquire(&flag[37 * 64 * k])) {
            }
            wrong += load(&x[64 * k + threadIdx.x]) != k + 1;
            wrong += load_volatile(&x[64 * k + threadIdx.x]) != k + 1;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = wrong;
}

/*
 * The same where the data's slice is busy with others' reductions and the flag's is not: SM 0 writes, SM 1 reads, SMs 2
 * and 3, which reach the slice by another way, keep its queue full. Warp 1 adds, thread 0 fences and sets the flag: the
 * fence covers what is ordered before it by the barrier. With `own`, thread 0 adds itself.
 */
__global__ void busy_slice(int *x, int *flag, int *acknowledged, int *out, int rounds, int own)
{
    int wrong = 0, i = threadIdx.x % 32;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm > 1) {
        while (load_relaxed(flag) < rounds)
            for (int k = 0; k < 32; k++)
                reduce(&x[16 + i % 16], 1);
        return;
    }
    if (threadIdx.x >= 64)
        return;
    for (int k = 1; k <= rounds; k++) {
        if (sm == 0) {
            if (own ? threadIdx.x == 0 : threadIdx.x == 32)
                reduce(&x[0], 1);
            __syncthreads();
            if (threadIdx.x == 0) {
                fence();
                store_relaxed(flag, k);
                while (load_acquire(acknowledged) < k) {
                }
            }
            __syncthreads();
        } else if (threadIdx.x == 0) {
            while (load_acquire(flag) < k) {
            }
            wrong += load(&x[0]) != k;
            store_release(acknowledged, k);
        }
    }
    if (sm == 1 && threadIdx.x == 0)
        out[0] = wrong + 1;
}

/* Keeps the memory pipeline busy: every lane reads a line of its own. */
__device__ int flood(const int *x, int step)
{
    return load(&x[(threadIdx.x % 32 + step % 64 * 32) * 32]);
}

/* r = ld.acquire flag; d = ld x; if (r) d is there. The acquire waits in a queue for longer than the writer takes. */
__global__ void acquire_behind(int *x, int *flag, int *acknowledged, int *out, const int *lines, int rounds)
{
    __shared__ volatile int done;
    int wrong = 0;
    if (threadIdx.x == 0)
        done = 0;
    __syncthreads();
    if (blockIdx.x == 0) {
        for (int k = 1; k <= rounds && threadIdx.x == 0; k++) {
            store(x, k);
            store_release(flag, k);
            while (load_relaxed(acknowledged) < k) {
            }
        }
        return;
    }
    if (threadIdx.x >= 32) {
        for (int step = threadIdx.x / 32; !done; step++)
            wrong += flood(lines, step);
        out[threadIdx.x] = wrong;
        return;
    }
    for (int k = 1, r; k <= rounds; k++) {
        do {
            r = load_acquire(flag);
            int d = load(x);
            wrong += r == k && d != k;
        } while (r < k);
        store_relaxed(acknowledged, k);
    }
    done = 1;
    if (threadIdx.x == 0)
        out[0] = wrong + 1;
}

/* Warp 0 adds where its sub-core's queue is full; warp 1, whose queue is empty, must not be served before it. */
__global__ void overtaking(int *x, int *out, const int *lines, int rounds)
{
    __shared__ volatile int done;
    int wrong = 0, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        done = 0;
    __syncthreads();
    if (warp > 1) {
        for (int step = warp; warp % 4 == 0 && !done; step++)
            wrong += flood(lines, step);
        out[threadIdx.x] = wrong;
        return;
    }
    for (int k = 1; k <= rounds; k++) {
        if (threadIdx.x == 0)
            reduce(&x[blockIdx.x], 1);
        asm volatile("bar.sync 1, 64;" ::: "memory");
        if (warp == 1)
            wrong += load(&x[blockIdx.x]) != k;
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    done = 1;
    out[threadIdx.x] = wrong;
}

/* Store buffering: not both see nothing. */
__global__ void store_buffering(int *x, int *out, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        store_relaxed(&x[64 * (2 * k + blockIdx.x)], 1);
        fence_sc();
        out[2 * k + blockIdx.x] = load_relaxed(&x[64 * (2 * k + 1 - blockIdx.x)]);
    }
}

/* Two reads of one word never go back. */
__global__ void co_rr(int *x, int *out, int rounds)
{
    if (blockIdx.x == 0) {
        for (int k = 1; k <= rounds; k++)
            store_relaxed(x, k);
        return;
    }
    int wrong = 0, last = 0;
    while (last < rounds) {
        int a = load_relaxed(x), b = load_volatile(x);
        wrong += b < a || a < last;
        last = b;
    }
    out[blockIdx.x] = wrong + 1;
}

/* Independent reads of independent writes: two readers agree on the order of two writes. */
__global__ void iriw(int *x, int *out, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        int *a = &x[64 * (2 * k)], *b = &x[64 * (2 * k + 1)];
        if (blockIdx.x < 2) {
            store_relaxed(blockIdx.x ? b : a, 1);
        } else {
            int first = load_relaxed(blockIdx.x == 2 ? a : b);
            fence_sc();
            int second = load_relaxed(blockIdx.x == 2 ? b : a);
            out[2 * k + blockIdx.x - 2] = 2 * first + second;
        }
    }
}

/* ===== programs ===== */

/* A spin lock guards a word that is read and written plainly; it stands beside it when `near`. */
__global__ void spin_lock(int *lock, int *value, int rounds)
{
    if (threadIdx.x)
        return;
    for (int k = 0; k < rounds; k++) {
        while (exchange_acquire(lock, 1)) {
        }
        store(value, load(value) + 1);
        store_release(lock, 0);
    }
}

/* The same with atomicCAS, fences and atomicExch, and every thread of a warp takes the lock. */
__global__ void lane_lock(int *lock, int *value)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            store(value, load(value) + 1);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

/* One half of a warp waits for what the other does, and then all exchange values, vote, and meet the block. */
__global__ void half_waits(int *flag, int *out, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = i / 32, sum = 0;
    bool waits = warp % 2 ? lane >= 16 : lane < 16;
    for (int k = 1; k <= rounds; k++) {
        if (waits) {
            while (load_volatile(&flag[warp]) < k) {
            }
            sum += 1000;
        } else {
            if (lane % 16 == 0)
                store_volatile(&flag[warp], k);
            sum += 1;
        }
        sum += __shfl_xor_sync(~0u, sum, 16);
        sum += __popc(__ballot_sync(~0u, waits)) - 16;
        __syncthreads();
    }
    out[i] = sum;
}

/* The last block adds the sums of all blocks. */
__global__ void last_block(const int *in, int *partial, int *ticket, int *out, int n)
{
    __shared__ int sum, last;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < (int)gridDim.x; i += blockDim.x)
        atomicAdd(&sum, partial[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}

/* Every thread draws a number of its own, and adds to sums of other types. */
__global__ void tickets(int *next, int *drawn, unsigned long long *wide, float *real, unsigned *wrapped)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int number = atomicAdd(next, 1);
    drawn[number] = i + 1;
    atomicAdd(wide, 0x100000001ull * i);
    atomicMax(wide + 1, (unsigned long long)i << 33);
    atomicAdd(real, 0.5f);
    atomicInc(wrapped, 6);
    atomicXor(wrapped + 1, 1u << i % 32);
}

/* Vectors, several at once. */
__global__ void vectors(int *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a, b, c, d, e, f;
    int *p = &x[8 * i];
    asm volatile("st.volatile.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(i), "r"(i + 1), "r"(i + 2),
                 "r"(i + 3)
                 : "memory");
    asm volatile("st.volatile.global.v2.s32 [%0+16], {%1, %2};" ::"l"(p), "r"(i * 3), "r"(i * 5) : "memory");
    asm volatile("ld.volatile.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(p)
                 : "memory");
    asm volatile("ld.volatile.global.v2.s32 {%0, %1}, [%2+16];" : "=r"(e), "=r"(f) : "l"(p) : "memory");
    int64_t wide;
    asm volatile("ld.volatile.global.s8 %0, [%1];" : "=l"(wide) : "l"(p) : "memory");
    out[i] = a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + (int)wide;
}

/* Blocks of device memory handed from one thread to another: each frees another's. */
__global__ void heap(int **given, int *out, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < rounds; k++) {
        int *mine = (int *)malloc((i % 5 + 1) * 40);
        for (int j = 0; j < (i % 5 + 1) * 10; j++)
            mine[j] = i + j + k;
        given[i] = mine;
        __syncthreads();
        int other = blockIdx.x * blockDim.x + (threadIdx.x + 37) % blockDim.x;
        int *theirs = given[other];
        for (int j = 0; j < (other % 5 + 1) * 10; j++)
            sum += theirs[j] - other;
        __syncthreads();
        free(theirs);
    }
    out[i] = sum;
}

__global__ void clocks(long long *out)
{
    long long t0 = clock64(), ns0, ns1;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns0));
    int spins = 0;
    while (clock64() - t0 < 2000)
        spins++;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns1));
    unsigned sm, count;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(count));
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[4 * i] = clock64() - t0;
    out[4 * i + 1] = ns1 - ns0;
    out[4 * i + 2] = sm;
    out[4 * i + 3] = count;
    if (threadIdx.x == 0)
        printf("block %d of sm %u of %u\n", (int)blockIdx.x, sm, count);
}

/* Named barriers: half of the block produces, half consumes. */
__global__ void pipeline(int *out, int rounds)
{
    __shared__ int slot[64];
    int half = blockDim.x / 2, i = threadIdx.x % half, sum = 0;
    for (int k = 0; k < rounds; k++) {
        if (threadIdx.x < half) {
            slot[i] = k * 100 + i;
            asm volatile("bar.arrive 1, %0;" ::"r"((int)blockDim.x) : "memory");
            asm volatile("bar.sync 2, %0;" ::"r"((int)blockDim.x) : "memory");
        } else {
            asm volatile("bar.sync 1, %0;" ::"r"((int)blockDim.x) : "memory");
            sum += slot[half - 1 - i];
            asm volatile("bar.arrive 2, %0;" ::"r"((int)blockDim.x) : "memory");
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void wrong_address(int *x)
{
    if (blockIdx.x == 3 && threadIdx.x == 5)
        x = (int *)0x123450;
    atomicAdd(x, 1);
    store(x, 1);
}
}
