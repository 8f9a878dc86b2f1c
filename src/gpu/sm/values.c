/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/values.h"

#include "gpu/sm/state.h"

#include <string.h>

/* The group that bits of an instruction belong to; SM_VALUES_GROUPS: none. `kind`: enum mnp_live_toggle. */
static uint32_t group_of(const struct mnp_static_instruction *instruction, uint32_t kind)
{
    switch ((enum mnp_live_toggle)kind) {
    case MNP_TOGGLE_UNIT:
        return sm_values_group_of_unit(instruction->class);
    case MNP_TOGGLE_TENSOR:
        return SM_VALUES_TENSOR;
    case MNP_TOGGLE_READ:
        return SM_VALUES_READS;
    case MNP_TOGGLE_WRITE:
        return SM_VALUES_WRITES;
    case MNP_TOGGLE_DATA:
        if (instruction->space == MNP_SPACE_SHARED)
            return SM_VALUES_SHARED;
        return instruction->space == MNP_SPACE_GLOBAL || instruction->space == MNP_SPACE_LOCAL ? SM_VALUES_GLOBAL
                                                                                               : SM_VALUES_GROUPS;
    case MNP_TOGGLE_CODE:
        return SM_VALUES_CODE;
    case MNP_TOGGLES:
        break;
    }
    return SM_VALUES_GROUPS;
}

void sm_values_init(struct sm *sm)
{
    memset(sm->live->state->activity, SM_ACTIVITY_RANDOM, SM_ACTIVITIES);
}

void sm_values_start(struct sm *sm, uint32_t warp)
{
    memset(sm->live->warps[warp].activity, SM_ACTIVITY_NONE, SM_ACTIVITIES);
}

/* `random`: per mille of the bits that toggle in random data. */
static uint8_t activity_of(struct mnp_live_toggles toggles, uint64_t random)
{
    uint64_t whole = toggles.bits * random;
    uint64_t activity = (toggles.toggled * UINT64_C(1000) * SM_ACTIVITY_RANDOM + whole / 2) / whole;
    return (uint8_t)(activity < SM_ACTIVITY_MOST ? activity : SM_ACTIVITY_MOST);
}

static uint32_t place_of(const struct mnp_static_instruction *instruction, uint32_t group)
{
    if (group == SM_VALUES_READS)
        return SM_ACTIVITY_READS + (uint32_t)instruction->class;
    return group == SM_VALUES_WRITES ? SM_ACTIVITY_WRITES + (uint32_t)instruction->class : group;
}

void sm_values_take(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction)
{
    const struct mnp_live_values *values = &sm->live->core.values;
    uint64_t *toggled = sm_counters_of(sm, warp) + sm->parameters->places.toggled;
    for (uint32_t kind = 0; kind < MNP_TOGGLES; kind++) {
        uint32_t group = values->of[kind].bits ? group_of(instruction, kind) : SM_VALUES_GROUPS;
        if (group == SM_VALUES_GROUPS)
            continue;
        toggled[group] += values->of[kind].toggled;
        toggled[SM_VALUES_GROUPS + group] += values->of[kind].bits;
        uint8_t activity = activity_of(values->of[kind], sm->parameters->random[group]);
        uint32_t place = place_of(instruction, group);
        sm->live->warps[warp].activity[place] = sm->live->state->activity[place] = activity;
    }
}
