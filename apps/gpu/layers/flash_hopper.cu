// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// Attention over a cache in pages on Hopper, in the roles and the order that FlashAttention-3 gives warpgroups (Shah et
// al., 2024, and vllm-project/flash-attention, hopper/): one copies tiles of keys, then queries, then values out of
// their pages into rings, one or two have 64 rows each and multiply out of them (wgmma). Blocks stay: the first warp
// asks a counter for the next tile behind the keys of this one and finds it behind the values, and the others learn it
// before they put results away. While the next tile's scores are made, the last one's values are added up. Results
// leave through the memory of the values, so that a tile's values wait for the results of the tile before.
#include "common/hopper.h"
#include "layers/flash_schedule.h"

enum { STAGES = 2, PIECE = 64 /* numbers of a row of 128 bytes */, PAGE = FLASH_PAGE, COPIERS = 128, GROUP_ROWS = 64 };
enum {
    PLACE_FULL = 1 /* named barriers */,
    PLACE_EMPTY,
    QUERIES_EMPTY,
    RESULTS,
    TURN /* and one more: a warpgroup's */
};
enum {
    FULL_K,
    FULL_V = STAGES,
    FULL_Q = 2 * STAGES,
    EMPTY_K,
    EMPTY_V = EMPTY_K + STAGES,
    EMPTY_O = EMPTY_V + STAGES,
    BARRIERS
};

template <u32 DIMENSION, u32 COLUMNS, u32 WARPGROUPS> struct form {
    static const u32 d = DIMENSION, keys = COLUMNS, groups = WARPGROUPS, rows = groups * GROUP_ROWS,
                     tile = keys * d * 2;
    static const u32 multipliers = groups * 128, threads = multipliers + COPIERS;
    static const u32 v = 0, q = STAGES * tile, k = q + rows * d * 2;
};

template <typename F> using tile_of = stay_tile<F::rows, F::keys>;

// 16 bytes in column `column` of row `row` of a tile of pieces of 64 columns, with the swizzle of 128 bytes.
template <u32 HEIGHT> static __device__ u32 piece_place(u32 tile, u32 row, u32 column)
{
    return tile + (column / 8 * HEIGHT + row) * 128 + ((column ^ row) % 8) * 16;
}

// An address of another of the eight lanes that have a row together.
static __device__ u64 of_lane(u64 address, u32 lane)
{
    return __shfl_sync(0xffffffff, address, lane, 8);
}

// ===== the warpgroup that copies: a thread has a column of eight numbers of pieces, and every 16th row =====

enum { DOWN = COPIERS / 8 };

