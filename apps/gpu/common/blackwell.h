/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels for compute capability 10.0 share, beside what they have in common with Hopper's: tensor memory, and
 * products there (tcgen05) that one thread issues.
 */
#ifndef APP_BLACKWELL_H
#define APP_BLACKWELL_H

#include "common/hopper.h"

/* ===== tensor memory ===== */

/* By a whole warp: columns, whose address goes to shared memory. */
template <u32 columns> static __device__ void tensor_allocate(u32 to)
{
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n\t"
                 "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(to),
                 "n"(columns)
                 : "memory");
}

template <u32 columns> static __device__ void tensor_free(u32 address)
{
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "n"(columns) : "memory");
}

/* The same by a warp of each of a pair's two blocks, at the same place in both. */
template <u32 columns> static __device__ void tensor_allocate_pair(u32 to)
{
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;\n\t"
                 "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::"r"(to),
                 "n"(columns)
                 : "memory");
}

template <u32 columns> static __device__ void tensor_free_pair(u32 address)
{
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address), "n"(columns) : "memory");
}

/* Sixteen columns of the warp's 32 lanes, one of which is a thread's. */
static __device__ void tensor_load(u32 (&d)[16], u32 address)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                 "%14, %15}, [%16];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]),
                   "=r"(d[8]), "=r"(d[9]), "=r"(d[10]), "=r"(d[11]), "=r"(d[12]), "=r"(d[13]), "=r"(d[14]), "=r"(d[15])
                 : "r"(address)
                 : "memory");
}

static __device__ void tensor_load_wait()
{
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

/* Between the use of tensor memory and a barrier, and the other way round. */
static __device__ void tensor_fence_before()
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

static __device__ void tensor_fence_after()
{
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/* ===== copies ===== */

/* The address of the even block's barrier of a pair at the same place. */
static __device__ u32 barrier_of_pair(u32 barrier)
{
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(barrier));
    return there;
}

/* A box whose bytes a barrier of either block of the pair counts. */
static __device__ void load_box_pair(u32 to, const tensor_map *map, u32 x, u32 y, u32 barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], "
                 "[%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/* ===== products ===== */

/* A matrix as descriptor() has it, for tcgen05. */
static __device__ u64 tensor_descriptor(u32 address)
{
    return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(SWIZZLE_ATOM >> 4) << 32 | (u64)1 << 46 | (u64)2 << 61;
}

/* 128 rows, of a pair 256, and `columns` columns of sums of single precision: of halves, and of bytes (e4m3), whose
 * types are 0. */
static __device__ u32 tensor_instruction(u32 columns, u32 rows = 128)
{
    return 1 << 4 | columns / 8 << 17 | rows / 16 << 24;
}

#define TENSOR_MULTIPLY(form)                                                                                          \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\t"                                                     \
                 "tcgen05.mma." form " [%0], %1, %2, %3, p;\n\t}" ::"r"(d),                                            \
                 "l"(a), "l"(b), "r"(instruction), "r"(adds)                                                           \
                 : "memory")

/* d = a · b, and d too where `adds` is not 0; a and b in shared memory, 32 bytes of k. */
template <bool bytes> static __device__ void tensor_multiply(u32 d, u64 a, u64 b, u32 instruction, u32 adds)
{
    if (bytes)
        TENSOR_MULTIPLY("cta_group::1.kind::f8f6f4");
    else
        TENSOR_MULTIPLY("cta_group::1.kind::f16");
}

/* The same by a pair of blocks, each of which has half of the rows of a and d, and half of the columns of b. */
template <bool bytes> static __device__ void tensor_multiply_pair(u32 d, u64 a, u64 b, u32 instruction, u32 adds)
{
    if (bytes)
        TENSOR_MULTIPLY("cta_group::2.kind::f8f6f4");
    else
        TENSOR_MULTIPLY("cta_group::2.kind::f16");
}

/* The barrier learns that the thread's products before it are done. */
static __device__ void tensor_commit(u32 barrier)
{
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
                 : "memory");
}

/* … of a pair's, in both blocks. */
static __device__ void tensor_commit_pair(u32 barrier)
{
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
            barrier),
        "h"((unsigned short)3)
        : "memory");
}

#endif
