// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// Attention over a cache in pages, as serving systems have it (Dao et al., FlashAttention-2, 2023, and
// Flash-Decoding): a block has 64 rows, which are queries times heads that share keys, and goes over its split of the
// keys from the last tile to the first. A tile of values is under way while scores are made, and keys of the next one
// while values are added up. A second kernel joins splits. Hopper's is in flash_hopper.cu.
#include "layers/flash_tiles.h"

enum { WARPS = 4, THREADS = WARPS * 32, ROWS = FLASH_ROWS, PAGE = FLASH_PAGE, AT_ONCE = 16 /* splits */ };

struct cache { // of a sequence and a head
    const u16 *numbers;
    const u32 *pages;
    u64 step; // from key to key
};

// Keys from `first` on, zeros from `end` on; a tile has one page or two. Where the threads have whole rows, a thread
// keeps its column and goes down rows.
template <u32 D, u32 KEYS> static __device__ void copy_keys(u32 tile, const cache &from, u32 first, u32 end)
{
    const u16 *lower = from.numbers + from.pages[first / PAGE] * PAGE * from.step, *upper = lower;
    if (KEYS > PAGE && first + PAGE < end)
        upper = from.numbers + from.pages[first / PAGE + 1] * PAGE * from.step;
    if constexpr (THREADS % (D / 8) == 0) {
        const u32 down = THREADS / (D / 8);
        u32 row = threadIdx.x / (D / 8), column = threadIdx.x % (D / 8), at = place<D>(tile, row, column);
        u64 offset = row * from.step + column * 8, step = down * from.step;
        int left = (int)(end - first - row);
        lower += offset;
        upper += offset;
#pragma unroll
        for (u32 i = 0; i < KEYS / down; i++) {
            const u16 *&page = i * down < PAGE ? lower : upper;
            copy_16(at + i * down * D * 2, page, (int)(i * down) < left);
            page += step;
        }
    } else {
#pragma unroll
        for (u32 i = 0; i < KEYS * D / 8 / THREADS; i++) {
            u32 at = threadIdx.x + i * THREADS, row = at / (D / 8), column = at % (D / 8);
            const u16 *page = KEYS > PAGE && row >= PAGE ? upper : lower;
            copy_16(place<D>(tile, row, column), page + row % PAGE * from.step + column * 8, first + row < end);
        }
    }
    copies_done();
}

// Rows of queries from `first` on; their group belongs to keys' copies.
template <u32 D> static __device__ void copy_queries(u32 tile, const flash_work &w, const u16 *q, u32 first, u32 rows)
{
    for (u32 i = threadIdx.x; i < ROWS * D / 8; i += THREADS) {
        u32 row = i / (D / 8), column = i % (D / 8), at = first + row, query = divided(at, w);
        bool there = at < rows;
        u64 number = there ? (u64)query * w.heads + at - query * w.packed : 0;
        copy_16(place<D>(tile, row, column), q + number * D + column * 8, there);
    }
}

// Of scores of keys from `first` on, those that a row does not see are next to nothing.
template <u32 KEYS> static __device__ void mask(float (&s)[KEYS / 8][4], const rows &r, u32 first, bool window)
{
    int of_lane = (int)(first + threadIdx.x % 4 * 2);
#pragma unroll
    for (u32 row = 0; row < 2; row++) {
        int end = (int)r.end[row] - of_lane, begin = (int)r.begin[row] - of_lane;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8 * 2; i++) {
            float &score = s[i / 2][row * 2 + i % 2];
            score = (int)(i / 2 * 8 + i % 2) < end ? score : -1e30f;
            if (window)
                score = (int)(i / 2 * 8 + i % 2) >= begin ? score : -1e30f;
        }
    }
}

// 2^x without denormals, one instruction: otherwise numbers are scaled before and behind it.
static __device__ float power_of_2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Scores become exponentials; sums so far are scaled.
template <u32 D, u32 KEYS>
static __device__ void exponentials(float (&s)[KEYS / 8][4], float (&o)[D / 8][4], rows &r, float scale)
{
#pragma unroll
    for (u32 row = 0; row < 2; row++) {
        float greatest = r.most[row], added = 0;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8; i++)
            greatest = fmaxf(greatest, fmaxf(s[i][2 * row], s[i][2 * row + 1]));
        greatest = over_row(greatest, true);
        float scaled = greatest < -1e29f ? 0 : greatest * scale, less = -scaled;
        float older = power_of_2(__fmaf_rn(r.most[row], scale, less));
        r.most[row] = greatest;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8; i++) {
            s[i][2 * row] = power_of_2(__fmaf_rn(s[i][2 * row], scale, less));
            s[i][2 * row + 1] = power_of_2(__fmaf_rn(s[i][2 * row + 1], scale, less));
            added += s[i][2 * row] + s[i][2 * row + 1];
        }
        r.sum[row] = r.sum[row] * older + added;
