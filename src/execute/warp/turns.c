/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/turns.h"

#include "execute/code/kinds.h"
#include "execute/warp/frame.h"
#include "execute/warp/meet.h"

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

/* The highest of the entries below the topmost that have none of its lanes; the depth: there is none. */
static uint32_t other_of(const struct execute_warp *warp)
{
    uint32_t lanes = warp->stack[warp->depth - 1].mask;
    for (uint32_t i = warp->depth - 1; i-- > 0;)
        if (warp->stack[i].mask && !(warp->stack[i].mask & lanes))
            return i;
    return warp->depth;
}

bool execute_warp_has_turns(const struct execute_warp *warp)
{
    return other_of(warp) < warp->depth || warp->meeting.opened;
}

/* The topmost entry becomes the lowest of its level, from `low` on: the one below it is next. */
static void rotate(struct execute_warp *warp, uint32_t low)
{
    struct execute_stack_entry *entries = warp->stack + low, top = warp->stack[warp->depth - 1];
    memmove(entries + 1, entries, (warp->depth - 1 - low) * sizeof top);
    entries[0] = top;
}

/* The topmost entry and those that wait for its lanes alone change places with the others, which have none of these:
 * it is their turn. */
static void swap(struct execute_warp *warp)
{
    struct execute_stack_entry own[EXECUTE_STACK_DEPTH], *stack = warp->stack;
    uint32_t other = other_of(warp), low = other, lanes = stack[warp->depth - 1].mask;
    if (other == warp->depth)
        return;
    uint32_t count = warp->depth - 1 - other;
    while (low && !(stack[low - 1].mask & lanes))
        low--;
    memcpy(own, stack + other + 1, count * sizeof *own);
    memmove(stack + low + count, stack + low, (other + 1 - low) * sizeof *own);
    memcpy(stack + low, own, count * sizeof *own);
    execute_set_frame(warp);
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
    if (low == warp->depth - 1)
        swap(warp);
    else
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

/* Whether lanes at a barrier of the CTA have been there already (meet.h). */
static bool comes_again(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_meeting *meeting = &warp->meeting;
    return op->kind == EXECUTE_KIND_BARRIER && lanes & (meeting->met | meeting->arrived | meeting->opened);
}

/* Puts the running lanes to those of another entry at the same place, some of which they wait for. */
static bool join(struct execute_warp *warp, const struct execute_op *ops, uint32_t low, uint32_t needed)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    for (uint32_t i = warp->depth - 1; i-- > low;)
        if (warp->stack[i].pc == top->pc && warp->stack[i].mask & needed && !(warp->stack[i].mask & warp->released) &&
            !comes_again(warp, &ops[top->pc], warp->stack[i].mask)) {
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

static bool is_named(const struct execute_op *op)
{
    return is_warp_barrier(op) || execute_kinds[op->kind].memory == EXECUTE_MEMORY_TOGETHER;
}

/* Whether an entry waits for lanes that it does not have. */
static bool is_held_up(const struct execute_warp *warp, const struct execute_op *ops,
                       const struct execute_stack_entry *entry)
{
    const struct execute_op *op = &ops[entry->pc];
    uint32_t lanes = execute_is_together(op) ? lanes_of(warp, entry, op) : 0;
    if (!lanes || (!is_named(op) && !(warp->parted & EXECUTE_PARTED_BY_POLL)))
        return false;
    if ((is_warp_barrier(op) && !(lanes & ~warp->released)) || comes_again(warp, op, entry->mask))
        return false;
    return (is_named(op) ? members_of(warp, op, lanes) : warp->lanes) & ~entry->mask;
}

/* Whether others of the level, from `low` on, can go on: they, or who waits for them in turn, may come. */
static bool can_come(const struct execute_warp *warp, const struct execute_op *ops, uint32_t low)
{
    for (uint32_t i = warp->depth - 1; i-- > low;)
        if (warp->stack[i].mask && !is_held_up(warp, ops, &warp->stack[i]))
            return true;
    return false;
}

/* Puts an entry that no other one above waits for on top, with those below that wait for it alone. */
static void bring_up(struct execute_warp *warp, uint32_t place)
{
    struct execute_stack_entry *stack = warp->stack;
    uint32_t lanes = stack[place].mask, above = 0;
    for (uint32_t end = warp->depth; !above; end--) {
        struct execute_stack_entry entry = stack[place];
        memmove(stack + place, stack + place + 1, (end - 1 - place) * sizeof entry);
        stack[end - 1] = entry;
        while (place && !(stack[place - 1].mask & lanes))
            place--;
        if (!place--)
            break;
        for (uint32_t i = place + 1; i < end - 1; i++)
            above |= stack[i].mask & stack[place].mask;
    }
    execute_set_frame(warp);
}

/* is_held_up for an entry of any function: the operands of its instruction are in the frame of its own function. */
static bool is_held_up_there(struct execute_warp *warp, const struct execute_op *ops, uint32_t place)
{
    uint32_t depth = warp->depth;
    warp->depth = place + 1;
    execute_set_frame(warp);
    bool held = is_held_up(warp, ops, &warp->stack[place]);
    warp->depth = depth;
    execute_set_frame(warp);
    return held;
}

/* Gives the turn to lanes that can go on, wherever on the stack they are. Returns whether there are any. */
static bool go_elsewhere(struct execute_warp *warp, const struct execute_op *ops)
{
    uint32_t above = warp->stack[warp->depth - 1].mask;
    for (uint32_t i = warp->depth - 1; i-- > 0;) {
        const struct execute_stack_entry *entry = &warp->stack[i];
        if (entry->mask && !(entry->mask & above) && !is_held_up_there(warp, ops, i)) {
            bring_up(warp, i);
            return true;
        }
        above |= entry->mask;
    }
    return false;
}

/* Of a warp whose lanes have come to a barrier by several ways: whether the running ones wait for needed lanes that are
 * in other functions or have other meeting places, or still at that barrier. */
static bool wait_elsewhere(struct execute_warp *warp, const struct execute_op *ops, uint32_t needed)
{
    if (!(warp->parted & EXECUTE_PARTED_BY_BARRIER))
        return false;
    return go_elsewhere(warp, ops) || execute_meet_waits_for(warp, needed);
}

bool execute_turns_wait(struct execute_warp *warp, const struct execute_op *ops)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    const struct execute_op *op = &ops[top->pc];
    if (!execute_is_together(op) || comes_again(warp, op, top->mask))
        return false;
    uint32_t low = level_of(warp), lanes = lanes_of(warp, top, op);
    bool alone = low == warp->depth - 1 && !(warp->parted & EXECUTE_PARTED_BY_BARRIER);
    if (alone || !lanes || (!is_named(op) && !(warp->parted & EXECUTE_PARTED_BY_POLL)))
        return false;
    if (is_warp_barrier(op) && !(lanes & ~warp->released))
        return false;
    uint32_t members = is_named(op) ? members_of(warp, op, lanes) : warp->lanes, needed = members & ~top->mask;
    if (!needed)
        return false;
    if (join(warp, ops, low, needed))
        return true;
    if (is_warp_barrier(op)) {
        uint32_t there = arrived(warp, ops, low, members);
        if (!(needed & ~there)) { /* all have come, if by several ways */
            warp->released |= (there & members) | lanes;
            return false;
        }
    }
    if (!can_come(warp, ops, low))
        return wait_elsewhere(warp, ops, needed);
    rotate(warp, low);
    return true;
}

void execute_step_nothing(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    (void)op;
    warp->released &= ~lanes;
}
