/* SPDX-License-Identifier: BSD-3-Clause */
/* Live CTAs of a trace from inside: what live.c and live_async.c share (live_state.c). */
#ifndef MNP_FRONTEND_SASS_TRACE_LIVE_STATE_H
#define MNP_FRONTEND_SASS_TRACE_LIVE_STATE_H

#include "execute/live/core.h"
#include "frontend/sass_trace/live.h"

enum { TRACE_LIVE_WARPS = 32, TRACE_RANK_SHIFT = 24 /* of addresses of shared memory in a cluster, in machine code */ };

struct trace_live_warp {
    struct live_warp common;
    struct trace_live_cta *cta;
    struct mnp_warp_stream stream; /* as it was read */
    uint64_t word_at;              /* words of addresses of the records that have been executed */
    uint32_t number;               /* in its CTA */
    uint32_t phase;                /* of the cluster's barrier: it has arrived in those below */
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
    uint32_t block[3], rank, ranks; /* place in the grid, and in the cluster of so many CTAs */
    uint32_t warps, ended;
    struct execute_barrier_state barriers[MNP_CTA_BARRIERS];
    uint32_t phase;                  /* phases of the cluster's barrier that have ended */
    uint32_t cluster_waiting;        /* warps, one bit each */
    bool cluster_used, cluster_told; /* somebody has arrived there in this phase; all have */
    struct trace_live_warp warp[TRACE_LIVE_WARPS];
};

struct trace_live_copy {
    struct live_copy common;
    struct trace_command command;
};

extern const struct mnp_live_async trace_live_async;

/* Where an address of shared memory lies: the CTA's rank in its cluster, its own where the address has none. Kernels
 * with clusters have the rank in the upper byte, as machine code does. */
struct trace_live_place {
    uint32_t rank, offset;
};
struct trace_live_place trace_live_place(const struct trace_live_cta *cta, uint64_t address);

/* What is wrong with the trace where the warp is, as the core's error. Returns MNP_LIVE_FAULTED. */
uint32_t trace_live_wrong(const struct trace_live_warp *warp, const char *what);

/* Changes the mbarrier at a place of the CTA's own: `operation` as of enum execute_mbarrier, and
 * EXECUTE_REMOTE_COMBINED. False: the core's error. */
bool trace_live_change(struct trace_live_warp *warp, uint32_t offset, uint8_t operation, uint64_t value);

/* live_async.c: each does what a command asks; MNP_LIVE_PARKED and MNP_LIVE_FAULTED: it was not done. */
uint32_t trace_live_start_copy(struct trace_live_warp *warp, const struct trace_command *command);
uint32_t trace_live_start_product(struct trace_live_warp *warp, const struct trace_command *command);

static inline const struct trace_pair *trace_live_pairs(const struct trace_live_warp *warp,
                                                        const struct trace_command *command)
{
    return (const struct trace_pair *)warp->cta->buffers->commands.pairs.items + command->first;
}

#endif
