/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worked example of a unit (docs/extending.md): a prefetcher of next lines beside an L2.
 *
 * The prefetcher hears of every line that the L2 misses, and asks the L2 for the lines behind that one. Both ways are
 * links with a latency, so that the prefetcher works beside the L2 for a window.
 */
#ifndef MNP_EXAMPLE_PREFETCHER_H
#define MNP_EXAMPLE_PREFETCHER_H

#include "engine/core/engine.h"

/* From the L2: the number of the line that it has missed. */
struct prefetch_miss {
    uint64_t line;
};

/* To the L2: lines to fetch, unless it has them; nobody waits for an answer. */
struct prefetch_ask {
    uint64_t first, count;
};

struct prefetch_parameters {
    uint64_t lines; /* to ask for at a miss; 0: the machine has no prefetcher */
};

enum prefetch_statistic { PREFETCH_ASKED };

extern const struct mnp_model prefetch_model;

/* Makes the unit; `parameters` must outlive it. Its ports are "misses" and "asks". */
struct mnp_unit *prefetch_create(struct mnp_engine *engine, const struct prefetch_parameters *parameters,
                                 uint64_t hertz);

#endif
