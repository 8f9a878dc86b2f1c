/* SPDX-License-Identifier: BSD-3-Clause */
/* Refresh: when banks are due, and the effect of a refresh on them. */
#ifndef MNP_PARTS_DRAM_REFRESH_H
#define MNP_PARTS_DRAM_REFRESH_H

#include "parts/dram/banks.h"

/* Performs the due refresh: closes the rows concerned as soon as timing permits for the last of them; the banks are
 * then unavailable. */
static inline void mnp_dram_do_refresh(struct mnp_dram *dram, struct mnp_dram_event *event)
{
    struct mnp_dram_channel *channel = dram->channel;
    const struct mnp_dram_timing *timing = &dram->shape.timing;
    uint32_t first = channel->refresh_bank, end = first + mnp_dram_refreshed_banks(&dram->shape);
    uint64_t close = channel->refresh_due, start = channel->refresh_due;
    for (uint32_t i = first; i < end; i++)
        if (dram->banks[i].open)
            close = mnp_max(close, dram->banks[i].precharge_ready);
    for (uint32_t i = first; i < end; i++) {
        if (dram->banks[i].open) {
            mnp_dram_close_row(dram, i, close);
            event->refresh_precharges++;
        }
        start = mnp_max(start, dram->banks[i].activate_ready);
    }
    uint64_t rest = dram->shape.refresh == MNP_DRAM_REFRESH_BANK ? timing->rfcb : timing->rfc;
    for (uint32_t i = first; i < end; i++) {
        dram->banks[i].activate_ready = start + rest;
        mnp_dram_see_row(dram, i);
    }
    channel->refresh_bank = end < dram->shape.banks ? end : 0;
    channel->refresh_due += mnp_dram_refresh_interval(&dram->shape);
    event->refreshes++;
}

#endif
