/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/depend.h"
#include "gpu/sm/events.h"

bool sm_bulk_check(const struct sm_parameters *p, struct mnp_error *error)
{
    if (p->bulk_bytes % GPU_SECTOR == 0)
        return true;
    return mnp_fail(error, "sm.bulk.bytes of %lu is not a multiple of %d, the bytes of a sector; round it",
                    (unsigned long)p->bulk_bytes, GPU_SECTOR);
}

bool sm_bulk_has_room(const struct sm *sm)
{
    return !sm->state->bulk.busy;
}

void sm_bulk_issue(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                   const struct mnp_record *record, uint64_t cycle)
{
    const struct sm_warp *w = &sm->warps[warp];
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t first = record->address_words ? *sm_addresses(view, w->issue.next, w->issue.address_at) : 0;
    first -= first % GPU_SECTOR;
    sm->state->bulk = (struct sm_bulk_state){.next = first,
                                             .end = first + sm->parameters->bulk_bytes,
                                             .record = (uint32_t)w->issue.next,
                                             .warp = (uint16_t)warp,
                                             .busy = 1};
    sm_depend_read(sm, warp, instruction, cycle); /* its address is here */
    sm_wake_stage(sm, SM_TURN_BULK, cycle + 1);
}

/* Whether the next sector can be asked for. */
static bool may_ask(const struct sm *sm)
{
    const struct sm_bulk_state *state = &sm->state->bulk;
    return state->next < state->end && state->in_flight < sm->parameters->bulk_in_flight && !sm_port_full(sm);
}

void sm_bulk_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_bulk_state *state = &sm->state->bulk;
    (void)cycle;
    if (!may_ask(sm))
        return;
    uint64_t inside = state->next % sm->parameters->l1d_line;
    sm_port_put(sm, &(struct gpu_request){.line = state->next - inside,
                                          .tag = sm_port_tag(SM_TO_BULK, 0),
                                          .sm = sm->index,
                                          .kernel = sm->ctas[sm->warps[state->warp].cta.slot].kernel,
                                          .kind = GPU_READ,
                                          .sectors = (uint8_t)(1u << inside / GPU_SECTOR)});
    sm_counters_of(sm, state->warp)[SM_BULK_SECTORS]++;
    state->next += GPU_SECTOR;
    state->in_flight++;
}

uint64_t sm_bulk_next(const struct sm *sm, uint64_t cycle)
{
    return may_ask(sm) ? cycle + 1 : MNP_NEVER; /* replies wake it, and so does the port when a request has left it */
}

void sm_bulk_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    struct sm_bulk_state *state = &sm->state->bulk;
    (void)reply;
    state->in_flight--;
    sm_wake_stage(sm, SM_TURN_BULK, cycle);
    if (state->next < state->end || state->in_flight)
        return;
    uint32_t warp = state->warp;
    sm_depend_written(sm, warp, sm_instruction_executed(&sm->views[warp], state->record), cycle, cycle);
    *state = (struct sm_bulk_state){0};
    sm_cta_access_done(sm, warp, cycle);
    sm_wake_refused(sm, cycle);
}

void sm_bulk_report(const struct sm *sm, FILE *out)
{
    const struct sm_bulk_state *state = &sm->state->bulk;
    if (state->busy)
        fprintf(out, "%s: a bulk read waits for %u sectors, and has still to ask for %lu bytes\n", sm->unit->name,
                state->in_flight, (unsigned long)(state->end - state->next));
}
