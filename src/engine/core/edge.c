/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of a clock of constant frequency. */
#include "engine/core/time.h"

typedef unsigned __int128 wide;

mnp_time mnp_edge(uint64_t hertz, uint64_t cycle)
{
    wide time = (wide)cycle * MNP_SECOND / hertz;
    return time >= MNP_NEVER ? MNP_NEVER : (mnp_time)time;
}

uint64_t mnp_cycle_at(uint64_t hertz, mnp_time time)
{
    return (uint64_t)(((wide)time * hertz + MNP_SECOND - 1) / MNP_SECOND);
}
