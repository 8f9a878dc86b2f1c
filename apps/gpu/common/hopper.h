/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels for compute capability 9.0 share: mbarriers, copies of the tensor memory accelerator (TMA), products of
 * warpgroups (wgmma), clusters. Addresses of shared memory are those of its own space.
 */
#ifndef APP_HOPPER_H
#define APP_HOPPER_H

#include "common/device.h"

struct __align__(64) tensor_map
{
    u64 words[16];
};

static __device__ u32 shared_address(const void *pointer)
{
    return (u32)__cvta_generic_to_shared(pointer);
}

/* ===== mbarriers ===== */

static __device__ void barrier_init(u32 barrier, u32 arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Barriers that were initialised are so for the TMA, and for other blocks of the cluster. */
static __device__ void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ void wait(u32 barrier, u32 parity)
{
    u32 done;
    do
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    while (!done);
}

static __device__ void arrive(u32 barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

static __device__ void arrive_expect(u32 barrier, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/* Arrives at the barrier at the same place of another block of the cluster, as libraries do: without
 * `.release.cluster`, which ptxas makes a fence for the whole GPU of. What it lets go of was read by products that have
 * been waited for. */
static __device__ void arrive_at(u32 barrier, u32 rank)
{
    asm volatile("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, %0, %1;\n\t"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t}" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

/* A place in a ring of stages: the stage, and the parity of its phase that is awaited there. */
struct ring {
    u32 stage, phase;
};

template <u32 stages> static __device__ ring next_of(ring at)
{
    u32 stage = at.stage + 1 == stages ? 0 : at.stage + 1;
    return {stage, at.phase ^ (stage == 0)};
}

/* ===== copies ===== */

static __device__ void load_box(u32 to, const tensor_map *map, u32 x, u32 y, u32 barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                 "%3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/* To the same place of all blocks in the mask, each of whose barriers counts the bytes. */
static __device__ void load_box_to(u32 to, const tensor_map *map, u32 x, u32 y, u32 barrier, u32 mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((u16)mask)
                 : "memory");
}

static __device__ void load_box3(u32 to, const tensor_map *map, int x, int y, int z, u32 barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4}], [%5];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                 : "memory");
}

static __device__ void store_box3(u32 from, const tensor_map *map, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(from),
                 "l"(map), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

static __device__ void load_box4(u32 to, const tensor_map *map, int x, int y, int z, int w, u32 barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4, %5}], [%6];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier)
                 : "memory");
}

static __device__ void load_box4_to(u32 to, const tensor_map *map, int x, int y, int z, int w, u32 barrier, u32 mask)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier), "h"((u16)mask)
                 : "memory");
}

static __device__ void store_box4(u32 from, const tensor_map *map, int x, int y, int z, int w)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4, %5}], [%0];" ::"r"(from),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}

static __device__ void store_box(u32 from, const tensor_map *map, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(from),
                 "l"(map), "r"(x), "r"(y)
                 : "memory");
}

static __device__ void store_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until all but `most` groups of stores have read their shared memory; until all are done. */
template <u32 most> static __device__ void store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(most) : "memory");
}

static __device__ void store_wait()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* What was written to shared memory before can be read by the TMA. */
static __device__ void fence_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ===== sums of products, to shared memory ===== */

static __device__ u32 halves_of(float low, float high)
{
    u32 pair;
    asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(pair) : "f"(low), "f"(high));
    return pair;
}

/* 16 rows of a warp, of which each lane has `count` numbers, as halves: a warpgroup's 64 rows in pieces of 64 columns,
 * as the swizzle of 128 bytes has them. At a time go two matrices of 8 × 8 above each other, and the two beside them; a
 * lane says where a row of one goes. */
template <u32 count> static __device__ void put_halves(u32 to, const float *x)
{
    u32 lane = threadIdx.x % 32, row = threadIdx.x % 128 / 32 * 16 + lane % 16;
#pragma unroll
    for (u32 i = 0; i < count; i += 8) {
        u32 chunk = i / 4 % 8 + lane / 16;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + i / 32 * 64 * 128 + row * 128 + (chunk ^ row % 8) * 16),
                     "r"(halves_of(x[i], x[i + 1])), "r"(halves_of(x[i + 2], x[i + 3])),
                     "r"(halves_of(x[i + 4], x[i + 5])), "r"(halves_of(x[i + 6], x[i + 7]))
                     : "memory");
    }
}

/* ===== clusters, named barriers, registers ===== */

