/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>

enum { WIDTH, HEIGHT, CHARGES };
enum { MOST = 512 }; /* charges of a launch */

static double potential_at(const float *charges, uint32_t count, double x, double y)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double dx = x - charges[4 * i], dy = y - charges[4 * i + 1], dz = charges[4 * i + 2];
        sum += charges[4 * i + 3] / sqrt(dx * dx + dy * dy + dz * dz);
    }
    return sum;
}

static void cp_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT], count = run->sizes[CHARGES];
    size_t points = (size_t)width * height;
    float *charges = app_floats(run, 4 * (size_t)count, 0.2f, 3), *expected = app_host(run, points, 4), spacing = 0.05f;
    CUdeviceptr potential = app_device(run, 4 * points), constants = app_variable(run, "cp_charges");
    struct app_shape shape = {.grid = {(width + 127) / 128, (height + 3) / 4, 1}, .block = {32, 4, 1}};
    for (uint32_t done = 0; done < count; done += MOST) {
        uint32_t now = count - done < MOST ? count - done : MOST;
        app_write(run, constants, charges + 4 * (size_t)done, 16 * (size_t)now);
        app_launch(run, "cp", shape, &potential, &width, &height, &spacing, &now);
    }
    for (size_t i = 0; i < points; i++)
        expected[i] = (float)potential_at(charges, count, (double)(i % width) * 0.05, (double)(i / width) * 0.05);
    app_check_floats(run, "potential", app_read(run, potential, 4 * points), expected, points, 1e-5);
}

const struct app app_cp = {
    .name = "cp",
    .suite = "ISPASS-2009",
    .summary = "the potential of charges over a plane (Coulomb)",
    .stresses =
        "Four multiply-adds and a reciprocal square root for each charge and point, and constants that all lanes "
        "read alike: the FP32 pipes beside the SFUs, whose four lanes in a sub-core can be what limits it.",
    .tolerance = "1e-5",
    .sizes = {{"width", 128, 1, 8192, 0, "points of a row", NULL},
              {"height", 16, 1, 8192, 0, "rows", NULL},
              {"charges", 64, 1, 65536, 0, "charges", NULL}},
    .run = cp_run};
