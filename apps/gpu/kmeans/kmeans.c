/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <string.h>

enum { POINTS, DIMENSIONS, CLUSTERS, ROUNDS };

struct problem {
    uint32_t points, dimensions, clusters;
    int32_t *coordinates; /* those of one dimension together */
};

/* Centres move to the middle of their points, rounded to whole numbers; one without points stays. */
static void move(struct app_run *run, const struct problem *p, const uint32_t *nearest, int32_t *centres)
{
    int64_t *sums = app_host(run, p->clusters * p->dimensions, 8), *counts = app_host(run, p->clusters, 8);
    for (uint32_t i = 0; i < p->points; i++) {
        uint32_t cluster = nearest[i] < p->clusters ? nearest[i] : 0;
        counts[cluster]++;
        for (uint32_t d = 0; d < p->dimensions; d++)
            sums[cluster * p->dimensions + d] += p->coordinates[(size_t)d * p->points + i];
    }
    for (uint32_t i = 0; i < p->clusters * p->dimensions; i++)
        if (counts[i / p->dimensions])
            centres[i] = (int32_t)(sums[i] / counts[i / p->dimensions]);
}

static void assign(const struct problem *p, const int32_t *centres, uint32_t *nearest)
{
    for (uint32_t i = 0; i < p->points; i++) {
        int64_t best = INT64_MAX;
        for (uint32_t cluster = 0; cluster < p->clusters; cluster++) {
            int64_t distance = 0;
            for (uint32_t d = 0; d < p->dimensions; d++) {
                int64_t difference = p->coordinates[(size_t)d * p->points + i] - centres[cluster * p->dimensions + d];
                distance += difference * difference;
            }
            if (distance < best) {
                best = distance;
                nearest[i] = cluster;
            }
        }
    }
}

static float *as_floats(struct app_run *run, const int32_t *values, size_t count)
{
    float *floats = app_host(run, count, 4);
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)values[i];
    return floats;
}

static void kmeans_run(struct app_run *run)
{
    struct problem p = {run->sizes[POINTS], run->sizes[DIMENSIONS], run->sizes[CLUSTERS], NULL};
    size_t count = (size_t)p.points * p.dimensions, bytes = 4 * (size_t)p.points,
           centre_count = p.clusters * p.dimensions;
    p.coordinates = app_host(run, count, 4);
    for (size_t i = 0; i < count; i++)
        p.coordinates[i] = (int32_t)app_below(run, 256);
    int32_t *centres = app_host(run, centre_count, 4), *expected_centres = app_host(run, centre_count, 4);
    for (size_t i = 0; i < centre_count; i++)
        centres[i] = expected_centres[i] = (int32_t)app_below(run, 256);
    uint32_t *found = NULL, *expected = app_host(run, p.points, 4);
    CUdeviceptr points = app_copy(run, as_floats(run, p.coordinates, count), 4 * count);
    CUdeviceptr centre = app_device(run, 4 * centre_count), nearest = app_device(run, bytes);
    for (uint32_t round = 0; round < run->sizes[ROUNDS]; round++) {
        app_write(run, centre, as_floats(run, centres, centre_count), 4 * centre_count);
        app_launch(run, "kmeans", app_shape(p.points, 128), &points, &centre, &nearest, &p.points, &p.dimensions,
                   &p.clusters);
        found = app_read(run, nearest, bytes);
        move(run, &p, found, centres);
        assign(&p, expected_centres, expected);
        move(run, &p, expected, expected_centres);
    }
    app_check_words(run, "nearest centres", found, expected, p.points);
    app_check_words(run, "centres", (uint32_t *)centres, (uint32_t *)expected_centres, centre_count);
}

const struct app app_kmeans = {
    .name = "kmeans",
    .suite = "Rodinia",
    .summary = "points grouped around a few centres",
    .stresses =
        "The same points are read again for each centre, and each centre by all lanes at once: L1's hits, "
        "broadcasts of one word, and loops of two loads and two arithmetic instructions whose latency only other "
        "warps can hide.",
    .tolerance = "exact",
    .sizes = {{"points", 2048, 1, 1 << 22, 0, "points", NULL},
              {"dimensions", 8, 1, 256, 0, "coordinates of a point", NULL},
              {"clusters", 5, 1, 256, 0, "centres", NULL},
              {"rounds", 2, 1, 1000, 0, "rounds", NULL}},
    .run = kmeans_run};
