/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/steady_touch.h"

#include "gpu/sm/live.h"
#include "gpu/sm/lsu.h"

/* In the lower bits of a line's address, beside its sectors: they have been told of as written; some have been read and
 * not been told of yet. */
enum { WRITTEN = 1 << 4, PENDING = 1 << 5, SECTORS = WRITTEN - 1, BELOW = 2 * PENDING - 1 };

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

static void tell_line(struct sm *sm, uint64_t line, uint32_t sectors, bool written, uint64_t cycle)
{
    if (!may_tell(sm->steady.state, cycle))
        return;
    struct gpu_touch *touch = mnp_link_send(sm->steady.touches, mnp_cursor_edge(&sm->unit->clock, cycle));
    *touch = (struct gpu_touch){.line = line, .sectors = sectors, .written = written};
}

static void tell_pending(struct sm *sm, uint64_t *kept, uint64_t cycle)
{
    if (*kept & PENDING)
        tell_line(sm, *kept & ~(uint64_t)BELOW, *kept & SECTORS, false, cycle);
    *kept &= ~(uint64_t)PENDING;
}

/* Lines of matrices are often a power of two apart: places are those of a multiplicative hash. */
static uint64_t *place_of_line(struct sm *sm, uint64_t line)
{
    uint64_t hash = line / sm->parameters->l1d_line * UINT64_C(0x9e3779b97f4a7c15);
    return &sm->steady.lines[hash >> 32 & (SM_STEADY_LINES - 1)];
}

/* Records a line that is read or written. Reads are reported when another line takes its place, since the rest of a
 * line is often read next; writes at once. */
static void keep_line(struct sm *sm, const struct sm_part *part, bool written, uint64_t cycle)
{
    uint64_t *kept = place_of_line(sm, part->line);
    if ((*kept ^ part->line) > BELOW) {
        tell_pending(sm, kept, cycle);
        *kept = part->line;
    }
    bool news = part->sectors & ~*kept;
    if (written && (news || !(*kept & WRITTEN))) {
        tell_line(sm, part->line, part->sectors, true, cycle);
        *kept |= WRITTEN;
    } else if (news) {
        *kept |= PENDING;
    }
    *kept |= part->sectors;
}

void sm_steady_tell_all(struct sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; sm->steady.touches && i < SM_STEADY_LINES; i++)
        tell_pending(sm, &sm->steady.lines[i], cycle);
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
        keep_line(sm, &parts[i], instruction->operation != MNP_LOAD, cycle);
}
