/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/log.h"

#include "base/allocate.h"

#include <stdlib.h>

void sm_keep_log(struct sm *sm, mnp_time from, mnp_time to, uint32_t most)
{
    sm->log = mnp_allocate(1, sizeof *sm->log);
    *sm->log = (struct sm_log){.from = from, .to = to, .timeline.most = most};
    for (uint32_t i = 0; i < SM_MAX_WARPS; i++)
        sm->log->started[i] = MNP_NEVER;
}

static mnp_time time_of(const struct sm *sm, uint64_t cycle)
{
    return mnp_edge(sm->unit->clock.hertz, cycle);
}

/* Adds what overlaps the window. */
static void add(struct sm *sm, struct mnp_span span)
{
    if (span.to < sm->log->from || span.from >= sm->log->to)
        return;
    span.place = sm->index;
    mnp_timeline_add(&sm->log->timeline, &span);
}

static uint32_t part_of(const struct sm *sm, uint16_t kernel)
{
    const struct mnp_kernel *known = kernel ? sm->device->kernels[kernel] : NULL;
    return known ? known->id : 0;
}

/* ===== warps ===== */

void sm_log_start(struct sm *sm, uint32_t warp, uint16_t slot, uint64_t cycle)
{
    sm->log->started[warp] = time_of(sm, cycle);
    sm->log->part[warp] = part_of(sm, sm->ctas[slot].kernel);
}

static void end_warp(struct sm *sm, uint32_t warp, mnp_time now)
{
    struct sm_log *log = sm->log;
    if (log->started[warp] == MNP_NEVER)
        return;
    add(sm, (struct mnp_span){
                .kind = "warp", .from = log->started[warp], .to = now, .number = warp, .part = log->part[warp]});
    log->started[warp] = MNP_NEVER;
}

void sm_log_exit(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    end_warp(sm, warp, time_of(sm, cycle));
}

/* ===== packets ===== */

void sm_log_request(struct sm *sm, const struct gpu_request *request, uint64_t cycle)
{
    struct sm_log *log = sm->log;
    mnp_time now = time_of(sm, cycle);
    if (now >= log->to)
        return;
    *(struct sm_log_packet *)mnp_array_add(&log->packets, 1, sizeof(struct sm_log_packet)) =
        (struct sm_log_packet){.from = now,
                               .line = request->line,
                               .tag = request->tag,
                               .part = part_of(sm, request->kernel),
                               .kind = request->kind};
}

/* The oldest request of that tag and line has been answered. */
void sm_log_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    struct mnp_array *packets = &sm->log->packets;
    struct sm_log_packet *each = packets->items;
    for (uint32_t i = 0; i < packets->count; i++) {
        if (each[i].tag != reply->tag || each[i].line != reply->line || each[i].kind != reply->kind)
            continue;
        add(sm, (struct mnp_span){.kind = "packet",
                                  .from = each[i].from,
                                  .to = time_of(sm, cycle),
                                  .number = each[i].line,
                                  .part = each[i].part});
        for (packets->count--; i < packets->count; i++)
            each[i] = each[i + 1];
        return;
    }
}

/* ===== the end ===== */

const struct mnp_timeline *sm_close_log(struct sm *sm, mnp_time now)
{
    for (uint32_t warp = 0; warp < SM_MAX_WARPS; warp++)
        end_warp(sm, warp, now);
    return &sm->log->timeline;
}

void sm_log_release(struct sm *sm)
{
    if (!sm->log)
        return;
    mnp_array_release(&sm->log->packets);
    mnp_timeline_release(&sm->log->timeline);
    free(sm->log);
}
