/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A prefetcher of the L1 data cache (sm.l1d.prefetcher): it sees each look-up of a load, and asks for lines. Those that
 * are absent and find a free miss entry (the last one is left to loads) and a place before the port are fetched like
 * misses that nobody waits for; others are dropped. Its state, one for each SM, is zero at first.
 */
#ifndef GPU_SM_PREFETCHERS_PREFETCHER_H
#define GPU_SM_PREFETCHERS_PREFETCHER_H

#include "engine/declare/part.h"
#include "parts/cache/policies/set.h"

/* Name under which plug-ins add prefetchers (mnp_parameter.joins). */
#define SM_PREFETCHER_PART "prefetcher"

enum { SM_PREFETCH_MOST = 8 /* lines that may be asked for at a look-up */ };

struct sm_look_up {                 /* look-up of a load in the L1 */
    struct mnp_cache_access access; /* address: of the line */
    uint64_t first;                 /* address of the first byte that the load wants of the line */
    uint64_t cycle;
    uint32_t line_bytes;
    uint8_t sectors; /* sectors of the line that the load wants */
    bool hit;        /* all of them were there */
    bool leads;      /* the first look-up of its instruction */
    uint8_t reserved;
};

struct sm_prefetcher {
    struct mnp_part part;
    uint64_t (*bytes)(const uint64_t *values); /* size of its state */
    /* Writes addresses in the lines to fetch, and returns how many. `counters`: of part.statistics. */
    uint32_t (*observe)(void *state, const uint64_t *values, const struct sm_look_up *look_up, uint64_t *counters,
                        uint64_t asked[SM_PREFETCH_MOST]);
};

/* list.c: those of the tree, NULL-terminated. */
extern const struct mnp_part *const sm_prefetchers[];
extern const struct sm_prefetcher sm_stride_prefetcher;

#endif
