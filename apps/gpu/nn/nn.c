/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>

enum { SIZE, NEAREST };

/* The smallest values that have not been taken, in ascending order. */
static void pick(struct app_run *run, const float *distances, uint32_t count, float *picked, uint32_t wanted)
{
    bool *taken = app_host(run, count, sizeof *taken);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t best = count;
        for (uint32_t j = 0; j < count; j++)
            if (!taken[j] && (best == count || distances[j] < distances[best]))
                best = j;
        taken[best] = true;
        picked[i] = distances[best];
    }
}

static void nn_run(struct app_run *run)
{
    uint32_t count = run->sizes[SIZE], wanted = run->sizes[NEAREST] < count ? run->sizes[NEAREST] : count;
    float *places = app_floats(run, 2 * (size_t)count, -90, 90), *expected = app_host(run, count, 4), x = 30,
          y = -12.5f;
    float *found = app_host(run, wanted, 4), *right = app_host(run, wanted, 4);
    CUdeviceptr dp = app_copy(run, places, 8 * (size_t)count), dd = app_device(run, 4 * (size_t)count);
    app_launch(run, "nn", app_shape(count, 256), &dp, &dd, &count, &x, &y);
    for (uint32_t i = 0; i < count; i++) {
        double dx = (double)places[2 * i] - x, dy = (double)places[2 * i + 1] - y;
        expected[i] = (float)sqrt(dx * dx + dy * dy);
    }
    float *distances = app_read(run, dd, 4 * (size_t)count);
    pick(run, distances, count, found, wanted);
    pick(run, expected, count, right, wanted);
    app_check_floats(run, "distances", distances, expected, count, 1e-6);
    app_check_floats(run, "the nearest", found, right, wanted, 1e-6);
}

const struct app app_nn = {
    .name = "nn",
    .suite = "Rodinia",
    .summary = "the nearest of many places",
    .stresses = "One load of pairs, a square root, one store, and it is over: launch latency and how fast blocks are "
                "handed out where a thread has a dozen instructions to run.",
    .tolerance = "1e-6",
    .sizes = {{"size", 8192, 1, 1 << 24, 0, "places", NULL}, {"nearest", 5, 1, 100, 0, "how many are wanted", NULL}},
    .run = nn_run};
