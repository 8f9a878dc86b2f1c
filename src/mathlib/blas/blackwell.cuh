// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of matrices on compute capability 10.0, with sums in tensor memory (tcgen05). Units, stages and loads are
 * those of hopper.cuh. One thread issues the products of a stage, and their completion empties the stage. Four warps
 * store the sums of a unit while those of the next one are made in the other half of the columns. Blocks of a cluster may
 * share the k of a tile: each sends its sums of some columns to the block that adds these up and stores them.
 */
#ifndef MATHLIB_BLACKWELL_CUH
#define MATHLIB_BLACKWELL_CUH

#include "mathlib/blas/hopper.cuh"

// A matrix in rows of 128 bytes with the swizzle of 128 bytes.
static __device__ __forceinline__ u64 tensor_matrix_at(u32 address)
{
    return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 46 | (u64)2 << 61;
}

static __device__ __forceinline__ u32 tensor_type(f16) { return 0; }
static __device__ __forceinline__ u32 tensor_type(bf16) { return 1; }

static __device__ __forceinline__ void tensor_multiply(u32 d, u64 x, u64 y, u32 instruction, u32 adds)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\t"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t}" ::"r"(d),
                 "l"(x), "l"(y), "r"(instruction), "r"(adds)
                 : "memory");
}

// The barrier of this block is told when the thread's products before it are done.
static __device__ __forceinline__ void tensor_commit(u32 barrier)
{
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void tensor_fence_before()
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

static __device__ __forceinline__ void tensor_fence_after()
{
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

static __device__ __forceinline__ void prefetch_map(const hopper_map *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Sixteen lanes of a warp by COLUMNS: a thread has the numbers that it would have of wgmma's sums.
template <int COLUMNS> struct tensor_load;
#define TENSOR_LOAD(COLUMNS, times, count)                                                                             \
    template <> struct tensor_load<COLUMNS> {                                                                          \
        static __device__ __forceinline__ void into(float (&d)[count], u32 address)                                    \
        {                                                                                                              \
            asm volatile("tcgen05.ld.sync.aligned.16x256b." times ".b32 {" HOPPER_W##count "}, [%" #count "];"         \
                         : TENSOR_D##count(d, 0)                                                                       \
                         : "r"(address)                                                                                \
                         : "memory");                                                                                  \
        }                                                                                                              \
    };
#define TENSOR_D4(d, i)  "=f"(d[i]), "=f"(d[(i) + 1]), "=f"(d[(i) + 2]), "=f"(d[(i) + 3])
#define TENSOR_D8(d, i)  TENSOR_D4(d, i), TENSOR_D4(d, (i) + 4)
#define TENSOR_D16(d, i) TENSOR_D8(d, i), TENSOR_D8(d, (i) + 8)
#define TENSOR_D32(d, i) TENSOR_D16(d, i), TENSOR_D16(d, (i) + 16)
TENSOR_LOAD(8, "x1", 4)
TENSOR_LOAD(16, "x2", 8)
TENSOR_LOAD(32, "x4", 16)
TENSOR_LOAD(64, "x8", 32)

/* ===== sums that blocks of a cluster have of one tile ===== */

// An address in the shared memory of another block.
static __device__ __forceinline__ u32 cluster_address(u32 address, u32 rank)
{
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

// N sums to another block, whose mbarrier counts their bytes.
template <int N> static __device__ __forceinline__ void send(u32 to, const float *of, u32 barrier)
{
    if (N == 4)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to), "f"(of[0]),
                     "f"(of[1 % N]), "f"(of[2 % N]), "f"(of[3 % N]), "r"(barrier)
                     : "memory");
    else if (N == 2)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(to), "f"(of[0]),
                     "f"(of[1 % N]), "r"(barrier)
                     : "memory");
    else
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(to), "f"(of[0]), "r"(barrier)
                     : "memory");
}

