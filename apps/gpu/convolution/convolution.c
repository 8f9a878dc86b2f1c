/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { WIDTH, HEIGHT };
enum { RADIUS = 8 };

/* Along rows: step 1, or columns: step `width`; `place` is the position along that line of `length` values. */
static float filtered(const float *image, const float *filter, size_t at, size_t step, uint32_t place, uint32_t length)
{
    double sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++)
        if ((int64_t)place + i >= 0 && (int64_t)place + i < length)
            sum += (double)filter[i + RADIUS] * image[(int64_t)at + i * (int64_t)step];
    return (float)sum;
}

static void convolution_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT];
    size_t count = (size_t)width * height;
    float *image = app_floats(run, count, 0, 1), *filter = app_floats(run, 2 * RADIUS + 1, 0, 0.2f);
    float *between = app_host(run, count, 4), *expected = app_host(run, count, 4);
    for (size_t i = 0; i < count; i++)
        between[i] = filtered(image, filter, i, 1, (uint32_t)(i % width), width);
    for (size_t i = 0; i < count; i++)
        expected[i] = filtered(between, filter, i, width, (uint32_t)(i / width), height);
    CUdeviceptr from = app_copy(run, image, 4 * count), rows = app_device(run, 4 * count),
                to = app_device(run, 4 * count);
    app_write(run, app_variable(run, "convolution_filter"), filter, (2 * RADIUS + 1) * sizeof *filter);
    struct app_shape by_rows = {.grid = {(width + 127) / 128, height, 1}, .block = {128, 1, 1}};
    struct app_shape by_columns = {.grid = {(width + 15) / 16, (height + 63) / 64, 1}, .block = {16, 16, 1}};
    app_launch(run, "convolution_rows", by_rows, &from, &rows, &width);
    app_launch(run, "convolution_columns", by_columns, &rows, &to, &width, &height);
    app_check_floats(run, "rows", app_read(run, rows, 4 * count), between, count, 1e-5);
    app_check_floats(run, "image", app_read(run, to, 4 * count), expected, count, 1e-5);
}

const struct app app_convolution = {
    .name = "convolution",
    .suite = "CUDA samples",
    .summary = "a separable filter of 17 values over an image",
    .stresses =
        "Constant memory, where all lanes read the same value, and shared memory with an edge that neighbouring "
        "blocks load again. The second kernel reads what the first has just written: L2 answers it if it is "
        "large enough.",
    .tolerance = "1e-5",
    .sizes = {{"width", 128, 1, 16384, 0, "columns", NULL}, {"height", 64, 1, 16384, 0, "rows", NULL}},
    .run = convolution_run};
