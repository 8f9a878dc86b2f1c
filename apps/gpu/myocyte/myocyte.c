/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>

enum { CELLS, STEPS };
enum { V, M, H, N, VARIABLES };

static void slopes(const double *c, double potassium, double *s)
{
    double v = c[V], sodium = (400 * pow(c[M], 3) * c[H] + 0.14) * (v - 40);
    double outward = potassium * (1.2 * exp((-v - 90) / 50) + 0.015 * exp((v + 90) / 60)) + 1.2 * pow(c[N], 4);
    s[V] = -(sodium + outward * (v + 100) + 0.075 * (v + 60)) / 12;
    double opens[] = {[M] = 0.1 * (-v - 48) / (exp((-v - 48) / 15) - 1),
                      [H] = 0.17 * exp((-v - 90) / 20),
                      [N] = 0.0001 * (-v - 50) / (exp((-v - 50) / 10) - 1)};
    double closes[] = {[M] = 0.12 * (v + 8) / (exp((v + 8) / 5) - 1),
                       [H] = 1 / (exp((-v - 42) / 10) + 1),
                       [N] = 0.002 * exp((-v - 90) / 80)};
    for (int i = M; i < VARIABLES; i++)
        s[i] = opens[i] * (1 - c[i]) - closes[i] * c[i];
}

/* One step by the slopes at its begin, twice in its middle, and at its end. */
static void step(double *c, double potassium, double time)
{
    static const double to[] = {0.5, 0.5, 1}, share[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double s[4][VARIABLES], at[VARIABLES];
    for (int i = 0; i < VARIABLES; i++)
        at[i] = c[i];
    for (int stage = 0; stage < 4; stage++) {
        slopes(at, potassium, s[stage]);
        for (int i = 0; stage < 3 && i < VARIABLES; i++)
            at[i] = c[i] + time * to[stage] * s[stage][i];
    }
    for (int stage = 0; stage < 4; stage++)
        for (int i = 0; i < VARIABLES; i++)
            c[i] += time * share[stage] * s[stage][i];
}

static void myocyte_run(struct app_run *run)
{
    uint32_t count = run->sizes[CELLS], steps = run->sizes[STEPS];
    size_t bytes = 16 * (size_t)count;
    float *start = app_host(run, 4 * (size_t)count, 4), *expected = app_host(run, 4 * (size_t)count, 4), time = 0.02f;
    float *potassium = app_floats(run, count, 0.8f, 1.2f);
    for (uint32_t i = 0; i < count; i++) {
        float *cell = start + 4 * (size_t)i;
        cell[V] = app_uniform(run, -78, -52);
        cell[M] = 0.07f, cell[H] = 0.6f, cell[N] = 0.4f;
        double c[VARIABLES] = {cell[V], cell[M], cell[H], cell[N]};
        for (uint32_t s = 0; s < steps; s++)
            step(c, potassium[i], time);
        for (int k = 0; k < VARIABLES; k++)
            expected[4 * (size_t)i + (size_t)k] = (float)c[k];
    }
    CUdeviceptr cells = app_copy(run, start, bytes), dp = app_copy(run, potassium, 4 * (size_t)count);
    app_launch(run, "myocyte", app_shape(count, 32), &cells, &dp, &count, &steps, &time);
    app_check_floats(run, "cells", app_read(run, cells, bytes), expected, 4 * (size_t)count, 1e-4);
}

const struct app app_myocyte = {
    .name = "myocyte",
    .suite = "Rodinia",
    .summary = "heart cells, as differential equations over time",
    .stresses =
        "Few threads with a very long way to go: eight exponential functions and eight divisions for each of four "
        "slopes, one after the other. What counts is the latency of the SFUs and of dependent arithmetic; most of "
        "the machine stands still.",
    .tolerance = "1e-4",
    .sizes = {{"cells", 64, 1, 1 << 20, 0, "cells", NULL},
              {"steps", 20, 1, 100000, 0, "steps of 20 microseconds", NULL}},
    .run = myocyte_run};