// Sends each of SHARES blocks its share of a thread's sums and keeps this block's. SETS: how many times a thread does so.
template <int SHARES, int SETS, int SHARE, int COUNT>
static __device__ __forceinline__ void send_shares(float (&own)[SHARE], const float (&sums)[COUNT], u32 slots, u32 arrived, u32 set)
{
    const int N = SHARE < 4 ? SHARE : 4, SLOT = SETS * 128 * SHARE * 4;
    u32 rank = cluster_rank(), from = slots + (set * 128 * SHARE + threadIdx.x % 128 * N) * 4;
#pragma unroll
    for (u32 to = 0; to < SHARES; to++) {
        if (to == rank) {
#pragma unroll
            for (int n = 0; n < SHARE; n++)
                own[n] = sums[to * SHARE + n];
        } else {
            u32 there = cluster_address(from + (rank - (rank > to)) * SLOT, to), barrier = cluster_address(arrived, to);
#pragma unroll
            for (int n = 0; n < SHARE; n += N)
                send<N>(there + n * 512, &sums[to * SHARE + n], barrier);
        }
    }
}

// When all have arrived: the sum of all blocks' shares, in the order of the blocks.
template <int SHARES, int SETS, int SHARE>
static __device__ __forceinline__ void add_shares(float (&own)[SHARE], u32 slots, u32 set)
{
    const int N = SHARE < 4 ? SHARE : 4, SLOT = SETS * 128 * SHARE * 4;
    u32 rank = cluster_rank(), at = slots + (set * 128 * SHARE + threadIdx.x % 128 * N) * 4;
    float total[SHARE];
#pragma unroll
    for (u32 from = 0; from < SHARES; from++)
#pragma unroll
        for (int n = 0; n < SHARE; n++) {
            float more = own[n];
            if (from != rank)
                asm volatile("ld.shared.f32 %0, [%1];"
                             : "=f"(more)
                             : "r"(at + (from - (from > rank)) * SLOT + n / N * N * 512 + n % N * 4)
                             : "memory");
            total[n] = from ? total[n] + more : more;
        }
#pragma unroll
    for (int n = 0; n < SHARE; n++)
        own[n] = total[n];
}

// Makes the mbarrier that counts the bytes which other blocks send.
static __device__ __forceinline__ void expect_shares(u32 arrived, u32 bytes)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrived), "r"(bytes)
                 : "memory");
}

/* ===== the kernel ===== */

