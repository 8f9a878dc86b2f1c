/* SPDX-License-Identifier: BSD-3-Clause */
/* When CTAs lay on which SM, written down by the dispatcher beside the simulation: `--timeline ctas`. */
#ifndef GPU_DISPATCH_LOG_H
#define GPU_DISPATCH_LOG_H

#include "engine/count/timeline.h"

struct dispatch_open_cta {
    uint64_t cta;
    mnp_time from;
    uint32_t launch;
};

struct dispatch_log {
    struct mnp_timeline timeline;
    struct dispatch_open_cta *open; /* [SMs][most] CTAs that have not ended */
    uint32_t *counts;               /* [SMs] of them */
    uint32_t sms, most;
};

/* `most`: CTAs of an SM. */
void dispatch_log_init(struct dispatch_log *log, uint32_t sms, uint32_t most);
void dispatch_log_release(struct dispatch_log *log);

/* A CTA arrives on an SM; it has ended there. */
void dispatch_log_begin(struct dispatch_log *log, uint32_t sm, uint32_t launch, uint64_t cta, mnp_time from);
void dispatch_log_end(struct dispatch_log *log, uint32_t sm, uint32_t launch, uint64_t cta, mnp_time to);

/* The run has ended: so have CTAs that still lie on SMs. */
void dispatch_log_close(struct dispatch_log *log, mnp_time now);

#endif
