/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of which half of A is stored (mma.sp), of every shape, type and selector.
 * nvcc -O3 -arch=sm_NN -cubin (80, 89, 90), -ptx -arch=compute_89. */
typedef unsigned u32;

/* Registers of A, of B, of C and D. */
#define P2(TEXT, S)                                                                                                    \
    asm volatile("mma.sp.sync.aligned." TEXT " {%0,%1},{%2,%3},{%4,%5},{%6,%7},%8," #S ";"                             \
                 : "=r"(d[0]), "=r"(d[1])                                                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(e));                          \
    put(out, place, d, 2)
#define P4(TEXT, S)                                                                                                    \
    asm volatile("mma.sp.sync.aligned." TEXT " {%0,%1},{%2,%3,%4,%5},{%6,%7,%8,%9},{%10,%11},%12," #S ";"              \
                 : "=r"(d[0]), "=r"(d[1])                                                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(c[0]),  \
                   "r"(c[1]), "r"(e));                                                                                 \
    put(out, place, d, 2)
#define W2(TEXT, S)                                                                                                    \
    asm volatile("mma.sp.sync.aligned." TEXT " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%8,%9,%10,%11},%12," #S ";"              \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(e));    \
    put(out, place, d, 4)
#define W4(TEXT, S)                                                                                                    \
    asm volatile("mma.sp.sync.aligned." TEXT " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%12,%13,%14,%15},%16," #S ";" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(c[0]),  \
                   "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(e));                                                           \
    put(out, place, d, 4)
#define PAIRS(FORM, TEXT) FORM(TEXT, 0); FORM(TEXT, 1)
#define LANES(FORM, TEXT) PAIRS(FORM, TEXT); FORM(TEXT, 2); FORM(TEXT, 3)

static __device__ void put(u32 *out, u32 &place, const u32 *d, u32 count)
{
    for (u32 i = 0; i < count; i++)
        out[64 * place++ + threadIdx.x] = d[i];
}

/* Metadata that are in order, as those of every matrix are: of four numbers, two different ones. */
static __device__ u32 ordered(u32 bits)
{
    u32 all = 0;
    for (u32 i = 0; i < 8; i++)
        all |= (0xed9c84u >> 4 * ((bits >> 4 * i & 15) % 6) & 15) << 4 * i;
    return all;
}

#define LOAD                                                                                                           \
    u32 i = threadIdx.x, place = 0, a[4], b[4], c[4], d[4], e = ordered(in[(i * 5 + 3) % 192]);                        \
    for (u32 k = 0; k < 4; k++) {                                                                                      \
        a[k] = in[(i + 29 * k) % 192];                                                                                 \
        b[k] = in[(i + 31 * k + 7) % 192];                                                                             \
        c[k] = in[(i + 37 * k + 11) % 192];                                                                            \
    }

extern "C" __global__ void halves(const u32 *in, u32 *out)
{
    LOAD
    LANES(P2, "m16n8k16.row.col.f16.f16.f16.f16");
    LANES(W2, "m16n8k16.row.col.f32.f16.f16.f32");
    PAIRS(P4, "m16n8k32.row.col.f16.f16.f16.f16");
    PAIRS(W4, "m16n8k32.row.col.f32.f16.f16.f32");
    LANES(W2, "m16n8k16.row.col.f32.bf16.bf16.f32");
    PAIRS(W4, "m16n8k32.row.col.f32.bf16.bf16.f32");
    e = in[i] & 0x88888888 | 0x44444444 | (in[i] & 0x88888888) >> 2; /* 0100 or 1110 */
    e |= (e & 0x88888888) >> 1;
    LANES(W2, "m16n8k8.row.col.f32.tf32.tf32.f32");
    PAIRS(W4, "m16n8k16.row.col.f32.tf32.tf32.f32");
}

#define WHOLE(K, LONG, A, B)                                                                                           \
    PAIRS(W2, "m16n8k" #K ".row.col.s32." #A "." #B ".s32");                                                           \
    PAIRS(W2, "m16n8k" #K ".row.col.satfinite.s32." #A "." #B ".s32");                                                 \
    W4("m16n8k" #LONG ".row.col.s32." #A "." #B ".s32", 0);                                                            \
    W4("m16n8k" #LONG ".row.col.satfinite.s32." #A "." #B ".s32", 0)

extern "C" __global__ void wholes(const u32 *in, u32 *out)
{
    LOAD
    WHOLE(32, 64, u8, u8);
    WHOLE(32, 64, u8, s8);
    WHOLE(32, 64, s8, u8);
    WHOLE(32, 64, s8, s8);
    WHOLE(64, 128, u4, u4);
    WHOLE(64, 128, u4, s4);
    WHOLE(64, 128, s4, u4);
    WHOLE(64, 128, s4, s4);
}

#if __CUDA_ARCH__ >= 890
/* Numbers of either kind of eight bits whose products are summed exactly, in any order. */
static __device__ u32 modest(u32 bits)
{
    return (bits & 0x8b8b8b8b) | 0x30303030;
}

extern "C" __global__ void eights(const u32 *in, u32 *out)
{
    LOAD
    for (u32 k = 0; k < 4; k++)
        a[k] = modest(a[k]), b[k] = modest(b[k]), c[k] = 0;
    W4("m16n8k64.row.col.f32.e4m3.e4m3.f32", 0);
    W4("m16n8k64.row.col.f32.e4m3.e5m2.f32", 0);
    W4("m16n8k64.row.col.f32.e5m2.e4m3.f32", 0);
    W4("m16n8k64.row.col.f32.e5m2.e5m2.f32", 0);
}
#endif