// HEIGHT: 64 or 128 rows of a tile, which are those of a product. SHARES: as in hopper.cuh.
template <class IN, int HEIGHT, int COLUMNS, int BLOCKS, int SHARES> struct blackwell_kernel {
    typedef hopper_kernel<IN, 64, COLUMNS, HEIGHT / 64, false, 1, BLOCKS, false, false, false, SHARES> units;
    static const int WIDTH = units::WIDTH, SETS = HEIGHT / 64, STAGES = units::STAGES;
    static const int SUMS = 2 * COLUMNS <= 32 ? 32 : 2 * COLUMNS <= 64 ? 64 : 2 * COLUMNS <= 128 ? 128 : 2 * COLUMNS <= 256 ? 256 : 512;
    typedef hopper_kernel<IN, 64, WIDTH, 1, false, 1, 1, false, false> slab; // its columns leave at a time

    static const int SLABS = COLUMNS / WIDTH, SHARE = WIDTH / 2 / SHARES; // `SHARE`: sums of a thread, set and slab that a block adds up
    static_assert(SHARES == 1 || units::SENT <= SETS * HOPPER_BUFFERS * HOPPER_BUFFER, "sums of other blocks lie where boxes of D would");

    // As of hopper.cuh, whose units of work divide six times: here a product with one matrix, one part of k and eight tiles along its
    // rows, or fewer rows than that, does without or divides once.
    struct unit {
        int row, column, batch, part, steps;
        __device__ __forceinline__ unit(const hopper_product &p, int index)
        {
            int tile = p.parts == 1 ? index : index / p.parts, each = p.tiles_m * p.tiles_n, band = p.group * p.tiles_n;
            part = SHARES > 1 ? (int)cluster_rank() : p.parts == 1 ? 0 : index - tile * p.parts;
            batch = tile < each ? 0 : tile / each;
            tile -= batch * each;
            int bands = tile < band ? 0 : tile / band, first = bands * p.group, within = tile - bands * band;
            int height = p.tiles_m - first < p.group ? p.tiles_m - first : p.group;
            int across = height == 8 ? within >> 3 : height == 1 ? within : within / height;
            row = (first + within - across * height) * HEIGHT;
            column = across * COLUMNS;
            int left = p.steps - part * p.depth;
            steps = SHARES > 1 && left < 0 ? 0 : left < p.depth ? left : p.depth;
        }
    };

    enum { DONE = 2 * STAGES, UNUSED = DONE + 2, ARRIVED = UNUSED + 2, BARRIERS = ARRIVED + 1 };

    static __device__ __forceinline__ void multiply(const hopper_product &p, u32 stages, u32 barriers, u32 sums)
    {
        const u32 instruction = 1 << 4 | tensor_type(IN()) << 7 | tensor_type(IN()) << 10 | COLUMNS / 8 << 17 | HEIGHT / 16 << 24;
        typename units::ring now = {0, 0};
        u32 turn = 0;
        for (int index = units::first_unit(); index < p.units; index = units::next_unit(index), turn++) {
            unit u(p, index);
            u32 d = sums + turn % 2 * (SUMS / 2);
            barrier_wait(barriers + 8 * (UNUSED + turn % 2), (turn / 2 & 1) ^ 1);
            tensor_fence_after();
#pragma unroll 1
            for (int i = 0; i < u.steps; i++, now.advance()) {
                u32 from = stages + now.stage * units::STAGE;
                u64 x = tensor_matrix_at(from), y = tensor_matrix_at(from + BLOCKS * units::X_BYTES);
                barrier_wait(barriers + 8 * now.stage, now.phase);
                tensor_fence_after();
#pragma unroll
                for (int k = 0; k < 4 * BLOCKS; k++)
                    tensor_multiply(d, x + (k / 4 * units::X_BYTES + k % 4 * 32) / 16,
                                    y + (k / 4 * units::Y_BYTES + k % 4 * 32) / 16, instruction, k ? 1 : i);
                tensor_commit(barriers + 8 * (STAGES + now.stage));
            }
            tensor_commit(barriers + 8 * (DONE + turn % 2));
        }
    }

    // Where a thread's rows of a set begin, as the functions of `slab` count them: 16 rows of a warp follow one another.
    static __device__ __forceinline__ int row_of(const unit &u, int set)
    {
        return u.row + (SETS == 2 ? (int)threadIdx.x / 32 * 16 + set * 16 : 0);
    }

    // Rows of 16 bytes, transposed, into the buffer of the 64 rows that hold them.
    static __device__ __forceinline__ void put(const float (&of)[WIDTH / 2], u32 buffer, u32 set)
    {
        u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        u32 chunk = (SETS == 2 ? warp % 2 * 4 + set * 2 : warp * 2) + lane / 8 % 2;
        buffer += SETS == 2 ? warp / 2 * HOPPER_BUFFER : 0;
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
    }

    static __device__ __forceinline__ void store_boxes(const hopper_product &p, const unit &u, u32 buffers, int column)
    {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        group_sync(1);
        if (threadIdx.x == 0) {
#pragma unroll
            for (int box = 0; box < SETS; box++)
                asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(
                                 buffers + box * HOPPER_BUFFER),
                             "l"(&p.d), "r"(u.row + box * 64), "r"(column), "r"(u.batch)
                             : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }

    // Of a tile that blocks share: each block has the sums of some columns from all of them.
    static __device__ __forceinline__ void store_shares(const hopper_product &p, u32 slots, u32 barriers, u32 sums)
    {
        unit u(p, units::first_unit());
        float own[SLABS * SETS][SHARE];
        barrier_wait(barriers + 8 * DONE, 0);
        tensor_fence_after();
#pragma unroll
        for (int i = 0; i < SLABS * SETS; i++) {
            float values[WIDTH / 2];
            tensor_load<WIDTH>::into(values, sums + i / SETS * WIDTH + (threadIdx.x / 32 << 21) + (i % SETS << 20));
            asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#pragma unroll
            for (int q = 0; q < WIDTH / 2; q++)
                values[q] = u.steps ? values[q] : 0;
            send_shares<SHARES, SLABS * SETS>(own[i], values, slots, barriers + 8 * ARRIVED, i);
        }
        barrier_wait(barriers + 8 * ARRIVED, 0);
#pragma unroll
        for (int i = 0; i < SLABS * SETS; i++) {
            add_shares<SHARES, SLABS * SETS>(own[i], slots, i);
            slab::finish_some(p, own[i], u.part * SHARE, row_of(u, i % SETS), u.column + i / SETS * WIDTH, u.batch);
            slab::put_some(p, own[i], u.part * SHARE, row_of(u, i % SETS), u.column + i / SETS * WIDTH, u.batch, 0);
        }
    }

    static __device__ __forceinline__ void store(const hopper_product &p, u32 stages, u32 barriers, u32 sums)
    {
        u32 buffers = stages + STAGES * units::STAGE, turn = 0, filled = 0, lanes = threadIdx.x / 32 << 21;
        for (int index = units::first_unit(); index < p.units; index = units::next_unit(index), turn++) {
            unit u(p, index);
            barrier_wait(barriers + 8 * (DONE + turn % 2), turn / 2 & 1);
            tensor_fence_after();
#pragma unroll 1
            for (int i = 0; i < COLUMNS / WIDTH; i++, filled++) {
                u32 buffer = buffers + filled % HOPPER_BUFFERS * SETS * HOPPER_BUFFER;
                float values[SETS][WIDTH / 2];
#pragma unroll
                for (int set = 0; set < SETS; set++)
                    tensor_load<WIDTH>::into(values[set], sums + turn % 2 * (SUMS / 2) + i * WIDTH + lanes + (set << 20));
                asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
                if (p.store == HOPPER_BOXES) {
                    if (threadIdx.x == 0)
                        asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(HOPPER_BUFFERS - 1) : "memory");
                    group_sync(1);
                }
#pragma unroll
                for (int set = 0; set < SETS; set++) {
                    if (p.store != HOPPER_SUMS)
                        slab::finish(p, values[set], row_of(u, set), u.column + i * WIDTH, u.batch);
                    if (p.store == HOPPER_BOXES)
                        put(values[set], buffer, set);
                    else
                        slab::put_numbers(p, values[set], row_of(u, set), u.column + i * WIDTH, u.batch, u.part);
                }
                if (p.store == HOPPER_BOXES)
                    store_boxes(p, u, buffer, u.column + i * WIDTH);
            }
            tensor_fence_before();
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barriers + 8 * (UNUSED + turn % 2)) : "memory");
        }
        if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }

    // Beginning: a warp makes the barriers and goes on to load, the others wait for them and for tensor memory.
    static __device__ __forceinline__ void arrive_first()
    {
        if (SHARES > 1)
            asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        else
            asm volatile("bar.arrive 2, %0;" ::"r"(BLACKWELL_THREADS) : "memory");
    }

    static __device__ __forceinline__ void wait_first()
    {
        if (SHARES > 1)
            asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
        else
            asm volatile("bar.sync 2, %0;" ::"r"(BLACKWELL_THREADS) : "memory");
    }

    static __device__ __forceinline__ void produce(const hopper_product &p, u32 stages, u32 barriers)
    {
        typename units::ring now = {0, 0};
        for (int index = units::first_unit(); index < p.units; index = units::next_unit(index)) {
            unit u(p, index);
            int k = u.part * p.depth * BLOCKS * 64;
#pragma unroll 1
            for (int i = 0; i < u.steps; i++, now.advance()) {
                u32 full = barriers + 8 * now.stage, to = stages + now.stage * units::STAGE;
                barrier_wait(full + 8 * STAGES, now.phase ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"(units::STAGE) : "memory");
#pragma unroll
                for (int block = 0; block < BLOCKS; block++, k += 64) {
                    load_box<1>(to + block * units::X_BYTES, &p.x, k, u.row, u.batch, full);
                    load_box<1>(to + BLOCKS * units::X_BYTES + block * units::Y_BYTES, &p.y, k, u.column, u.batch, full);
                }
            }
        }
    }

    static __device__ __forceinline__ void load(const hopper_product &p, u32 stages, u32 barriers)
    {
        if (threadIdx.x % 32 == 0) {
            prefetch_map(&p.x);
            prefetch_map(&p.y);
            for (int i = 0; i < ARRIVED; i++)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barriers + 8 * i), "r"(i < UNUSED ? 1 : 128) : "memory");
            if (SHARES > 1)
                expect_shares(barriers + 8 * ARRIVED, units::SENT);
            asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
        }
        __syncwarp();
        arrive_first();
        if (threadIdx.x % 32 == 0)
            produce(p, stages, barriers);
        __syncwarp();
        if (SHARES > 1)
            asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }

    static __device__ __forceinline__ void run(const hopper_product &p)
    {
        extern __shared__ __align__(1024) unsigned char stages[];
        __shared__ u64 words[BARRIERS];
        __shared__ u32 where;
        u32 barriers = shared_address(words), warp = threadIdx.x / 32;
        if (warp == 4) {
            load(p, shared_address(stages), barriers);
            return;
        }
        if (warp == 0)
            asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n\t"
                         "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(shared_address(&where)),
                         "n"(SUMS)
                         : "memory");
        tensor_fence_before();
        wait_first();
        tensor_fence_after();
        u32 sums = where;
        if (warp == 5) {
            if (threadIdx.x % 32 == 0)
                multiply(p, shared_address(stages), barriers, sums);
            return;
        }
        if (SHARES > 1)
            store_shares(p, shared_address(stages) + STAGES * units::STAGE, barriers, sums);
        else
            store(p, shared_address(stages), barriers, sums);
        tensor_fence_before();
        group_sync(1);
        tensor_fence_after();
        if (warp == 0)
            asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(sums), "n"(SUMS) : "memory");
    }
};

