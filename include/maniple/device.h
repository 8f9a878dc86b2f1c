/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA C for kernels that are compiled without NVIDIA's headers:
 *
 *   clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -O3 -S kernels.cu -o kernels.ptx
 *
 * It has the parts of the language that Maniple's own kernels use: keywords, indices, barriers, votes and shuffles,
 * atomics, a few arithmetic functions. With nvcc it declares nothing, as nvcc has all of it.
 */
#ifndef MANIPLE_DEVICE_H
#define MANIPLE_DEVICE_H

#ifndef __NVCC__

#define __global__                 __attribute__((global))
#define __device__                 __attribute__((device))
#define __host__                   __attribute__((host))
#define __shared__                 __attribute__((shared))
#define __constant__               __attribute__((constant))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))
#define __grid_constant__          /* clang reads parameters where they lie */
#define __align__(bytes)           __attribute__((aligned(bytes)))
#define __forceinline__            inline __attribute__((always_inline))

/* ===== indices ===== */

struct maniple_place {
    unsigned x, y, z;
};

#define MANIPLE_PLACE(function, part)                                                                                  \
    static inline __device__ maniple_place function()                                                                  \
    {                                                                                                                  \
        maniple_place place;                                                                                           \
        place.x = (unsigned)__nvvm_read_ptx_sreg_##part##_x();                                                         \
        place.y = (unsigned)__nvvm_read_ptx_sreg_##part##_y();                                                         \
        place.z = (unsigned)__nvvm_read_ptx_sreg_##part##_z();                                                         \
        return place;                                                                                                  \
    }
MANIPLE_PLACE(maniple_thread, tid)
MANIPLE_PLACE(maniple_block, ctaid)
MANIPLE_PLACE(maniple_threads, ntid)
MANIPLE_PLACE(maniple_blocks, nctaid)
#define threadIdx maniple_thread()
#define blockIdx  maniple_block()
#define blockDim  maniple_threads()
#define gridDim   maniple_blocks()

/* ===== barriers, votes, shuffles ===== */

/* Declared as assembly that may change any memory: clang 14 assumes that its builtins for these leave shared variables
 * unchanged, and moves loads of them across the barrier. */
#define __syncthreads() asm volatile("bar.sync 0;" ::: "memory")
#define __threadfence() asm volatile("membar.gl;" ::: "memory")

static inline __device__ void __syncwarp(unsigned mask = ~0u)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
static inline __device__ unsigned __ballot_sync(unsigned mask, int predicate)
{
    unsigned lanes;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(lanes)
                 : "r"(predicate), "r"(mask));
    return lanes;
}
static inline __device__ unsigned __match_any_sync(unsigned mask, int value)
{
    unsigned lanes;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(lanes) : "r"(value), "r"(mask));
    return lanes;
}

#define MANIPLE_SHUFFLE(function, way)                                                                                 \
    static inline __device__ int function(unsigned mask, int value, int lane)                                          \
    {                                                                                                                  \
        int from;                                                                                                      \
        asm volatile("shfl.sync." way ".b32 %0, %1, %2, 31, %3;" : "=r"(from) : "r"(value), "r"(lane), "r"(mask));     \
        return from;                                                                                                   \
    }                                                                                                                  \
    static inline __device__ float function(unsigned mask, float value, int lane)                                      \
    {                                                                                                                  \
        return __builtin_bit_cast(float, function(mask, __builtin_bit_cast(int, value), lane));                        \
    }                                                                                                                  \
    static inline __device__ double function(unsigned mask, double value, int lane)                                    \
    {                                                                                                                  \
        long long bits = __builtin_bit_cast(long long, value);                                                         \
        unsigned low = (unsigned)function(mask, (int)bits, lane);                                                      \
        int high = function(mask, (int)(bits >> 32), lane);                                                            \
        return __builtin_bit_cast(double, (long long)high << 32 | low);                                                \
    }
MANIPLE_SHUFFLE(__shfl_sync, "idx")
MANIPLE_SHUFFLE(__shfl_xor_sync, "bfly")

/* ===== atomics ===== */

static inline __device__ int atomicAdd(int *at, int by)
{
    return __nvvm_atom_add_gen_i(at, by);
}
static inline __device__ unsigned atomicAdd(unsigned *at, unsigned by)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)at, (int)by);
}
static inline __device__ float atomicAdd(float *at, float by)
{
    return __nvvm_atom_add_gen_f(at, by);
}
static inline __device__ double atomicAdd(double *at, double by) /* from sm_60 on */
{
    double before;
    asm volatile("atom.add.f64 %0, [%1], %2;" : "=d"(before) : "l"(at), "d"(by) : "memory");
    return before;
}
static inline __device__ unsigned atomicMin(unsigned *at, unsigned value)
{
    return __nvvm_atom_min_gen_ui(at, value);
}
static inline __device__ unsigned atomicMax(unsigned *at, unsigned value)
{
    return __nvvm_atom_max_gen_ui(at, value);
}
static inline __device__ unsigned atomicExch(unsigned *at, unsigned value)
{
    return (unsigned)__nvvm_atom_xchg_gen_i((int *)at, (int)value);
}
static inline __device__ unsigned atomicCAS(unsigned *at, unsigned expected, unsigned value)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)at, (int)expected, (int)value);
}

/* ===== arithmetic ===== */

static inline __device__ unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline __device__ int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}
static inline __device__ float fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
static inline __device__ double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
static inline __device__ float sqrtf(float a)
{
    return __nvvm_sqrt_rn_f(a);
}
static inline __device__ double sqrt(double a)
{
    return __nvvm_sqrt_rn_d(a);
}

#endif

#endif
