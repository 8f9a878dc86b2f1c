/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads of one line by several SMs that wait in front of a slice and are looked up together: what Nsight Compute's
 * documentation calls the L2 request coalescer (lrc), of GH100 and later. The answer goes to a set of SMs, each of
 * which is in it once. l2.coalesce says how many there are at most, and as many of those that wait are compared.
 */
#ifndef GPU_PARTITION_JOINED_H
#define GPU_PARTITION_JOINED_H

#include "gpu/partition/state.h"

enum { GPU_JOINED = 16 /* l2.coalesce at most */ };

struct gpu_joined {
    uint64_t line;
    uint32_t sectors; /* that the first one reads */
    uint32_t count;
    uint16_t sms[GPU_JOINED]; /* that read */
};

/* A read alone. */
static inline struct gpu_joined gpu_joined_with(const struct gpu_transaction *first)
{
    return (struct gpu_joined){.line = first->line, .sectors = first->sectors, .count = 1, .sms = {first->sm}};
}

/* Brings the next read that can join to the front of the input, and counts it. False: there is none before something
 * else that accesses the line. */
bool gpu_joined_bring(struct gpu_partition *partition, struct mnp_chain *input, struct gpu_joined *joined);

#endif
