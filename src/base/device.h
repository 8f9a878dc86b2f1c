/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Function attributes for code that both the host compiler and nvcc compile, and host built-ins that nvcc lacks.
 *   MNP_DEVICE  a function for both
 *   MNP_APART   a function that is never inlined on a GPU
 *   MNP_INLINE  a function that is always inlined on the host
 *   MNP_STEP    like MNP_INLINE on the host, but not inlined on a GPU, where small code is more important
 */
#ifndef MNP_BASE_DEVICE_H
#define MNP_BASE_DEVICE_H

#ifdef __CUDACC__
#define MNP_DEVICE __device__
#define MNP_APART  __device__ __noinline__
#define MNP_INLINE __device__
#define MNP_STEP   __device__ __noinline__
#define _Static_assert static_assert
#define _Noreturn __attribute__((noreturn))
#define __builtin_ctz(value)         (__ffs((int)(value)) - 1)
#define __builtin_ctzll(value)       (__ffsll((long long)(value)) - 1)
#define __builtin_clz(value)         __clz((int)(value))
#define __builtin_popcount(value)    __popc(value)
#define __builtin_expect(value, set) (value)
#define MNP_INVARIANT(condition, ...)                                                                                  \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            __trap();                                                                                                  \
    } while (0)
#else
#define MNP_DEVICE
#define MNP_APART
#define MNP_INLINE         inline __attribute__((always_inline))
#define MNP_STEP           MNP_INLINE
#define MNP_INVARIANT(...) MNP_REQUIRE(__VA_ARGS__)
#endif

#endif
