/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions on surfaces (SURED), where several threads meet and outside.
 * nvcc -O3 -arch=sm_NN -cubin (75, 80, 90), -ptx (75). */
#include <cuda_runtime.h>

typedef unsigned u32;

#define ONE(TEXT, S, X, V) asm volatile("sured.b.1d." TEXT " [%0,{%1}],%2;" :: "l"(S), "r"(X), "r"(V) : "memory")
#define TWO(TEXT, S, X, Y, V)                                                                                          \
    asm volatile("sured.b.2d." TEXT " [%0,{%1,%2}],%3;" :: "l"(S), "r"(X), "r"(Y), "r"(V) : "memory")

extern "C" __global__ void surfaces(const u32 *in, u32 *out, cudaSurfaceObject_t s1, cudaSurfaceObject_t s2,
                                    cudaSurfaceObject_t s3, cudaSurfaceObject_t l1, cudaSurfaceObject_t l2)
{
    int i = threadIdx.x, x = i % 16, y = i / 16, far = (int)(in[i] & 63) - 20;
    u32 value = in[64 + i], got[4];
    ONE("add.u32.trap", s1, 4 * (i % 8), value);
    ONE("min.s32.trap", s1, 4 * (8 + i % 8), value);
    ONE("max.u32.trap", s1, 4 * (16 + i % 8), value);
    ONE("and.b32.trap", s1, 4 * (24 + i % 8), value | 0xff00ff);
    ONE("or.b32.trap", s1, 4 * (32 + i % 8), value & 0x70707);
    asm volatile("sured.b.1d.add.u64.trap [%0,{%1}],%2;"
                 :: "l"(s1), "r"(160 + 8 * (i % 4)), "l"((unsigned long long)value << 20) : "memory");
    TWO("min.u32.trap", s2, 4 * x, y, value);
    TWO("add.u32.zero", s2, 4 * far, y, value);
    TWO("max.s32.clamp", s2, 4 * far, y & 1, value);
    asm volatile("sured.b.3d.add.u32.trap [%0,{%1,%2,%3,%3}],%4;"
                 :: "l"(s3), "r"(4 * (i % 8)), "r"(i / 8 % 4), "r"(i / 32), "r"(value) : "memory");
    __syncthreads();
    surf1Dread(&got[0], s1, 4 * i);
    surf2Dread(&got[1], s2, 4 * x, y);
    surf2Dread(&got[2], s2, 4 * x, y + 4);
    surf3Dread(&got[3], s3, 4 * (i % 8), i / 8 % 4, i / 32);
    for (int k = 0; k < 4; k++)
        out[64 * k + i] = got[k];
}
