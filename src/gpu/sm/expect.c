/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/expect.h"

#include "base/prefetch.h"
#include "gpu/sm/live.h"
#include "gpu/sm/state.h"

struct expected {
    uint32_t count;
    uint8_t warp[SM_MAX_WARPS];
};

/* Warps that wait for memory, for barriers or for room in the memory queue are left out: most do not issue in this
 * advance. */
static void find(const struct sm *sm, struct expected *all)
{
    all->count = 0;
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const struct sm_subcore *s = &sm->state->subcore[i];
        const uint64_t *mask = s->stalls.mask;
        if (sm->subcore_next[i] >= sm->stay_end)
            continue;
        uint64_t left = mask[SM_STALL_NONE] | mask[SM_STALL_TIMER] | mask[SM_STALL_FETCH];
        if (!sm_lsu_has_room(sm, s))
            left &= ~s->stalls.of_class[MNP_CLASS_MEMORY];
        for (; left; left &= left - 1)
            all->warp[all->count++] = (uint8_t)sm_warp_of(sm, i, (uint32_t)__builtin_ctzll(left));
    }
}

/* Ready words of the registers of a warp's next instruction, as far as that is known. */
static void expect_words(const struct sm *sm, uint32_t warp)
{
    const struct sm_warp_view *view = &sm->views[warp];
    if (!view->records && !view->live)
        return;
    const struct mnp_record *record = sm_record(view, sm->warps[warp].issue.next);
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    __builtin_prefetch(&view->ready[instruction->destination.first]);
    for (uint32_t i = 0; i < 3; i++)
        __builtin_prefetch(&view->ready[instruction->source[i].first]);
}

static void expect_live(const struct sm *sm, const struct expected *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        mnp_prefetch(sm->views[all->warp[i]].live, sizeof(struct mnp_live_warp));
    for (enum mnp_live_expect step = 0; step < MNP_LIVE_EXPECT_STEPS; step++) {
        for (uint32_t i = 0; i < all->count; i++) {
            const struct mnp_live_warp *live = sm->views[all->warp[i]].live;
            if (live && live->expect)
                live->expect(live, step);
        }
    }
}

void sm_expect_warps(const struct sm *sm)
{
    struct expected all;
    if (sm->subcores_due >= sm->stay_end)
        return;
    mnp_prefetch(sm->state->subcore, sm->parameters->subcores * sizeof *sm->state->subcore);
    find(sm, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        mnp_prefetch(&sm->views[all.warp[i]], sizeof *sm->views);
        mnp_prefetch(&sm->warps[all.warp[i]], sizeof *sm->warps);
        if (sm->live)
            mnp_prefetch(&sm->live->warps[all.warp[i]], offsetof(struct sm_live_warp, activity));
    }
    if (sm->live)
        expect_live(sm, &all);
    for (uint32_t i = 0; i < all.count; i++)
        expect_words(sm, all.warp[i]);
}
