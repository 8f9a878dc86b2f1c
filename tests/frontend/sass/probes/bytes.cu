// SPDX-License-Identifier: BSD-3-Clause
// Floating-point numbers that become bytes (F2IP of sm_90), alone and packed. The outputs are as words.cu has them.
typedef unsigned int u32;
#define CVT(type, x) ({ u32 r; asm volatile("cvt." type ".f32 %0, %1;" : "=r"(r) : "f"(x)); r; })

extern "C" __global__ void bytes(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, n = blockDim.x;
    float fa = __uint_as_float(in[i]), fb = __uint_as_float(in[i + n]), small = (int)in[i + 2 * n] % 1200 * 0.25f;
    u32 *to = out + i;
#define PUT(x) { *to = (x); to += n; }
    PUT(CVT("rni.u8", fa)) PUT(CVT("rzi.u8", fb)) PUT(CVT("rni.s8", fa)) PUT(CVT("rzi.s8", fb))
    PUT(CVT("rni.u8", small)) PUT(CVT("rzi.u8", small)) PUT(CVT("rni.s8", small)) PUT(CVT("rzi.s8", small))
    PUT(CVT("rni.sat.u8", -small)) PUT(CVT("rzi.sat.s8", -small)) PUT(CVT("rni.s8", fabsf(small)))
    PUT((CVT("rni.u8", small) & 255) << 8 | (CVT("rni.u8", small + 0.5f) & 255))
}