#pragma unroll
        for (u32 i = 0; i < D / 8; i++) {
            o[i][2 * row] *= older;
            o[i][2 * row + 1] *= older;
        }
    }
}

// Where a warp's lanes read four matrices beside one another of a tile of keys, or, turned, of values.
template <u32 D, bool KEYS_ALONG> static __device__ u32 matrices_at(u32 tile, u32 column)
{
    u32 lane = threadIdx.x % 32;
    return KEYS_ALONG ? place<D>(tile, lane / 16 * 8 + lane % 8, 2 * column + lane / 8 % 2)
                      : place<D>(tile, lane % 16, 2 * column + lane / 16);
}

// Products of all pairs of 16 keys and 16 columns of a tile, the next matrices on their way meanwhile. Sums run along
// the keys (scores) or along the columns (results); `factors` along the others.
template <u32 D, u32 KEYS, bool KEYS_ALONG, u32 AT, u32 SUMS, u32 FACTORS>
static __device__ void products(float (&sums)[SUMS][4], const u32 (&factors)[FACTORS][4], u32 tile, u32 (&now)[4])
{
    const u32 column = AT / (KEYS / 16), key = AT % (KEYS / 16), sum = 2 * (KEYS_ALONG ? key : column);
    const bool more = AT + 1 < D / 16 * (KEYS / 16);
    u32 next[4];
    if constexpr (more)
        load_matrices<(AT + 1) % (KEYS / 16) * 16 * D * 2, !KEYS_ALONG>(
            next, matrices_at<D, KEYS_ALONG>(tile, (AT + 1) / (KEYS / 16)));
    multiply(sums[sum], factors[KEYS_ALONG ? column : key], now[0], now[1]);
    multiply(sums[sum + 1], factors[KEYS_ALONG ? column : key], now[2], now[3]);
    if constexpr (more)
        products<D, KEYS, KEYS_ALONG, AT + 1>(sums, factors, tile, next);
}

template <u32 D, u32 KEYS> static __device__ void scores(float (&s)[KEYS / 8][4], u32 q, u32 k)
{
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows[D / 16][4], first[4];
#pragma unroll
    for (u32 i = 0; i < KEYS / 8; i++)
        s[i][0] = s[i][1] = s[i][2] = s[i][3] = 0;
#pragma unroll
    for (u32 i = 0; i < D / 16; i++)
        load_matrices(rows[i], place<D>(q, warp * 16 + lane % 16, 2 * i + lane / 16));
    load_matrices(first, matrices_at<D, true>(k, 0));
    products<D, KEYS, true, 0>(s, rows, k, first);
}

template <u32 D, u32 KEYS> static __device__ void values(float (&o)[D / 8][4], const float (&s)[KEYS / 8][4], u32 v)
{
    u32 p[KEYS / 16][4], first[4];
    load_matrices<0, true>(first, matrices_at<D, false>(v, 0));
#pragma unroll
    for (u32 i = 0; i < KEYS / 16; i++) {
        p[i][0] = pair_of(s[2 * i][0], s[2 * i][1]);
        p[i][1] = pair_of(s[2 * i][2], s[2 * i][3]);
        p[i][2] = pair_of(s[2 * i + 1][0], s[2 * i + 1][1]);
        p[i][3] = pair_of(s[2 * i + 1][2], s[2 * i + 1][3]);
    }
    products<D, KEYS, false, 0>(o, p, v, first);
}

// Results of a lane's rows, or of their split.
template <u32 D>
static __device__ void put_rows(const flash_work &w, const float (&o)[D / 8][4], const rows &r, u32 first, u32 head,
                                const tile_place &at)
{
    u32 sequence = at.sequence, split = at.split, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u64 all = (u64)w.sequences * w.queries * w.heads;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        u32 row = first + warp * 16 + lane / 4 + half * 8, column = lane % 4 * 2;
        float sum = over_row(r.sum[half], false), over = sum > 0 ? 1 / sum : 0;
        if (row >= w.queries * w.packed)
            continue;
        u32 query = divided(row, w);
        u64 number = ((u64)sequence * w.queries + query) * w.heads + head + row - query * w.packed;
        if (w.splits == 1) { // splits of all sequences, at most
#pragma unroll
            for (u32 i = 0; i < D / 8; i++)
                *(u32 *)((u16 *)w.out + number * D + column + i * 8) =
                    pair_of(o[i][2 * half] * over, o[i][2 * half + 1] * over);
            continue;
        }
        float2 *to = (float2 *)((float *)w.parts + (split * all + number) * D + column);
#pragma unroll
        for (u32 i = 0; i < D / 8; i++)
            to[i * 4] = {o[i][2 * half] * over, o[i][2 * half + 1] * over};
        if (lane % 4 == 0)
            ((float *)w.logs)[split * all + number] = sum > 0 ? r.most[half] * w.scale + lg2_approx(sum) : -1e30f;
    }
}

