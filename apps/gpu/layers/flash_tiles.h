/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of attention over a cache in pages: where they lie, and which keys their rows see. */
#ifndef LAYERS_FLASH_TILES_H
#define LAYERS_FLASH_TILES_H

#include "layers/flash.h"
#include "layers/tiles.h"

struct tile_place {
    u32 tile /* of heads and rows */, split, sequence, splits /* of the sequence */;
};

struct rows { // the two of a lane
    float most[2], sum[2];
    u32 begin[2], end[2]; // keys that they see
};

static inline __device__ u32 smaller(u32 a, u32 b)
{
    return a < b ? a : b;
}

static inline __device__ u32 divided(u32 n, const flash_work &w) // by `packed`
{
    return w.packed == 1 ? n : __umulhi(n, w.factor) >> w.shift;
}

// Keys that a row of a tile sees end here.
static inline __device__ u32 end_of(const flash_work &w, u32 keys, u32 row)
{
    return smaller(keys - w.queries + divided(row, w) + 1, keys);
}

static inline __device__ u32 begin_of(const flash_work &w, u32 end)
{
    return w.window && end > w.window ? end - w.window : 0;
}

static inline __device__ float over_row(float x, bool greatest) // four lanes hold a row
{
#pragma unroll
    for (u32 i = 1; i < 4; i *= 2) {
        float other = __shfl_xor_sync(0xffffffff, x, i);
        x = greatest ? max_f(x, other) : x + other;
    }
    return x;
}

// What a tile of ROWS rows reads and where it belongs. Row tiles with the most keys come first.
template <u32 ROWS, u32 KEYS> struct tile_work {
    u32 first, rows, head, end, from, to; // first of `rows` rows; first head; keys; tiles of keys of its split
    u64 of_head, step;                    // numbers to its head of keys, and from key to key
    __device__ tile_work(const flash_work &w, const tile_place &at, u32 keys, u32 d)
    {
        u32 groups = w.heads / w.packed;
        rows = w.queries * w.packed;
        first = ((rows + ROWS - 1) / ROWS - 1 - at.tile / groups) * ROWS;
        head = at.tile % groups * w.packed;
        step = (u64)w.kv_heads * d;
        of_head = (u64)(head / (w.heads / w.kv_heads)) * d;
        end = end_of(w, keys, smaller(first + ROWS, rows) - 1);
        u32 each = ((keys + KEYS - 1) / KEYS + at.splits - 1) / at.splits, before = at.split * each;
        to = smaller((end + KEYS - 1) / KEYS, before + each);
        from = begin_of(w, end_of(w, keys, first)) / KEYS;
        from = from > before ? from : before;
    }
};

static inline __device__ rows rows_of(const flash_work &w, u32 keys, u32 row)
{
    rows r;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        r.most[half] = -1e30f;
        r.sum[half] = 0;
        r.end[half] = end_of(w, keys, row + half * 8);
        r.begin[half] = begin_of(w, r.end[half]);
    }
    return r;
}

struct tile_start { // of a sequence: its number, and the tiles of all before it
    u32 sequence, before;
};

// The place of a tile that is not before the sequence where the search begins. Lanes look at 32 sequences at a time.
// The tile's own sequence is where the next search begins.
template <u32 ROWS> static __device__ tile_place place_of(const flash_work &w, u32 tile, tile_start &start)
{
    u32 lane = threadIdx.x % 32, groups = w.heads / w.packed;
    tile -= start.before;
    for (; start.sequence < w.sequences; start.sequence += 32) {
        bool there = start.sequence + lane < w.sequences;
        u32 rows = there ? ((const u32 *)w.rows_of)[start.sequence + lane] : 0;
        u32 splits = there ? ((const u32 *)w.splits_of)[start.sequence + lane] : 1;
        u32 tiles = (rows + ROWS - 1) / ROWS * groups * splits, sum = tiles;
#pragma unroll
        for (u32 i = 1; i < 32; i *= 2) {
            u32 other = __shfl_up_sync(0xffffffff, sum, i);
            sum += lane >= i ? other : 0;
        }
        u32 behind = __popc(__ballot_sync(0xffffffff, sum <= tile)), all = __shfl_sync(0xffffffff, sum, 31);
        if (behind == 32) {
            tile -= all;
            start.before += all;
            continue;
        }
        u32 before = __shfl_sync(0xffffffff, sum - tiles, behind);
        splits = __shfl_sync(0xffffffff, splits, behind);
        start.sequence += behind;
        start.before += before;
        tile -= before;
        return {tile / splits, tile % splits, start.sequence, splits};
    }
    return {0, 0, w.sequences, 1};
}

#endif
