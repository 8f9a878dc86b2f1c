// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// Attention over a cache in pages on Hopper, in the roles that Shah et al. give warpgroups (FlashAttention-3, 2024): one
// copies tiles of keys and values out of their pages into rings, two have 64 rows each and multiply out of them (wgmma).
// Blocks stay: the first warp finds a tile, says so to all, and asks a counter for the next one. The lengths of a
// sequence are read by who needs them. While the next tile's scores are made, the last one's values are added up.
// Results leave through the memory of the values.
#include "common/hopper.h"
#include "layers/flash_tiles.h"

enum { GROUPS = 2, ROWS = FLASH_STAY_ROWS, GROUP_ROWS = ROWS / GROUPS, THREADS = FLASH_STAY_THREADS, COPIERS = 128 };
enum { STAGES = 2, PIECE = 64 /* numbers of a row of 128 bytes */, PAGE = FLASH_PAGE };
enum { PLACE_FULL = 1 /* named barriers */, PLACE_EMPTY, RESULTS, OWN /* and one more: a warpgroup's */ };
enum { FULL_K, FULL_V = STAGES, EMPTY_K = 2 * STAGES, EMPTY_V = 3 * STAGES, EMPTY_O = 4 * STAGES, BARRIERS };

template <u32 DIMENSION, u32 COLUMNS> struct form {
    static const u32 d = DIMENSION, keys = COLUMNS, tile = keys * d * 2, q = 0, k = ROWS * d * 2, v = k + STAGES * tile;
};

template <typename F> using tile_of = tile_work<ROWS, F::keys>;

// 16 bytes in column `column` of row `row` of a tile of pieces of 64 columns, with the swizzle of 128 bytes.
template <u32 HEIGHT> static __device__ u32 piece_place(u32 tile, u32 row, u32 column)
{
    return tile + (column / 8 * HEIGHT + row) * 128 + ((column ^ row) % 8) * 16;
}

// ===== the warpgroup that copies =====

struct cache { // of a sequence and a head
    const u16 *numbers;
    const u32 *pages;
};

// Keys from `first` on, zeros from `end` on; as libraries do, without a fence between these copies and products.
template <typename F> static __device__ void copy_keys(u32 tile, const cache &from, u64 step, u32 first, u32 end)
{
    const u32 columns = F::d / 8;
    const u16 *lower = from.numbers + from.pages[first / PAGE] * PAGE * step, *upper = lower;
    if (F::keys > PAGE && first + PAGE < end)
        upper = from.numbers + from.pages[first / PAGE + 1] * PAGE * step;
#pragma unroll
    for (u32 i = 0; i < F::keys * columns / COPIERS; i++) {
        u32 at = threadIdx.x + i * COPIERS, row = at / columns, column = at % columns;
        const u16 *page = F::keys > PAGE && row >= PAGE ? upper : lower;
        copy_16(piece_place<F::keys>(tile, row, column), page + row % PAGE * step + column * 8, first + row < end);
    }
}

struct copies {
    ring k, v;
    u32 barriers;
};

template <typename F>
static __device__ void copy_next(copies &c, ring &at, u32 stages, u32 full, u32 empty, const cache &from, u64 step,
                                 u32 tile, u32 end)
{
    wait(c.barriers + 8 * (empty + at.stage), at.phase ^ 1);
    copy_keys<F>(stages + at.stage * F::tile, from, step, tile * F::keys, end);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(c.barriers + 8 * (full + at.stage)) : "memory");
    at = next_of<STAGES>(at);
}

// Keys of a tile come before the values of the tile before.
template <typename F>
static __device__ void copy_tiles(copies &c, const flash_work &w, const tile_place &at, u32 shared, u32 round)
{
    tile_of<F> t(w, at, ((const u32 *)w.keys_of)[at.sequence], F::d);
    if (t.from >= t.to)
        return;
    const u32 *pages = (const u32 *)w.pages + (u64)at.sequence * w.pages_each;
    cache k = {(const u16 *)w.k + t.of_head, pages}, v = {(const u16 *)w.v + t.of_head, pages};
    copy_next<F>(c, c.k, shared + F::k, FULL_K, EMPTY_K, k, t.step, t.to - 1, t.end);
    wait(c.barriers + 8 * EMPTY_O, (round & 1) ^ 1);
    for (u32 i = t.to - 1; i > t.from; i--) {
        copy_next<F>(c, c.k, shared + F::k, FULL_K, EMPTY_K, k, t.step, i - 1, t.end);
        copy_next<F>(c, c.v, shared + F::v, FULL_V, EMPTY_V, v, t.step, i, t.end);
    }
    copy_next<F>(c, c.v, shared + F::v, FULL_V, EMPTY_V, v, t.step, t.from, t.end);
}

