// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of matrices by warpgroups that do different work, for compute capability 9.0: one thread of the last
 * warpgroup feeds a ring of stages in shared memory through the tensor memory accelerator, the others multiply out of
 * it (wgmma). A stage is full when the bytes of its boxes have come, and empty when all that multiply have arrived.
 *
 * Blocks stay and take one unit (a tile, or a part of its k) after another, so that the ring is filled for the next one
 * while sums are stored. Blocks of a cluster lie below one another and have the same columns: each loads its share of Y
 * for all of them. Sums leave through shared memory and the accelerator, which leaves out what is outside the matrix.
 */
#ifndef MATHLIB_HOPPER_CUH
#define MATHLIB_HOPPER_CUH

#include "mathlib/blas/hopper.h"
#include "mathlib/blas/tensor.cuh"

typedef unsigned u32;
typedef unsigned long long u64;

/* ===== mbarriers, copies, clusters ===== */

static __device__ __forceinline__ void barrier_wait(u32 barrier, u32 parity)
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

// Without `.release.cluster`, which would be a fence: what a stage held has been read by products that were waited for.
static __device__ __forceinline__ void barrier_arrive_at(u32 barrier, u32 rank)
{
    asm volatile("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, %0, %1;\n\t"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t}" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

template <int CLUSTER> static __device__ __forceinline__ void load_box(u32 to, const hopper_map *map, int x, int y, int z, u32 barrier)
{
    if (CLUSTER == 1)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                     "%3, %4}], [%5];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(z),
                     "r"(barrier), "h"((unsigned short)((1 << CLUSTER) - 1))
                     : "memory");
}

