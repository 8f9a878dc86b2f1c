/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <string.h>

enum { X, Y, Z, STEPS };

static void step(const float *from, float *to, size_t nx, size_t ny, size_t nz)
{
    memcpy(to, from, 4 * nx * ny * nz);
    for (size_t z = 1; z + 1 < nz; z++)
        for (size_t y = 1; y + 1 < ny; y++)
            for (size_t x = 1; x + 1 < nx; x++) {
                const float *here = from + (z * ny + y) * nx + x, *up = here + nx * ny, *down = here - nx * ny;
                to[here - from] = (float)(((double)here[-1] + here[1] + *(here - nx) + here[nx] + *down + *up) / 6);
            }
}

static void lps_run(struct app_run *run)
{
    uint32_t nx = run->sizes[X], ny = run->sizes[Y], nz = run->sizes[Z];
    size_t count = (size_t)nx * ny * nz;
    float *now = app_floats(run, count, 0, 1), *next = app_host(run, count, 4), *swap_host;
    CUdeviceptr from = app_copy(run, now, 4 * count), to = app_device(run, 4 * count), swap;
    for (uint32_t i = 0; i < run->sizes[STEPS]; i++) {
        app_launch(run, "lps", app_shape2(nx, ny, 32, 4), &from, &to, &nx, &ny, &nz);
        step(now, next, nx, ny, nz);
        swap = from, from = to, to = swap;
        swap_host = now, now = next, next = swap_host;
    }
    app_check_floats(run, "field", app_read(run, from, 4 * count), now, count, 1e-5);
}

const struct app app_lps = {
    .name = "lps",
    .suite = "ISPASS-2009",
    .summary = "Laplace's equation in three dimensions",
    .stresses = "A long loop over planes with two barriers in each round, loads that are issued a plane ahead of their "
                "use, and edges that only a few lanes load: how well a few large blocks hide latency, and what the "
                "divergence at the edges costs.",
    .tolerance = "1e-5",
    .sizes = {{"x", 64, 3, 1024, 0, "values along x", NULL},
              {"y", 16, 3, 1024, 0, "values along y", NULL},
              {"z", 12, 3, 1024, 0, "planes", NULL},
              {"steps", 2, 1, 1000, 0, "steps", NULL}},
    .run = lps_run};
