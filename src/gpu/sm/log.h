/* SPDX-License-Identifier: BSD-3-Clause */
/* When warps lived on an SM, and packets were under way between it and the L2, in a window of time: `--timeline
 * warps:T0-T1`. Written down beside the simulation: no stage reads it. */
#ifndef GPU_SM_LOG_H
#define GPU_SM_LOG_H

#include "gpu/packets.h"
#include "gpu/sm/state.h"

struct sm_log_packet { /* a request without a reply so far */
    mnp_time from;
    uint64_t line;
    uint32_t tag, part;
    uint8_t kind;
};

struct sm_log {
    mnp_time from, to; /* the window */
    struct mnp_timeline timeline;
    mnp_time started[SM_MAX_WARPS]; /* of resident warps; MNP_NEVER: none */
    uint32_t part[SM_MAX_WARPS];    /* their kernels */
    struct mnp_array packets;       /* struct sm_log_packet: under way */
};

/* What the functions below do where there is a log. */
void sm_log_start(struct sm *sm, uint32_t warp, uint16_t slot, uint64_t cycle);
void sm_log_exit(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_log_request(struct sm *sm, const struct gpu_request *request, uint64_t cycle);
void sm_log_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);
void sm_log_release(struct sm *sm);

static inline void sm_log_warp_starts(struct sm *sm, uint32_t warp, uint16_t slot, uint64_t cycle)
{
    if (__builtin_expect(sm->log != NULL, 0))
        sm_log_start(sm, warp, slot, cycle);
}

static inline void sm_log_warp_exits(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (__builtin_expect(sm->log != NULL, 0))
        sm_log_exit(sm, warp, cycle);
}

static inline void sm_log_request_leaves(struct sm *sm, const struct gpu_request *request, uint64_t cycle)
{
    if (__builtin_expect(sm->log != NULL, 0))
        sm_log_request(sm, request, cycle);
}

static inline void sm_log_reply_comes(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    if (__builtin_expect(sm->log != NULL, 0))
        sm_log_reply(sm, reply, cycle);
}

#endif