static __device__ void copies_arrive(u32 barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

// The row whose address a lane computes: of the rows of its eight lanes, the one of its own column.
static __device__ u32 own_row()
{
    return threadIdx.x % 8 * DOWN + threadIdx.x / 8;
}

template <typename F> struct copier {
    const flash_work &w;
    u32 shared, barriers;
    ring at_k, at_v;
    u64 keys, values, values_before; // addresses of rows

    // Addresses of the rows of a tile of keys, by way of their pages.
    __device__ __forceinline__ void find_rows(const tile_of<F> &t, const stay_place &at, u32 tile, bool whole)
    {
        const u32 *pages = (const u32 *)w.pages + (u64)at.sequence * w.pages_each;
        u32 row = own_row(), key = tile * F::keys + row + t.offset;
        bool there = row < F::keys && (whole || tile * F::keys + row < t.keys);
        u32 page = there ? pages[key / PAGE] : 0;
        u64 number = (((u64)page * PAGE + key % PAGE) * w.kv_heads + at.head) * F::d;
        values_before = values;
        keys = w.k + number * 2;
        values = w.v + number * 2;
    }

    // Rows of keys from `left` on are not copied.
    __device__ __forceinline__ void copy_keys(u32 left)
    {
        u32 to = shared + F::k + at_k.stage * F::tile, row = threadIdx.x / 8, column = threadIdx.x % 8;
        wait(barriers + 8 * (EMPTY_K + at_k.stage), at_k.phase ^ 1);
#pragma unroll
        for (u32 i = 0; i < F::keys / DOWN; i++, row += DOWN) {
            const u16 *from = (const u16 *)of_lane(keys, i) + column * 8;
            if (row < left)
#pragma unroll
                for (u32 j = 0; j < F::d / PIECE; j++)
                    copy_16(piece_place<F::keys>(to, row, j * 8 + column), from + j * PIECE, true);
        }
        copies_arrive(barriers + 8 * (FULL_K + at_k.stage));
        at_k = next_of<STAGES>(at_k);
    }

    // Rows of values from `left` on become zeros.
    __device__ __forceinline__ void copy_values(u64 rows, u32 left)
    {
        u32 to = shared + F::v + at_v.stage * F::tile, row = threadIdx.x / 8, column = threadIdx.x % 8;
        wait(barriers + 8 * (EMPTY_V + at_v.stage), at_v.phase ^ 1);
#pragma unroll
        for (u32 i = 0; i < F::keys / DOWN; i++, row += DOWN) {
            const u16 *from = (const u16 *)of_lane(rows, i) + column * 8;
#pragma unroll
            for (u32 j = 0; j < F::d / PIECE; j++)
                copy_16(piece_place<F::keys>(to, row, j * 8 + column), from + j * PIECE, row < left);
        }
        copies_arrive(barriers + 8 * (FULL_V + at_v.stage));
        at_v = next_of<STAGES>(at_v);
    }

    __device__ __forceinline__ void copy_queries(const tile_of<F> &t, const stay_place &at, const sequence &s)
    {
        u32 row = t.first + own_row(), query = divided(row, w), column = threadIdx.x % 8;
        u64 number = ((u64)(s.start + query) * w.heads + at.head * w.packed + row - query * w.packed) * F::d;
        u64 address = w.q + number * 2;
        row = threadIdx.x / 8;
#pragma unroll
        for (u32 i = 0; i < F::rows / DOWN; i++, row += DOWN) {
            const u16 *from = (const u16 *)of_lane(address, i) + column * 8;
            if (t.first + row < t.rows)
#pragma unroll
                for (u32 j = 0; j < F::d / PIECE; j++)
                    copy_16(piece_place<GROUP_ROWS>(shared + F::q + row / GROUP_ROWS * GROUP_ROWS * F::d * 2,
                                                    row % GROUP_ROWS, j * 8 + column),
                            from + j * PIECE, true);
        }
        copies_arrive(barriers + 8 * FULL_Q);
    }

    // Keys of a tile come before the values of the tile before. `round`: tiles of the block before this one that have
    // keys. The first thread takes the number of the next tile.
    __device__ __forceinline__ bool run(const stay_place &at, u32 round, u32 &next)
    {
        sequence s = sequence_at(w, at.sequence);
        tile_of<F> t(w, at, s);
        bool some = t.from < t.to;
        if (some) {
            u32 tile = t.to - 1, left = t.keys - tile * F::keys;
            find_rows(t, at, tile, false);
            copy_keys(left);
            named_sync(QUERIES_EMPTY, F::threads);
            copy_queries(t, at, s);
            wait(barriers + 8 * EMPTY_O, (round & 1) ^ 1);
            for (; tile > t.from; tile--, left = F::keys) {
                find_rows(t, at, tile - 1, true);
                copy_keys(F::keys);
                copy_values(values_before, left);
            }
            if (threadIdx.x == 0)
                next = atomicAdd((u32 *)w.counter, 1u) + gridDim.x;
            copy_values(values, left);
        } else if (threadIdx.x == 0)
            next = atomicAdd((u32 *)w.counter, 1u) + gridDim.x;
        return some;
    }
};

// The first warp finds tiles and says so to the other ones.
template <typename F> static __device__ void produce(const flash_work &w, stay_place *place, u32 shared, u32 barriers)
{
    copier<F> c = {w, shared, barriers, {0, 0}, {0, 0}, 0, 0, 0};
    bool finds = __shfl_sync(0xffffffff, threadIdx.x / 32, 0) == 0;
    u32 next = blockIdx.x, round = 0;
    tile_group group = {0, 0};
    stay_place at;
    for (bool first = true;; first = false) {
        if (finds) {
            at = place_of<F::rows>(w, __shfl_sync(0xffffffff, next, 0), group);
            if (!first)
                named_sync(PLACE_EMPTY, F::threads);
            if (threadIdx.x == 0)
                *place = at;
            named_arrive(PLACE_FULL, F::threads);
        } else {
            named_sync(PLACE_FULL, F::threads);
            at = *place;
            named_arrive(PLACE_EMPTY, F::threads);
        }
        if (at.sequence == w.sequences)
            break;
        round += c.run(at, round, next);
    }
    wait(barriers + 8 * EMPTY_O, (round & 1) ^ 1);
}

// ===== products =====

#define SUMS_48(d, i) SUMS_32(d, i), SUMS_8(d, (i) + 32), SUMS_8(d, (i) + 40)
#define WORDS_48      WORDS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"

static __device__ void multiply_numbers(float (&d)[48], u64 a, u64 b, u32 adds)
{
    APP_PRODUCT("m64n96k16.f32.bf16.bf16", WORDS_48, SUMS_48(d, 0), "%48", "%49", "%50", ", 0, 0");
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

// ===== softmax: of two rows in each thread =====

// Of scores of keys from `first` on, those that a row does not see are next to nothing.
template <u32 count> static __device__ void mask(float (&s)[count], const rows &r, u32 first, bool window)
{
    int of_lane = (int)(first + threadIdx.x % 4 * 2);
#pragma unroll
    for (u32 row = 0; row < 2; row++) {
        int end = (int)r.end[row] - of_lane, begin = (int)r.begin[row] - of_lane;
#pragma unroll
        for (u32 i = 0; i < count / 2; i++) {
            float &score = s[i / 2 * 4 + row * 2 + i % 2];
            score = (int)(i / 2 * 8 + i % 2) < end ? score : -1e30f;
            if (window)
                score = (int)(i / 2 * 8 + i % 2) >= begin ? score : -1e30f;
        }
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

template <typename F> struct consumer {
    static const bool turns = F::groups > 1 && F::d <= 128; // warpgroups take turns at the tensor cores
    const flash_work &w;
    stay_place *place;
    u32 shared, barriers, group, round;
    ring k, v;
    float o[F::d / 2], s[F::keys / 2], scales[2];
    u32 p[F::keys / 4];

    // Scores of a tile, under way.
    __device__ __forceinline__ void begin_scores()
    {
        scores<F>(s, shared + F::q + group * GROUP_ROWS * F::d * 2, shared + F::k + k.stage * F::tile);
    }

    __device__ __forceinline__ void wait_keys()
    {
        wait(barriers + 8 * (FULL_K + k.stage), k.phase);
    }

    __device__ __forceinline__ void begin_values()
    {
        wait(barriers + 8 * (FULL_V + v.stage), v.phase);
        values<F>(o, p, shared + F::v + v.stage * F::tile);
    }

    __device__ __forceinline__ void scores_done()
    {
        keep(s);
        arrive(barriers + 8 * (EMPTY_K + k.stage));
        k = next_of<STAGES>(k);
    }

    __device__ __forceinline__ void values_done()
    {
        product_wait<0>();
        keep(o);
        arrive(barriers + 8 * (EMPTY_V + v.stage));
        v = next_of<STAGES>(v);
    }

    __device__ __forceinline__ void narrow()
    {
#pragma unroll
        for (u32 i = 0; i < F::keys / 4; i++)
            p[i] = pair_of(s[2 * i], s[2 * i + 1]);
    }

    __device__ __forceinline__ void scale_sums()
    {
#pragma unroll
        for (u32 i = 0; i < F::d / 2; i++)
            o[i] *= scales[i / 2 % 2];
    }

    __device__ __forceinline__ void step(const tile_of<F> &t, rows &r, u32 tile, u32 whole)
    {
        wait_keys();
        if (turns)
            named_sync(TURN + group, 256);
        begin_scores();
        if (F::d > 128)
            scale_sums();
        begin_values();
        if (turns)
            named_arrive(TURN + 1 - group, 256);
        product_wait<1>();
        scores_done();
        if ((tile + 1) * F::keys > whole || tile * F::keys < t.begin)
            mask(s, r, tile * F::keys, w.window != 0);
        exponentials(s, r, w.scale, scales);
        values_done();
        narrow();
        if (F::d <= 128)
            scale_sums();
    }

    // `whole`: keys that all rows of the block see end here. Weights of rows become one in sum.
    __device__ __forceinline__ void multiply_tiles(const tile_of<F> &t, rows &r, u32 whole, float (&logs)[2])
    {
        wait(barriers + 8 * FULL_Q, round & 1);
        wait_keys();
        begin_scores();
        product_wait<0>();
        scores_done();
        mask(s, r, (t.to - 1) * F::keys, w.window != 0);
        exponentials(s, r, w.scale, scales);
        narrow();
#pragma unroll
        for (u32 i = 0; i < F::d / 2; i++)
            o[i] = 0;
#pragma unroll 1
        for (u32 tile = t.to - 1; tile-- > t.from;)
            step(t, r, tile, whole);
        named_arrive(QUERIES_EMPTY, F::threads);
        if (F::d > 128)
            scale_sums();
        begin_values();
#pragma unroll
        for (u32 row = 0; row < 2; row++) {
            float sum = over_row(r.sum[row], false);
            scales[row] = sum > 0 ? 1 / sum : 0;
            logs[row] = sum > 0 ? r.most[row] * w.scale + lg2_approx(sum) : -1e30f;
        }
        values_done();
        scale_sums();
    }

    __device__ __forceinline__ stay_place next_place()
    {
        named_sync(PLACE_FULL, F::threads);
        stay_place at = *place;
        named_arrive(PLACE_EMPTY, F::threads);
        return at;
    }

    // The number of a row of a tile, of all rows of results.
    __device__ __forceinline__ u64 number_of(const tile_of<F> &t, const stay_place &at, const sequence &s, u32 row)
    {
        u32 query = divided(t.first + row, w);
        return (u64)(s.start + query) * w.heads + at.head * w.packed + t.first + row - query * w.packed;
    }

    // Logarithms of the sums of rows. Lanes of two rows find their places together.
    __device__ __forceinline__ void put_logs(const tile_of<F> &t, const stay_place &at, const sequence &s,
                                             const float (&logs)[2])
    {
        u32 lane = threadIdx.x % 32, row = group * GROUP_ROWS + threadIdx.x % 128 / 32 * 16 + lane / 4;
        u64 all = (u64)w.queries * w.sequences * w.heads;
        u64 address = w.logs + (at.split * all + number_of(t, at, s, row + lane % 2 * 8)) * 4;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            float *to = (float *)__shfl_sync(0xffffffff, address, half, 4);
            if (lane % 4 == 0 && t.first + row + half * 8 < t.rows)
                *to = logs[half];
        }
    }

    // Results to the memory of the values.
    __device__ __forceinline__ void keep_results()
    {
        u32 lane = threadIdx.x % 32, row = group * GROUP_ROWS + threadIdx.x % 128 / 32 * 16 + lane % 16;
        named_sync(RESULTS, F::multipliers); // all warpgroups have read their values
#pragma unroll
        for (u32 i = 0; i < F::d / 2; i += 8)
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                             piece_place<F::rows>(shared + F::v, row, i / 4 + lane / 16)),
                         "r"(pair_of(o[i], o[i + 1])), "r"(pair_of(o[i + 2], o[i + 3])),
                         "r"(pair_of(o[i + 4], o[i + 5])), "r"(pair_of(o[i + 6], o[i + 7]))
                         : "memory");
        named_sync(RESULTS, F::multipliers);
    }

    // Results of a split, out of registers.
    __device__ __forceinline__ void put_parts(const tile_of<F> &t, const stay_place &at, const sequence &s)
    {
        u32 lane = threadIdx.x % 32, row = group * GROUP_ROWS + threadIdx.x % 128 / 32 * 16 + lane / 4;
        u64 all = (u64)w.queries * w.sequences * w.heads;
        u64 address = w.parts + (at.split * all + number_of(t, at, s, row + lane % 2 * 8)) * F::d * 4;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            float2 *to = (float2 *)__shfl_sync(0xffffffff, address, half, 4) + lane % 4;
            if (t.first + row + half * 8 < t.rows)
#pragma unroll
                for (u32 i = 0; i < F::d / 8; i++)
                    to[i * 4] = {o[4 * i + 2 * half], o[4 * i + 2 * half + 1]};
        }
    }

    // Results out of the memory of the values, 16 bytes at a time; eight lanes have a row.
    __device__ __forceinline__ void put_results(const tile_of<F> &t, const stay_place &at, const sequence &s)
    {
        const u32 down = F::multipliers / 8, count = F::rows / down;
        u32 thread = threadIdx.x - COPIERS, column = thread % 8, first = thread / 8;
        vector x[count][F::d / PIECE];
#pragma unroll
        for (u32 i = 0; i < count; i++)
#pragma unroll
            for (u32 j = 0; j < F::d / PIECE; j++) {
                vector &y = x[i][j];
                asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(y.x), "=r"(y.y), "=r"(y.z), "=r"(y.w)
                             : "r"(piece_place<F::rows>(shared + F::v, first + i * down, j * 8 + column)));
            }
        fence_async();
        arrive(barriers + 8 * EMPTY_O);
        u64 address = w.out + number_of(t, at, s, column % count * down + first) * F::d * 2;
#pragma unroll
        for (u32 i = 0; i < count; i++) {
            u16 *to = (u16 *)of_lane(address, i) + column * 8;
            if (t.first + first + i * down < t.rows)
#pragma unroll
                for (u32 j = 0; j < F::d / PIECE; j++)
                    store(to + j * PIECE, x[i][j]);
        }
    }

    // A split that has no keys. Rows without keys are not written otherwise: prompts have none.
    __device__ __forceinline__ void put_nothing(const tile_of<F> &t, const stay_place &at, const sequence &s)
    {
        u32 row = threadIdx.x - COPIERS;
        u64 all = (u64)w.queries * w.sequences * w.heads;
        if (row < F::rows && t.first + row < t.rows)
            ((float *)w.logs)[at.split * all + number_of(t, at, s, row)] = -1e30f;
    }

    // The next tile is known before results are put away.
    __device__ __forceinline__ stay_place run(const stay_place &at)
    {
        sequence seq = sequence_at(w, at.sequence);
        tile_of<F> t(w, at, seq);
        u32 first = t.first + group * GROUP_ROWS + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
        bool some = t.from < t.to;
        float logs[2];
        rows r;
#pragma unroll
        for (u32 half = 0; half < 2; half++) {
            r.most[half] = -1e30f;
            r.sum[half] = 0;
            r.end[half] = stay_end(w, seq, t.keys, first + half * 8);
            r.begin[half] = begin_of(w, r.end[half]);
        }
        if (some)
            multiply_tiles(t, r, stay_end(w, seq, t.keys, t.first), logs);
        stay_place next = next_place();
        if (w.splits > 1 && next.sequence == w.sequences)
            asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
        if (!some) {
            put_nothing(t, at, seq);
            return next;
        }
        round++;
        keep_results();
        put_logs(t, at, seq, logs);
        if (at.splits > 1) {
            arrive(barriers + 8 * EMPTY_O);
            put_parts(t, at, seq);
        } else
            put_results(t, at, seq);
        return next;
    }
};