template <typename F> static __device__ void produce(const flash_work &w, tile_place *place, u32 shared, u32 barriers)
{
    copies c = {{0, 0}, {0, 0}, barriers};
    u32 tile = blockIdx.x;
    tile_start start = {0, 0};
    for (u32 round = 0;; round++) {
        if (round)
            named_sync(PLACE_EMPTY, THREADS);
        if (threadIdx.x < 32) {
            tile_place found = place_of<ROWS>(w, tile, start);
            if (threadIdx.x == 0)
                *place = found;
        }
        named_sync(PLACE_FULL, THREADS);
        tile_place at = *place;
        if (at.sequence == w.sequences)
            return;
        if (threadIdx.x == 0)
            tile = atomicAdd((u32 *)w.counter, 1u) + gridDim.x;
        copy_tiles<F>(c, w, at, shared, round);
        tile = __shfl_sync(0xffffffff, tile, 0);
    }
}

// ===== products =====

static __device__ void multiply_numbers(float (&d)[32], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n64k16.f32.bf16.bf16", WORDS_32, SUMS_32(d, 0), "%32", "%33", "%34", ", 0, 0");
}

static __device__ void multiply_numbers(float (&d)[64], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n128k16.f32.bf16.bf16", WORDS_64, SUMS_64(d, 0), "%64", "%65", "%66", ", 0, 0");
}

// o += p · v for 16 keys: p in registers, v as it lies, keys across its rows.
static __device__ void add_values(float (&d)[32], const u32 *p, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" WORDS_32
                 "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : SUMS_32(d, 0)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b));
}

static __device__ void add_values(float (&d)[64], const u32 *p, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" WORDS_64
                 "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : SUMS_64(d, 0)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b));
}

static __device__ void add_values(float (&d)[96], const u32 *p, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {" WORDS_96
                 "}, {%96, %97, %98, %99}, %100, 1, 1, 1, 1;"
                 : SUMS_96(d, 0)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b));
}

// s = q · k'
template <typename F> static __device__ void scores(float (&s)[F::keys / 2], u32 q, u32 k)
{
    u64 a = descriptor(q), b = descriptor(k);
    product_begin();
#pragma unroll
    for (u32 i = 0; i < F::d / 16; i++)
        multiply_numbers(s, behind(a, i / 4 * GROUP_ROWS * 128 + i % 4 * 32),
                         behind(b, i / 4 * F::keys * 128 + i % 4 * 32), i);
    product_commit();
}

// o += p · v
template <typename F> static __device__ void values(float (&o)[F::d / 2], const u32 (&p)[F::keys / 4], u32 v)
{
    u64 b = descriptor(v, F::keys * 128);
    product_begin();
#pragma unroll
    for (u32 i = 0; i < F::keys / 16; i++)
        add_values(o, p + 4 * i, behind(b, i * 16 * 128));
    product_commit();
}

// ===== softmax: of two rows in each thread =====

// Of scores of keys from `first` on, those that a row does not see are next to nothing.
template <u32 count> static __device__ void mask(float (&s)[count], const rows &r, u32 first)
{
    u32 key = first + threadIdx.x % 4 * 2;
#pragma unroll
    for (u32 i = 0; i < count; i++) {
        u32 at = key + i / 4 * 8 + i % 2;
        s[i] = at < r.end[i / 2 % 2] && at >= r.begin[i / 2 % 2] ? s[i] : -1e30f;
    }
}

// Scores become exponentials; `scales` is what older sums are multiplied by.
template <u32 count> static __device__ void exponentials(float (&s)[count], rows &r, float scale, float (&scales)[2])
{
    float most[2] = {r.most[0], r.most[1]}, scaled[2], sum[2] = {0, 0};
#pragma unroll
    for (u32 i = 0; i < count; i++)
        most[i / 2 % 2] = max_f(most[i / 2 % 2], s[i]);
#pragma unroll
    for (u32 row = 0; row < 2; row++) {
        most[row] = over_row(most[row], true);
        scaled[row] = most[row] < -1e29f ? 0 : most[row] * scale;
        scales[row] = ex2_approx(r.most[row] * scale - scaled[row]);
        r.most[row] = most[row];
    }
#pragma unroll
    for (u32 i = 0; i < count; i++)
        s[i] = ex2_approx(s[i] * scale - scaled[i / 2 % 2]);
#pragma unroll
    for (u32 i = 0; i < count; i++)
        sum[i / 2 % 2] += s[i];
#pragma unroll
    for (u32 row = 0; row < 2; row++)
        r.sum[row] = r.sum[row] * scales[row] + sum[row];
}

