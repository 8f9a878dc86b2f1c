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

/* The lanes that see a write of the running path to a uniform register: all lanes, including exited ones; in a
 * diverged warp, only its own. Each path has its own uniform registers, and finds its own values there whatever ran
 * in between. */
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

/* Whether the warp begins to sleep for these lanes; the operation is executed again afterwards. */
bool execute_sleeps(struct execute_warp *warp, uint32_t duration, uint32_t lanes);

/* Branches in machine code: the lanes for which the second predicate holds, too. */
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

/* Initialises a frame: the predicate that is always true. */
static inline void execute_enter(struct execute_warp *warp, uint32_t frame)
{
    *(uint32_t *)(warp->registers + warp->frame[frame].registers + EXECUTE_TRUE) = EXECUTE_ALL_LANES;
}

/* Sets the running function's frame to that of the stack's top. */
static inline void execute_set_frame(struct execute_warp *warp)
{
    uint32_t frame = warp->stack[warp->depth - 1].frame;
    warp->frames = frame + 1;
    warp->bases[EXECUTE_BASE_FRAME] = warp->registers + warp->frame[frame].registers;
}

/* Stores to local memory affect no other thread, but a loop that counts there does not repeat itself. */
static inline void execute_note_store(struct execute_warp *warp, enum execute_space space)
{
    if (space == EXECUTE_SPACE_LOCAL)
        warp->spin.wrote_local = true;
    else
        warp->changed = true;
}

#endif
