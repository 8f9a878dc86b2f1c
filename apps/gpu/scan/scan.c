/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE };

/* Blocks of 512 values, their sums in the same way, as often as it takes to come to one block. */
static void scan(struct app_run *run, CUdeviceptr from, CUdeviceptr to, uint32_t count)
{
    uint32_t blocks = (count + 511) / 512;
    CUdeviceptr sums = app_device(run, 4 * (size_t)blocks), before = app_device(run, 4 * (size_t)blocks);
    app_launch(run, "scan_block", app_shape(256 * blocks, 256), &from, &to, &sums, &count);
    if (blocks == 1)
        return;
    scan(run, sums, before, blocks);
    app_launch(run, "scan_add", app_shape(count, 256), &to, &before, &count);
}

static void scan_run(struct app_run *run)
{
    uint32_t count = run->sizes[SIZE], sum = 0;
    uint32_t *values = app_host(run, count, sizeof *values), *expected = app_host(run, count, sizeof *expected);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = app_random(run);
        expected[i] = sum;
        sum += values[i];
    }
    CUdeviceptr from = app_copy(run, values, 4 * (size_t)count), to = app_device(run, 4 * (size_t)count);
    scan(run, from, to, count);
    app_check_words(run, "prefix sums", app_read(run, to, 4 * (size_t)count), expected, count);
}

const struct app app_scan = {
    .name = "scan",
    .suite = "CUDA samples",
    .summary = "prefix sums of an array, by Blelloch's tree",
    .stresses =
        "Eighteen steps between barriers with strides that double: conflicts between the banks of shared memory "
        "grow to 16 lanes and fewer threads work with each step. Several kernels that depend on one another.",
    .tolerance = "exact",
    .sizes = {{"size", 1 << 15, 1, 1 << 28, 0, "values", NULL}},
    .run = scan_run};
