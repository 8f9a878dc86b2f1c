/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of registers (bytes and halves that are converted, functions of halves), numbers that are held to few bits,
 * extremes with the product of the signs, sums of which the carry is kept, generic addresses, and barriers in shared
 * memory. nvcc -O3 -arch=sm_NN -cubin (75, 80, 90), -ptx (compute_75, 80, 90). */
typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned long long u64;

#define PUT(x) (*to = (u32)(x), to += 64)
#define OPERANDS                                                                                                       \
    u32 i = threadIdx.x, a = in[i], b = in[i + 64], c = in[i + 128], r, *to = out + i;                                 \
    (void)b, (void)c;
/* NaNs have any payload. */
static __device__ u32 half(u32 x)
{
    return (x & 0x7fff) > 0x7c00 ? 0x7fff : x & 0xffff;
}
static __device__ u32 single(float x)
{
    return x != x ? 0x7fc00000 : __float_as_uint(x);
}
#define HALF1(op, x)                                                                                                   \
    ({                                                                                                                 \
        u16 h;                                                                                                         \
        asm volatile(op " %0, %1;" : "=h"(h) : "h"((u16)(x)));                                                         \
        h;                                                                                                             \
    })
#define WORD1(op, x)                                                                                                   \
    ({                                                                                                                 \
        u32 h;                                                                                                         \
        asm volatile(op " %0, %1;" : "=r"(h) : "r"(x));                                                                \
        h;                                                                                                             \
    })
#define WORD2(op, x, y)                                                                                                \
    ({                                                                                                                 \
        u32 h;                                                                                                         \
        asm volatile(op " %0, %1, %2;" : "=r"(h) : "r"(x), "r"(y));                                                    \
        h;                                                                                                             \
    })
#define FLOAT2(op, x, y)                                                                                               \
    ({                                                                                                                 \
        float f;                                                                                                       \
        asm volatile(op " %0, %1, %2;" : "=f"(f) : "f"(__uint_as_float(x)), "f"(__uint_as_float(y)));                  \
        f;                                                                                                             \
    })

extern "C" __global__ void parts(const u32 *in, u32 *out)
{
    OPERANDS
    for (u32 k = 0; k < 4; k++) {
        PUT(single((float)(unsigned char)(a >> 8 * k))), PUT(single((float)(signed char)(b >> 8 * k)));
        u64 bits = (u64)__double_as_longlong((double)(unsigned char)(a >> 8 * k) - (double)(signed char)(b >> 8 * k));
        PUT(bits), PUT(bits >> 32);
    }
    PUT(single((float)(u16)(c >> 16))), PUT(single((float)(short)(c >> 16)));
    for (u32 k = 0; k < 32; k += 16) {
        PUT(half(HALF1("ex2.approx.f16", a >> k))), PUT(HALF1("tanh.approx.f16", b >> k));
    }
    r = WORD1("ex2.approx.f16x2", c), PUT(half(r)), PUT(half(r >> 16));
    r = WORD1("tanh.approx.f16x2", c), PUT(half(r)), PUT(half(r >> 16));
    PUT(WORD1("cvt.sat.u8.s32", a)), PUT(WORD1("cvt.sat.s8.s32", b)), PUT(WORD1("cvt.sat.u16.s32", a));
    PUT(WORD1("cvt.sat.s16.s32", c)), PUT(WORD2("add.sat.s32", a, b)), PUT(WORD2("sub.sat.s32", b, c));
    u32 carry;
    asm volatile("mad.hi.cc.s32 %0, %2, %3, %4; addc.u32 %1, 0, 0;" : "=r"(r), "=r"(carry) : "r"(a), "r"(b), "r"(c));
    PUT(r), PUT(carry);
    asm volatile("vavrg2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0));
    PUT(r);
    asm volatile("vavrg4.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(c), "r"(0));
    PUT(r);
    asm volatile("{ .reg .pred p; testp.normal.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "f"(__uint_as_float(a)));
    PUT(r);
#if __CUDA_ARCH__ >= 800
    float x = __uint_as_float(b), y = __uint_as_float(c);
    asm volatile("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y));
    PUT(half(r)), PUT(half(r >> 16));
    asm volatile("cvt.rz.relu.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y));
    PUT(r & 0x7f807f80);
    u16 h;
    asm volatile("cvt.rn.relu.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    PUT(half(h));
    asm volatile("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y));
    PUT(half(r)), PUT(half(r >> 16));
#endif
#if __CUDA_ARCH__ >= 900
    PUT(single(FLOAT2("min.xorsign.abs.f32", b, c))), PUT(single(FLOAT2("max.ftz.NaN.xorsign.abs.f32", b, c)));
    r = WORD2("max.NaN.xorsign.abs.f16x2", b, c), PUT(half(r)), PUT(half(r >> 16));
    PUT(HALF1("ex2.approx.ftz.bf16", b) & 0x7f80), PUT(HALF1("tanh.approx.bf16", b >> 16) & 0x7f80);
    asm volatile("cvt.rn.relu.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    PUT(x != x ? 0 : r);
    asm volatile("cvt.rz.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    PUT(x != x ? 0 : r);
#endif
}

/* What threads of two warps do by turns is in no order: sums alone are kept. */
extern "C" __global__ void spaces(const u32 *in, u32 *out)
{
    OPERANDS
    __shared__ u32 near[4];
    u32 *far = out + 64 * 190;
    if (i < 4)
        near[i] = 0, far[i] = 0;
    __syncthreads();
    u32 *one = a & 1 ? near : far, *all = in[0] & 1 ? near : far;
    atomicAdd((float *)one, (float)(i & 7)), atomicXor((u64 *)(one + 2), (u64)b << 32 | c);
    atomicAdd(all + 1, c);
    __syncthreads();
    PUT(near[i & 3]), PUT(far[i & 3]);
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(r));
    PUT(r < 64);
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void arrivals(const u32 *in, u32 *out)
{
    OPERANDS
    __shared__ __align__(8) u64 barrier[3];
    __shared__ __align__(16) u32 copied[64 * 4];
    u32 at = (u32)__cvta_generic_to_shared(barrier), to_here = (u32)__cvta_generic_to_shared(copied + 4 * i), done = 0;
    u64 state, left;
    if (i == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at));
        asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at + 8));
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at + 16));
    }
    __syncthreads();
    for (u32 round = 0; round < 5; round++) { /* each phase needs all threads; those of odd number leave in the last */
        if (round == 3 && i & 1)
            asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        else if (round < 4 || !(i & 1))
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        for (done = round == 4 && i & 1; !done;)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(at), "l"(state)
                         : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(r) : "l"(state));
        left = r;
        PUT(left >= 1 && left <= 64), PUT(round);
    }
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(at + 8) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at + 8) : "memory");
    for (done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at + 8), "l"(state)
                     : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to_here), "l"(in + 4 * (i & 31)) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at + 16) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at + 16) : "memory");
    for (done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at + 16), "l"(state)
                     : "memory");
    PUT(copied[(4 * i + 8) & 255]);
}
#endif
