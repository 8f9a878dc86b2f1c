/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <string.h>

enum { WIDTH, ROWS, DEPTH };

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void pathfinder_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], rows = run->sizes[ROWS], depth = run->sizes[DEPTH];
    size_t count = (size_t)width * rows, bytes = 4 * (size_t)width;
    if (count > UINT32_C(1) << 30)
        app_stop(run, 2, "--width %u --rows %u: the grid has more than 2^30 places", width, rows);
    uint32_t *costs = app_host(run, count, 4), *best = app_host(run, width, 4), *next = app_host(run, width, 4);
    for (size_t i = 0; i < count; i++)
        costs[i] = app_below(run, 10);
    CUdeviceptr dc = app_copy(run, costs, 4 * count), from = app_copy(run, costs, bytes), to = app_device(run, bytes);
    memcpy(best, costs, bytes);
    for (uint32_t row = 1; row < rows; row += depth) {
        uint32_t now = smaller(depth, rows - row), inner = 256 - 2 * now;
        app_launch(run, "pathfinder", app_shape((width + inner - 1) / inner * 256, 256), &dc, &from, &to, &width, &row,
                   &now);
        CUdeviceptr swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t row = 1; row < rows; row++) {
        for (uint32_t x = 0; x < width; x++) {
            uint32_t left = best[x ? x - 1 : 0], right = best[x + 1 < width ? x + 1 : x];
            next[x] = costs[(size_t)row * width + x] + smaller(best[x], smaller(left, right));
        }
        memcpy(best, next, bytes);
    }
    app_check_words(run, "costs of the ways", app_read(run, from, bytes), best, width);
}

const struct app app_pathfinder = {
    .name = "pathfinder",
    .suite = "Rodinia",
    .summary = "the cheapest ways down a grid",
    .stresses = "A barrier and two reads of shared memory for each row, and a load that depends on nothing, so that it "
                "can be in flight: how well short dependent steps of many warps overlap.",
    .tolerance = "exact",
    .sizes = {{"width", 4096, 1, 1 << 22, 0, "columns", NULL},
              {"rows", 30, 2, 10000, 0, "rows", NULL},
              {"depth", 10, 1, 100, 0, "rows of a launch", NULL}},
    .run = pathfinder_run};
