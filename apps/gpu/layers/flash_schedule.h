/* SPDX-License-Identifier: BSD-3-Clause */
/* How blocks that stay find tiles of attention, and which keys those read. */
#ifndef LAYERS_FLASH_SCHEDULE_H
#define LAYERS_FLASH_SCHEDULE_H

#include "layers/flash_tiles.h"

struct stay_place {
    u32 row_tile, head /* of keys */, split, sequence, splits /* of the sequence */;
};

struct sequence {
    u32 start /* its first query, of all queries */, queries, keys;
};

static inline __device__ sequence sequence_at(const flash_work &w, u32 number)
{
    const u32 *starts = (const u32 *)w.starts + number;
    u32 start = starts[0];
    return {start, starts[1] - start, ((const u32 *)w.keys_of)[number]};
}

/* Keys of a tile are counted from the first one that its first row sees. */
template <u32 ROWS, u32 KEYS> struct stay_tile {
    u32 first, rows, keys, offset, from, to; /* rows; keys behind the `offset` first ones; tiles of keys of its split */
    u32 begin;                               /* keys before it some rows do not see */
    __device__ stay_tile(const flash_work &w, const stay_place &at, const sequence &s)
    {
        first = at.row_tile * ROWS;
        rows = s.queries * w.packed;
        offset = 0;
        if (w.window) {
            u32 end = divided(first, w) + s.keys - s.queries + 1;
            offset = end > w.window ? end - w.window : 0;
        }
        keys = s.keys - offset;
        u32 behind = divided(first + ROWS - 1, w) + 1;
        u32 end = smaller(keys, behind + keys - s.queries);
        begin = begin_of(w, end);
        to = (end + KEYS - 1) / KEYS;
        from = 0;
        if (w.splits > 1) {
            u32 each = (to + at.splits - 1) / at.splits;
            from = at.split * each;
            to = smaller(from + each, to);
        }
    }
};

/* Keys that a row of a tile sees end here. */
static inline __device__ u32 stay_end(const flash_work &w, const sequence &s, u32 keys, u32 row)
{
    return smaller(keys - s.queries + divided(row, w) + 1, keys);
}

struct tile_group { /* up to 31 sequences: the first one's number, and the tiles of all sequences before it */
    u32 sequence, before;
};

/* Tiles of a sequence: heads whose keys the L2 holds together, the row tiles with the most keys first; or all row tiles
 * of a split, all splits of a head. */
static inline __device__ stay_place place_in(const flash_work &w, u32 sequence, u32 tile, u32 row_tiles, u32 splits)
{
    if (splits > 1) {
        u32 rest = tile / row_tiles, head = rest / splits;
        return {row_tiles - 1 - (tile - rest * row_tiles), head, rest - head * splits, sequence, splits};
    }
    u32 together = ((const u32 *)w.together)[sequence], section = tile / (together * row_tiles);
    u32 left = w.kv_heads - section * together, heads = smaller(together, left);
    u32 rest = tile - section * together * row_tiles, row_tile = rest / heads;
    return {row_tiles - 1 - row_tile, section * together + rest - row_tile * heads, 0, sequence, 1};
}

/* The place of a tile that is not before the group where the search begins. Lanes look at 31 sequences at a time, the
 * last one at none. The group that has the tile is where the next search begins. */
template <u32 ROWS> static __device__ stay_place place_of(const flash_work &w, u32 tile, tile_group &group)
{
    u32 lane = threadIdx.x % 32, end = group.before;
    for (;;) {
        u32 number = group.sequence + lane;
        bool there = number < w.sequences && lane < 31;
        u32 row_tiles = there ? (((const u32 *)w.rows_of)[number] + ROWS - 1) / ROWS : 0, splits = there;
        if (there && w.splits > 1)
            splits = ((const u32 *)w.splits_of)[number];
        u32 sum = row_tiles * splits;
#pragma unroll
        for (u32 i = 1; i < 32; i *= 2) {
            u32 other = __shfl_up_sync(0xffffffff, sum, i);
            sum += lane >= i ? other : 0;
        }
        group.before = end;
        end += __shfl_sync(0xffffffff, sum, 31) * w.kv_heads;
        if (tile < end) {
            u32 behind = __popc(__ballot_sync(0xffffffff, group.before + sum * w.kv_heads <= tile));
            row_tiles = __shfl_sync(0xffffffff, row_tiles, behind);
            splits = __shfl_sync(0xffffffff, splits, behind);
            u32 before = __shfl_sync(0xffffffff, sum, behind - (behind > 0));
            group.sequence += behind;
            group.before += behind ? before * w.kv_heads : 0;
            return place_in(w, group.sequence, tile - group.before, row_tiles, splits);
        }
        group.sequence += 31;
        if (group.sequence >= w.sequences)
            return {0, 0, 0, w.sequences, 1};
    }
}

#endif
