// SPDX-License-Identifier: BSD-3-Clause
// Each lane asks for those below it, not for itself, as programs do that count places (HeCBench's bscan): undefined by the
// language, and of one answer where all lanes are together. nvcc -O3 -arch=sm_NN -cubin (75, 80), -ptx (75).
typedef unsigned u32;

extern "C" __global__ void votes(const u32 *in, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, mask = (1u << threadIdx.x % 32) - 1;
    out[i] = __ballot_sync(mask, in[i] & 1);
}
