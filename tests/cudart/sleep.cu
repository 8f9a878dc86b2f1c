/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that sleep: sleep.c loads its kernels as text (sleep.ptx) or as machine code, kept:
 * nvcc -arch=sm_86 -cubin sleep.cu -o sleep.sm_86.cubin. */
extern "C" __global__ void nap(unsigned long long *out, unsigned first, unsigned step)
{
    unsigned long long from, to;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from)::"memory");
    __nanosleep(first + step * threadIdx.x);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to)::"memory");
    out[threadIdx.x] = to - from;
}

__device__ unsigned taken;

/* A lock that threads of a warp, too, wait for asleep; as in CUDA's guide. */
extern "C" __global__ void count(unsigned long long *out)
{
    for (unsigned time = 8; atomicCAS(&taken, 0, 1); time = time < 256 ? 2 * time : time)
        __nanosleep(time);
    *(volatile unsigned long long *)out = *(volatile unsigned long long *)out + 1;
    __threadfence();
    atomicExch(&taken, 0);
}
