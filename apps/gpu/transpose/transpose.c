/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { WIDTH, HEIGHT, KERNEL };

static void transpose_run(struct app_run *run)
{
    static const char *const kernels[] = {"transpose_tiled", "transpose_naive"};
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT];
    size_t count = (size_t)width * height;
    float *from = app_floats(run, count, -1, 1), *expected = app_host(run, count, 4);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            expected[x * height + y] = from[y * width + x];
    CUdeviceptr df = app_copy(run, from, 4 * count), dt = app_device(run, 4 * count);
    struct app_shape shape = {.grid = {(width + 31) / 32, (height + 31) / 32, 1}, .block = {32, 8, 1}};
    app_launch(run, kernels[run->sizes[KERNEL]], shape, &df, &dt, &width, &height);
    app_check_floats(run, "transposed matrix", app_read(run, dt, 4 * count), expected, count, 0);
}

const struct app app_transpose = {
    .name = "transpose",
    .suite = "CUDA samples",
    .summary = "a matrix with its rows as columns, by way of shared memory or without",
    .stresses = "`naive` writes 32 sectors with each store, one for each lane; `tiled` turns the tile round in shared "
                "memory, without bank conflicts, and writes four. The difference is what coalescing is worth.",
    .tolerance = "exact",
    .sizes = {{"width", 256, 1, 16384, 0, "columns", NULL},
              {"height", 128, 1, 16384, 0, "rows", NULL},
              {"kernel", 0, 0, 0, 0, "how", "tiled naive"}},
    .run = transpose_run};
