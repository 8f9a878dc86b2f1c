/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each instruction costs on an SM: `--by-instruction`. Tallied beside the simulation: no stage reads it. A warp's
 * cycles are given to the instruction that it has still to issue, by what holds it back (hold.h); the masks of warps
 * change in visited cycles alone, at whose end they are looked at.
 */
#ifndef GPU_SM_TALLY_H
#define GPU_SM_TALLY_H

#include "engine/count/tally.h"
#include "gpu/sm/state.h"

struct sm_tally_counts { /* of an instruction, by enum mnp_tally_count */
    uint64_t count[MNP_TALLY_COUNTS];
};

struct sm_tally_cta {     /* by number of the instruction in the CTA's table */
    struct mnp_array row; /* struct sm_tally_counts */
};

struct sm_tally {
    struct mnp_tally all;                          /* of CTAs that have ended */
    uint64_t mask[SM_MAX_SUBCORES][SM_HOLD_COUNT]; /* of warps, as they were last looked at */
    uint64_t since[SM_MAX_WARPS];                  /* the warp's cycles before this one have been given away */
    uint32_t last[SM_MAX_WARPS];                   /* number of its instruction that issued last */
    uint8_t why[SM_MAX_WARPS];                     /* enum sm_hold, from `since` on */
    bool passed[SM_MAX_WARPS];                     /* … and what it waits for is an instruction that has issued */
    struct sm_tally_cta *ctas;                     /* [parameters->ctas] */
};

/* What the functions below do where there is a tally. */
void sm_tally_look_at(struct sm *sm, uint64_t cycle);
void sm_tally_take_issue(struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle);
void sm_tally_begin(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_tally_end(struct sm *sm, uint32_t slot, uint64_t cycle);
void sm_tally_count(struct sm *sm, uint32_t warp, uint32_t index, enum mnp_tally_count count, uint32_t amount);
void sm_tally_release(struct sm *sm);

/* All stages have had their turns in `cycle`. */
static inline void sm_tally_look(struct sm *sm, uint64_t cycle)
{
    if (__builtin_expect(sm->tally != NULL, 0))
        sm_tally_look_at(sm, cycle);
}

/* The warp issues its next instruction. */
static inline void sm_tally_issue(struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    if (__builtin_expect(sm->tally != NULL, 0))
        sm_tally_take_issue(sm, warp, record, cycle);
}

static inline void sm_tally_warp_starts(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (__builtin_expect(sm->tally != NULL, 0))
        sm_tally_begin(sm, warp, cycle);
}

/* The CTA ends; its code is still there. */
static inline void sm_tally_cta_ends(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    if (__builtin_expect(sm->tally != NULL, 0))
        sm_tally_end(sm, slot, cycle);
}

/* An instruction of the warp, by its number, touches sectors, or is lengthened by conflicts. */
static inline void sm_tally_sectors(struct sm *sm, uint32_t warp, uint32_t index, uint32_t sectors)
{
    if (__builtin_expect(sm->tally != NULL, 0))
        sm_tally_count(sm, warp, index, MNP_TALLY_SECTORS, sectors);
}

static inline void sm_tally_conflicts(struct sm *sm, uint32_t warp, uint32_t index, uint32_t cycles)
{
    if (__builtin_expect(sm->tally != NULL, 0))
        sm_tally_count(sm, warp, index, MNP_TALLY_CONFLICTS, cycles);
}

#endif
