/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE, BINS, CLUSTERS, CLUSTER };

static void clusterhist_run(struct app_run *run)
{
    enum { THREADS = 256 };
    uint32_t count = run->sizes[SIZE], bins = run->sizes[BINS], cluster = run->sizes[CLUSTER];
    uint32_t *words = app_host(run, count, sizeof *words), *expected = app_host(run, bins, sizeof *expected);
    for (uint32_t i = 0; i < count; i++) {
        words[i] = app_random(run) & app_random(run); /* some values more often than others */
        expected[words[i] % bins]++;
    }
    CUdeviceptr from = app_copy(run, words, 4 * (size_t)count), counts = app_device(run, 4 * (size_t)bins);
    struct app_shape shape = {.grid = {run->sizes[CLUSTERS] * cluster, 1, 1},
                              .block = {THREADS, 1, 1},
                              .shared_bytes = (bins + cluster - 1) / cluster * 4,
                              .cluster = {cluster, 1, 1}};
    app_launch(run, "clusterhist", shape, &from, &counts, &count, &bins);
    app_check_words(run, "counts", app_read(run, counts, 4 * (size_t)bins), expected, bins);
}

const struct app app_clusterhist = {
    .name = "clusterhist",
    .suite = "CUDA programming guide",
    .summary = "how often each value occurs, in bins spread over the shared memories of a cluster's blocks",
    .stresses =
        "Distributed shared memory: every addition goes to the block of the cluster that holds the bin, so that most "
        "of "
        "them cross from one SM to another, and blocks meet at the cluster's barrier. It needs a machine of compute "
        "capability 9.0.",
    .tolerance = "exact",
    .sizes = {{"size", 1 << 14, 1, 1 << 28, 0, "words", NULL},
              {"bins", 4096, 1, 1 << 16, 0, "bins", NULL},
              {"clusters", 4, 1, 4096, 0, "clusters of blocks of 256 threads", NULL},
              {"cluster", 8, 1, 16, 0, "blocks of a cluster", NULL}},
    .run = clusterhist_run};