// Four rows of D for each thread, from the sums of all parts, many of which are on their way at a time.
template <class IN> static __device__ __forceinline__ void tensor_add(const hopper_product &p)
{
    const int AT_ONCE = 16;
    const mathlib_gemm &g = p.g;
    long long i = (blockIdx.x * 64LL + threadIdx.x % 64) * 4, j = blockIdx.y * 4LL + threadIdx.x / 64, batch = blockIdx.z, step = (long long)g.columns * g.rows;
    if (i >= g.m || j >= g.n)
        return;
    const float4 *from = (const float4 *)(g.sums + batch * p.parts * step + j * g.rows + i);
    float sum[4] = {0, 0, 0, 0};
    for (int first = 0; first < p.parts; first += AT_ONCE) {
        float4 more[AT_ONCE];
#pragma unroll
        for (int part = 0; part < AT_ONCE; part++)
            more[part] = from[min(first + part, p.parts - 1) * (step / 4)];
#pragma unroll
        for (int part = 0; part < AT_ONCE; part++) {
            bool there = first + part < p.parts;
            sum[0] += there ? more[part].x : 0, sum[1] += there ? more[part].y : 0;
            sum[2] += there ? more[part].z : 0, sum[3] += there ? more[part].w : 0;
        }
    }
    float alpha = scalar_value<float>(g.alpha), beta = scalar_value<float>(g.beta);
    const char *c = bytes_of(g.c, batch, g.output);
    char *d = bytes_of(g.d, batch, g.output);
    bool plain = beta == 0 && !g.bias && !g.epilogue && g.output != MATHLIB_F32 && g.d.row == 1 && g.d.aligned && i + 3 < g.m;
    if (plain) {
        uint2 pairs = {pair_of(IN(), alpha * sum[0], alpha * sum[1]), pair_of(IN(), alpha * sum[2], alpha * sum[3])};
        *(uint2 *)(d + 2 * (i + j * g.d.column)) = pairs;
        return;
    }
#pragma unroll 1
    for (int r = 0; r < 4; r++)
        finish_number(g, c, d, batch, sum[r], i + r, j, alpha, beta);
}

#define BLACKWELL_PARTS(name, IN)                                                                                      \
    extern "C" __global__ void __launch_bounds__(256) name(const __grid_constant__ hopper_product p)                    \
    {                                                                                                                  \
        tensor_add<IN>(p);                                                                                             \
    }
#define BLACKWELL_KERNEL(form, ROWS, COLUMNS, GROUPS, SHARES, BLOCKS, name, IN)                                        \
    extern "C" __global__ void __launch_bounds__(BLACKWELL_THREADS, 1) name##_##form(const __grid_constant__ hopper_product p) \
    {                                                                                                                  \
        blackwell_kernel<IN, ROWS * GROUPS, COLUMNS, BLOCKS, SHARES>::run(p);                                          \
    }

#endif
