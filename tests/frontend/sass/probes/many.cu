/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads, stores and reductions of a multicast object, of one GPU's memory here (LDGMC).
 * nvcc -O3 -arch=sm_90 -cubin, -ptx. */
typedef unsigned u32;

#define LOAD1(TEXT) asm volatile("multimem.ld_reduce." TEXT " %0,[%1];" : "=r"(d[0]) : "l"(from) : "memory"); PUT(1)
#define LOAD2(TEXT)                                                                                                    \
    asm volatile("{.reg .b64 d; multimem.ld_reduce." TEXT " d,[%2]; mov.b64 {%0,%1},d;}"                               \
                 : "=r"(d[0]), "=r"(d[1]) : "l"(from) : "memory"); PUT(2)
#define LOAD4(TEXT)                                                                                                    \
    asm volatile("multimem.ld_reduce." TEXT " {%0,%1,%2,%3},[%4];"                                                     \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "l"(from) : "memory"); PUT(4)
#define PUT(N) for (u32 k = 0; k < N; k++) out[64 * place++ + i] = d[k]

extern "C" __global__ void many(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, place = 0, d[4];
    const u32 *from = in + 4 * (i % 48);
    u32 *to = out + 10000 + 16 * i;
    LOAD1("relaxed.sys.global.add.u32");
    LOAD1("relaxed.sys.global.min.s32");
    LOAD1("relaxed.sys.global.and.b32");
    LOAD1("weak.global.add.f32");
    LOAD1("relaxed.gpu.global.max.bf16x2");
    LOAD2("weak.global.add.u64");
    LOAD2("relaxed.sys.global.add.f64");
    LOAD4("relaxed.sys.global.add.v4.f32");
    LOAD4("relaxed.sys.global.add.acc::f32.v4.f16x2");
    LOAD4("relaxed.sys.global.max.v4.bf16x2");
    asm volatile("multimem.st.relaxed.sys.global.u32 [%0],%1;" :: "l"(to), "r"(d[0]) : "memory");
    asm volatile("multimem.st.weak.global.v4.f32 [%0],{%1,%2,%3,%4};"
                 :: "l"(to + 4), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]) : "memory");
    asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0],%1;" :: "l"(to), "r"(d[1]) : "memory");
    asm volatile("multimem.red.relaxed.sys.global.add.v4.f32 [%0],{%1,%2,%3,%4};"
                 :: "l"(to + 4), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]) : "memory");
}
