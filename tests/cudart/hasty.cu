/* SPDX-License-Identifier: BSD-3-Clause */
/* A race in shared memory: a thread reads what another has written without a barrier between. Kept as machine code:
 * nvcc -arch=sm_86 -cubin hasty.cu -o hasty.sm_86.cubin, and the same with -lineinfo as hasty-lines.sm_86.cubin. */
extern "C" __global__ void work(unsigned *out)
{
    __shared__ unsigned passed[64];
    passed[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = passed[threadIdx.x ^ 32];
}
