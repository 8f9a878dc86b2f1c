/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a warp by reference (op.h): registers, constants, special registers. */
#ifndef EXECUTE_FRAME_H
#define EXECUTE_FRAME_H

#include "execute/warp/warp.h"

static inline const void *execute_at(const struct execute_warp *warp, uint32_t ref)
{
    return warp->bases[ref >> EXECUTE_BASE_SHIFT] + (ref & EXECUTE_OFFSET_MASK);
}

static inline void *execute_to(struct execute_warp *warp, uint32_t ref)
{
    return (unsigned char *)warp->bases[EXECUTE_BASE_FRAME] + ref;
}

static inline uint32_t execute_mask_at(const struct execute_warp *warp, uint32_t ref)
{
    return *(const uint32_t *)(warp->bases[EXECUTE_BASE_FRAME] + ref);
}

static inline void execute_set_mask(struct execute_warp *warp, uint32_t ref, uint32_t lanes, uint32_t value)
{
    uint32_t *mask = (uint32_t *)((unsigned char *)warp->bases[EXECUTE_BASE_FRAME] + ref);
    *mask = (*mask & ~lanes) | (value & lanes);
}

/* Lanes that see what the running path writes to a register of the uniform datapath: all, those that have exited among
 * them; where others are elsewhere, its own alone. Each path has uniform registers of its own: it finds there what it
 * has written, whoever ran in between. */
static inline uint32_t execute_shared_lanes(const struct execute_warp *warp)
{
    uint32_t here = warp->stack[warp->depth - 1].mask;
    return here == warp->lanes ? EXECUTE_ALL_LANES : here;
}

/* Copies the lanes of a result; size 4, 8 or 16 bytes. */
static inline void execute_blend(const struct execute_warp *warp, void *to, const void *from, uint32_t size,
                                 uint32_t lanes)
{
    warp->launch->code->table->blend[size / 8](to, from, lanes);
}

/* Whether the warp, of whose lanes these sleep, begins to: the operation is executed again when it has. */
bool execute_sleeps(struct execute_warp *warp, uint32_t duration, uint32_t lanes);

/* Of a branch or what belongs to branches in machine code: the lanes for which its second predicate holds, too. */
static inline uint32_t execute_flow_lanes(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (!op->list_sources)
        return lanes;
    uint32_t ref = ((const uint32_t *)warp->launch->code->list.items)[op->list];
    return lanes & (execute_mask_at(warp, ref) ^ (op->combine ? ~0u : 0));
}

/* Results of 8 bytes per lane go to two registers of 4, the lower words first. */
void execute_blend_pairs(const struct execute_warp *warp, void *to, const void *from, uint32_t lanes);

/* A lane's value of 64 bits; in machine code it is two registers side by side. */
uint64_t execute_long_at(const struct execute_warp *warp, uint32_t ref, uint32_t lane);

/* Where a frame begins, one predicate holds for all lanes. */
static inline void execute_enter(struct execute_warp *warp, uint32_t frame)
{
    *(uint32_t *)(warp->registers + warp->frame[frame].registers + EXECUTE_TRUE) = EXECUTE_ALL_LANES;
}

/* The running function's frame is that of the top of the stack. */
static inline void execute_set_frame(struct execute_warp *warp)
{
    uint32_t frame = warp->stack[warp->depth - 1].frame;
    warp->frames = frame + 1;
    warp->bases[EXECUTE_BASE_FRAME] = warp->registers + warp->frame[frame].registers;
}

/* A store to local memory is nobody else's business, but a loop that counts there does not repeat itself. */
static inline void execute_note_store(struct execute_warp *warp, enum execute_space space)
{
    if (space == EXECUTE_SPACE_LOCAL)
        warp->spin.wrote_local = true;
    else
        warp->changed = true;
}

#endif
