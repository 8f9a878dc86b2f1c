/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <stdio.h>

enum { BLOCKS, POINTS };

static void montecarlo_pi_run(struct app_run *run)
{
    uint32_t threads = 128 * run->sizes[BLOCKS], points = run->sizes[POINTS], seed = 0x2545f491, expected = 0;
    for (uint32_t thread = 0; thread < threads; thread++) {
        uint32_t state = (thread + 1) * 2654435761u ^ seed;
        for (uint32_t i = 0; i < points; i++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            uint64_t x = state & 0x7fff, y = state >> 16 & 0x7fff;
            expected += x * x + y * y < UINT64_C(1) << 30;
        }
    }
    CUdeviceptr inside = app_device(run, 4);
    app_launch(run, "montecarlo_pi", app_shape(threads, 128), &inside, &points, &seed);
    uint32_t *got = app_read(run, inside, 4);
    printf("montecarlo_pi: pi is about %.4f\n", 4.0 * *got / ((double)threads * points));
    app_check_words(run, "points in the circle", got, &expected, 1);
}

const struct app app_montecarlo_pi = {
    .name = "montecarlo_pi",
    .suite = "basic",
    .summary = "pi from random points in a square",
    .stresses = "Integer arithmetic alone, in chains of dependent shifts and exclusive ors, and one atomic addition of "
                "each thread to the same word at the end: the INT pipes, and how L2 takes a crowd at one address.",
    .tolerance = "exact",
    .sizes = {{"blocks", 32, 1, 1 << 16, 0, "blocks of 128 threads", NULL},
              {"points", 64, 1, 100000, 0, "points of each thread", NULL}},
    .run = montecarlo_pi_run};
