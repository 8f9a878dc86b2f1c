/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices of four bits, of single bits and of eight-bit floats, and conversions between these and halves.
 * nvcc -O3 -arch=sm_NN -cubin (80, 89, 90), -ptx (80: compute_80, others: compute_89). */
#include <cuda_fp8.h>

typedef unsigned u32;

#define SMALL(TEXT, D, A, B)                                                                                           \
    asm volatile("mma.sync.aligned." TEXT " {%0,%1},{%2},{%3},{%4,%5};"                                                \
                 : "=r"(D[0]), "=r"(D[1])                                                                              \
                 : "r"(A[0]), "r"(B[0]), "r"(c[0]), "r"(c[1]))
#define TALL(TEXT, D, A, B)                                                                                            \
    asm volatile("mma.sync.aligned." TEXT " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"                                \
                 : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])                                                      \
                 : "r"(A[0]), "r"(A[1]), "r"(B[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define LONG(TEXT, D, A, B)                                                                                            \
    asm volatile("mma.sync.aligned." TEXT " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"                    \
                 : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])                                                      \
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]),  \
                   "r"(c[3]))

static __device__ void put(u32 *out, u32 &place, const u32 *d, u32 count)
{
    for (u32 i = 0; i < count; i++)
        out[64 * place++ + threadIdx.x] = d[i];
}

extern "C" __global__ void fours(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, place = 0, a[4], b[2], c[4], d[4];
    for (u32 k = 0; k < 4; k++) {
        a[k] = in[(i + 29 * k) % 192];
        b[k / 2] = in[(i + 31 * k + 7) % 192];
        c[k] = in[(i + 37 * k + 11) % 192];
    }
    SMALL("m8n8k32.row.col.s32.s4.s4.s32", d, a, b); put(out, place, d, 2);
    SMALL("m8n8k32.row.col.satfinite.s32.u4.s4.s32", d, a, b); put(out, place, d, 2);
    TALL("m16n8k32.row.col.s32.s4.u4.s32", d, a, b); put(out, place, d, 4);
    LONG("m16n8k64.row.col.satfinite.s32.s4.s4.s32", d, a, b); put(out, place, d, 4);
    LONG("m16n8k64.row.col.s32.u4.u4.s32", d, a, b); put(out, place, d, 4);
    SMALL("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", d, a, b); put(out, place, d, 2);
    TALL("m16n8k128.row.col.s32.b1.b1.s32.and.popc", d, a, b); put(out, place, d, 4);
    LONG("m16n8k256.row.col.s32.b1.b1.s32.xor.popc", d, a, b); put(out, place, d, 4);
}

#if __CUDA_ARCH__ >= 890
/* Numbers of either kind of eight bits whose products are summed exactly, in any order. */
static __device__ u32 modest(u32 bits)
{
    return (bits & 0x8b8b8b8b) | 0x30303030;
}

extern "C" __global__ void eights(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, place = 0, a[4], b[2], c[4] = {0, 0, 0, 0}, d[4];
    for (u32 k = 0; k < 4; k++) {
        a[k] = modest(in[(i + 29 * k) % 192]);
        b[k / 2] = modest(in[(i + 31 * k + 7) % 192]);
    }
    LONG("m16n8k32.row.col.f32.e4m3.e4m3.f32", d, a, b); put(out, place, d, 4);
    LONG("m16n8k32.row.col.f32.e5m2.e4m3.f32", d, a, b); put(out, place, d, 4);
    TALL("m16n8k16.row.col.f32.e4m3.e5m2.f32", d, a, b); put(out, place, d, 4);
}

extern "C" __global__ void small(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, x = in[i], y = in[i + 64], z = in[i + 128];
    float a = __uint_as_float(x), b = __uint_as_float(y), c = __uint_as_float(z);
    __nv_fp8_storage_t none = 0;
    __half2_raw h, r[4];
    h.x = (unsigned short)x, h.y = (unsigned short)(x >> 16);
    out[i] = __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
    out[i + 64] = __nv_cvt_float2_to_fp8x2(make_float2(c, -a), __NV_SATFINITE, __NV_E5M2);
    out[i + 128] = __nv_fp8x4_e4m3(make_float4(a, b, c, -fabsf(a))).__x + none;
    out[i + 192] = __nv_cvt_halfraw2_to_fp8x2(h, __NV_SATFINITE, __NV_E4M3) |
                   (u32)__nv_cvt_halfraw2_to_fp8x2(h, __NV_SATFINITE, __NV_E5M2) << 16;
    r[0] = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)x, __NV_E4M3);
    r[1] = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(x >> 16), __NV_E4M3);
    r[2] = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)y, __NV_E5M2);
    r[3] = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(y >> 16), __NV_E5M2);
    for (u32 k = 0; k < 4; k++)
        out[i + 256 + 64 * k] = r[k].x | (u32)r[k].y << 16;
}
#endif
