/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { WIDTH, HEIGHT, STEPS };

struct fields {
    float *ex, *ey, *hz;
    size_t width, height;
};

static void step(struct fields *f, float source)
{
    size_t w = f->width, h = f->height;
    for (size_t i = 0; i < w * h; i++)
        f->ey[i] = i < w ? source : f->ey[i] - 0.5f * (f->hz[i] - f->hz[i - w]);
    for (size_t i = 0; i < w * h; i++)
        if (i % w)
            f->ex[i] -= 0.5f * (f->hz[i] - f->hz[i - 1]);
    for (size_t i = 0; i + w < w * h; i++)
        if (i % w + 1 < w)
            f->hz[i] -= 0.7f * (f->ex[i + 1] - f->ex[i] + f->ey[i + w] - f->ey[i]);
}

static void fdtd2d_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT];
    size_t count = (size_t)width * height;
    struct fields f = {app_floats(run, count, 0, 1), app_floats(run, count, 0, 1), app_floats(run, count, 0, 1), width,
                       height};
    CUdeviceptr ex = app_copy(run, f.ex, 4 * count), ey = app_copy(run, f.ey, 4 * count);
    CUdeviceptr hz = app_copy(run, f.hz, 4 * count);
    struct app_shape shape = app_shape2(width, height, 32, 8);
    for (uint32_t time = 0; time < run->sizes[STEPS]; time++) {
        float source = (float)time * 0.25f;
        app_launch(run, "fdtd2d_ey", shape, &ey, &hz, &source, &width, &height);
        app_launch(run, "fdtd2d_ex", shape, &ex, &hz, &width, &height);
        app_launch(run, "fdtd2d_hz", shape, &ex, &ey, &hz, &width, &height);
        step(&f, source);
    }
    app_check_floats(run, "magnetic field", app_read(run, hz, 4 * count), f.hz, count, 1e-4);
    app_check_floats(run, "electric field", app_read(run, ex, 4 * count), f.ex, count, 1e-4);
}

const struct app app_fdtd2d = {
    .name = "fdtd2d",
    .suite = "Polybench",
    .summary = "an electromagnetic field in two dimensions over time",
    .stresses = "Three short kernels for each step, each of which reads what the one before wrote: launch latency, and "
                "L2 as the place where kernels hand data over. Hardly any arithmetic.",
    .tolerance = "1e-4",
    .sizes = {{"width", 128, 2, 8192, 0, "columns", NULL},
              {"height", 64, 2, 8192, 0, "rows", NULL},
              {"steps", 3, 1, 10000, 0, "steps", NULL}},
    .run = fdtd2d_run};
