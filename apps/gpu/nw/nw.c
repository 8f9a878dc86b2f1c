/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE };

static const int32_t similarity[4][4] = {{5, -4, -3, -4}, {-4, 5, -4, -2}, {-3, -4, 5, -4}, {-4, -2, -4, 5}};

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void nw_run(struct app_run *run)
{
    uint32_t n = run->sizes[SIZE], columns = n + 1, tiles = n / 16;
    int32_t penalty = 6;
    size_t bytes = 4 * (size_t)columns * columns;
    uint32_t *across = app_host(run, n, 4), *down = app_host(run, n, 4);
    int32_t *scores = app_host(run, (size_t)columns * columns, 4);
    for (uint32_t i = 0; i < n; i++) {
        across[i] = app_below(run, 4);
        down[i] = app_below(run, 3) ? across[i] : app_below(run, 4); /* two in three letters agree, and some more */
    }
    for (uint32_t i = 1; i <= n; i++)
        scores[i] = scores[(size_t)i * columns] = -penalty * (int32_t)i;
    CUdeviceptr da = app_copy(run, across, 4 * (size_t)n), dd = app_copy(run, down, 4 * (size_t)n);
    CUdeviceptr ds = app_copy(run, scores, bytes);
    app_write(run, app_variable(run, "nw_similarity"), similarity, sizeof similarity);
    for (uint32_t diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
        uint32_t first = diagonal < tiles ? 0 : diagonal - tiles + 1;
        uint32_t last = diagonal < tiles ? diagonal : tiles - 1;
        app_launch(run, "nw", app_shape(16 * (last - first + 1), 16), &ds, &da, &dd, &columns, &diagonal, &first,
                   &penalty);
    }
    for (uint32_t y = 1; y <= n; y++)
        for (uint32_t x = 1; x <= n; x++) {
            int32_t *here = scores + (size_t)y * columns + x, *above = here - columns;
            *here = larger(above[-1] + similarity[down[y - 1]][across[x - 1]], larger(*above, here[-1]) - penalty);
        }
    app_check_words(run, "scores", app_read(run, ds, bytes), (uint32_t *)scores, (size_t)columns * columns);
}

const struct app app_nw = {
    .name = "nw",
    .suite = "Rodinia",
    .summary = "the alignment of two sequences, by Needleman and Wunsch",
    .stresses =
        "Blocks of half a warp, a wave front of blocks that grows and shrinks with each launch, and a barrier for "
        "each of 31 diagonals of a tile, on which one to sixteen lanes work: little parallelism at every level.",
    .tolerance = "exact",
    .sizes = {{"size", 96, 16, 8192, 16, "letters of each sequence", NULL}},
    .run = nw_run};
