/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/dispatch/log.h"

#include "base/allocate.h"
#include "base/error.h"

#include <stdlib.h>

void dispatch_log_init(struct dispatch_log *log, uint32_t sms, uint32_t most)
{
    *log = (struct dispatch_log){.sms = sms, .most = most};
    log->open = mnp_allocate((size_t)sms * most, sizeof *log->open);
    log->counts = mnp_allocate(sms, sizeof *log->counts);
}

void dispatch_log_release(struct dispatch_log *log)
{
    free(log->open);
    free(log->counts);
    mnp_timeline_release(&log->timeline);
    *log = (struct dispatch_log){0};
}

void dispatch_log_begin(struct dispatch_log *log, uint32_t sm, uint32_t launch, uint64_t cta, mnp_time from)
{
    MNP_REQUIRE(log->counts[sm] < log->most, "SM %u has more CTAs than it holds", sm);
    log->open[(size_t)sm * log->most + log->counts[sm]++] =
        (struct dispatch_open_cta){.cta = cta, .from = from, .launch = launch};
}

/* A CTA from its arrival on the SM to the end of its last access; its number is that in its grid. */
static void add(struct dispatch_log *log, uint32_t sm, const struct dispatch_open_cta *open, mnp_time to)
{
    mnp_timeline_add(&log->timeline, &(struct mnp_span){.kind = "cta",
                                                        .from = open->from,
                                                        .to = to > open->from ? to : open->from,
                                                        .number = open->cta,
                                                        .part = open->launch,
                                                        .place = (uint16_t)sm});
}

void dispatch_log_end(struct dispatch_log *log, uint32_t sm, uint32_t launch, uint64_t cta, mnp_time to)
{
    struct dispatch_open_cta *open = log->open + (size_t)sm * log->most;
    for (uint32_t i = 0; i < log->counts[sm]; i++) {
        if (open[i].cta != cta || open[i].launch != launch)
            continue;
        add(log, sm, &open[i], to);
        open[i] = open[--log->counts[sm]];
        return;
    }
}

void dispatch_log_close(struct dispatch_log *log, mnp_time now)
{
    for (uint32_t sm = 0; sm < log->sms; sm++) {
        for (uint32_t i = 0; i < log->counts[sm]; i++)
            add(log, sm, &log->open[(size_t)sm * log->most + i], now);
        log->counts[sm] = 0;
    }
}