// ===== a warpgroup that multiplies =====

static __device__ void let_go(u32 barrier)
{
    if (threadIdx.x % 128 == 0)
        arrive(barrier);
}

// Rows of queries of a warpgroup.
template <typename F> static __device__ void copy_queries(u32 q, const flash_work &w, const tile_of<F> &t, u32 first, u32 sequence)
{
    const u32 columns = F::d / 8;
    const u16 *from = (const u16 *)w.q + ((u64)sequence * w.queries * w.heads + t.head) * F::d;
    for (u32 i = threadIdx.x % 128; i < GROUP_ROWS * columns; i += 128) {
        u32 row = i / columns, column = i % columns, at = first + row, query = divided(at, w);
        bool there = at < t.rows;
        u64 number = there ? (u64)query * w.heads + at - query * w.packed : 0;
        copy_16(piece_place<GROUP_ROWS>(q, row, column), from + number * F::d + column * 8, there);
    }
    copies_done();
    wait_copies<0>();
    fence_async();
}

template <typename F> struct consumer {
    ring k, v;
    u32 shared, barriers, group;
    float o[F::d / 2], s[F::keys / 2], scales[2];
    u32 p[F::keys / 4];

    // Scores of a tile, under way.
    __device__ __forceinline__ void begin_scores()
    {
        wait(barriers + 8 * (FULL_K + k.stage), k.phase);
        scores<F>(s, shared + F::q + group * GROUP_ROWS * F::d * 2, shared + F::k + k.stage * F::tile);
    }

    __device__ __forceinline__ void begin_values()
    {
        wait(barriers + 8 * (FULL_V + v.stage), v.phase);
        values<F>(o, p, shared + F::v + v.stage * F::tile);
    }

    // Scores that have been made become weights.
    __device__ __forceinline__ void weigh(const flash_work &w, const tile_of<F> &t, rows &r, u32 tile, u32 whole)
    {
        let_go(barriers + 8 * (EMPTY_K + k.stage));
        k = next_of<STAGES>(k);
        if ((tile + 1) * F::keys > whole || (w.window && tile * F::keys < begin_of(w, t.end)))
            mask(s, r, tile * F::keys);
        exponentials(s, r, w.scale, scales);
    }

    __device__ __forceinline__ void narrow()
    {
#pragma unroll
        for (u32 i = 0; i < F::keys / 4; i++)
            p[i] = pair_of(s[2 * i], s[2 * i + 1]);
    }

    __device__ __forceinline__ void values_done()
    {
        product_wait<0>();
        keep(o);
        let_go(barriers + 8 * (EMPTY_V + v.stage));
        v = next_of<STAGES>(v);
    }

    // `whole`: keys that all rows of the warpgroup see end here.
    __device__ __forceinline__ void multiply_tiles(const flash_work &w, const tile_of<F> &t, rows &r, u32 whole)
    {
        begin_scores();
        product_wait<0>();
        keep(s);
        weigh(w, t, r, t.to - 1, whole);
        narrow();
        for (u32 i = t.to - 1; i > t.from; i--) {
            begin_scores();
            begin_values();
            product_wait<1>();
            keep(s);
            weigh(w, t, r, i - 1, whole);
            values_done();
            narrow();
#pragma unroll
            for (u32 j = 0; j < F::d / 2; j++)
                o[j] *= scales[j / 2 % 2];
        }
        begin_values();
        values_done();
    }

    // Results through the memory of the values, 16 bytes at a time.
    __device__ __forceinline__ void put_results(const flash_work &w, const tile_of<F> &t, u32 first, u32 sequence)
    {
        const u32 columns = F::d / 8;
        u32 to = shared + F::v + group * GROUP_ROWS * F::d * 2, lane = threadIdx.x % 32;
        u32 row = threadIdx.x % 128 / 32 * 16 + lane % 16;
        named_sync(RESULTS, GROUPS * 128); // both warpgroups have read their values
#pragma unroll
        for (u32 i = 0; i < F::d / 2; i += 8)
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                             piece_place<GROUP_ROWS>(to, row, i / 4 + lane / 16)),
                         "r"(pair_of(o[i], o[i + 1])), "r"(pair_of(o[i + 2], o[i + 3])), "r"(pair_of(o[i + 4], o[i + 5])),
                         "r"(pair_of(o[i + 6], o[i + 7]))
                         : "memory");
        named_sync(OWN + group, 128);
        for (u32 i = threadIdx.x % 128; i < GROUP_ROWS * columns; i += 128) {
            u32 at = first + i / columns, column = i % columns, query = divided(at, w);
            vector x;
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                         : "r"(piece_place<GROUP_ROWS>(to, i / columns, column)));
            if (at < t.rows)
                store((u16 *)w.out + (((u64)sequence * w.queries + query) * w.heads + t.head + at - query * w.packed) * F::d +
                          column * 8,
                      x);
        }
    }

    // Results of a split, and the logarithms of the sums of rows.
    __device__ __forceinline__ void put_rows(const flash_work &w, const tile_of<F> &t, rows &r, const tile_place &at, u32 first)
    {
        u32 thread = threadIdx.x % 128, lane = thread % 32;
        u64 all = (u64)w.sequences * w.queries * w.heads;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            u32 row = first + thread / 32 * 16 + lane / 4 + half * 8, query = divided(row, w);
            float sum = over_row(r.sum[half], false), over = sum > 0 ? 1 / sum : 0;
            u64 number = ((u64)at.sequence * w.queries + query) * w.heads + t.head + row - query * w.packed;
            float2 *to = (float2 *)((float *)w.parts + (at.split * all + number) * F::d + lane % 4 * 2);
#pragma unroll
            for (u32 i = 0; i < F::d / 8; i++) {
                float &x = o[4 * i + 2 * half], &y = o[4 * i + 2 * half + 1];
                x *= over;
                y *= over;
                if (w.splits > 1 && row < t.rows)
                    to[i * 4] = {x, y};
            }
            if (lane % 4 == 0 && row < t.rows)
                ((float *)w.logs)[at.split * all + number] = sum > 0 ? r.most[half] * w.scale + lg2_approx(sum) : -1e30f;
        }
    }

    __device__ __forceinline__ void run(const flash_work &w, const tile_place &at)
    {
        u32 keys = ((const u32 *)w.keys_of)[at.sequence];
        tile_of<F> t(w, at, keys, F::d);
        u32 first = t.first + group * GROUP_ROWS;
        rows r = rows_of(w, keys, first + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4);
        copy_queries<F>(shared + F::q + group * GROUP_ROWS * F::d * 2, w, t, first, at.sequence);
        named_sync(OWN + group, 128);
#pragma unroll
        for (u32 i = 0; i < F::d / 2; i++)
            o[i] = 0;
        if (t.from < t.to)
            multiply_tiles(w, t, r, end_of(w, keys, first));
        put_rows(w, t, r, at, first);
        if (w.splits == 1) // splits of all sequences, at most
            put_results(w, t, first, at.sequence);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(barriers + 8 * EMPTY_O);
    }
};