template <typename F> static __device__ void consume(const flash_work &w, stay_place *place, u32 shared, u32 barriers)
{
    consumer<F> c = {w, place, shared, barriers, warpgroup() - 1};
    c.round = 0;
    c.k = c.v = {0, 0};
    named_arrive(QUERIES_EMPTY, F::threads);
    if (consumer<F>::turns && c.group == 0)
        named_arrive(TURN, 256);
    for (stay_place at = c.next_place(); at.sequence != w.sequences;)
        at = c.run(at);
}

template <typename F> static __device__ void attend(const flash_work &w)
{
    extern __shared__ __align__(1024) u8 memory[];
    __shared__ u64 words[BARRIERS];
    __shared__ __align__(16) stay_place place;
    u32 shared = shared_address(memory), barriers = shared_address(words);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < EMPTY_K; i++)
            barrier_init(barriers + 8 * i, COPIERS);
        for (u32 i = EMPTY_K; i < BARRIERS; i++)
            barrier_init(barriers + 8 * i, F::multipliers);
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

#define FLASH(NAME, D, KEYS, GROUPS)                                                                                   \
    extern "C" __global__ void __launch_bounds__(form<D, KEYS, GROUPS>::threads, 1)                                    \
        flash_##D##_##NAME(const __grid_constant__ flash_work work)                                                    \
    {                                                                                                                  \
        attend<form<D, KEYS, GROUPS>>(work);                                                                           \
    }
FLASH(stay, 64, 128, 2)
FLASH(stay, 128, 128, 2)
FLASH(few, 128, 128, 1)
FLASH(stay, 192, 96, 2)
