/* SPDX-License-Identifier: BSD-3-Clause */
/* Records when CTAs lay on which SM, as the dispatcher sees it: `--timeline ctas`. A listener. */
#include "base/allocate.h"
#include "base/error.h"
#include "gpu/dispatch/state.h"

#include <stdlib.h>

struct open_cta {
    uint64_t cta;
    mnp_time from;
    uint32_t launch;
};

struct record {
    struct mnp_timeline spans;
    struct open_cta *open; /* [sms][most] CTAs that have not ended */
    uint32_t *counts;      /* [sms] of them */
    uint32_t sms, most;
};

void dispatch_timeline_open(struct dispatch *dispatch)
{
    const struct sm_parameters *sm = dispatch->config.sm;
    struct record *record = mnp_allocate(1, sizeof *record);
    *record = (struct record){.sms = (uint32_t)sm->count, .most = (uint32_t)sm->ctas};
    record->open = mnp_allocate((size_t)record->sms * record->most, sizeof *record->open);
    record->counts = mnp_allocate(record->sms, sizeof *record->counts);
    gpu_listeners_add(&dispatch->listeners, &dispatch_timeline_listener, record);
}

static void cta_placed(void *own, const struct dispatch *dispatch, uint32_t sm, uint32_t launch, uint64_t cta,
                       mnp_time time)
{
    struct record *record = own;
    (void)dispatch;
    MNP_REQUIRE(record->counts[sm] < record->most, "SM %u has more CTAs than it holds", sm);
    record->open[(size_t)sm * record->most + record->counts[sm]++] =
        (struct open_cta){.cta = cta, .from = time, .launch = launch};
}

/* A CTA from its arrival on the SM to the end of its last access; its number is that in its grid. */
static void add(struct record *record, uint32_t sm, const struct open_cta *open, mnp_time to)
{
    mnp_timeline_add(&record->spans, &(struct mnp_span){.kind = "cta",
                                                        .from = open->from,
                                                        .to = to > open->from ? to : open->from,
                                                        .number = open->cta,
                                                        .part = open->launch,
                                                        .place = (uint16_t)sm});
}

static void cta_ended(void *own, const struct dispatch *dispatch, uint32_t sm, uint32_t launch, uint64_t cta,
                      mnp_time time)
{
    struct record *record = own;
    struct open_cta *open = record->open + (size_t)sm * record->most;
    (void)dispatch;
    for (uint32_t i = 0; i < record->counts[sm]; i++) {
        if (open[i].cta != cta || open[i].launch != launch)
            continue;
        add(record, sm, &open[i], time);
        open[i] = open[--record->counts[sm]];
        return;
    }
}

const struct mnp_timeline *dispatch_timeline_close(struct dispatch *dispatch, mnp_time now)
{
    struct record *record = gpu_listeners_own(&dispatch->listeners, &dispatch_timeline_listener);
    for (uint32_t sm = 0; sm < record->sms; sm++) {
        for (uint32_t i = 0; i < record->counts[sm]; i++)
            add(record, sm, &record->open[(size_t)sm * record->most + i], now);
        record->counts[sm] = 0;
    }
    return &record->spans;
}

static void release(void *own)
{
    struct record *record = own;
    free(record->open);
    free(record->counts);
    mnp_timeline_release(&record->spans);
    free(record);
}

const struct gpu_listener dispatch_timeline_listener = {
    .name = "timeline of CTAs",
    .close = release,
    .dispatch = {.cta_placed = cta_placed, .cta_ended = cta_ended},
};
