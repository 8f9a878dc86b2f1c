/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE, BLOCKS };

static void reduction_run(struct app_run *run)
{
    uint32_t count = run->sizes[SIZE], blocks = run->sizes[BLOCKS], expected = 0;
    uint32_t *values = app_host(run, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        expected += values[i] = app_random(run);
    CUdeviceptr from = app_copy(run, values, 4 * (size_t)count), parts = app_device(run, 4 * (size_t)blocks);
    CUdeviceptr sum = app_device(run, 4);
    app_launch(run, "reduction", app_shape(256 * blocks, 256), &from, &parts, &count);
    app_launch(run, "reduction", app_shape(256, 256), &parts, &sum, &blocks);
    app_check_words(run, "sum", app_read(run, sum, 4), &expected, 1);
}

const struct app app_reduction = {
    .name = "reduction",
    .suite = "CUDA samples",
    .summary = "the sum of an array, by trees in shared memory",
    .stresses = "A stream from DRAM first, then eight steps between barriers in which half of the threads left have "
                "nothing to do: bandwidth, and what barriers and idle lanes cost. The second kernel is one block that "
                "waits for the first: launch latency.",
    .tolerance = "exact",
    .sizes = {{"size", 1 << 16, 1, 1 << 28, 0, "values", NULL},
              {"blocks", 64, 1, 65535, 0, "blocks of 256 threads", NULL}},
    .run = reduction_run};
