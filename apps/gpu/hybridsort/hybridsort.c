/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <stdlib.h>

enum { SIZE };
enum { MOST = 1024 }; /* values of a bucket */

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void hybridsort_run(struct app_run *run)
{
    uint32_t count = run->sizes[SIZE], bits = 1;
    while ((uint64_t)400 << bits < count)
        bits++;
    uint32_t buckets = 1u << bits, shift = 32 - bits;
    size_t bytes = 4 * (size_t)count;
    uint32_t *values = app_host(run, count, 4), *first = app_host(run, buckets + 1, 4);
    for (uint32_t i = 0; i < count; i++)
        values[i] = app_random(run);
    CUdeviceptr from = app_copy(run, values, bytes), counts = app_device(run, 4 * (size_t)buckets);
    CUdeviceptr dealt = app_device(run, bytes);
    app_launch(run, "hybridsort_count", app_shape(count, 256), &from, &counts, &count, &shift);
    uint32_t *found = app_read(run, counts, 4 * (size_t)buckets);
    for (uint32_t i = 0; i < buckets; i++) {
        first[i + 1] = first[i] + found[i];
        if (found[i] > MOST)
            app_stop(run, 1, "a bucket has %u values, and there is room for %u", found[i], MOST);
    }
    CUdeviceptr places = app_copy(run, first, 4 * (size_t)buckets),
                start = app_copy(run, first, 4 * (size_t)buckets + 4);
    app_launch(run, "hybridsort_deal", app_shape(count, 256), &from, &places, &dealt, &count, &shift);
    app_launch(run, "hybridsort_sort", app_shape(buckets * 128, 128), &dealt, &start);
    qsort(values, count, 4, by_value);
    app_check_words(run, "sorted values", app_read(run, dealt, bytes), values, count);
}

const struct app app_hybridsort = {
    .name = "hybridsort",
    .suite = "Rodinia",
    .summary = "sorts numbers: into buckets first, then each of them",
    .stresses =
        "Atomics on a table that all threads share, stores to places that nobody can foresee, and then a network "
        "of compare-and-exchange in shared memory with barriers between its steps and two-way bank conflicts.",
    .tolerance = "exact",
    .sizes = {{"size", 4096, 2, 1 << 24, 0, "numbers", NULL}},
    .run = hybridsort_run};
