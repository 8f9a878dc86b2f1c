/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/copies.h"

#include "base/range.h"
#include "gpu/sm/events.h"

void sm_copies_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    sm->copies.warps = mnp_arena_take(arena, sm->parameters->warps, sizeof *sm->copies.warps);
}

uint8_t sm_copies_begin(struct sm *sm, uint32_t warp)
{
    struct sm_copies_warp *w = &sm->copies.warps[warp];
    w->under_way[w->open % SM_COPY_GROUPS]++;
    return w->open;
}

/* Passes over groups that have ended and of which nothing is under way. */
static void pass_done(struct sm_copies_warp *w)
{
    for (; w->oldest != w->open && !w->under_way[w->oldest % SM_COPY_GROUPS]; w->oldest++)
        mnp_raise(&w->landed[(w->oldest + 1) % SM_COPY_GROUPS], w->landed[w->oldest % SM_COPY_GROUPS]);
}

void sm_copies_done(struct sm *sm, uint32_t warp, uint8_t group, uint64_t landed, uint64_t cycle)
{
    struct sm_copies_warp *w = &sm->copies.warps[warp];
    mnp_raise(&w->landed[group % SM_COPY_GROUPS], landed);
    if (--w->under_way[group % SM_COPY_GROUPS] || group != w->oldest)
        return;
    pass_done(w);
    if (sm->warps[warp].stall.why == SM_STALL_FENCE)
        sm_recheck(sm, warp, cycle);
}

void sm_copies_close(struct sm *sm, uint32_t warp)
{
    struct sm_copies_warp *w = &sm->copies.warps[warp];
    w->open++;
    w->landed[w->open % SM_COPY_GROUPS] = 0;
    pass_done(w);
}

static uint8_t ended(const struct sm_copies_warp *w)
{
    return (uint8_t)(w->open - w->oldest);
}

bool sm_copies_are_full(const struct sm *sm, uint32_t warp)
{
    return ended(&sm->copies.warps[warp]) >= SM_COPY_GROUPS - 1;
}

uint64_t sm_copies_landed(const struct sm *sm, uint32_t warp, uint32_t groups)
{
    const struct sm_copies_warp *w = &sm->copies.warps[warp];
    if (groups >= SM_COPY_GROUPS - 1)
        return 0;
    return ended(w) > groups ? SM_NOT_LANDED : w->landed[(w->open - 1 - groups) % SM_COPY_GROUPS];
}
