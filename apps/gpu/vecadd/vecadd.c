/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE, BLOCK };

static void vecadd_run(struct app_run *run)
{
    uint32_t count = run->sizes[SIZE];
    float *a = app_floats(run, count, -1, 1), *b = app_floats(run, count, -1, 1);
    float *expected = app_host(run, count, sizeof *expected);
    CUdeviceptr da = app_copy(run, a, 4 * (size_t)count), db = app_copy(run, b, 4 * (size_t)count);
    CUdeviceptr dc = app_device(run, 4 * (size_t)count);
    app_launch(run, "vecadd", app_shape(count, run->sizes[BLOCK]), &da, &db, &dc, &count);
    for (uint32_t i = 0; i < count; i++)
        expected[i] = a[i] + b[i];
    app_check_floats(run, "sum", app_read(run, dc, 4 * (size_t)count), expected, count, 0);
}

const struct app app_vecadd = {
    .name = "vecadd",
    .suite = "basic",
    .summary = "adds two vectors of floats",
    .stresses = "One addition for every twelve bytes, read and written once and in order: nothing but the bandwidth of "
                "DRAM counts, and how many warps are in flight to fill it.",
    .tolerance = "exact",
    .sizes = {{"size", 1 << 16, 1, 1 << 28, 0, "values", NULL},
              {"block", 256, 32, 1024, 32, "threads of a block", NULL}},
    .run = vecadd_run};
