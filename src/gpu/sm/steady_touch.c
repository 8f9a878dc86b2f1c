/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/steady_touch.h"

#include "gpu/sm/live.h"
#include "gpu/sm/lsu.h"

enum { WRITTEN = 1 << 4 /* in the lower bits of a line's address, beside its sectors */ };

/* Whether one more line may be told of. */
static bool may_tell(struct sm_steady_state *state, uint64_t cycle)
{
    uint64_t touches = state->touches + (cycle - state->told) * GPU_TOUCHES_A_CYCLE;
    state->touches = touches < GPU_TOUCHES_AT_ONCE ? (uint32_t)touches : GPU_TOUCHES_AT_ONCE;
    state->told = cycle;
    if (!state->touches)
        return false;
    state->touches--;
    return true;
}

static void tell_line(struct sm *sm, const struct sm_part *part, bool written, uint64_t cycle)
{
    uint64_t *last = &sm->steady.lines[part->line / sm->parameters->l1d_line % SM_STEADY_LINES];
    uint64_t what = part->line | part->sectors | (written ? WRITTEN : 0), apart = *last ^ part->line;
    if (apart < 2 * WRITTEN) {
        if (!(what & ~*last))
            return;
        what |= *last;
    }
    if (!may_tell(sm->steady.state, cycle))
        return;
    *last = what;
    struct gpu_touch *touch = mnp_link_send(sm->steady.touches, mnp_cursor_edge(&sm->unit->clock, cycle));
    *touch = (struct gpu_touch){.line = part->line, .sectors = part->sectors, .written = written};
}

void sm_steady_tell(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    const struct mnp_live_access *access = &sm->live->accesses[sm->live->state->free];
    if (!access->record.address_words || access->remote ||
        sm_lsu_space(sm, warp, instruction, access->words) != MNP_SPACE_GLOBAL)
        return;
    struct sm_part parts[SM_MAX_PARTS];
    uint32_t width = instruction->width ? instruction->width : 4, line = (uint32_t)sm->parameters->l1d_line;
    uint32_t count = sm_coalesce(&access->record, access->words, width, line, parts);
    for (uint32_t i = 0; i < count; i++)
        tell_line(sm, &parts[i], instruction->operation != MNP_LOAD, cycle);
}
