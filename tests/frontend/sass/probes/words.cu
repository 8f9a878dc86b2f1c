// SPDX-License-Identifier: BSD-3-Clause
// Operations on words, one store each: out[operation · threads + thread]. Operands a, b and c of a thread come from
// `in`, random and special ones.
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

#define OPERANDS                                                                                                       \
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;                                         \
    u32 a = in[i], b = in[i + n], c = in[i + 2 * n];                                                                   \
    int sa = (int)a, sb = (int)b, sc = (int)c;                                                                         \
    u64 ab = (u64)b << 32 | a, bc = (u64)c << 32 | b;                                                                  \
    float fa = __uint_as_float(a), fb = __uint_as_float(b), fc = __uint_as_float(c);                                   \
    double da = __longlong_as_double((s64)ab), db = __longlong_as_double((s64)bc);                                     \
    (void)sa, (void)sb, (void)sc, (void)ab, (void)bc, (void)fa, (void)fb, (void)fc, (void)da, (void)db;                \
    u32 *to = out + i;                                                                                                 \
    u32 step = n;
#define PUT(x)                                                                                                         \
    {                                                                                                                  \
        *to = (u32)(x);                                                                                                \
        to += step;                                                                                                    \
    }
#define PUT2(x)                                                                                                        \
    {                                                                                                                  \
        u64 both = (u64)(x);                                                                                           \
        PUT(both) PUT(both >> 32)                                                                                      \
    }
// NaNs have any payload
#define PUTF(x)                                                                                                        \
    {                                                                                                                  \
        float v = (x);                                                                                                 \
        PUT(v != v ? 0x7fc00000u : __float_as_uint(v))                                                                 \
    }
#define PUTD(x)                                                                                                        \
    {                                                                                                                  \
        double v = (x);                                                                                                \
        PUT2(v != v ? 0x7ff8000000000000ull : (u64)__double_as_longlong(v))                                            \
    }
#define ASM1(op, x) ({ u32 r; asm volatile(op " %0, %1;" : "=r"(r) : "r"(x)); r; })
#define ASM2(op, x, y) ({ u32 r; asm volatile(op " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); r; })
#define ASM3(op, x, y, z) ({ u32 r; asm volatile(op " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z)); r; })
#define ASMF2(op, x, y) ({ float r; asm volatile(op " %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); r; })
#define ASMF3(op, x, y, z) ({ float r; asm volatile(op " %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); r; })
#define ASMD3(op, x, y, z) ({ double r; asm volatile(op " %0, %1, %2, %3;" : "=d"(r) : "d"(x), "d"(y), "d"(z)); r; })

extern "C" __global__ void whole(const u32 *in, u32 *out)
{
    OPERANDS
    PUT(a + b) PUT(a - b) PUT(a + b + c) PUT(a * b) PUT(a * b + c) PUT(__umulhi(a, b)) PUT(__mulhi(sa, sb))
    PUT2(ab + bc) PUT2(ab - bc) PUT2(ab * bc) PUT2((u64)a * b) PUT2((s64)sa * sb + (s64)bc)
    PUT(b ? a / b : 0) PUT(b ? a % b : 0) PUT(sb && sb != -1 ? sa / sb : 0) PUT2(bc ? ab / bc : 0)
    PUT(min(a, b)) PUT(max(sa, sb)) PUT(min(min(sa, sb), sc)) PUT(max(max(a, b), c)) PUT(abs(sa))
    PUT(a < b) PUT(sa < sb) PUT(ab < bc) PUT((s64)ab >= (s64)bc) PUT(a == b ? c : a) PUT(a < b && b != c || sa > 5)
    PUT(a & b) PUT(a | b) PUT(a ^ b) PUT(~a) PUT((a & b) | (~a & c)) PUT(a ^ b ^ c) PUT((a & b) | (b & c) | (a & c))
    PUT(a << (b & 31)) PUT(a >> (b & 31)) PUT(sa >> (b & 31)) PUT2(ab << (c & 63)) PUT2(ab >> (c & 63))
    PUT2((s64)ab >> (c & 63)) PUT(ASM2("shl.b32", a, b)) PUT(ASM2("shr.s32", a, b)) PUT(__funnelshift_l(a, b, c))
    PUT(__funnelshift_rc(a, b, c)) PUT(__popc(a)) PUT(__clz(sa)) PUT(__ffs(sa)) PUT(__brev(a)) PUT(__popcll(ab))
    PUT(__clzll((s64)ab)) PUT(ASM1("bfind.s32", a)) PUT(ASM1("bfind.shiftamt.u32", a)) PUT(__byte_perm(a, b, c))
    PUT(ASM3("prmt.b32.f4e", a, b, c)) PUT(ASM3("prmt.b32.b4e", a, b, c)) PUT(ASM3("prmt.b32.rc8", a, b, c))
    PUT(ASM3("prmt.b32.ecl", a, b, c)) PUT(ASM3("prmt.b32.ecr", a, b, c)) PUT(ASM3("prmt.b32.rc16", a, b, c))
    PUT(ASM3("bfe.u32", a, b & 31, c & 31)) PUT(ASM3("bfe.s32", a, b & 31, c & 31)) PUT(ASM2("bmsk.clamp.b32", a, b))
    PUT(ASM2("bmsk.wrap.b32", a, b)) PUT(ASM2("szext.clamp.s32", a, b)) PUT(ASM2("szext.wrap.u32", a, b))
    PUT(__dp4a(sa, sb, sc)) PUT(__dp4a(a, b, c)) PUT(__dp2a_lo(sa, sb, sc)) PUT(__dp2a_hi(a, b, c))
    PUT(__sad(sa, sb, c)) PUT(__usad(a, b, c)) PUT(__vabsdiffu4(a, b)) PUT(__vadd2(a, b)) PUT(__vmaxs2(a, b))
    PUT(__mul24(sa, sb)) PUT(__hadd(sa, sb)) PUT(__rhadd(sa, sb)) PUT((signed char)a + (short)b) PUT((unsigned char)b)
}

