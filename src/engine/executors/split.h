/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the executors of the literature divide a machine: the cores, whose share of the work is the largest, go to the
 * threads in even chunks, or as the user assigns them; the memory side (network, L2, DRAM) stays together, as in the
 * simulators that they come from. Cores of one bundle (mnp_unit_plan.bundle) are in the same even chunk.
 */
#ifndef MNP_ENGINE_EXECUTORS_SPLIT_H
#define MNP_ENGINE_EXECUTORS_SPLIT_H

#include "base/error.h"

#include <stdint.h>

struct mnp_engine;

struct mnp_split {
    struct mnp_engine *engine;
    uint32_t *units; /* [count] the cores, in order or share by share, then the memory side, in order */
    uint32_t cores, count;
    uint32_t *bundles; /* [bundle_count + 1] places in `units` at which bundles begin, and the end of the cores */
    uint32_t bundle_count;
    uint32_t *shares; /* [share_count + 1] the same of the shares that the user assigned */
    uint32_t share_count;
};

/* Divides the machine; by hand if engine->options.assign says how, which mnp_split_check must have accepted. */
void mnp_split_init(struct mnp_split *split, struct mnp_engine *engine);
void mnp_split_release(struct mnp_split *split);

/* Whether `assign` gives each core to one of so many threads. It names cores by their numbers, ranges and numbers
 * joined by commas, a slash between threads: "0-3,8/4-7". Numbers count the units of the model that most cores have;
 * all other cores go to the first thread. */
bool mnp_split_check(const struct mnp_engine *engine, const char *assign, uint32_t threads, struct mnp_error *error);

/* The places of chunk number `chunk` of the cores: of `chunks` even ones, or of the shares if there are as many. */
void mnp_split_bounds(const struct mnp_split *split, uint32_t chunk, uint32_t chunks, uint32_t *first, uint32_t *end);

/* Runs the units at the places first … end-1, as far as they have something to do in the present window. */
void mnp_split_run(const struct mnp_split *split, uint32_t first, uint32_t end);

/* Runs a chunk of the cores (mnp_split_bounds). */
void mnp_split_run_chunk(const struct mnp_split *split, uint32_t chunk, uint32_t chunks);

/* Runs the memory side. */
void mnp_split_run_memory(const struct mnp_split *split);

#endif
