// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_80
// Attention over a cache in pages, as serving systems have it (Dao et al., FlashAttention-2, 2023, and Flash-Decoding): a
// block has 64 rows, which are queries times heads that share keys, and goes over its split of the keys from the last
// tile to the first. With one stage a tile of values is under way while scores are made, and keys of the next one while
// values are added up; with two, both of the next tile. A second kernel joins splits.
#include "layers/flash.h"
#include "layers/tiles.h"

enum { WARPS = 4, THREADS = WARPS * 32, ROWS = FLASH_ROWS, PAGE = FLASH_PAGE };

struct cache { // of a sequence and a head
    const u16 *numbers;
    const u32 *pages;
    u64 step; // from key to key
};

// Keys from `first` on, zeros from `end` on; a tile has one page or two.
template <u32 D, u32 KEYS> static __device__ void copy_keys(u32 tile, const cache &from, u32 first, u32 end)
{
    const u16 *lower = from.numbers + from.pages[first / PAGE] * PAGE * from.step, *upper = lower;
    if (KEYS > PAGE && first + PAGE < end)
        upper = from.numbers + from.pages[first / PAGE + 1] * PAGE * from.step;
#pragma unroll
    for (u32 i = 0; i < KEYS * D / 8 / THREADS; i++) {
        u32 at = threadIdx.x + i * THREADS, row = at / (D / 8), column = at % (D / 8);
        bool there = first + row < end;
        const u16 *page = KEYS > PAGE && row >= PAGE ? upper : lower;
        copy_16(place<D>(tile, row, column), page + (there ? row % PAGE * from.step : 0) + column * 8, there);
    }
    copies_done();
}

