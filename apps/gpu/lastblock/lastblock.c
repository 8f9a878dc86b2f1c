/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE, BLOCKS, LAUNCHES };

static void lastblock_run(struct app_run *run)
{
    uint32_t count = run->sizes[SIZE], blocks = run->sizes[BLOCKS], expected[2] = {0, 0};
    uint32_t *values = app_host(run, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        expected[0] += values[i] = app_random(run);
    CUdeviceptr from = app_copy(run, values, 4 * (size_t)count), sums = app_device(run, 4 * (size_t)blocks);
    CUdeviceptr drawn = app_device(run, 4), result = app_device(run, 4);
    for (uint32_t i = 0; i < run->sizes[LAUNCHES]; i++)
        app_launch(run, "lastblock", app_shape(128 * blocks, 128), &from, &sums, &drawn, &result, &count);
    uint32_t *sum = app_read(run, result, 4), *left = app_read(run, drawn, 4), got[2] = {*sum, *left};
    app_check_words(run, "sum, and the counter after it", got, expected, 2);
}

const struct app app_lastblock = {
    .name = "lastblock",
    .suite = "memory model",
    .summary = "the sum of an array in one kernel: the block that comes last adds up the others' sums",
    .stresses = "The memory model: a fence between a plain store and an atomic, and loads of what other SMs stored. No "
                "second launch is needed, so that against `reduction` the launch latency is saved and the fences paid.",
    .tolerance = "exact",
    .sizes = {{"size", 1 << 15, 1, 1 << 28, 0, "values", NULL},
              {"blocks", 48, 1, 65535, 0, "blocks of 128 threads", NULL},
              {"launches", 2, 1, 1000, 0, "how often", NULL}},
    .run = lastblock_run};
