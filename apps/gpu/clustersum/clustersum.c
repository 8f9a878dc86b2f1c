/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { SIZE, CLUSTERS, CLUSTER };

static void clustersum_run(struct app_run *run)
{
    enum { THREADS = 256 };
    uint32_t count = run->sizes[SIZE], cluster = run->sizes[CLUSTER];
    uint32_t *words = app_host(run, count, sizeof *words);
    uint64_t expected = 0;
    for (uint32_t i = 0; i < count; i++)
        expected += words[i] = app_random(run);
    CUdeviceptr from = app_copy(run, words, 4 * (size_t)count), sum = app_device(run, sizeof expected);
    struct app_shape shape = {
        .grid = {run->sizes[CLUSTERS] * cluster, 1, 1}, .block = {THREADS, 1, 1}, .cluster = {cluster, 1, 1}};
    app_launch(run, "clustersum", shape, &from, &sum, &count);
    const uint32_t halves[2] = {(uint32_t)expected, (uint32_t)(expected >> 32)};
    app_check_words(run, "sum", app_read(run, sum, sizeof expected), halves, 2);
}

const struct app app_clustersum = {
    .name = "clustersum",
    .suite = "CUDA programming guide",
    .summary = "the sum of an array, by clusters of blocks",
    .stresses = "Clusters: every block sends its sum to the first block's shared memory by an asynchronous store, "
                "whose bytes an mbarrier there counts, so that no block waits but that one. It needs a machine of "
                "compute capability 9.0.",
    .tolerance = "exact",
    .sizes = {{"size", 1 << 16, 1, 1 << 28, 0, "words", NULL},
              {"clusters", 4, 1, 4096, 0, "clusters of blocks of 256 threads", NULL},
              {"cluster", 8, 1, 16, 0, "blocks of a cluster", NULL}},
    .run = clustersum_run};
