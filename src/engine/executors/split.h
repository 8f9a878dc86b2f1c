/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the executors of the literature divide a machine: the cores, whose share of the work is the largest, go to the
 * threads in even chunks; the memory side (network, L2, DRAM) stays together, as in the simulators that they come from.
 */
#ifndef MNP_ENGINE_EXECUTORS_SPLIT_H
#define MNP_ENGINE_EXECUTORS_SPLIT_H

#include <stdint.h>

struct mnp_engine;

struct mnp_split {
    struct mnp_engine *engine;
    uint32_t *units; /* [count] the cores, then the memory side; each in order */
    uint32_t cores, count;
};

void mnp_split_init(struct mnp_split *split, struct mnp_engine *engine);
void mnp_split_release(struct mnp_split *split);

/* Runs the units at the places first … end-1, as far as they have something to do in the present window. */
void mnp_split_run(const struct mnp_split *split, uint32_t first, uint32_t end);

/* Runs chunk number `chunk` of the cores, of `chunks` even ones. */
void mnp_split_run_chunk(const struct mnp_split *split, uint32_t chunk, uint32_t chunks);

/* Runs the memory side. */
void mnp_split_run_memory(const struct mnp_split *split);

#endif
