// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// Attention over a cache in pages, as serving systems have it (Dao et al., FlashAttention-2, 2023, and
// Flash-Decoding): a block has 64 rows, which are queries times heads that share keys, and goes over its split of the
// keys from the last tile to the first. With one stage a tile of values is under way while scores are made, and keys
// of the next one while values are added up; with two, both of the next tile. A second kernel joins splits.
#include "layers/flash.h"
#include "layers/tiles.h"

enum { WARPS = 4, THREADS = WARPS * 32, ROWS = FLASH_ROWS, PAGE = FLASH_PAGE, AT_ONCE = 16 /* splits */ };

struct cache { // of a sequence and a head
    const u16 *numbers;
    const u32 *pages;
    u64 step; // from key to key
};

static __device__ u32 divided(u32 n, const flash_work &w) // by `packed`
{
    return w.packed == 1 ? n : __umulhi(n, w.factor) >> w.shift;
}

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

static __device__ float over_row(float x, bool greatest) // four lanes hold a row
{
#pragma unroll
    for (u32 i = 1; i < 4; i *= 2) {
        float other = __shfl_xor_sync(0xffffffff, x, i);
        x = greatest ? max_f(x, other) : x + other;
    }
    return x;
}

struct tile_place {
    u32 tile /* of heads and rows */, split, sequence, keys, splits; // keys and splits of the sequence
};

struct rows { // the two of a lane
    float most[2], sum[2];
    u32 begin[2], end[2]; // keys that they see
};

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

