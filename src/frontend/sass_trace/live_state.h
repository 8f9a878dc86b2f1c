/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal state of live CTAs of a trace, shared by live.c and live_async.c (live_state.c). */
#ifndef MNP_FRONTEND_SASS_TRACE_LIVE_STATE_H
#define MNP_FRONTEND_SASS_TRACE_LIVE_STATE_H

#include "execute/live/core.h"
#include "frontend/sass_trace/live.h"

enum {
    TRACE_LIVE_WARPS = 32,
    TRACE_RANK_SHIFT = 24 /* machine code: position of the rank in an address of shared memory in a cluster */
};

struct trace_live_warp {
    struct live_warp common;
    struct trace_live_cta *cta;
    struct mnp_warp_stream stream; /* the stream as it was read */
    uint64_t word_at;              /* words of addresses of the records that have been executed */
    uint32_t number;               /* index in its CTA */
    uint32_t phase;                /* cluster barrier: number of phases in which it has arrived */
    bool ended;
};

struct trace_live_cta {
    struct live_cta common;
    struct live_core *core;
    const struct kernel_file *file;
    struct cta_buffers *buffers;
    const struct mnp_static_instruction *instructions;
    unsigned char *shared; /* mbarriers lie there */
    uint32_t shared_bytes, shared_room;
    uint32_t block[3], rank, ranks; /* coordinates in the grid, and rank in the cluster of `ranks` CTAs */
    uint32_t warps, ended;
    struct execute_barrier_state barriers[MNP_CTA_BARRIERS];
    uint32_t phase;           /* phases of the cluster's barrier that have ended */
    uint32_t cluster_waiting; /* warps, one bit each */
    /* warps have arrived in this phase; all have, and the cluster has been notified */
    bool cluster_used, cluster_told;
    struct trace_live_warp warp[TRACE_LIVE_WARPS];
};

struct trace_live_copy {
    struct live_copy common;
    struct trace_command command;
};

extern const struct mnp_live_async trace_live_async;

/* Location of a shared-memory address: the CTA's rank in its cluster (its own if the address has none) and the offset.
 * Kernels with clusters have the rank in the upper byte, as in machine code. */
struct trace_live_place {
    uint32_t rank, offset;
};
struct trace_live_place trace_live_place(const struct trace_live_cta *cta, uint64_t address);

/* Reports an error of the trace at the warp's position as the core's error. Returns MNP_LIVE_FAULTED. */
uint32_t trace_live_wrong(const struct trace_live_warp *warp, const char *what);

/* Changes the mbarrier at a place of the CTA's own: `operation` as of enum execute_mbarrier, and
 * EXECUTE_REMOTE_COMBINED. False: the core's error. */
bool trace_live_change(struct trace_live_warp *warp, uint32_t offset, uint8_t operation, uint64_t value);

/* live_async.c: each executes a command; MNP_LIVE_PARKED and MNP_LIVE_FAULTED: it was not executed. */
uint32_t trace_live_start_copy(struct trace_live_warp *warp, const struct trace_command *command);
uint32_t trace_live_start_product(struct trace_live_warp *warp, const struct trace_command *command);

static inline const struct trace_pair *trace_live_pairs(const struct trace_live_warp *warp,
                                                        const struct trace_command *command)
{
    return (const struct trace_pair *)warp->cta->buffers->commands.pairs.items + command->first;
}

#endif
