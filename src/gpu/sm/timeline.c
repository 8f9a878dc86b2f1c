/* SPDX-License-Identifier: BSD-3-Clause */
/* Records when warps lived on an SM, and packets were under way between it and the L2, in a window of time: `--timeline
 * warps:T0-T1`. A listener. */
#include "base/allocate.h"
#include "gpu/network/packets.h"
#include "gpu/sm/state.h"

#include <stdlib.h>

struct packet { /* a request without a reply so far */
    mnp_time from;
    uint64_t line;
    uint32_t tag, part;
    uint8_t kind;
};

struct record {
    mnp_time from, to; /* the window */
    struct mnp_timeline spans;
    mnp_time started[SM_MAX_WARPS]; /* start times of resident warps; MNP_NEVER: none */
    uint32_t part[SM_MAX_WARPS];    /* their kernels */
    struct mnp_array packets;       /* struct packet: under way */
};

void sm_timeline_open(struct sm *sm, mnp_time from, mnp_time to, uint32_t most)
{
    struct record *record = mnp_allocate(1, sizeof *record);
    *record = (struct record){.from = from, .to = to, .spans.most = most};
    for (uint32_t i = 0; i < SM_MAX_WARPS; i++)
        record->started[i] = MNP_NEVER;
    gpu_listeners_add(&sm->listeners, &sm_timeline_listener, record);
}

static mnp_time time_of(const struct sm *sm, uint64_t cycle)
{
    return mnp_cursor_edge(&sm->unit->clock, cycle);
}

/* Adds what overlaps the window. */
static void add(struct record *record, const struct sm *sm, struct mnp_span span)
{
    if (span.to < record->from || span.from >= record->to)
        return;
    span.place = sm->index;
    mnp_timeline_add(&record->spans, &span);
}

static uint32_t part_of(const struct sm *sm, uint16_t kernel)
{
    const struct mnp_kernel *known = kernel ? sm->device->kernels[kernel] : NULL;
    return known ? known->id : 0;
}

/* ===== warps ===== */

static void warp_begins(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct record *record = own;
    record->started[warp] = time_of(sm, cycle);
    record->part[warp] = part_of(sm, sm->ctas[sm->warps[warp].cta.slot].kernel);
}

static void end_warp(struct record *record, const struct sm *sm, uint32_t warp, mnp_time now)
{
    if (record->started[warp] == MNP_NEVER)
        return;
    add(record, sm,
        (struct mnp_span){
            .kind = "warp", .from = record->started[warp], .to = now, .number = warp, .part = record->part[warp]});
    record->started[warp] = MNP_NEVER;
}

static void warp_ends(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    end_warp(own, sm, warp, time_of(sm, cycle));
}

/* ===== packets ===== */

static void requested(void *own, const struct sm *sm, const struct gpu_request *request, uint64_t cycle)
{
    struct record *record = own;
    mnp_time now = time_of(sm, cycle);
    if (now >= record->to)
        return;
    *(struct packet *)mnp_array_add(&record->packets, 1, sizeof(struct packet)) =
        (struct packet){.from = now,
                        .line = request->line,
                        .tag = request->tag,
                        .part = part_of(sm, request->kernel),
                        .kind = request->kind};
}

/* The oldest request of that tag and line has been answered. */
static void replied(void *own, const struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    struct record *record = own;
    struct mnp_array *packets = &record->packets;
    struct packet *each = packets->items;
    for (uint32_t i = 0; i < packets->count; i++) {
        if (each[i].tag != reply->tag || each[i].line != reply->line || each[i].kind != reply->kind)
            continue;
        add(record, sm,
            (struct mnp_span){.kind = "packet",
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
    struct record *record = gpu_listeners_own(&sm->listeners, &sm_timeline_listener);
    for (uint32_t warp = 0; warp < SM_MAX_WARPS; warp++)
        end_warp(record, sm, warp, now);
    return &record->spans;
}

static void release(void *own)
{
    struct record *record = own;
    mnp_array_release(&record->packets);
    mnp_timeline_release(&record->spans);
    free(record);
}

const struct gpu_listener sm_timeline_listener = {
    .name = "timeline",
    .close = release,
    .sm = {.warp_begins = warp_begins, .warp_ends = warp_ends, .requested = requested, .replied = replied},
};