static __device__ __forceinline__ u32 cluster_rank()
{
    u32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ __forceinline__ void group_sync(u32 barrier)
{
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}

/* ===== products ===== */

// A matrix in rows of 128 bytes with the swizzle of 128 bytes; one that lies n bytes behind it is n / 16 more. `next`: bytes from 64 columns to the next 64, where k runs across the rows.
static __device__ __forceinline__ u64 matrix_at(u32 address, u32 next = 16)
{
    return (u64)(address >> 4 & 0x3fff) | (u64)(next >> 4) << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

#define HOPPER_W4  "%0, %1, %2, %3"
#define HOPPER_W8  HOPPER_W4 ", %4, %5, %6, %7"
#define HOPPER_W16 HOPPER_W8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define HOPPER_W32                                                                                                     \
    HOPPER_W16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define HOPPER_W64                                                                                                     \
    HOPPER_W32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                    \
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define HOPPER_W96                                                                                                     \
    HOPPER_W64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                    \
               "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define HOPPER_W128                                                                                                    \
    HOPPER_W96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "        \
               "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define HOPPER_S4(d, i)   "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define HOPPER_S8(d, i)   HOPPER_S4(d, i), HOPPER_S4(d, (i) + 4)
#define HOPPER_S16(d, i)  HOPPER_S8(d, i), HOPPER_S8(d, (i) + 8)
#define HOPPER_S32(d, i)  HOPPER_S16(d, i), HOPPER_S16(d, (i) + 16)
#define HOPPER_S64(d, i)  HOPPER_S32(d, i), HOPPER_S32(d, (i) + 32)
#define HOPPER_S96(d, i)  HOPPER_S64(d, i), HOPPER_S32(d, (i) + 64)
#define HOPPER_S128(d, i) HOPPER_S64(d, i), HOPPER_S64(d, (i) + 64)

// d = x · y, and d too where `adds` is not 0. XT, YT: k runs across the rows of shared memory.
template <class IN, int COLUMNS, int XT, int YT> struct hopper_multiply;
#define HOPPER_MULTIPLY(IN, type, COLUMNS, count, x, y, adds, xt, yt)                                                  \
    template <int XT, int YT> struct hopper_multiply<IN, COLUMNS, XT, YT> {                                            \
        static __device__ __forceinline__ void into(float (&d)[count], u64 a, u64 b, u32 add)                          \
        {                                                                                                              \
            asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " adds ", 0;\n\t"                                       \
                         "wgmma.mma_async.sync.aligned.m64n" #COLUMNS "k16.f32." type "." type " {" HOPPER_W##count    \
                         "}, " x ", " y ", p, 1, 1, " xt ", " yt ";\n\t}"                                              \
                         : HOPPER_S##count(d, 0)                                                                       \
                         : "l"(a), "l"(b), "r"(add), "n"(XT), "n"(YT));                                                \
        }                                                                                                              \
    };
#define HOPPER_MULTIPLIES(IN, type)                                                                                    \
    HOPPER_MULTIPLY(IN, type, 8, 4, "%4", "%5", "%6", "%7", "%8")                                                      \
    HOPPER_MULTIPLY(IN, type, 16, 8, "%8", "%9", "%10", "%11", "%12")                                                  \
    HOPPER_MULTIPLY(IN, type, 32, 16, "%16", "%17", "%18", "%19", "%20")                                               \
    HOPPER_MULTIPLY(IN, type, 64, 32, "%32", "%33", "%34", "%35", "%36")                                               \
    HOPPER_MULTIPLY(IN, type, 128, 64, "%64", "%65", "%66", "%67", "%68")                                              \
    HOPPER_MULTIPLY(IN, type, 192, 96, "%96", "%97", "%98", "%99", "%100")                                             \
    HOPPER_MULTIPLY(IN, type, 256, 128, "%128", "%129", "%130", "%131", "%132")
HOPPER_MULTIPLIES(f16, "f16")
HOPPER_MULTIPLIES(bf16, "bf16")

static __device__ __forceinline__ u32 pair_of(f16, float low, float high)
{
    u32 pair;
    asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(pair) : "f"(low), "f"(high));
    return pair;
}
static __device__ __forceinline__ u32 pair_of(bf16, float low, float high)
{
    u32 pair;
    asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(pair) : "f"(low), "f"(high));
    return pair;
}

/* ===== numbers of D that need more than their sum, one at a time ===== */

static __device__ __noinline__ float hopper_finish(const mathlib_gemm &g, float value, float beta, int i, int j, int batch)
{
    if (i >= g.m || j >= g.n)
        return 0;
    if (beta != 0)
        value = fmaf(beta, number_at(bytes_of(g.c, batch, g.output), i * g.c.row + j * g.c.column, g.output), value);
    return activated(value, g.epilogue);
}

template <class IN> static __device__ __noinline__ void hopper_put(const mathlib_gemm &g, float value, int i, int j, int batch)
{
    if (i >= g.m || j >= g.n)
        return;
    char *d = bytes_of(g.d, batch, g.output);
    long long at = i * g.d.row + j * g.d.column;
    if (g.output == MATHLIB_F32)
        ((float *)d)[at] = value;
    else
        ((IN *)d)[at] = IN(value);
}

/* ===== the kernel ===== */

// LINES: what is contiguous in global memory is m or n, and else k.
// ACROSS: rows of a tile lie along n; D is contiguous along its columns. SHARES (blackwell.cuh): blocks of a cluster that multiply
// parts of k of one tile. Each sends its sums of some columns to the block that adds these up and stores them.
template <class IN, int ROWS, int COLUMNS, int GROUPS, bool TURNS, int CLUSTER, int BLOCKS, bool X_LINES, bool Y_LINES,
          bool ACROSS = false, int SHARES = 1>
struct hopper_kernel {
    static const int HEIGHT = TURNS ? ROWS : ROWS * GROUPS; // rows of a tile
    static const int Y_WIDTH = Y_LINES && COLUMNS < 64 ? 64 : COLUMNS;
    static const int X_BYTES = HEIGHT * 128, Y_BYTES = Y_WIDTH * 128; // of 64 numbers of k
    static const int STAGE = BLOCKS * (X_BYTES + Y_BYTES);
    static const int ROOM = (HOPPER_SHARED - GROUPS * HOPPER_BUFFERS * HOPPER_BUFFER) / STAGE;
    static const int STAGES = ROOM < HOPPER_STAGES ? ROOM : HOPPER_STAGES;
    static const int WIDTH = COLUMNS < 64 ? COLUMNS : 64; // columns of a box of D
    static const int SENT = (SHARES - 1) * GROUPS * 128 * (COLUMNS / 2 / SHARES) * (int)sizeof(float); // bytes that a block gets

    struct ring {
        u32 stage, phase;
        __device__ __forceinline__ void advance()
        {
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            phase ^= stage == 0;
        }
        __device__ __forceinline__ void advance(u32 steps)
        {
            u32 to = stage + steps;
            phase ^= to / STAGES & 1;
            stage = to % STAGES;
        }
    };

    struct unit {
        int row, column, batch, part, steps; // rows of this block's tile, in numbers; stages
        __device__ __forceinline__ unit(const hopper_product &p, int index)
        {
            int tile = index / p.parts, each = p.tiles_m * p.tiles_n;
            part = SHARES > 1 ? (int)cluster_rank() : index - tile * p.parts;
            batch = tile / each;
            tile -= batch * each;
            int band = p.group * p.tiles_n, first = tile / band * p.group, within = tile % band;
            int height = p.tiles_m - first < p.group ? p.tiles_m - first : p.group;
            row = ((first + within % height) * CLUSTER + (CLUSTER > 1 ? (int)cluster_rank() : 0)) * HEIGHT;
            column = within / height * COLUMNS;
            int left = p.steps - part * p.depth;
            steps = SHARES > 1 && left < 0 ? 0 : left < p.depth ? left : p.depth;
        }
    };

    static __device__ __forceinline__ int first_unit() { return blockIdx.x / (CLUSTER * SHARES); }
    static __device__ __forceinline__ int next_unit(int unit) { return unit + gridDim.x / (CLUSTER * SHARES); }

    static __device__ __forceinline__ void load_x(const hopper_product &p, u32 to, int k, const unit &u, u32 full)
    {
        if (X_LINES) {
#pragma unroll
            for (int i = 0; i < HEIGHT / 64; i++)
                load_box<1>(to + i * 8192, &p.x, u.row + i * 64, k, u.batch, full);
        } else
            load_box<1>(to, &p.x, k, u.row, u.batch, full);
    }

    // This block's share of Y.
    static __device__ __forceinline__ void load_y(const hopper_product &p, u32 to, int k, const unit &u, u32 full)
    {
        const int share = Y_WIDTH / CLUSTER;
        int first = CLUSTER > 1 ? (int)cluster_rank() * share : 0;
        to += first * 128;
        if (Y_LINES) {
#pragma unroll
            for (int i = 0; i < (share + 63) / 64; i++)
                load_box<CLUSTER>(to + i * 8192, &p.y, u.column + first + i * 64, k, u.batch, full);
        } else
            load_box<CLUSTER>(to, &p.y, k, u.column + first, u.batch, full);
    }

    static __device__ __forceinline__ void produce(const hopper_product &p, u32 stages, u32 barriers)
    {
        ring now = {0, 0};
        for (int index = first_unit(); index < p.units; index = next_unit(index)) {
            unit u(p, index);
            int k = u.part * p.depth * BLOCKS * 64;
#pragma unroll 1
            for (int i = 0; i < u.steps; i++, now.advance()) {
                u32 full = barriers + 8 * now.stage, to = stages + now.stage * STAGE;
                barrier_wait(full + 8 * STAGES, now.phase ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"(STAGE) : "memory");
#pragma unroll
                for (int block = 0; block < BLOCKS; block++, k += 64) {
                    load_x(p, to + block * X_BYTES, k, u, full);
                    load_y(p, to + BLOCKS * X_BYTES + block * Y_BYTES, k, u, full);
                }
            }
        }
        if (CLUSTER > 1) // the block stays until nobody arrives at it any more
            for (int i = 0; i < STAGES; i++, now.advance())
                barrier_wait(barriers + 8 * (STAGES + now.stage), now.phase ^ 1);
    }

    // The stage is empty, for each block that loads a part of it.
    static __device__ __forceinline__ void release(u32 barrier)
    {
        if (threadIdx.x % 128 < CLUSTER) {
            if (CLUSTER > 1)
                barrier_arrive_at(barrier, threadIdx.x % 128);
            else
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
        }
    }

    static __device__ __forceinline__ void multiply(float (&sums)[ROWS / 64][COLUMNS / 2], u64 x, u64 y, bool adds)
    {
#pragma unroll
        for (int block = 0; block < BLOCKS; block++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                u64 from_y = y + (block * Y_BYTES + (Y_LINES ? k * 2048 : k * 32)) / 16;
#pragma unroll
                for (int r = 0; r < ROWS / 64; r++)
                    hopper_multiply<IN, COLUMNS, X_LINES, Y_LINES>::into(
                        sums[r], x + (block * X_BYTES + r * 8192 + (X_LINES ? k * 2048 : k * 32)) / 16, from_y,
                        block || k ? 1 : adds);
            }
    }

    // What D has in place of sums: 64 rows by COLUMNS, of which a thread has two rows.
    static __device__ __forceinline__ void finish(const hopper_product &p, float (&sums)[COLUMNS / 2], int row, int column, int batch)
    {
        const mathlib_gemm &g = p.g;
        float alpha = scalar_value<float>(g.alpha), beta = scalar_value<float>(g.beta);
        bool more = beta != 0 || g.epilogue;
        if (!more && !g.bias && alpha == 1)
            return;
        int lane = threadIdx.x % 32, first = row + threadIdx.x % 128 / 32 * 16 + lane / 4;
        float bias[2];
#pragma unroll
        for (int half = 0; half < 2; half++)
            bias[half] = g.bias && first + half * 8 < g.m ? number_at(g.bias, first + half * 8 + batch * g.bias_batch, (int)g.bias_type) : 0;
#pragma unroll
        for (int q = 0; q < COLUMNS / 2; q++)
            sums[q] = alpha * sums[q] + bias[q % 4 / 2];
        if (more)
#pragma unroll
            for (int q = 0; q < COLUMNS / 2; q++)
                sums[q] = hopper_finish(g, sums[q], beta, first + q % 4 / 2 * 8, column + q / 4 * 8 + lane % 4 * 2 + q % 2, batch);
    }

    // Which number of D sum q of a thread belongs to.
    static __device__ __forceinline__ void place(int q, int row, int column, int &i, int &j)
    {
        int lane = threadIdx.x % 32, line = row + threadIdx.x % 128 / 32 * 16 + lane / 4 + q % 4 / 2 * 8;
        int along = column + q / 4 * 8 + lane % 4 * 2 + q % 2;
        i = ACROSS ? along : line;
        j = ACROSS ? line : along;
    }

    // The same for COUNT of a thread's sums, of which `first` lie before these.
    template <int COUNT>
    static __device__ __forceinline__ void finish_some(const hopper_product &p, float (&sums)[COUNT], int first, int row, int column, int batch)
    {
        const mathlib_gemm &g = p.g;
        float alpha = scalar_value<float>(g.alpha), beta = scalar_value<float>(g.beta);
        bool more = beta != 0 || g.epilogue;
        if (!more && !g.bias && alpha == 1)
            return;
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            int i, j;
            place(first + n, row, column, i, j);
            float bias = g.bias && i < g.m ? number_at(g.bias, i + batch * g.bias_batch, (int)g.bias_type) : 0;
            sums[n] = alpha * sums[n] + bias;
            if (more)
                sums[n] = hopper_finish(g, sums[n], beta, i, j, batch);
        }
    }

    // Through buffers of 64 rows by WIDTH columns, transposed, so that rows are contiguous. `turn` counts buffers that were filled.
    static __device__ __forceinline__ void put_boxes(const hopper_product &p, float (&sums)[COLUMNS / 2], u32 buffers, u32 group, int row,
                                                     int column, int batch, u32 &turn)
    {
        u32 lane = threadIdx.x % 32, chunk = threadIdx.x % 128 / 32 * 2 + lane / 8 % 2;
        bool first = threadIdx.x % 128 == 0;
#pragma unroll
        for (int i = 0; i < COLUMNS / WIDTH; i++, turn++) {
            u32 buffer = buffers + turn % HOPPER_BUFFERS * HOPPER_BUFFER;
            if (first)
                asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(HOPPER_BUFFERS - 1) : "memory");
            group_sync(group + 1);
            float *of = sums + i * WIDTH / 2;
#pragma unroll
            for (int q = 0; q < WIDTH / 8; q += 2) {
                u32 j = q * 8 + lane / 16 * 8 + lane % 8, to = buffer + j * 128 + (chunk ^ j % 8) * 16;
                u32 w0 = pair_of(IN(), of[4 * q], of[4 * q + 1]), w1 = pair_of(IN(), of[4 * q + 2], of[4 * q + 3]);
                if (WIDTH == 8) {
                    to = buffer + lane % 8 * 128 + (chunk ^ lane % 8) * 16;
                    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(w0), "r"(w1) : "memory");
                } else {
                    u32 w2 = pair_of(IN(), of[(4 * q + 4) % (WIDTH / 2)], of[(4 * q + 5) % (WIDTH / 2)]);
                    u32 w3 = pair_of(IN(), of[(4 * q + 6) % (WIDTH / 2)], of[(4 * q + 7) % (WIDTH / 2)]);
                    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(w0), "r"(w1),
                                 "r"(w2), "r"(w3)
                                 : "memory");
                }
            }
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            group_sync(group + 1);
            if (first) {
                asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(buffer),
                             "l"(&p.d), "r"(row), "r"(column + i * WIDTH), "r"(batch)
                             : "memory");
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            }
        }
    }

    // Number by number: into D, or, as floats of whole tiles, where the sums of a part of k go.
    static __device__ __forceinline__ void put_numbers(const hopper_product &p, const float (&sums)[COLUMNS / 2], int row, int column,
                                                       int batch, int part)
    {
        const mathlib_gemm &g = p.g;
        int lane = threadIdx.x % 32, first_i = row + threadIdx.x % 128 / 32 * 16 + lane / 4, first_j = column + lane % 4 * 2;
        if (p.store != HOPPER_SUMS) {
#pragma unroll
            for (int q = 0; q < COLUMNS / 2; q++)
                hopper_put<IN>(g, sums[q], first_i + q % 4 / 2 * 8, first_j + q / 4 * 8 + q % 2, batch);
            return;
        }
        float *to = g.sums + ((long long)(batch * p.parts + part) * g.columns + first_j) * g.rows + first_i;
#pragma unroll
        for (int q = 0; q < COLUMNS / 2; q += 4, to += 8 * g.rows)
            to[0] = sums[q], to[g.rows] = sums[q + 1], to[8] = sums[q + 2], to[g.rows + 8] = sums[q + 3];
    }

    // Into D, or where the sums of a part of k go. `first`: as above.
    template <int COUNT>
    static __device__ __forceinline__ void put_some(const hopper_product &p, const float (&sums)[COUNT], int first, int row, int column,
                                                    int batch, int part)
    {
        const mathlib_gemm &g = p.g;
        char *d = bytes_of(g.d, batch, g.output);
#pragma unroll
        for (int n = 0; n < COUNT; n += ACROSS ? 2 : 1) {
            int i, j;
            place(first + n, row, column, i, j);
            if (!ACROSS)
                hopper_put<IN>(g, sums[n], i, j, batch);
            else if (p.store == HOPPER_SUMS)
                *(float2 *)(g.sums + ((long long)(batch * p.parts + part) * g.columns + j) * g.rows + i) = {sums[n], sums[(n + 1) % COUNT]};
            else if (p.store == HOPPER_BOXES && i + 1 < g.m && j < g.n)
                *(u32 *)(d + 2 * (i + j * g.d.column)) = pair_of(IN(), sums[n], sums[(n + 1) % COUNT]);
            else {
                hopper_put<IN>(g, sums[n], i, j, batch);
                hopper_put<IN>(g, sums[(n + 1) % COUNT], i + 1, j, batch);
            }
        }
    }

    static __device__ __forceinline__ void consume(const hopper_product &p, u32 stages, u32 barriers, u32 group)
    {
        u32 turn = 0, count = 0, buffers = stages + STAGES * STAGE + group * HOPPER_BUFFERS * HOPPER_BUFFER;
        ring now = {0, 0};
        float sums[ROWS / 64][COLUMNS / 2];
        for (int index = first_unit(); index < p.units; index = next_unit(index), count++) {
            unit u(p, index);
            if (TURNS && count % GROUPS != group) {
                now.advance(u.steps);
                continue;
            }
            u32 last = 0;
#pragma unroll 1
            for (int i = 0; i < u.steps; i++, now.advance()) {
                u32 x = stages + now.stage * STAGE, y = x + BLOCKS * X_BYTES;
                if (!TURNS)
                    x += group * ROWS * 128;
                barrier_wait(barriers + 8 * now.stage, now.phase);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                multiply(sums, matrix_at(x), matrix_at(y, Y_LINES ? 8192 : 16), i > 0);
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (i)
                    release(barriers + 8 * (STAGES + last));
                last = now.stage;
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            release(barriers + 8 * (STAGES + last));
#pragma unroll
            for (int r = 0; r < ROWS / 64; r++) {
#pragma unroll
                for (int q = 0; q < COLUMNS / 2; q++)
                    asm volatile("" : "+f"(sums[r][q])::"memory");
                int row = u.row + (TURNS ? 0 : group * ROWS) + r * 64;
                if (ACROSS) {
                    if (p.store != HOPPER_SUMS)
                        finish_some(p, sums[r], 0, row, u.column, u.batch);
                    put_some(p, sums[r], 0, row, u.column, u.batch, u.part);
                    continue;
                }
                if (p.store != HOPPER_SUMS)
                    finish(p, sums[r], row, u.column, u.batch);
                if (p.store == HOPPER_BOXES)
                    put_boxes(p, sums[r], buffers, group, row, u.column, u.batch, turn);
                else
                    put_numbers(p, sums[r], row, u.column, u.batch, u.part);
            }
        }
        if (threadIdx.x % 128 == 0)
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }

    static __device__ __forceinline__ void run(const hopper_product &p)
    {
        extern __shared__ __align__(1024) unsigned char stages[];
        __shared__ u64 words[2 * STAGES];
        u32 barriers = shared_address(words), group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
        if (threadIdx.x == 0) {
            for (int i = 0; i < 2 * STAGES; i++)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barriers + 8 * i),
                             "r"(i < STAGES ? 1 : (TURNS ? 1 : GROUPS) * CLUSTER)
                             : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
        }
        if (CLUSTER > 1)
            asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
        else
            __syncthreads();
        if (group < GROUPS) {
            if (GROUPS == 2)
                asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
            consume(p, shared_address(stages), barriers, group);
        } else {
            if (GROUPS == 2)
                asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
            if (threadIdx.x == GROUPS * 128)
                produce(p, shared_address(stages), barriers);
        }
    }
};

