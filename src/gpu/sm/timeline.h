/* SPDX-License-Identifier: BSD-3-Clause */
/* Records when warps lived on an SM, and packets were under way between it and the L2, in a window of time: `--timeline
 * warps:T0-T1`. No stage reads the record. */
#ifndef GPU_SM_TIMELINE_H
#define GPU_SM_TIMELINE_H

#include "gpu/network/packets.h"
#include "gpu/sm/state.h"

struct sm_timeline_packet { /* a request without a reply so far */
    mnp_time from;
    uint64_t line;
    uint32_t tag, part;
    uint8_t kind;
};

struct sm_timeline {
    mnp_time from, to; /* the window */
    struct mnp_timeline spans;
    mnp_time started[SM_MAX_WARPS]; /* of resident warps; MNP_NEVER: none */
    uint32_t part[SM_MAX_WARPS];    /* their kernels */
    struct mnp_array packets;       /* struct sm_timeline_packet: under way */
};

/* What the functions below do where there is a timeline. */
void sm_timeline_start(struct sm *sm, uint32_t warp, uint16_t slot, uint64_t cycle);
void sm_timeline_exit(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_timeline_request(struct sm *sm, const struct gpu_request *request, uint64_t cycle);
void sm_timeline_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);
void sm_timeline_release(struct sm *sm);

static inline void sm_timeline_warp_starts(struct sm *sm, uint32_t warp, uint16_t slot, uint64_t cycle)
{
    if (__builtin_expect(sm->timeline != NULL, 0))
        sm_timeline_start(sm, warp, slot, cycle);
}

static inline void sm_timeline_warp_exits(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (__builtin_expect(sm->timeline != NULL, 0))
        sm_timeline_exit(sm, warp, cycle);
}

static inline void sm_timeline_request_leaves(struct sm *sm, const struct gpu_request *request, uint64_t cycle)
{
    if (__builtin_expect(sm->timeline != NULL, 0))
        sm_timeline_request(sm, request, cycle);
}

static inline void sm_timeline_reply_comes(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    if (__builtin_expect(sm->timeline != NULL, 0))
        sm_timeline_reply(sm, reply, cycle);
}

#endif