template <typename F> static __device__ void consume(const flash_work &w, tile_place *place, u32 shared, u32 barriers)
{
    consumer<F> c;
    c.k = c.v = {0, 0};
    c.shared = shared;
    c.barriers = barriers;
    c.group = warpgroup() - 1;
    for (;;) {
        named_sync(PLACE_FULL, THREADS);
        tile_place at = *place;
        named_arrive(PLACE_EMPTY, THREADS);
        if (at.sequence == w.sequences)
            return;
        c.run(w, at);
    }
}

template <typename F> static __device__ void attend(const flash_work &w)
{
    extern __shared__ __align__(1024) u8 memory[];
    __shared__ u64 words[BARRIERS];
    __shared__ tile_place place;
    u32 shared = shared_address(memory), barriers = shared_address(words);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < EMPTY_K; i++)
            barrier_init(barriers + 8 * i, COPIERS);
        for (u32 i = EMPTY_K; i < EMPTY_O; i++)
            barrier_init(barriers + 8 * i, GROUPS);
        barrier_init(barriers + 8 * EMPTY_O, GROUPS * 4);
        barrier_init_done();
    }
    __syncthreads();
    if (warpgroup() == 0) {
        REGISTERS_DEC(56);
        produce<F>(w, &place, shared, barriers);
    } else {
        REGISTERS_INC(224);
        consume<F>(w, &place, shared, barriers);
    }
}

#define FLASH(D, KEYS)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, 1) flash_##D##_stay(const __grid_constant__ flash_work work) \
    {                                                                                                                  \
        attend<form<D, KEYS>>(work);                                                                                   \
    }
FLASH(64, 128)
FLASH(128, 128)
FLASH(192, 64)
