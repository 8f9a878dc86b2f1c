// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of 16 x 16 fragments by tensor cores (PTX ISA, wmma): halves and bfloat16 with 16 numbers of the inner
 * dimension, floats, rounded to TF32, with 8; sums are floats. A warp holds a fragment together.
 */
#ifndef MATHLIB_FRAGMENT_CUH
#define MATHLIB_FRAGMENT_CUH

#include "mathlib/common/half.cuh"

struct fragment_sum {
    float x[8];
};
template <class IN> struct fragment_of; // of an operand; K: numbers of the inner dimension
template <> struct fragment_of<f16> {
    static const int K = 16;
    unsigned x[8];
};
template <> struct fragment_of<bf16> {
    static const int K = 16;
    unsigned x[4];
};
template <> struct fragment_of<float> {
    static const int K = 8;
    unsigned x[4];
};

__device__ __forceinline__ unsigned shared_address(const void *at)
{
#ifdef __NVCC__
    return (unsigned)__cvta_generic_to_shared(at);
#else
    return (unsigned)(unsigned long long)(const __attribute__((address_space(3))) char *)at;
#endif
}

#define FOUR  "{%0, %1, %2, %3}, [%4], %5;"
#define EIGHT "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
#define TO_FOUR(f)                                                                                                     \
    "=r"((f).x[0]), "=r"((f).x[1]), "=r"((f).x[2]), "=r"((f).x[3])
#define TO_EIGHT(f)                                                                                                    \
    TO_FOUR(f), "=r"((f).x[4]), "=r"((f).x[5]), "=r"((f).x[6]), "=r"((f).x[7])
#define LOAD(operand, IN, shape, type, WORDS, TO)                                                                      \
    template <bool ROWS> __device__ __forceinline__ void load_##operand(fragment_of<IN> &f, const IN *from, int pitch)          \
    {                                                                                                                  \
        if (ROWS)                                                                                                      \
            asm volatile("wmma.load." #operand ".sync.aligned.row." shape ".shared." type " " WORDS                    \
                         : TO(f)                                                                                       \
                         : "r"(shared_address(from)), "r"(pitch)                                                       \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile("wmma.load." #operand ".sync.aligned.col." shape ".shared." type " " WORDS                    \
                         : TO(f)                                                                                       \
                         : "r"(shared_address(from)), "r"(pitch)                                                       \
                         : "memory");                                                                                  \
    }
// Fragments of A and B from shared memory. ROWS: what is contiguous is a row.
LOAD(a, f16, "m16n16k16", "f16", EIGHT, TO_EIGHT)
LOAD(b, f16, "m16n16k16", "f16", EIGHT, TO_EIGHT)
LOAD(a, bf16, "m16n16k16", "bf16", FOUR, TO_FOUR)
LOAD(b, bf16, "m16n16k16", "bf16", FOUR, TO_FOUR)
LOAD(a, float, "m16n16k8", "tf32", FOUR, TO_FOUR)
LOAD(b, float, "m16n16k8", "tf32", FOUR, TO_FOUR)

template <class IN> __device__ __forceinline__ void round_fragment(fragment_of<IN> &) {}
template <> __device__ __forceinline__ void round_fragment(fragment_of<float> &f)
{
#pragma unroll
    for (int n = 0; n < 4; n++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(f.x[n]) : "f"(__builtin_bit_cast(float, f.x[n])));
}

#define SUMS "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define CHANGED(s)                                                                                                     \
    "+f"((s).x[0]), "+f"((s).x[1]), "+f"((s).x[2]), "+f"((s).x[3]), "+f"((s).x[4]), "+f"((s).x[5]), "+f"((s).x[6]),    \
        "+f"((s).x[7])
#define FROM_FOUR(f)  "r"((f).x[0]), "r"((f).x[1]), "r"((f).x[2]), "r"((f).x[3])
#define FROM_EIGHT(f) FROM_FOUR(f), "r"((f).x[4]), "r"((f).x[5]), "r"((f).x[6]), "r"((f).x[7])
#define WORDS_4       "{%8, %9, %10, %11}, {%12, %13, %14, %15}"
#define WORDS_8       "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}"
#define MULTIPLY_AS(layouts, kind, WORDS, FROM)                                                                        \
    asm("wmma.mma.sync.aligned." layouts "." kind " " SUMS ", " WORDS ", " SUMS ";" : CHANGED(sum) : FROM(a), FROM(b))
#define MULTIPLY(IN, kind, WORDS, FROM)                                                                                \
    template <bool A_ROWS, bool B_ROWS>                                                                                \
    __device__ __forceinline__ void multiply_fragments(fragment_sum &sum, const fragment_of<IN> &a, const fragment_of<IN> &b)   \
    {                                                                                                                  \
        if (A_ROWS && B_ROWS)                                                                                          \
            MULTIPLY_AS("row.row", kind, WORDS, FROM);                                                                 \
        else if (A_ROWS)                                                                                               \
            MULTIPLY_AS("row.col", kind, WORDS, FROM);                                                                 \
        else if (B_ROWS)                                                                                               \
            MULTIPLY_AS("col.row", kind, WORDS, FROM);                                                                 \
        else                                                                                                           \
            MULTIPLY_AS("col.col", kind, WORDS, FROM);                                                                 \
    }
MULTIPLY(f16, "m16n16k16.f32.f32", WORDS_8, FROM_EIGHT)
MULTIPLY(bf16, "m16n16k16.f32.bf16.bf16.f32", WORDS_4, FROM_FOUR)
MULTIPLY(float, "m16n16k8.f32.tf32.tf32.f32", WORDS_4, FROM_FOUR)

#define STORE(space, type, at)                                                                                         \
    asm volatile("wmma.store.d.sync.aligned.col.m16n16k16." space ".f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::type(at), \
                 "f"(sum.x[0]), "f"(sum.x[1]), "f"(sum.x[2]), "f"(sum.x[3]), "f"(sum.x[4]), "f"(sum.x[5]),             \
                 "f"(sum.x[6]), "f"(sum.x[7]), "r"(pitch)                                                              \
                 : "memory")
// Columns of the sums are contiguous.
__device__ __forceinline__ void store_shared(float *to, const fragment_sum &sum, int pitch) { STORE("shared", "r", shared_address(to)); }
__device__ __forceinline__ void store_global(float *to, const fragment_sum &sum, int pitch) { STORE("global", "l", to); }

#undef FOUR
#undef EIGHT
#undef LOAD
#undef SUMS
#undef MULTIPLY_AS
#undef MULTIPLY
#undef STORE

#endif
