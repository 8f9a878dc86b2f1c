/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/store_joins.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"

void sm_store_joins_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (sm->parameters->store_joins)
        sm->store_joined = mnp_arena_take(arena, sm->parameters->store_joins, sizeof *sm->store_joined);
}

bool sm_store_joins(struct sm *sm, const struct sm_part *part, uint16_t load)
{
    struct sm_store_joins_state *state = &sm->state->store_joins;
    if (state->count == sm->parameters->store_joins || (sm->live && sm_live_at_l2(sm, load)))
        return false;
    struct gpu_request *request = sm_port_offered(sm, part->line);
    if (!request || part->sectors & ~(uint32_t)request->sectors ||
        request->kernel != sm->ctas[sm->warps[sm->loads[load].warp].cta.slot].kernel)
        return false;
    request->bytes[0] |= part->bytes[0];
    request->bytes[1] |= part->bytes[1];
    sm->store_joined[state->count++] =
        (struct sm_store_join){.line = part->line, .owner = (uint16_t)sm_port_own(request->tag), .load = load};
    return true;
}

void sm_store_joins_offer(struct sm *sm, uint16_t load)
{
    if (sm_load_instruction(sm, load)->width <= 4) /* wider ones are divided by half and quarter warps */
        sm_port_offer(sm);
}

void sm_store_joins_answer(struct sm *sm, uint16_t owner, uint64_t line, uint64_t cycle)
{
    struct sm_store_joins_state *state = &sm->state->store_joins;
    uint64_t kept = 0, count = state->count;
    for (uint64_t i = 0; i < count; i++) {
        struct sm_store_join join = sm->store_joined[i];
        if (join.owner == owner && join.line == line)
            sm_load_part_done(sm, join.load, 1, cycle, cycle);
        else
            sm->store_joined[kept++] = join;
    }
    state->count = kept;
}
