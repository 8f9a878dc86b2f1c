// SPDX-License-Identifier: BSD-3-Clause
// Lanes with an odd number go round a loop; the test makes BRA.U and BRA.U.ANY of that branch. nvcc -O3 -arch=sm_80 -cubin
typedef unsigned u32;

extern "C" __global__ void agree(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, value = in[i];
    if (!(value & 1))
#pragma unroll 1
        for (u32 k = 0; k <= value % 3; k++)
            atomicAdd(out + i, 16);
    atomicAdd(out + i, 1);
}
