/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/copies.h"

#include "base/range.h"
#include "gpu/sm/events.h"

void sm_copies_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    sm->copies.warps = mnp_arena_take(arena, sm->parameters->warps, sizeof *sm->copies.warps);
}

/* ===== groups, or parts ===== */

static uint8_t begin(struct sm_copies_ring *ring)
{
    ring->under_way[ring->open % SM_COPY_GROUPS]++;
    return ring->open;
}

/* Passes over those that have ended and of which nothing is under way. */
static void pass_done(struct sm_copies_ring *ring)
{
    for (; ring->oldest != ring->open && !ring->under_way[ring->oldest % SM_COPY_GROUPS]; ring->oldest++)
        mnp_raise(&ring->landed[(ring->oldest + 1) % SM_COPY_GROUPS], ring->landed[ring->oldest % SM_COPY_GROUPS]);
}

/* Returns whether the oldest one has nothing under way any more. */
static bool end_copy(struct sm_copies_ring *ring, uint8_t number, uint64_t landed)
{
    mnp_raise(&ring->landed[number % SM_COPY_GROUPS], landed);
    if (--ring->under_way[number % SM_COPY_GROUPS] || number != ring->oldest)
        return false;
    pass_done(ring);
    return true;
}

static void close_open(struct sm_copies_ring *ring)
{
    ring->open++;
    ring->landed[ring->open % SM_COPY_GROUPS] = 0;
    pass_done(ring);
}

static uint8_t ended(const struct sm_copies_ring *ring)
{
    return (uint8_t)(ring->open - ring->oldest);
}

/* ===== copies ===== */

uint16_t sm_copies_begin(struct sm *sm, uint32_t warp)
{
    struct sm_copies_warp *w = &sm->copies.warps[warp];
    return (uint16_t)(begin(&w->groups) | begin(&w->parts) << 8);
}

void sm_copies_done(struct sm *sm, uint32_t warp, uint16_t group, uint64_t landed, uint64_t cycle)
{
    struct sm_copies_warp *w = &sm->copies.warps[warp];
    uint8_t part = (uint8_t)(group >> 8);
    if (end_copy(&w->parts, part, landed) && part != w->parts.open)
        sm_wake_stage(sm, SM_TURN_ARRIVALS, w->parts.landed[part % SM_COPY_GROUPS]);
    if (end_copy(&w->groups, (uint8_t)group, landed) && sm->warps[warp].stall.why == SM_STALL_FENCE)
        sm_recheck(sm, warp, cycle);
}

/* ===== groups ===== */

void sm_copies_close(struct sm *sm, uint32_t warp)
{
    close_open(&sm->copies.warps[warp].groups);
}

bool sm_copies_are_full(const struct sm *sm, uint32_t warp)
{
    return ended(&sm->copies.warps[warp].groups) >= SM_COPY_GROUPS - 1;
}

uint64_t sm_copies_landed(const struct sm *sm, uint32_t warp, uint32_t groups)
{
    const struct sm_copies_ring *ring = &sm->copies.warps[warp].groups;
    if (groups >= SM_COPY_GROUPS - 1)
        return 0;
    return ended(ring) > groups ? SM_NOT_LANDED : ring->landed[(ring->open - 1 - groups) % SM_COPY_GROUPS];
}

/* ===== parts ===== */

bool sm_copies_have_landed(const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    const struct sm_copies_ring *ring = &sm->copies.warps[warp].parts;
    uint32_t open = ring->open % SM_COPY_GROUPS;
    return ring->oldest == ring->open && !ring->under_way[open] && ring->landed[open] <= cycle;
}

void sm_copies_end_part(struct sm *sm, uint32_t warp)
{
    close_open(&sm->copies.warps[warp].parts);
}

uint64_t sm_copies_part_landed(const struct sm *sm, uint32_t warp, uint8_t part)
{
    const struct sm_copies_ring *ring = &sm->copies.warps[warp].parts;
    return (uint8_t)(ring->open - part) <= ended(ring) ? SM_NOT_LANDED : ring->landed[part % SM_COPY_GROUPS];
}
