/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { WIDTH, HEIGHT };

static void conv2d_run(struct app_run *run)
{
    static const double filter[3][3] = {{0.125, -0.3, 0.4}, {0.25, 0.6, -0.9}, {-0.5, 0.7, 0.1}};
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT];
    size_t count = (size_t)width * height;
    float *from = app_floats(run, count, 0, 1), *expected = app_host(run, count, 4);
    for (size_t y = 1; y + 1 < height; y++)
        for (size_t x = 1; x + 1 < width; x++) {
            double sum = 0;
            for (size_t i = 0; i < 3; i++)
                for (size_t j = 0; j < 3; j++)
                    sum += filter[i][j] * from[(y + i - 1) * width + x + j - 1];
            expected[y * width + x] = (float)sum;
        }
    CUdeviceptr df = app_copy(run, from, 4 * count), dt = app_device(run, 4 * count);
    app_launch(run, "conv2d", app_shape2(width, height, 32, 8), &df, &dt, &width, &height);
    app_check_floats(run, "image", app_read(run, dt, 4 * count), expected, count, 1e-5);
}

const struct app app_2dconv = {
    .name = "2dconv",
    .suite = "Polybench",
    .summary = "a filter of 3 x 3 values over an image, straight from memory",
    .stresses =
        "Nine loads for each value, of which a warp's lanes and the rows of a block share most: what L1 catches "
        "of them, and how shifted rows that begin in the middle of a sector coalesce.",
    .tolerance = "1e-5",
    .sizes = {{"width", 256, 3, 16384, 0, "columns", NULL}, {"height", 96, 3, 16384, 0, "rows", NULL}},
    .run = conv2d_run};