// Four rows of D for each thread, from the sums of all parts.
template <class IN> static __device__ __forceinline__ void hopper_add(const hopper_product &p)
{
    const mathlib_gemm &g = p.g;
    long long i = (blockIdx.x * 64LL + threadIdx.x % 64) * 4, j = blockIdx.y * 4LL + threadIdx.x / 64, batch = blockIdx.z, step = (long long)g.columns * g.rows;
    if (i >= g.m || j >= g.n)
        return;
    int parts = p.parts;
    const float4 *from = (const float4 *)(g.sums + batch * parts * step + j * g.rows + i);
    float sum[4] = {0, 0, 0, 0};
#pragma unroll 4
    for (int part = 0; part < parts; part++, from += step / 4) {
        float4 more = *from;
        sum[0] += more.x, sum[1] += more.y, sum[2] += more.z, sum[3] += more.w;
    }
    const char *c = bytes_of(g.c, batch, g.output);
    char *d = bytes_of(g.d, batch, g.output);
    float alpha = scalar_value<float>(g.alpha), beta = scalar_value<float>(g.beta);
    bool plain = beta == 0 && !g.bias && !g.epilogue && g.output != MATHLIB_F32 && g.d.row == 1 && g.d.aligned && i + 3 < g.m;
    if (plain) {
        uint2 pairs = {pair_of(IN(), alpha * sum[0], alpha * sum[1]), pair_of(IN(), alpha * sum[2], alpha * sum[3])};
        *(uint2 *)(d + 2 * (i + j * g.d.column)) = pairs;
    } else
#pragma unroll
        for (int r = 0; r < 4; r++)
            finish_number(g, c, d, batch, sum[r], i + r, j, alpha, beta);
}

#define HOPPER_PARTS(name, IN)                                                                                         \
    extern "C" __global__ void __launch_bounds__(256) name(const __grid_constant__ hopper_product p)                    \
    {                                                                                                                  \
        hopper_add<IN>(p);                                                                                             \
    }
#define HOPPER_KERNEL(form, ROWS, COLUMNS, GROUPS, TURNS, CLUSTER, BLOCKS, name, IN, X_LINES, Y_LINES)                 \
    extern "C" __global__ void __launch_bounds__(GROUPS * 128 + 128, 1) name##_##form(const __grid_constant__ hopper_product p) \
    {                                                                                                                  \
        hopper_kernel<IN, ROWS, COLUMNS, GROUPS, TURNS, CLUSTER, BLOCKS, X_LINES, Y_LINES>::run(p);                    \
    }
#define HOPPER_ACROSS_KERNEL(form, COLUMNS, name, IN)                                                                  \
    extern "C" __global__ void __launch_bounds__(256, 1) name##_##form(const __grid_constant__ hopper_product p)       \
    {                                                                                                                  \
        hopper_kernel<IN, 64, COLUMNS, 1, false, 1, 2, false, false, true>::run(p);                                    \
    }

#endif