// Rows of queries from `first` on; their group belongs to keys' copies.
template <u32 D>
static __device__ void copy_queries(u32 tile, const u16 *q, u32 first, u32 rows, u32 packed, u32 heads)
{
    for (u32 i = threadIdx.x; i < ROWS * D / 8; i += THREADS) {
        u32 row = i / (D / 8), column = i % (D / 8), at = first + row;
        bool there = at < rows;
        u64 number = there ? (u64)(at / packed) * heads + at % packed : 0;
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

struct rows { // the two of a lane
    float most[2], sum[2];
    u32 begin[2], end[2]; // keys that they see
};

template <u32 KEYS> static __device__ void mask(float (&s)[KEYS / 8][4], const rows &r, u32 first)
{
#pragma unroll
    for (u32 i = 0; i < KEYS / 8; i++) {
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
            u32 key = first + i * 8 + threadIdx.x % 4 * 2 + j % 2;
            s[i][j] = key < r.end[j / 2] && key >= r.begin[j / 2] ? s[i][j] : -1e30f;
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

template <u32 D, u32 KEYS> static __device__ void scores(float (&s)[KEYS / 8][4], u32 q, u32 k)
{
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, a[4], b[4];
#pragma unroll
    for (u32 i = 0; i < KEYS / 8; i++)
        s[i][0] = s[i][1] = s[i][2] = s[i][3] = 0;
#pragma unroll
    for (u32 i = 0; i < D / 16; i++) {
        load_matrices(a, place<D>(q, warp * 16 + lane % 16, 2 * i + lane / 16));
#pragma unroll
        for (u32 j = 0; j < KEYS / 16; j++) {
            load_matrices(b, place<D>(k, j * 16 + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2));
            multiply(s[2 * j], a, b[0], b[1]);
            multiply(s[2 * j + 1], a, b[2], b[3]);
        }
    }
}

template <u32 D, u32 KEYS> static __device__ void values(float (&o)[D / 8][4], const float (&s)[KEYS / 8][4], u32 v)
{
    u32 lane = threadIdx.x % 32, b[4];
#pragma unroll
    for (u32 i = 0; i < KEYS / 16; i++) {
        u32 a[4] = {pair_of(s[2 * i][0], s[2 * i][1]), pair_of(s[2 * i][2], s[2 * i][3]),
                    pair_of(s[2 * i + 1][0], s[2 * i + 1][1]), pair_of(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
        for (u32 j = 0; j < D / 16; j++) {
            load_turned(b, place<D>(v, i * 16 + lane % 16, 2 * j + lane / 16));
            multiply(o[2 * j], a, b[0], b[1]);
            multiply(o[2 * j + 1], a, b[2], b[3]);
        }
    }
}

// Results of a lane's rows, or of their split.
template <u32 D>
static __device__ void put_rows(const flash_work &w, const float (&o)[D / 8][4], const rows &r, u32 first, u32 head)
{
    u32 sequence = blockIdx.z, split = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u64 all = (u64)gridDim.z * w.queries * w.heads;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        u32 row = first + warp * 16 + lane / 4 + half * 8, column = lane % 4 * 2;
        float sum = over_row(r.sum[half], false), over = sum > 0 ? 1 / sum : 0;
        if (row >= w.queries * w.packed)
            continue;
        u64 number = ((u64)sequence * w.queries + row / w.packed) * w.heads + head + row % w.packed;
        if (w.splits == 1) {
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
static __device__ u32 end_of(const flash_work &w, u32 row)
{
    return smaller(w.context - w.queries + row / w.packed + 1, w.context);
}

static __device__ u32 begin_of(const flash_work &w, u32 end)
{
    return w.window && end > w.window ? end - w.window : 0;
}

// A block's tile of rows, its split and its sequence and heads are those of blockIdx; row tiles with the most keys come
// first.
template <u32 D, u32 KEYS, u32 STAGES> static __device__ void attend(const flash_work &w)
{
    extern __shared__ __align__(1024) u8 memory[];
    const u32 tile = KEYS * D * 2, at_q = shared_place(memory), at_k = at_q + ROWS * D * 2, at_v = at_k + STAGES * tile;
    u32 groups = w.heads / w.packed, row_tiles = gridDim.x / groups, group = blockIdx.x % groups;
    u32 first = (row_tiles - 1 - blockIdx.x / groups) * ROWS, all = w.queries * w.packed, head = group * w.packed;
    u64 step = (u64)w.kv_heads * D, of_head = (u64)(head / (w.heads / w.kv_heads)) * D;
    const u32 *pages = (const u32 *)w.pages + (u64)blockIdx.z * w.pages_each;
    cache k = {(const u16 *)w.k + of_head, pages, step}, v = {(const u16 *)w.v + of_head, pages, step};
    u32 end = end_of(w, smaller(first + ROWS, all) - 1);
    u32 each = ((w.context + KEYS - 1) / KEYS + w.splits - 1) / w.splits, before = blockIdx.y * each;
    u32 to = smaller((end + KEYS - 1) / KEYS, before + each), from = begin_of(w, end_of(w, first)) / KEYS;
    from = from > before ? from : before;
    float o[D / 8][4] = {}, s[KEYS / 8][4];
    rows r;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        r.most[half] = -1e30f;
        r.sum[half] = 0;
        r.end[half] = end_of(w, first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + half * 8);
        r.begin[half] = begin_of(w, r.end[half]);
    }
    copy_queries<D>(at_q, (const u16 *)w.q + ((u64)blockIdx.z * w.queries * w.heads + head) * D, first, all, w.packed,
                    w.heads);
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
        if ((t + 1) * KEYS > end_of(w, first) || (w.window && t * KEYS < begin_of(w, end)))
            mask<KEYS>(s, r, t * KEYS);
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
    put_rows<D>(w, o, r, first, head);
}

#define FLASH(D, KEYS, STAGES)                                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        flash_##D##_##STAGES(const __grid_constant__ flash_work work)                                                  \
    {                                                                                                                  \
        attend<D, KEYS, STAGES>(work);                                                                                 \
    }
FLASH(64, 128, 1)
FLASH(64, 128, 2)
FLASH(128, 128, 1)
FLASH(128, 128, 2)
FLASH(192, 64, 1)
FLASH(192, 64, 2)

// Joins the splits of rows of `d` numbers, a row in a warp: lanes weigh the splits together.
extern "C" __global__ void __launch_bounds__(THREADS)
    flash_join(u16 *out, const float *parts, const float *logs, u32 rows, u32 splits, u32 d)
{
    u32 row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    float most = -1e30f, sum = 0, values[6] = {};
    if (row >= rows)
        return;
    for (u32 i = lane; i < splits; i += 32)
        most = max_f(most, logs[(u64)i * rows + row]);
#pragma unroll
    for (u32 i = 16; i; i /= 2)
        most = max_f(most, __shfl_xor_sync(0xffffffff, most, i));
    for (u32 i = lane; i < splits; i += 32)
        sum += ex2_approx(logs[(u64)i * rows + row] - most);
    sum = sum_of_warp(sum);
#pragma unroll 4
    for (u32 i = 0; i < splits; i++) {
        float weight = ex2_approx(logs[(u64)i * rows + row] - most);
        const float2 *from = (const float2 *)(parts + ((u64)i * rows + row) * d) + lane;
#pragma unroll
        for (u32 j = 0; j < 3; j++) {
            if (j * 64 < d) {
                float2 pair = from[j * 32];
                values[2 * j] += weight * pair.x;
                values[2 * j + 1] += weight * pair.y;
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
