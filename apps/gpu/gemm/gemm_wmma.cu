// SPDX-License-Identifier: BSD-3-Clause
// C = A B with tensor cores: a warp makes a tile of 16 x 16 floats from tiles of halves.
// sm_70
#include "common/device.h"

extern "C" __global__ void gemm_wmma(const u16 *a, const u16 *b, float *c, u32 m, u32 n, u32 k)
{
    u32 warp = GLOBAL_X / 32, tiles = n / 16, row = warp / tiles * 16, column = warp % tiles * 16;
    if (row >= m)
        return;
    u32 x[8], y[8];
    float z[8] = {};
    for (u32 depth = 0; depth < k; depth += 16) {
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7])
                     : "l"(a + row * k + depth), "r"(k)
                     : "memory");
        asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                     : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]), "=r"(y[4]), "=r"(y[5]), "=r"(y[6]), "=r"(y[7])
                     : "l"(b + depth * n + column), "r"(n)
                     : "memory");
        asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
                     "{%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, "
                     "{%0,%1,%2,%3,%4,%5,%6,%7};"
                     : "+f"(z[0]), "+f"(z[1]), "+f"(z[2]), "+f"(z[3]), "+f"(z[4]), "+f"(z[5]), "+f"(z[6]), "+f"(z[7])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
                       "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
    }
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;"
                 :
                 : "l"(c + row * n + column), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]),
                   "f"(z[6]), "f"(z[7]), "r"(n)
                 : "memory");
}
