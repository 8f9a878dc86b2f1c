// SPDX-License-Identifier: BSD-3-Clause
// Needleman and Wunsch's alignment of two sequences: a matrix of scores, of which a block makes a tile of 16 x 16 along
// its diagonals, and a launch the tiles of one diagonal of tiles.
#include "common/device.h"

enum { TILE = 16 };

extern "C" __constant__ int nw_similarity[4][4] = {};

static __device__ int larger(int a, int b)
{
    return a > b ? a : b;
}

// `scores` has a row and a column more than there are letters. Tiles of the diagonal are counted from `first` on.
extern "C" __global__ void nw(int *scores, const u32 *across, const u32 *down, u32 columns, u32 diagonal, u32 first,
                              int penalty)
{
    __shared__ int tile[TILE + 1][TILE + 1];
    __shared__ u32 row_letters[TILE], column_letters[TILE];
    u32 thread = threadIdx.x, tile_x = first + blockIdx.x, tile_y = diagonal - tile_x;
    u32 left = tile_x * TILE, top = tile_y * TILE;
    column_letters[thread] = across[left + thread];
    row_letters[thread] = down[top + thread];
    tile[0][thread + 1] = scores[top * columns + left + thread + 1];
    tile[thread + 1][0] = scores[(top + thread + 1) * columns + left];
    if (thread == 0)
        tile[0][0] = scores[top * columns + left];
    __syncthreads();
    for (u32 step = 0; step < 2 * TILE - 1; step++) {
        u32 x = thread, y = step - thread;
        if (y < TILE) {
            int match = tile[y][x] + nw_similarity[row_letters[y]][column_letters[x]];
            tile[y + 1][x + 1] = larger(match, larger(tile[y][x + 1], tile[y + 1][x]) - penalty);
        }
        __syncthreads();
    }
    for (u32 y = 0; y < TILE; y++)
        scores[(top + y + 1) * columns + left + thread + 1] = tile[y + 1][thread + 1];
}
