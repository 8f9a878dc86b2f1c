/* SPDX-License-Identifier: BSD-3-Clause */
/* Notices of warps to a warp scheduler that is called, and its choice. */
#include "engine/configure/part_error.h"
#include "gpu/sm/parts/parts.h"
#include "gpu/sm/state.h"

void sm_parts_warp_starts(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    const struct sm_called_scheduler *scheduler = sm->parts.scheduler;
    if (scheduler && scheduler->start)
        scheduler->start(sm->parts.scheduler_state, sm->parameters->called_scheduler.values, warp, cycle);
}

uint32_t sm_parts_choose(struct sm *sm, uint32_t subcore, uint64_t ready, uint64_t cycle)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    struct sm_ready_warp warps[SM_PLACES];
    for (uint64_t left = ready; left; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(left), warp = sm_warp_of(sm, subcore, place);
        const struct sm_warp_view *view = &sm->views[warp];
        uint64_t next = sm->warps[warp].issue.next;
        warps[place] = (struct sm_ready_warp){
            .issued = next, .pc = view->code_base + view->instructions[sm_record(view, next)->index].pc};
    }
    struct sm_choice choice = {.ready = ready,
                               .memory = ready & s->stalls.of_class[MNP_CLASS_MEMORY],
                               .resident = s->resident,
                               .cycle = cycle,
                               .subcore = subcore,
                               .subcores = (uint32_t)sm->parameters->subcores,
                               .last = s->issue.last,
                               .warps = warps};
    uint64_t *counters = sm_counters_of(sm, sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(ready)));
    uint32_t place = sm->parts.scheduler->choose(sm->parts.scheduler_state, sm->parameters->called_scheduler.values,
                                                 &choice, counters + sm->parts.scheduler_counters);
    if (__builtin_expect(place != SM_NO_PLACE && (place >= SM_PLACES || !(ready >> place & 1)), 0))
        mnp_part_fail(
            &sm->parts.scheduler->part,
            "chooses place %u of sub-core %u of SM %u in cycle %llu, whose warp is not ready; a choice is one "
            "of the places in `ready`, or SM_NO_PLACE",
            place, subcore, sm->index, (unsigned long long)cycle);
    return place;
}