extern "C" __global__ void single(const u32 *in, u32 *out)
{
    OPERANDS
    PUTF(fa + fb) PUTF(fa * fb) PUTF(fmaf(fa, fb, fc)) PUTF(fminf(fa, fb)) PUTF(fmaxf(fabsf(fa), -fb)) PUTF(-fabsf(fa))
    PUTF(__fadd_rd(fa, fb)) PUTF(__fadd_ru(fa, fb)) PUTF(__fadd_rz(fa, fb)) PUTF(__fmul_rd(fa, fb))
    PUTF(__fmul_ru(fa, fb)) PUTF(__fmul_rz(fa, fb)) PUTF(__fmaf_rd(fa, fb, fc)) PUTF(__fmaf_ru(fa, fb, fc))
    PUTF(__fmaf_rz(fa, fb, fc)) PUTF(__saturatef(fa)) PUTF(ASMF2("add.ftz.f32", fa, fb)) PUTF(ASMF2("mul.ftz.f32", fa, fb))
    PUTF(ASMF3("fma.rn.ftz.sat.f32", fa, fb, fc)) PUTF(ASMF2("min.ftz.f32", fa, fb)) PUTF(ASMF2("max.f32", fa, fb))
    PUT(fa < fb) PUT(fa == fb) PUT(!(fa >= fb)) PUT(fa != fb) PUT(isnan(fa)) PUTF(fa < 0 ? fb : fc) PUT(isinf(fb))
    PUTF(fb != 0 ? __fdiv_rn(fa, fb) : 0) PUTF(__fsqrt_rn(fa)) PUTF(__frcp_rn(fa)) PUTF(__fsqrt_rz(fa))
    PUT(__float2int_rn(fa)) PUT(__float2int_rz(fa)) PUT(__float2int_ru(fa)) PUT(__float2int_rd(fa))
    PUT(__float2uint_rn(fa)) PUT(__float2uint_rz(fa)) PUT2(__float2ll_rn(fa)) PUT2(__float2ull_rz(fa))
    PUTF(__int2float_rn(sa)) PUTF(__int2float_rz(sa)) PUTF(__uint2float_ru(a)) PUTF(__ll2float_rn((s64)ab))
    PUTF(__ull2float_rd(ab)) PUTF(floorf(fa)) PUTF(ceilf(fa)) PUTF(truncf(fa)) PUTF(rintf(fa))
    PUTF((float)(signed char)a) PUTF((float)(unsigned short)a)
}

extern "C" __global__ void wide(const u32 *in, u32 *out)
{
    OPERANDS
    PUTD(da + db) PUTD(da * db) PUTD(fma(da, db, -da)) PUTD(__dadd_rd(da, db)) PUTD(__dadd_rz(da, db))
    PUTD(__dmul_ru(da, db)) PUTD(__fma_rz(da, db, da)) PUTD(fmin(da, db)) PUTD(fmax(da, fabs(db))) PUT(da < db)
    PUT(da == db) PUT(da != db) PUTD(da > 0 ? da : db) PUTD((double)fa) PUTF((float)da) PUTF(__double2float_rz(da))
    PUT(__double2int_rz(da)) PUT(__double2int_rn(da)) PUT(__double2uint_ru(da)) PUT2(__double2ll_rz(da))
    PUT2(__double2ull_rn(da)) PUTD((double)sa) PUTD((double)a) PUTD(__ll2double_rn((s64)ab)) PUTD(__ull2double_ru(ab))
    PUTD(floor(da)) PUTD(ceil(da)) PUTD(trunc(da)) PUTD(rint(da)) PUTD(db != 0 ? da / db : 0) PUTD(sqrt(fabs(da)))
}
