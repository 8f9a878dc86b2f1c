/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile of an SM: what each instruction costs (`--by-instruction`). No stage reads it. A warp's cycles are
 * attributed to the instruction that it has still to issue, by the reason of its stall (stall.h); the masks of warps
 * change in visited cycles alone, at whose end they are compared.
 */
#ifndef GPU_SM_PROFILE_H
#define GPU_SM_PROFILE_H

#include "engine/count/tally.h"
#include "gpu/sm/state.h"

struct sm_profile_counts { /* of an instruction, by enum mnp_tally_count */
    uint64_t count[MNP_TALLY_COUNTS];
};

struct sm_profile_cta {   /* by number of the instruction in the CTA's table */
    struct mnp_array row; /* struct sm_profile_counts */
};

struct sm_profile {
    struct mnp_tally all;                           /* of CTAs that have ended */
    uint64_t mask[SM_MAX_SUBCORES][SM_STALL_COUNT]; /* of warps, as they were last looked at */
    uint64_t since[SM_MAX_WARPS];                   /* the warp's cycles before this one have been given away */
    uint32_t last[SM_MAX_WARPS];                    /* number of its instruction that issued last */
    uint8_t why[SM_MAX_WARPS];                      /* enum sm_stall, from `since` on */
    bool passed[SM_MAX_WARPS];                      /* … and what it waits for is an instruction that has issued */
    struct sm_profile_cta *ctas;                    /* [parameters->ctas] */
};

/* What the functions below do where there is a profile. */
void sm_profile_look_at(struct sm *sm, uint64_t cycle);
void sm_profile_take_issue(struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle);
void sm_profile_begin(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_profile_end(struct sm *sm, uint32_t slot, uint64_t cycle);
void sm_profile_count(struct sm *sm, uint32_t warp, uint32_t index, enum mnp_tally_count count, uint32_t amount);
void sm_profile_release(struct sm *sm);

/* All stages have had their turns in `cycle`. */
static inline void sm_profile_look(struct sm *sm, uint64_t cycle)
{
    if (__builtin_expect(sm->profile != NULL, 0))
        sm_profile_look_at(sm, cycle);
}

/* The warp issues its next instruction. */
static inline void sm_profile_issue(struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    if (__builtin_expect(sm->profile != NULL, 0))
        sm_profile_take_issue(sm, warp, record, cycle);
}

static inline void sm_profile_warp_starts(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (__builtin_expect(sm->profile != NULL, 0))
        sm_profile_begin(sm, warp, cycle);
}

/* The CTA ends; its code is still there. */
static inline void sm_profile_cta_ends(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    if (__builtin_expect(sm->profile != NULL, 0))
        sm_profile_end(sm, slot, cycle);
}

/* An instruction of the warp, by its number, touches sectors, or is lengthened by conflicts. */
static inline void sm_profile_sectors(struct sm *sm, uint32_t warp, uint32_t index, uint32_t sectors)
{
    if (__builtin_expect(sm->profile != NULL, 0))
        sm_profile_count(sm, warp, index, MNP_TALLY_SECTORS, sectors);
}

static inline void sm_profile_conflicts(struct sm *sm, uint32_t warp, uint32_t index, uint32_t cycles)
{
    if (__builtin_expect(sm->profile != NULL, 0))
        sm_profile_count(sm, warp, index, MNP_TALLY_CONFLICTS, cycles);
}

#endif
