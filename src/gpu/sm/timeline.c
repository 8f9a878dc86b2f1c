/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/timeline.h"

#include "base/allocate.h"

#include <stdlib.h>

void sm_timeline_open(struct sm *sm, mnp_time from, mnp_time to, uint32_t most)
{
    sm->timeline = mnp_allocate(1, sizeof *sm->timeline);
    *sm->timeline = (struct sm_timeline){.from = from, .to = to, .spans.most = most};
    for (uint32_t i = 0; i < SM_MAX_WARPS; i++)
        sm->timeline->started[i] = MNP_NEVER;
}

static mnp_time time_of(const struct sm *sm, uint64_t cycle)
{
    return mnp_edge(sm->unit->clock.hertz, cycle);
}

/* Adds what overlaps the window. */
static void add(struct sm *sm, struct mnp_span span)
{
    if (span.to < sm->timeline->from || span.from >= sm->timeline->to)
        return;
    span.place = sm->index;
    mnp_timeline_add(&sm->timeline->spans, &span);
}

static uint32_t part_of(const struct sm *sm, uint16_t kernel)
{
    const struct mnp_kernel *known = kernel ? sm->device->kernels[kernel] : NULL;
    return known ? known->id : 0;
}

/* ===== warps ===== */

void sm_timeline_start(struct sm *sm, uint32_t warp, uint16_t slot, uint64_t cycle)
{
    sm->timeline->started[warp] = time_of(sm, cycle);
    sm->timeline->part[warp] = part_of(sm, sm->ctas[slot].kernel);
}

static void end_warp(struct sm *sm, uint32_t warp, mnp_time now)
{
    struct sm_timeline *timeline = sm->timeline;
    if (timeline->started[warp] == MNP_NEVER)
        return;
    add(sm,
        (struct mnp_span){
            .kind = "warp", .from = timeline->started[warp], .to = now, .number = warp, .part = timeline->part[warp]});
    timeline->started[warp] = MNP_NEVER;
}

void sm_timeline_exit(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    end_warp(sm, warp, time_of(sm, cycle));
}

/* ===== packets ===== */

void sm_timeline_request(struct sm *sm, const struct gpu_request *request, uint64_t cycle)
{
    struct sm_timeline *timeline = sm->timeline;
    mnp_time now = time_of(sm, cycle);
    if (now >= timeline->to)
        return;
    *(struct sm_timeline_packet *)mnp_array_add(&timeline->packets, 1, sizeof(struct sm_timeline_packet)) =
        (struct sm_timeline_packet){.from = now,
                                    .line = request->line,
                                    .tag = request->tag,
                                    .part = part_of(sm, request->kernel),
                                    .kind = request->kind};
}

/* The oldest request of that tag and line has been answered. */
void sm_timeline_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    struct mnp_array *packets = &sm->timeline->packets;
    struct sm_timeline_packet *each = packets->items;
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

const struct mnp_timeline *sm_timeline_close(struct sm *sm, mnp_time now)
{
    for (uint32_t warp = 0; warp < SM_MAX_WARPS; warp++)
        end_warp(sm, warp, now);
    return &sm->timeline->spans;
}

void sm_timeline_release(struct sm *sm)
{
    if (!sm->timeline)
        return;
    mnp_array_release(&sm->timeline->packets);
    mnp_timeline_release(&sm->timeline->spans);
    free(sm->timeline);
}
