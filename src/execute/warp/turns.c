/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/turns.h"

#include "execute/code/kinds.h"
#include "execute/warp/frame.h"

#include <string.h>

/* The lowest of the entries that are on the topmost one's level: they meet at the same place and run the same frame. */
static uint32_t level_of(const struct execute_warp *warp)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    uint32_t low = warp->depth - 1;
    while (low && warp->stack[low - 1].meet == top->meet && warp->stack[low - 1].frame == top->frame)
        low--;
    return low;
}

bool execute_warp_has_turns(const struct execute_warp *warp)
{
    for (uint32_t i = level_of(warp); i + 1 < warp->depth; i++)
        if (warp->stack[i].mask)
            return true;
    return false;
}

/* The topmost entry becomes the lowest of its level, from `low` on: the one below it is next. */
static void rotate(struct execute_warp *warp, uint32_t low)
{
    struct execute_stack_entry *entries = warp->stack + low, top = warp->stack[warp->depth - 1];
    memmove(entries + 1, entries, (warp->depth - 1 - low) * sizeof top);
    entries[0] = top;
}

/*
 * The level from `low` on, and the entry below it, which waits where all of them meet, become one level: its lanes that
 * wait go on from there on their own, and all of them meet where that entry would have met others.
 */
static bool part(struct execute_warp *warp, uint32_t low)
{
    struct execute_stack_entry *outer = &warp->stack[low - 1];
    uint32_t waiting = outer->mask;
    if (outer->frame != outer[1].frame || outer->pc != outer[1].meet)
        return false;
    for (uint32_t i = low; i < warp->depth; i++) {
        waiting &= ~warp->stack[i].mask;
        warp->stack[i].meet = outer->meet;
    }
    outer->mask = waiting;
    warp->parted |= EXECUTE_PARTED_BY_POLL;
    return true;
}

/*
 * Lanes that poll for what other lanes of their warp would do next must let them: Volta's scheduling sees to that.
 * Those of the same level have turns; at times, or where there are none, so have those that wait where all meet.
 */
void execute_turns_yield(struct execute_warp *warp, uint32_t turn)
{
    enum { TURNS = 8 };
    uint32_t low = level_of(warp);
    if (low && (low == warp->depth - 1 || turn % TURNS == TURNS - 1) && part(warp, low))
        low = level_of(warp);
    rotate(warp, low);
}

/* ===== who meets whom ===== */

/* The reference of the register that has an operation's members; EXECUTE_NO_REF: all lanes are. */
static uint32_t members_ref(const struct execute_warp *warp, const struct execute_op *op)
{
    switch (op->kind) {
    case EXECUTE_KIND_NOTHING:
        return op->flags & EXECUTE_OP_READS_A ? op->a : EXECUTE_NO_REF;
    case EXECUTE_KIND_SHUFFLE:
        return op->list_sources ? ((const uint32_t *)warp->launch->code->list.items)[op->list + op->list_results]
                                : EXECUTE_NO_REF;
    case EXECUTE_KIND_VOTE:
    case EXECUTE_KIND_MATCH:
    case EXECUTE_KIND_REDUX:
    case EXECUTE_KIND_ELECT:
        return op->flags & EXECUTE_OP_READS_B ? op->b : EXECUTE_NO_REF;
    default:
        return EXECUTE_NO_REF;
    }
}

/* The lanes of an entry that execute the operation where it is. */
static uint32_t lanes_of(const struct execute_warp *warp, const struct execute_stack_entry *entry,
                         const struct execute_op *op)
{
    return entry->mask & (execute_mask_at(warp, op->guard) ^ op->guard_flip);
}

/* The members that some lanes name, of those that have not exited. */
static uint32_t members_of(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t ref = members_ref(warp, op), members = 0;
    if (ref == EXECUTE_NO_REF)
        return warp->lanes;
    const uint32_t *masks = execute_at(warp, ref);
    for (; lanes; lanes &= lanes - 1)
        members |= masks[__builtin_ctz(lanes)];
    return members & warp->lanes;
}

static bool is_warp_barrier(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_NOTHING;
}

/* Puts the running lanes to those of another entry at the same place, some of which they wait for. */
static bool join(struct execute_warp *warp, uint32_t low, uint32_t needed)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    for (uint32_t i = warp->depth - 1; i-- > low;)
        if (warp->stack[i].pc == top->pc && warp->stack[i].mask & needed && !(warp->stack[i].mask & warp->released)) {
            warp->stack[i].mask |= top->mask;
            if (warp->stack[i].mask == warp->lanes)
                warp->parted = 0;
            warp->depth--;
            return true;
        }
    return false;
}

/* Of those that are needed at a bar.warp.sync, the lanes that are at one of the same members. */
static uint32_t arrived(const struct execute_warp *warp, const struct execute_op *ops, uint32_t low, uint32_t members)
{
    uint32_t lanes = 0;
    for (uint32_t i = warp->depth - 1; i-- > low;) {
        const struct execute_stack_entry *entry = &warp->stack[i];
        const struct execute_op *op = &ops[entry->pc];
        uint32_t here = entry->mask && is_warp_barrier(op) && execute_is_together(op) ? lanes_of(warp, entry, op) : 0;
        if (here && members_of(warp, op, here) == members)
            lanes |= here & ~warp->released;
    }
    return lanes;
}

/* Whether some of the lanes that are needed can go on towards where they would meet. */
static bool can_come(const struct execute_warp *warp, const struct execute_op *ops, uint32_t low, uint32_t needed)
{
    for (uint32_t i = warp->depth - 1; i-- > low;) {
        const struct execute_stack_entry *entry = &warp->stack[i];
        if (entry->mask & needed && (!execute_is_together(&ops[entry->pc]) || entry->mask & warp->released))
            return true;
    }
    return false;
}

bool execute_turns_wait(struct execute_warp *warp, const struct execute_op *ops)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    const struct execute_op *op = &ops[top->pc];
    if (!execute_is_together(op))
        return false;
    uint32_t low = level_of(warp), lanes = lanes_of(warp, top, op);
    bool named = is_warp_barrier(op) || execute_kinds[op->kind].memory == EXECUTE_MEMORY_TOGETHER;
    if (low == warp->depth - 1 || !lanes || (!named && !(warp->parted & EXECUTE_PARTED_BY_POLL)))
        return false;
    if (is_warp_barrier(op) && !(lanes & ~warp->released))
        return false;
    uint32_t members = named ? members_of(warp, op, lanes) : warp->lanes, needed = members & ~top->mask;
    if (!needed)
        return false;
    if (join(warp, low, needed))
        return true;
    if (is_warp_barrier(op)) {
        uint32_t there = arrived(warp, ops, low, members);
        if (!(needed & ~there)) { /* all have come, if by several ways */
            warp->released |= (there & members) | lanes;
            return false;
        }
    }
    if (!can_come(warp, ops, low, needed))
        return false;
    rotate(warp, low);
    return true;
}

void execute_step_nothing(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    (void)op;
    warp->released &= ~lanes;
}