// Scores become exponentials; sums so far are scaled.
template <u32 D, u32 KEYS>
static __device__ void exponentials(float (&s)[KEYS / 8][4], float (&o)[D / 8][4], rows &r, float scale)
{
#pragma unroll
    for (u32 row = 0; row < 2; row++) {
        float greatest = r.most[row], added = 0;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8; i++)
            greatest = max_f(greatest, max_f(s[i][2 * row], s[i][2 * row + 1]));
        greatest = over_row(greatest, true);
        float scaled = greatest < -1e29f ? 0 : greatest * scale, older = ex2_approx(r.most[row] * scale - scaled);
        r.most[row] = greatest;
#pragma unroll
        for (u32 i = 0; i < KEYS / 8; i++) {
            s[i][2 * row] = ex2_approx(s[i][2 * row] * scale - scaled);
            s[i][2 * row + 1] = ex2_approx(s[i][2 * row + 1] * scale - scaled);
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

// Products of all pairs of tiles, the next matrices on their way meanwhile. A tile of keys or of values: J across
// rows of the first, I along what is summed up.
template <u32 D, u32 KEYS, u32 AT>
static __device__ void scores(float (&s)[KEYS / 8][4], const u32 (&q)[D / 16][4], u32 k, u32 (&now)[4])
{
    const u32 i = AT / (KEYS / 16), j = AT % (KEYS / 16);
    if constexpr (AT + 1 < D / 16 * (KEYS / 16)) {
        const u32 then = (AT + 1) / (KEYS / 16);
        u32 next[4], lane = threadIdx.x % 32;
        load_matrices<(AT + 1) % (KEYS / 16) * 16 * D * 2, false>(
            next, place<D>(k, lane / 16 * 8 + lane % 8, 2 * then + lane / 8 % 2));
        multiply(s[2 * j], q[i], now[0], now[1]);
        multiply(s[2 * j + 1], q[i], now[2], now[3]);
        scores<D, KEYS, AT + 1>(s, q, k, next);
    } else {
        multiply(s[2 * j], q[i], now[0], now[1]);
        multiply(s[2 * j + 1], q[i], now[2], now[3]);
    }
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
    load_matrices(first, place<D>(k, lane / 16 * 8 + lane % 8, lane / 8 % 2));
    scores<D, KEYS, 0>(s, rows, k, first);
}

template <u32 D, u32 KEYS, u32 AT>
static __device__ void values(float (&o)[D / 8][4], const u32 (&p)[KEYS / 16][4], u32 v, u32 (&now)[4])
{
    const u32 j = AT / (KEYS / 16), i = AT % (KEYS / 16);
    if constexpr (AT + 1 < D / 16 * (KEYS / 16)) {
        const u32 then = (AT + 1) / (KEYS / 16);
        u32 next[4], lane = threadIdx.x % 32;
        load_matrices<(AT + 1) % (KEYS / 16) * 16 * D * 2, true>(next, place<D>(v, lane % 16, 2 * then + lane / 16));
        multiply(o[2 * j], p[i], now[0], now[1]);
        multiply(o[2 * j + 1], p[i], now[2], now[3]);
        values<D, KEYS, AT + 1>(o, p, v, next);
    } else {
        multiply(o[2 * j], p[i], now[0], now[1]);
        multiply(o[2 * j + 1], p[i], now[2], now[3]);
    }
}

template <u32 D, u32 KEYS> static __device__ void values(float (&o)[D / 8][4], const float (&s)[KEYS / 8][4], u32 v)
{
    u32 lane = threadIdx.x % 32, p[KEYS / 16][4], first[4];
    load_matrices<0, true>(first, place<D>(v, lane % 16, lane / 16));
#pragma unroll
    for (u32 i = 0; i < KEYS / 16; i++) {
        p[i][0] = pair_of(s[2 * i][0], s[2 * i][1]);
        p[i][1] = pair_of(s[2 * i][2], s[2 * i][3]);
        p[i][2] = pair_of(s[2 * i + 1][0], s[2 * i + 1][1]);
        p[i][3] = pair_of(s[2 * i + 1][2], s[2 * i + 1][3]);
    }
    values<D, KEYS, 0>(o, p, v, first);
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

static __device__ u32 smaller(u32 a, u32 b)
{
    return a < b ? a : b;
}

// Keys that a row of a tile sees end here.
static __device__ u32 end_of(const flash_work &w, u32 keys, u32 row)
{
    return smaller(keys - w.queries + divided(row, w) + 1, keys);
}

static __device__ u32 begin_of(const flash_work &w, u32 end)
{
    return w.window && end > w.window ? end - w.window : 0;
}

// Row tiles with the most keys come first.
template <u32 D, u32 KEYS, u32 STAGES> static __device__ void attend(const flash_work &w, const tile_place &at)
{
    extern __shared__ __align__(1024) u8 memory[];
    const u32 tile = KEYS * D * 2, at_q = shared_place(memory), at_k = at_q + ROWS * D * 2, at_v = at_k + STAGES * tile;
    u32 groups = w.heads / w.packed, all = w.queries * w.packed, row_tiles = (all + ROWS - 1) / ROWS;
    u32 group = at.tile % groups, first = (row_tiles - 1 - at.tile / groups) * ROWS, head = group * w.packed;
    u64 step = (u64)w.kv_heads * D, of_head = (u64)(head / (w.heads / w.kv_heads)) * D;
    const u32 *pages = (const u32 *)w.pages + (u64)at.sequence * w.pages_each;
    cache k = {(const u16 *)w.k + of_head, pages, step}, v = {(const u16 *)w.v + of_head, pages, step};
    u32 end = end_of(w, at.keys, smaller(first + ROWS, all) - 1);
    u32 each = ((at.keys + KEYS - 1) / KEYS + at.splits - 1) / at.splits, before = at.split * each;
    u32 to = smaller((end + KEYS - 1) / KEYS, before + each), from = begin_of(w, end_of(w, at.keys, first)) / KEYS;
    from = from > before ? from : before;
    float o[D / 8][4] = {}, s[KEYS / 8][4];
    rows r;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        r.most[half] = -1e30f;
        r.sum[half] = 0;
        r.end[half] = end_of(w, at.keys, first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + half * 8);
        r.begin[half] = begin_of(w, r.end[half]);
    }
    copy_queries<D>(at_q, w, (const u16 *)w.q + ((u64)at.sequence * w.queries * w.heads + head) * D, first, all);
    if (from < to) {
        copy_keys<D, KEYS>(at_k, k, (to - 1) * KEYS, end);
        if (STAGES == 2)
            copy_keys<D, KEYS>(at_v, v, (to - 1) * KEYS, end);
    } else {
        copies_done();
    }
    u32 stage = 0; // bytes to the tile that is multiplied
    for (u32 t = to; t-- > from;) {
        u32 next = STAGES == 2 ? tile - stage : 0;
        if (STAGES == 2 && t > from) {
            copy_keys<D, KEYS>(at_k + next, k, (t - 1) * KEYS, end);
            copy_keys<D, KEYS>(at_v + next, v, (t - 1) * KEYS, end);
            wait_copies<3>();
        } else if (STAGES == 2) {
            wait_copies<1>();
        } else {
            wait_copies<0>();
        }
        __syncthreads();
        if (STAGES == 1)
            copy_keys<D, KEYS>(at_v, v, t * KEYS, end);
        scores<D, KEYS>(s, at_q, at_k + stage);
        if ((t + 1) * KEYS > end_of(w, at.keys, first) || (w.window && t * KEYS < begin_of(w, end)))
            mask<KEYS>(s, r, t * KEYS, w.window != 0);
        if (STAGES == 2 && t > from)
            wait_copies<2>();
        else
            wait_copies<0>();
        __syncthreads();
        if (STAGES == 1 && t > from)
            copy_keys<D, KEYS>(at_k, k, (t - 1) * KEYS, end);
        exponentials<D, KEYS>(s, o, r, w.scale);
        values<D, KEYS>(o, s, at_v + stage);
        if (STAGES == 2)
            __syncthreads();
        stage = next;
    }
    wait_copies<0>();
    put_rows<D>(w, o, r, first, head, at);
}

template <u32 D, u32 KEYS> static __device__ void attend_once(const flash_work &w)
{
    attend<D, KEYS, 1>(w, {blockIdx.x, blockIdx.y, blockIdx.z, w.context, w.splits});
}

// Where the sequences before this one leave a tile of all of them: lanes look at 32 sequences at a time.
static __device__ tile_place place_of(const flash_work &w, u32 tile)
{
    u32 lane = threadIdx.x % 32, groups = w.heads / w.packed, first = 0;
    for (; first < w.sequences; first += 32) {
        bool there = first + lane < w.sequences;
        u32 rows = there ? ((const u32 *)w.rows_of)[first + lane] : 0;
        u32 splits = there ? ((const u32 *)w.splits_of)[first + lane] : 1;
        u32 tiles = (rows + ROWS - 1) / ROWS * groups * splits, sum = tiles;
#pragma unroll
        for (u32 i = 1; i < 32; i *= 2) {
            u32 other = __shfl_up_sync(0xffffffff, sum, i);
            sum += lane >= i ? other : 0;
        }
        u32 behind = __popc(__ballot_sync(0xffffffff, sum <= tile)), all = __shfl_sync(0xffffffff, sum, 31);
        if (behind == 32) {
            tile -= all;
            continue;
        }
        tile -= __shfl_sync(0xffffffff, sum - tiles, behind);
        splits = __shfl_sync(0xffffffff, splits, behind);
        return {tile / splits, tile % splits, first + behind, ((const u32 *)w.keys_of)[first + behind], splits};
    }
    return {0, 0, w.sequences, 0, 1};
}

// Blocks that stay: each takes a tile after the other, and asks for the next one when it begins with one.
template <u32 D, u32 KEYS> static __device__ void attend_all(const flash_work &w)
{
    __shared__ tile_place place;
    u32 tile = blockIdx.x;
    for (;;) {
        if (threadIdx.x < 32) {
            tile_place at = place_of(w, tile);
            if (threadIdx.x == 0)
                place = at;
        }
        __syncthreads();
        tile_place at = place;
        if (at.sequence == w.sequences)
            return;
        if (threadIdx.x == 0)
            tile = atomicAdd((u32 *)w.counter, 1u) + gridDim.x;
        attend<D, KEYS, 2>(w, at);
        tile = __shfl_sync(0xffffffff, tile, 0);
        __syncthreads();
    }
}

#define FLASH(D, KEYS)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS) flash_##D(const __grid_constant__ flash_work work)           \
    {                                                                                                                  \
        attend_once<D, KEYS>(work);                                                                                    \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS) flash_##D##_stay(const __grid_constant__ flash_work work)    \
    {                                                                                                                  \
        attend_all<D, KEYS>(work);                                                                                     \
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

extern "C" __global__ void __launch_bounds__(THREADS) flash_clear(u32 *counter)
{
    if (threadIdx.x == 0)
        *counter = 0;
}
