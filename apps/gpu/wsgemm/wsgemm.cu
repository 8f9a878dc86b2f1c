// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// A product of matrices by warpgroups that do different work: one thread of the first feeds a ring of stages in shared
// memory through the tensor memory accelerator, two others multiply out of it (wgmma). A stage is full when the bytes of
// its two boxes have come (an mbarrier with a transaction count), and empty when both consumers have arrived.
// d = a · b: a is m × k by rows, b is k × n by columns, so that k runs along the rows of both boxes, 128 bytes of it.
#include "common/device.h"

enum { ROWS = 128, COLUMNS = 128, STAGES = 4, BOX = ROWS * 128, STAGE = 2 * BOX, CONSUMERS = 2 };

struct __align__(64) tensor_map {
    u64 words[16];
};

static __device__ u32 shared_address(const void *pointer)
{
    return (u32)__cvta_generic_to_shared(pointer);
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

static __device__ void load_box(u32 to, const tensor_map *map, u32 x, u32 y, u32 barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

// Rows of 128 bytes whose chunks lie as the swizzle of 128 bytes has them, eight rows after another.
static __device__ u64 descriptor(u32 address)
{
    return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

static __device__ void multiply_halves(float d[64], u64 a, u64 b, u32 adds)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, p, 1, 1, 0, 0;\n\t}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
                   "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
                   "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
                   "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
                   "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
                   "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
                   "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                   "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]),
                   "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
                   "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                   "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                 : "l"(a), "l"(b), "r"(adds));
}

static __device__ void multiply_bytes(float d[64], u64 a, u64 b, u32 adds)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, p, 1, 1;\n\t}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]),
                   "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                   "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
                   "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
                   "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
                   "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
                   "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
                   "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                   "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]),
                   "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
                   "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                   "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                 : "l"(a), "l"(b), "r"(adds));
}

// The barriers: full ones, then empty ones.
static __device__ void produce(const tensor_map *a, const tensor_map *b, u32 stages, u32 barriers, u32 k_bytes, u32 size)
{
    u32 row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    for (u32 i = 0; i < k_bytes / 128; i++) {
        u32 stage = i % STAGES, full = barriers + 8 * stage, to = stages + stage * STAGE;
        wait(barriers + 8 * (STAGES + stage), (i / STAGES & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"((u32)STAGE) : "memory");
        load_box(to, a, i * 128 / size, row, full);
        load_box(to + BOX, b, i * 128 / size, column, full);
    }
}

template <bool bytes> static __device__ void consume(float *d, u32 stages, u32 barriers, u32 k_bytes, u32 n)
{
    u32 group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;
    float sums[64];
    for (u32 i = 0; i < k_bytes / 128; i++) {
        u32 stage = i % STAGES, from = stages + stage * STAGE;
        wait(barriers + 8 * stage, i / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (u32 k = 0; k < 4; k++) { // 32 bytes of k each
            u64 a = descriptor(from + group * 64 * 128 + k * 32), b = descriptor(from + BOX + k * 32);
            if (bytes)
                multiply_bytes(sums, a, b, i + k);
            else
                multiply_halves(sums, a, b, i + k);
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (thread == 0)
            arrive(barriers + 8 * (STAGES + stage));
    }
    u32 row = blockIdx.y * ROWS + group * 64 + thread / 32 * 16 + thread % 32 / 4;
    u32 column = blockIdx.x * COLUMNS + thread % 4 * 2;
#pragma unroll
    for (u32 i = 0; i < 64; i += 2) {
        u64 place = (u64)(row + (i / 2 % 2) * 8) * n + column + i / 4 * 8;
        d[place] = sums[i];
        d[place + 1] = sums[i + 1];
    }
}

template <bool bytes>
static __device__ void product(const tensor_map *a, const tensor_map *b, float *d, u32 n, u32 k_bytes, u32 size)
{
    extern __shared__ __align__(1024) u8 stages[];
    __shared__ u64 words[2 * STAGES];
    u32 barriers = shared_address(words);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2 * STAGES; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barriers + 8 * i),
                         "r"(i < STAGES ? 1 : (u32)CONSUMERS));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 128)
        consume<bytes>(d, shared_address(stages), barriers, k_bytes, n);
    else if (threadIdx.x == 0)
        produce(a, b, shared_address(stages), barriers, k_bytes, size);
}

extern "C" __global__ void __launch_bounds__(384)
    wsgemm_f16(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *d, u32 n, u32 k)
{
    product<false>(&a, &b, d, n, k * 2, 2);
}

extern "C" __global__ void __launch_bounds__(384)
    wsgemm_fp8(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *d, u32 n, u32 k)
{
    product<true>(&a, &b, d, n, k, 1);
}
