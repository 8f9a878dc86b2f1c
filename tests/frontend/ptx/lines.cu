/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that fail at lines which the tests find here by their marks. lines.ptx is made from this file by
 *   nvcc -lineinfo -ptx -arch=sm_80 lines.cu -o - | sed "s|$PWD/||" > lines.ptx
 * and kept, so that the tests need no compiler of NVIDIA's.
 */
__device__ __forceinline__ float third(const float *values, unsigned i)
{
    return values[3 * i]; // mark: inlined
}

__global__ void outside(const float *values, float *out)
{
    unsigned i = threadIdx.x;
    out[i] = 1;
    out[i] += third(values, i << 20); // mark: caller
}

__global__ void misaligned(char *bytes, unsigned *out)
{
    out[threadIdx.x] = 7;
    *(unsigned *)(bytes + threadIdx.x) = 5; // mark: misaligned
}

__global__ void trapped(const unsigned *in)
{
    if (in[threadIdx.x] != 0)
        return;
    __trap(); // mark: trap
}

/* Half of the warps wait at one barrier, half at another. */
__global__ void parted(unsigned *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // mark: one
    else
        asm volatile("bar.sync 2, 64;"); // mark: two
    out[threadIdx.x] = 2;
}

__global__ void polling(volatile unsigned *flag, unsigned *out)
{
    while (*flag == 0) // mark: poll
        ;
    out[threadIdx.x] = 2;
}
