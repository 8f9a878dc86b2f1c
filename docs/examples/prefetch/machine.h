/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine of the example: a reader, an L2, and, unless `prefetch.lines` is 0, a prefetcher beside the L2.
 *
 * The reader reads `reads` lines, `stride` lines apart, each when the last one has come. The L2 is a cache of src/parts
 * in front of a memory that takes `memory` cycles for a line, and as many lines at a time as are asked for. Links take
 * `link` cycles each. Misses are reads that found their line neither in the L2 nor on its way.
 */
#ifndef MNP_EXAMPLE_PREFETCH_MACHINE_H
#define MNP_EXAMPLE_PREFETCH_MACHINE_H

#include "prefetcher.h"

#include "parts/cache/cache.h"
#include "parts/queue.h"

enum { L2_READS, L2_MISSES, L2_LATE, L2_PREFETCHED, L2_USEFUL }; /* statistics of the L2 */

enum { L2_FETCHES = 64 }; /* lines on their way from memory */

struct l2_fetch { /* in order of their ends */
    uint64_t line, cycle, prefetched;
};

struct l2_state { /* in the unit's arena */
    struct mnp_queue queue;
    struct l2_fetch fetches[L2_FETCHES];
    uint64_t wanted; /* the line that the reader waits for, plus one; 0: none */
};

struct reader_state { /* in the unit's arena */
    uint64_t sent, received;
};

struct prefetch_options {
    struct prefetch_parameters prefetch;
    uint64_t reads, stride, link, memory;
};

struct prefetch_machine {
    struct prefetch_options options;
    struct mnp_engine engine;
    struct mnp_unit *reader, *l2, *prefetcher; /* the latter NULL: there is none */
    struct reader_state *reads;
    struct l2_state *state;
    struct mnp_cache cache;
    uint8_t *prefetched; /* in the L2's arena, by line of the cache: asked for, and not yet read */
};

void prefetch_machine_build(struct prefetch_machine *machine, const struct prefetch_options *options);
void prefetch_machine_release(struct prefetch_machine *machine);

#endif
