// SPDX-License-Identifier: BSD-3-Clause
// Products of complex numbers of halves and of .bf16, which ptxas makes two HFMA2 of: the second takes the halves of its
// multiplier crossed, one of them negated (.H0_NH1).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void complex(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x;
    const unsigned words[3] = {in[t], in[t + 64], in[t + 128]};
    half2 h[3], product;
    __nv_bfloat162 b[3], other;
    for (int i = 0; i < 3; i++) {
        unsigned near = (words[i] & 0x8fff8fff) | 0x30003000; /* numbers of which sums are numbers */
        memcpy(&h[i], &near, 4);
        near = (words[i] & 0x80ff80ff) | 0x3f003f00;
        memcpy(&b[i], &near, 4);
    }
    product = __hcmadd(h[0], h[1], h[2]);
    other = __hcmadd(b[0], b[1], b[2]);
    memcpy(&out[t], &product, 4);
    memcpy(&out[t + 64], &other, 4);
    memcpy(&h[0], &words[0], 4);
    product = __hcmadd(h[0], h[1], h[2]);
    memcpy(&out[t + 128], &product, 4);
}