// A tile of a block. The grid has tiles, splits and sequences.
template <u32 D, u32 KEYS> static __device__ void attend(const flash_work &w)
{
    extern __shared__ __align__(1024) u8 memory[];
    const u32 at_q = shared_place(memory), at_k = at_q + ROWS * D * 2, at_v = at_k + KEYS * D * 2;
    const tile_place at = {blockIdx.x, blockIdx.y, blockIdx.z, w.splits};
    tile_work<ROWS, KEYS> t(w, at, w.context, D);
    const u32 *pages = (const u32 *)w.pages + (u64)at.sequence * w.pages_each;
    cache k = {(const u16 *)w.k + t.of_head, pages, t.step}, v = {(const u16 *)w.v + t.of_head, pages, t.step};
    float o[D / 8][4] = {}, s[KEYS / 8][4];
    rows r = rows_of(w, w.context, t.first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4);
    copy_queries<D>(at_q, w, (const u16 *)w.q + ((u64)at.sequence * w.queries * w.heads + t.head) * D, t.first, t.rows);
    if (t.from < t.to)
        copy_keys<D, KEYS>(at_k, k, (t.to - 1) * KEYS, t.end);
    else
        copies_done();
    for (u32 i = t.to; i-- > t.from;) {
        wait_copies<0>();
        __syncthreads();
        copy_keys<D, KEYS>(at_v, v, i * KEYS, t.end);
        scores<D, KEYS>(s, at_q, at_k);
        if ((i + 1) * KEYS > end_of(w, w.context, t.first) || (w.window && i * KEYS < begin_of(w, t.end)))
            mask<KEYS>(s, r, i * KEYS, w.window != 0);
        wait_copies<0>();
        __syncthreads();
        if (i > t.from)
            copy_keys<D, KEYS>(at_k, k, (i - 1) * KEYS, t.end);
        exponentials<D, KEYS>(s, o, r, w.scale);
        values<D, KEYS>(o, s, at_v);
    }
    wait_copies<0>();
    put_rows<D>(w, o, r, t.first, t.head, at);
}

#define FLASH(D, KEYS)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS) flash_##D(const __grid_constant__ flash_work work)           \
    {                                                                                                                  \
        attend<D, KEYS>(work);                                                                                         \
    }
FLASH(64, 128)
FLASH(128, 128)
FLASH(192, 64)

// Joins the splits of rows of `d` numbers, a row in a warp: lanes weigh the splits together.
extern "C" __global__ void __launch_bounds__(THREADS)
    flash_join(u16 *out, const float *parts, const float *logs, u32 rows, u32 splits, u32 d, u32 *counter)
{
    if (counter && GLOBAL_X == 0)
        *counter = 0;
    u32 row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = -1e30f, sum = 0, values[6] = {};
    if (row >= rows)
        return;
    for (u32 i = lane; i < splits; i += 32)
        most = max_f(most, logs[(u64)i * rows + row]);
#pragma unroll
    for (u32 i = 16; i; i /= 2)
        most = max_f(most, __shfl_xor_sync(0xffffffff, most, i));
    for (u32 first = 0; first < splits; first += AT_ONCE) {
        u32 split = first + lane % AT_ONCE;
        float weight = split < splits ? ex2_approx(logs[(u64)split * rows + row] - most) : 0;
        float2 pairs[AT_ONCE][3];
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) {
            const float2 *from = (const float2 *)(parts + ((u64)(first + i) * rows + row) * d) + lane;
#pragma unroll
            for (u32 j = 0; j < 3; j++)
                pairs[i][j] = j * 64 < d && first + i < splits ? from[j * 32] : float2{0, 0};
        }
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) {
            float of_split = __shfl_sync(0xffffffff, weight, i);
            sum += of_split;
#pragma unroll
            for (u32 j = 0; j < 3; j++) {
                values[2 * j] += of_split * pairs[i][j].x;
                values[2 * j + 1] += of_split * pairs[i][j].y;
            }
        }
    }
#pragma unroll
    for (u32 j = 0; j < 3; j++) {
        if (j * 64 < d)
            ((u32 *)(out + (u64)row * d))[lane + j * 32] = pair_of(values[2 * j] / sum, values[2 * j + 1] / sum);
    }
}

// Turns [sequence][group][head][number] into [sequence][head][group][number], as a framework's copy does that moves
// numbers one by one: four for each thread.
extern "C" __global__ void __launch_bounds__(THREADS)
    flash_turn(u16 *out, const u16 *in, u32 count, u32 groups, u32 heads, u32 d)
{
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        u32 at = blockIdx.x * THREADS * 4 + i * THREADS + threadIdx.x, number = at % d, rest = at / d;
        u32 group = rest % groups, head = rest / groups % heads, sequence = rest / groups / heads;
        if (at < count)
            out[at] = in[((sequence * groups + group) * heads + head) * d + number];
    }
}

// By an atomic, which runs without values (--values needed) perform, as the next call's addresses depend on it.
extern "C" __global__ void __launch_bounds__(THREADS) flash_clear(u32 *counter)
{
    if (threadIdx.x == 0)
        atomicExch(counter, 0u);
}
