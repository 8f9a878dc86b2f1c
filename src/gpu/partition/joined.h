/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests for one line that wait in front of a slice and are looked up together: what Nsight Compute's documentation
 * calls the L2 request coalescer (lrc), of GH100 and later.
 *
 * Reads of several SMs join up to l2.coalesce. The answer goes to a set of SMs, each of which is in it once.
 *
 * Writes join up to l2.coalesce_writes, of any warps: a write to sectors that an earlier one writes is merged into the
 * earlier one's data, the later bytes on top, and the slice writes them once. The acknowledgements leave together, as
 * the answers to reads do.
 *
 * As many waiting requests are compared as can join. A request never overtakes another one to its own line.
 */
#ifndef GPU_PARTITION_JOINED_H
#define GPU_PARTITION_JOINED_H

#include "gpu/partition/state.h"

enum { GPU_JOINED = 16 /* l2.coalesce and l2.coalesce_writes at most */ };

struct gpu_joined {
    uint64_t line;
    uint64_t most;    /* requests that can join, the first one included */
    uint32_t sectors; /* that the first one accesses */
    uint32_t count;
    uint8_t kind;
    uint16_t sms[GPU_JOINED]; /* that read */
};

/* How many requests of a kind can be looked up together; 1: each is looked up by itself. */
static inline uint64_t gpu_joined_most(const struct gpu_partition_parameters *parameters, uint8_t kind)
{
    return kind == GPU_READ ? parameters->coalesce : kind == GPU_WRITE ? parameters->coalesce_writes : 1;
}

/* A request alone, of a kind of which `most` can join. */
static inline struct gpu_joined gpu_joined_with(const struct gpu_transaction *first, uint64_t most)
{
    return (struct gpu_joined){.line = first->line,
                               .most = most,
                               .sectors = first->sectors,
                               .count = 1,
                               .kind = first->kind,
                               .sms = {first->sm}};
}

/* Brings the next request that can join to the front of the input, and counts it. False: there is none before
 * something else that accesses the line. */
bool gpu_joined_bring(struct gpu_partition *partition, struct mnp_chain *input, struct gpu_joined *joined);

#endif
