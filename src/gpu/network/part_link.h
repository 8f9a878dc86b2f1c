/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link between the parts of a divided L2 (l2.halves): data that leaves a part for the others, replies from its
 * slices, and data that enters it, writes to its slices, each at `l2.link` bytes per network cycle. There is no unit
 * that all traffic would have to pass. Addresses are spread evenly over the slices, so each partition has its share of
 * the width in either direction; whichever GPCs have data to send use it. Time is exact: a sector does not take a whole
 * number of cycles.
 */
#ifndef MNP_GPU_PART_LINK_H
#define MNP_GPU_PART_LINK_H

#include "engine/core/time.h"

#include <stdbool.h>

/* The part in which a unit lies, of `count` that are divided evenly. */
static inline uint32_t gpu_part_of(uint64_t unit, uint64_t count, uint64_t parts)
{
    return (uint32_t)(unit * parts / count);
}

/* The first of `count` units in a part of the L2; of the number of parts: `count`. */
static inline uint32_t gpu_first_of_part(uint64_t part, uint64_t count, uint64_t parts)
{
    return (uint32_t)((part * count + parts - 1) / parts);
}

struct gpu_part_link {
    mnp_time sector;             /* time that a sector of data takes of this unit's share; 0: the link is not bounded */
    mnp_time period;             /* period of the unit's clock */
    uint32_t near_from, near_to; /* GPCs of the same part: from the first on, below the second */
    uint32_t gpcs;               /* GPCs of the device; senders with higher numbers are near to all parts */
};

struct gpu_part_link_state { /* in the unit's arena */
    mnp_time free;           /* the share is free again */
    uint32_t turn;           /* slice whose reply is asked first */
    uint32_t reserved;
};

static inline bool gpu_part_link_far(const struct gpu_part_link *link, uint32_t gpc)
{
    return link->sector && (gpc < link->near_from || (gpc >= link->near_to && gpc < link->gpcs));
}

/* Sends sectors at time `now`, at which the link is free. What is left of the cycle that it became free in counts. */
static inline void gpu_part_link_take(const struct gpu_part_link *link, struct gpu_part_link_state *state,
                                      uint32_t sectors, mnp_time now)
{
    mnp_time earliest = now > link->period ? now - link->period : 0;
    state->free = (state->free > earliest ? state->free : earliest) + sectors * link->sector;
}

#endif
