// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fragments of the tensor cores of Ampere and later (PTX ISA, mma.m16n8). Whatever the type of the numbers, a fragment
 * of the first operand has 16 lines and one of the second 8, of 32 bytes of the inner dimension each, so that one
 * pattern of ldmatrix brings them all.
 */
#ifndef MATHLIB_AMPERE_FRAGMENT_CUH
#define MATHLIB_AMPERE_FRAGMENT_CUH

#include "mathlib/blas/fragment.cuh"

// Numbers of operands, the type of their sums, and their product: sum += first * second.
template <class IN> struct mma_of;

#define MMA(IN, SUM, constraint, kind)                                                                                 \
    template <> struct mma_of<IN> {                                                                                    \
        typedef SUM sum;                                                                                               \
        static __device__ __forceinline__ void multiply(SUM (&s)[4], const unsigned (&a)[4], const unsigned *b)        \
        {                                                                                                              \
            asm volatile("mma.sync.aligned." kind " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"            \
                : "+" constraint(s[0]), "+" constraint(s[1]), "+" constraint(s[2]), "+" constraint(s[3])               \
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                   \
        }                                                                                                              \
    };
MMA(f16, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
MMA(bf16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA(float, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA(signed char, int, "r", "m16n8k32.row.col.s32.s8.s8.s32")
#undef MMA

// Four matrices of 8 lines of 16 bytes from shared memory; TURNED: each is transposed, as numbers of 16 bits.
template <bool TURNED, int OFFSET> __device__ __forceinline__ void load_matrices(unsigned (&to)[4], unsigned from)
{
    if (TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4 + %5];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from), "n"(OFFSET)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4 + %5];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from), "n"(OFFSET)
                     : "memory");
}

// Operands as tensor cores take them: floats are rounded to TF32.
template <class IN, int N> __device__ __forceinline__ void round_words(unsigned (&words)[N])
{
    if (__is_same(IN, float))
#pragma unroll
        for (int n = 0; n < N; n++)
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(words[n]) : "f"(__builtin_bit_cast(float, words[n])));
}

#endif
