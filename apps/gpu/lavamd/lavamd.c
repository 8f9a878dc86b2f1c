/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>
#include <stdlib.h>

enum { BOXES, PARTICLES };

static void act(const double *a, const double *b, double alpha, double *sums)
{
    double d[3], square = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = a[i] - b[i];
        square += d[i] * d[i];
    }
    double action = b[3] * exp(-2 * alpha * alpha * square);
    sums[0] += action;
    for (int i = 0; i < 3; i++)
        sums[i + 1] += 4 * alpha * alpha * action * d[i];
}

static bool are_near(int a, int b, int boxes)
{
    return abs(a % boxes - b % boxes) <= 1 && abs(a / boxes % boxes - b / boxes % boxes) <= 1 &&
           abs(a / boxes / boxes - b / boxes / boxes) <= 1;
}

/* Every particle with all those whose box is no further than one away. */
static void expect(const double *particles, float *expected, int boxes, uint32_t each, double alpha)
{
    int all = boxes * boxes * boxes;
    for (uint32_t i = 0; i < (uint32_t)all * each; i++) {
        double sums[4] = {0};
        for (int box = 0; box < all; box++)
            for (uint32_t j = 0; are_near(box, (int)(i / each), boxes) && j < each; j++)
                act(particles + 4 * (size_t)i, particles + 4 * ((size_t)box * each + j), alpha, sums);
        for (int k = 0; k < 4; k++)
            expected[4 * (size_t)i + (size_t)k] = (float)sums[k];
    }
}

static void lavamd_run(struct app_run *run)
{
    uint32_t boxes = run->sizes[BOXES], each = run->sizes[PARTICLES];
    size_t count = 4 * (size_t)boxes * boxes * boxes * each;
    double *particles = app_host(run, count, 8), alpha = 0.5;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t box = i / 4 / each, place[] = {box % boxes, box / boxes % boxes, box / boxes / boxes, 0};
        particles[i] = place[i % 4] + (double)app_uniform(run, 0.1f, 1);
    }
    CUdeviceptr from = app_copy(run, particles, 8 * count), to = app_device(run, 8 * count);
    struct app_shape shape = {.grid = {boxes, boxes, boxes}, .block = {128, 1, 1}};
    app_launch(run, "lavamd", shape, &from, &to, &boxes, &each, &alpha);
    float *expected = app_host(run, count, 4), *got = app_host(run, count, 4);
    const double *found = app_read(run, to, 8 * count);
    for (size_t i = 0; i < count; i++)
        got[i] = (float)found[i];
    expect(particles, expected, (int)boxes, each, alpha);
    app_check_floats(run, "potentials and forces", got, expected, count, 1e-6);
}

const struct app app_lavamd = {
    .name = "lavamd",
    .suite = "Rodinia",
    .summary = "forces between particles in boxes, in double precision",
    .stresses =
        "Forty double-precision instructions for each pair, an exponential function among them: the FP64 units, "
        "which consumer GPUs have one of for each 32 or 64 lanes. All lanes read the same words of shared memory, "
        "and a quarter of the lanes may be idle, as boxes need not fill a block.",
    .tolerance = "1e-6",
    .sizes = {{"boxes", 2, 1, 10, 0, "boxes along each side", NULL},
              {"particles", 24, 1, 128, 0, "particles of a box", NULL}},
    .run = lavamd_run};