static __device__ u32 cluster_rank()
{
    u32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ u32 cluster_size()
{
    u32 size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

static __device__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* The warpgroup that a thread is of, as a number that the compiler knows to be one for the whole warp: descriptors of
 * products are then made in uniform registers. */
static __device__ u32 warpgroup()
{
    return __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
}

/* By threads that need not be together. */
static __device__ void cluster_sync_alone()
{
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

static __device__ void named_sync(u32 barrier, u32 threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

static __device__ void named_arrive(u32 barrier, u32 threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

#define REGISTERS_DEC(count) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #count ";")
#define REGISTERS_INC(count) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #count ";")

/* ===== products ===== */

enum { SWIZZLE_ATOM = 1024 /* bytes: eight rows of 128 */ };

/* A matrix whose rows of 128 bytes lie as the swizzle of 128 bytes has them, eight rows after another. k runs along the
 * rows; or, where they are transposed, across them: `next` bytes lie between pieces of 64 columns. */
static __device__ u64 descriptor(u32 address, u32 next = 16)
{
    return (u64)(address >> 4 & 0x3fff) | (u64)(next >> 4) << 16 | (u64)(SWIZZLE_ATOM >> 4) << 32 | (u64)1 << 62;
}

/* The matrix that begins so many bytes behind another's: an addition to the lower word, where the address is. */
static __device__ u64 behind(u64 descriptor, u32 bytes)
{
    u64 there;
    asm("{\n\t.reg .b32 low, high;\n\tmov.b64 {low, high}, %1;\n\tadd.u32 low, low, %2;\n\t"
        "mov.b64 %0, {low, high};\n\t}"
        : "=l"(there)
        : "l"(descriptor), "r"(bytes >> 4));
    return there;
}

static __device__ void product_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ void product_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <u32 most> static __device__ void product_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(most) : "memory");
}

/* No use of sums is moved over this by the compiler. */
template <u32 count> static __device__ void keep(float (&d)[count])
{
#pragma unroll
    for (u32 i = 0; i < count; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

#define SUMS_8(d, i)                                                                                                   \
    "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3]), "+f"(d[(i) + 4]), "+f"(d[(i) + 5]),              \
        "+f"(d[(i) + 6]), "+f"(d[(i) + 7])
#define SUMS_32(d, i)  SUMS_8(d, i), SUMS_8(d, (i) + 8), SUMS_8(d, (i) + 16), SUMS_8(d, (i) + 24)
#define SUMS_64(d, i)  SUMS_32(d, i), SUMS_32(d, (i) + 32)
#define SUMS_128(d, i) SUMS_64(d, i), SUMS_64(d, (i) + 64)
#define SUMS_88(d, i)  SUMS_64(d, i), SUMS_8(d, (i) + 64), SUMS_8(d, (i) + 72), SUMS_8(d, (i) + 80)
#define SUMS_96(d, i)  SUMS_64(d, i), SUMS_32(d, (i) + 64)
#define WORDS_32                                                                                                       \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                           \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WORDS_64                                                                                                       \
    WORDS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                      \
             "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WORDS_88                                                                                                       \
    WORDS_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                      \
             "%80, %81, %82, %83, %84, %85, %86, %87"
#define WORDS_96 WORDS_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define WORDS_128                                                                                                      \
    WORDS_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                      \
             "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                        \
             "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "            \
             "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

/* d = a · b, and d too where `adds` is not 0; a and b in shared memory, k along the rows of both. */
#define APP_PRODUCT(shape, words, sums, a_place, b_place, adds_place, ends)                                            \
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " adds_place ", 0;\n\t"                                         \
                 "wgmma.mma_async.sync.aligned." shape " {" words "}, " a_place ", " b_place ", p, 1, 1" ends ";\n\t}" \
                 : sums                                                                                                \
                 : "l"(a), "l"(b), "r"(adds))

static __device__ void multiply_halves(float (&d)[32], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n64k16.f32.f16.f16", WORDS_32, SUMS_32(d, 0), "%32", "%33", "%34", ", 0, 0");
}

static __device__ void multiply_bytes(float (&d)[32], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n64k32.f32.e4m3.e4m3", WORDS_32, SUMS_32(d, 0), "%32", "%33", "%34", "");
}

static __device__ void multiply_floats(float (&d)[32], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n64k8.f32.tf32.tf32", WORDS_32, SUMS_32(d, 0), "%32", "%33", "%34", "");
}

static __device__ void multiply_halves(float (&d)[64], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n128k16.f32.f16.f16", WORDS_64, SUMS_64(d, 0), "%64", "%65", "%66", ", 0, 0");
}

static __device__ void multiply_bytes(float (&d)[64], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n128k32.f32.e4m3.e4m3", WORDS_64, SUMS_64(d, 0), "%64", "%65", "%66", "");
}

static __device__ void multiply_floats(float (&d)[64], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n128k8.f32.tf32.tf32", WORDS_64, SUMS_64(d, 0), "%64", "%65", "%66", "");
}

static __device__ void multiply_halves(float (&d)[88], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n176k16.f32.f16.f16", WORDS_88, SUMS_88(d, 0), "%88", "%89", "%90", ", 0, 0");
}

static __device__ void multiply_halves(float (&d)[96], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n192k16.f32.f16.f16", WORDS_96, SUMS_96(d, 0), "%96", "%97", "%98", ", 0, 0");
}

static __device__ void multiply_halves(float (&d)[128], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n256k16.f32.f16.f16", WORDS_128, SUMS_128(d, 0), "%128", "%129", "%130", ", 0, 0");
}

static __device__ void multiply_bytes(float (&d)[128], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n256k32.f32.e4m3.e4m3", WORDS_128, SUMS_128(d, 0), "%128", "%129", "%130", "");
}

static __device__ void multiply_floats(float (&d)[128], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n256k8.f32.tf32.tf32", WORDS_128, SUMS_128(d, 0), "%128", "%129", "%130", "");
}

#endif
