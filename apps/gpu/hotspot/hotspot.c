/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { WIDTH, HEIGHT, STEPS };

static void step(const float *power, const float *from, float *to, size_t w, size_t h, float conduction, float loss)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            size_t at = y * w + x;
            double here = from[at];
            double north = from[y ? at - w : at], south = from[y + 1 < h ? at + w : at];
            double west = from[x ? at - 1 : at], east = from[x + 1 < w ? at + 1 : at];
            to[at] =
                (float)(here + power[at] + conduction * (north + south + west + east - 4 * here) + loss * (80 - here));
        }
}

static void hotspot_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT], left = run->sizes[STEPS];
    size_t count = (size_t)width * height;
    float *power = app_floats(run, count, 0, 0.5f), *now = app_floats(run, count, 60, 90),
          *next = app_host(run, count, 4);
    float conduction = 0.15f, loss = 0.02f, *swap_host;
    CUdeviceptr dp = app_copy(run, power, 4 * count), from = app_copy(run, now, 4 * count);
    CUdeviceptr to = app_device(run, 4 * count), swap;
    struct app_shape shape = {.grid = {(width + 11) / 12, (height + 11) / 12, 1}, .block = {16, 16, 1}};
    while (left) {
        uint32_t steps = left < 2 ? left : 2;
        app_launch(run, "hotspot", shape, &dp, &from, &to, &width, &height, &steps, &conduction, &loss);
        swap = from, from = to, to = swap;
        left -= steps;
    }
    for (uint32_t i = 0; i < run->sizes[STEPS]; i++) {
        step(power, now, next, width, height, conduction, loss);
        swap_host = now, now = next, next = swap_host;
    }
    app_check_floats(run, "temperatures", app_read(run, from, 4 * count), now, count, 1e-5);
}

const struct app app_hotspot = {
    .name = "hotspot",
    .suite = "Rodinia",
    .summary = "the temperature of a chip over time",
    .stresses =
        "Tiles of shared memory with two rows of overlap, which save half of the launches and make a third of the "
        "work twice: barriers, lanes that idle at edges, and L1 and L2 for what neighbours read again.",
    .tolerance = "1e-5",
    .sizes = {{"width", 128, 1, 8192, 0, "columns", NULL},
              {"height", 64, 1, 8192, 0, "rows", NULL},
              {"steps", 4, 1, 10000, 0, "steps", NULL}},
    .run = hotspot_run};
