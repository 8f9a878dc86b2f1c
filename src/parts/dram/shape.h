/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities derived from the shape of a DRAM channel, for the files of the channel. */
#ifndef MNP_PARTS_DRAM_SHAPE_H
#define MNP_PARTS_DRAM_SHAPE_H

#include "base/range.h"
#include "parts/dram/dram.h"

#define MNP_DRAM_NONE UINT32_MAX /* no request */

/* Banks that one refresh concerns. */
static inline uint32_t mnp_dram_refreshed_banks(const struct mnp_dram_shape *shape)
{
    return (uint32_t)(shape->refresh == MNP_DRAM_REFRESH_BANK ? shape->pseudo_channels : shape->banks);
}

/* Cycles between two refreshes; `refi` is at least the number of banks of a pseudo channel. */
static inline uint64_t mnp_dram_refresh_interval(const struct mnp_dram_shape *shape)
{
    uint64_t interval = shape->timing.refi * mnp_dram_refreshed_banks(shape) / shape->banks;
    return mnp_max(interval, 1);
}

#endif
