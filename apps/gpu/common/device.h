/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels need of CUDA C, for clang without NVIDIA's headers (clang -nocudainc -nocudalib) and for nvcc, which
 * brings most of it. Functions that hardware approximates are named after their instruction: the programs compare with
 * the host within a tolerance that allows for them.
 */
#ifndef APP_DEVICE_H
#define APP_DEVICE_H

typedef unsigned int u32;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;

#ifndef __NVCC__
#define __global__                 __attribute__((global))
#define __device__                 __attribute__((device))
#define __shared__                 __attribute__((shared))
#define __constant__               __attribute__((constant))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))

struct app_place {
    u32 x, y, z;
};

#define APP_PLACE(function, part)                                                                                      \
    static inline __device__ app_place function()                                                                      \
    {                                                                                                                  \
        app_place place;                                                                                               \
        place.x = (u32)__nvvm_read_ptx_sreg_##part##_x();                                                              \
        place.y = (u32)__nvvm_read_ptx_sreg_##part##_y();                                                              \
        place.z = (u32)__nvvm_read_ptx_sreg_##part##_z();                                                              \
        return place;                                                                                                  \
    }
APP_PLACE(app_thread, tid)
APP_PLACE(app_block, ctaid)
APP_PLACE(app_threads, ntid)
APP_PLACE(app_blocks, nctaid)
#define threadIdx app_thread()
#define blockIdx  app_block()
#define blockDim  app_threads()
#define gridDim   app_blocks()

static inline __device__ int atomicAdd(int *at, int by)
{
    return __nvvm_atom_add_gen_i(at, by);
}
static inline __device__ u32 atomicAdd(u32 *at, u32 by)
{
    return (u32)__nvvm_atom_add_gen_i((int *)at, (int)by);
}
static inline __device__ float atomicAdd(float *at, float by)
{
    return __nvvm_atom_add_gen_f(at, by);
}
static inline __device__ u32 atomicMin(u32 *at, u32 value)
{
    return __nvvm_atom_min_gen_ui(at, value);
}
static inline __device__ u32 atomicMax(u32 *at, u32 value)
{
    return __nvvm_atom_max_gen_ui(at, value);
}
static inline __device__ u32 atomicExch(u32 *at, u32 value)
{
    return (u32)__nvvm_atom_xchg_gen_i((int *)at, (int)value);
}
static inline __device__ u32 atomicCAS(u32 *at, u32 expected, u32 value)
{
    return (u32)__nvvm_atom_cas_gen_i((int *)at, (int)expected, (int)value);
}
/* As instructions that may change any memory: clang 14 takes it that its builtins for these leave shared variables as
 * they are, and moves loads of them to the other side. */
#define __syncthreads() asm volatile("bar.sync 0;" ::: "memory")
#define __threadfence() asm volatile("membar.gl;" ::: "memory")
#endif

/* The index of this thread in a grid of one dimension, and in both directions of one of two. */
#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)

static inline __device__ float ex2_approx(float x)
{
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float lg2_approx(float x)
{
    float y;
    asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float sin_approx(float x)
{
    float y;
    asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float cos_approx(float x)
{
    float y;
    asm("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float rsqrt_approx(float x)
{
    float y;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float sqrt_rn(float x)
{
    float y;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float exp_approx(float x)
{
    return ex2_approx(x * 1.44269504f);
}
static inline __device__ float log_approx(float x)
{
    return lg2_approx(x) * 0.693147181f;
}
static inline __device__ float tanh_approx(float x)
{
    return 1.0f - 2.0f / (exp_approx(2.0f * x) + 1.0f);
}
static inline __device__ float min_f(float a, float b)
{
    return a < b ? a : b;
}
static inline __device__ float max_f(float a, float b)
{
    return a > b ? a : b;
}

#endif
