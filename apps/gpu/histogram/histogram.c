/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE, BLOCKS };

static void histogram_run(struct app_run *run)
{
    uint32_t count = run->sizes[SIZE], expected[256] = {0};
    uint32_t *words = app_host(run, count, sizeof *words);
    for (uint32_t i = 0; i < count; i++) {
        words[i] = app_random(run) & app_random(run); /* some values more often than others */
        for (int byte = 0; byte < 4; byte++)
            expected[words[i] >> 8 * byte & 255]++;
    }
    CUdeviceptr from = app_copy(run, words, 4 * (size_t)count), counts = app_device(run, sizeof expected);
    app_launch(run, "histogram", app_shape(256 * run->sizes[BLOCKS], 256), &from, &counts, &count);
    app_check_words(run, "counts", app_read(run, counts, sizeof expected), expected, 256);
}

const struct app app_histogram = {
    .name = "histogram",
    .suite = "Parboil",
    .summary = "how often each of 256 values occurs",
    .stresses =
        "Atomic additions in shared memory, four for each word, whose lanes meet in the same bin now and then; at "
        "the end all blocks add to the same 256 words in L2.",
    .tolerance = "exact",
    .sizes = {{"size", 1 << 14, 1, 1 << 28, 0, "words of four bytes", NULL},
              {"blocks", 32, 1, 65535, 0, "blocks of 256 threads", NULL}},
    .run = histogram_run};
