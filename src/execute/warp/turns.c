/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/turns.h"

#include "execute/code/kinds.h"
#include "execute/warp/frame.h"
#include "execute/warp/join.h"
#include "execute/warp/meet.h"

#include <string.h>

/* Returns the highest entry below the top that has none of its lanes, or the depth if there is none. */
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

/* Returns those of the given lanes that name the same members as the first of them. */
static uint32_t group_of(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t ref = members_ref(warp, op), group = 0;
    if (ref == EXECUTE_NO_REF)
        return lanes;
    const uint32_t *masks = execute_at(warp, ref), first = masks[__builtin_ctz(lanes)];
    for (; lanes; lanes &= lanes - 1)
        group |= masks[__builtin_ctz(lanes)] == first ? lanes & -lanes : 0;
    return group;
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

static bool is_named(const struct execute_op *op)
{
    return is_warp_barrier(op) || execute_kinds[op->kind].memory == EXECUTE_MEMORY_TOGETHER;
}

/* Sets the frame for reading the operands of an entry's next operation: that of the entry's function. */
static void look_at(struct execute_warp *warp, const struct execute_stack_entry *entry)
{
    warp->bases[EXECUTE_BASE_FRAME] = warp->registers + warp->frame[entry->frame].registers;
}

/* The lanes that an entry's lanes wait for before their next operation, and do not have; `members`: with them all. */
static uint32_t needed_at(struct execute_warp *warp, const struct execute_op *ops,
                          const struct execute_stack_entry *entry, uint32_t *members)
{
    const struct execute_op *op = &ops[entry->pc];
    if (!execute_is_together(op) || comes_again(warp, op, entry->mask))
        return 0;
    look_at(warp, entry);
    uint32_t lanes = lanes_of(warp, entry, op);
    if (!lanes || (!is_named(op) && !(warp->parted & EXECUTE_PARTED_BY_POLL)))
        return 0;
    if (is_warp_barrier(op) && !(lanes & ~warp->released))
        return 0;
    *members = is_named(op) ? members_of(warp, op, lanes) : warp->lanes;
    return *members & ~entry->mask;
}

/* Returns those lanes of an entry, among the needed ones, that are at a bar.warp.sync with the same members. */
static uint32_t arrived(struct execute_warp *warp, const struct execute_op *ops,
                        const struct execute_stack_entry *entry, uint32_t members)
{
    const struct execute_op *op = &ops[entry->pc];
    if (!is_warp_barrier(op) || !execute_is_together(op))
        return 0;
    look_at(warp, entry);
    uint32_t here = lanes_of(warp, entry, op);
    return here && members_of(warp, op, here) == members ? here & ~warp->released : 0;
}

/* Whether another entry, none of whose lanes is running above it, is at the place where some lanes wait for it, so that
 * they can run together. */
static bool joins(const struct execute_warp *warp, const struct execute_op *ops,
                  const struct execute_stack_entry *entry, const struct execute_stack_entry *other)
{
    return other->pc == entry->pc && !(other->mask & warp->released) &&
           !comes_again(warp, &ops[other->pc], other->mask) && execute_join_may(warp, entry, other);
}

/* Returns the lanes of other entries that have arrived where those of an entry wait: a bar.warp.sync, or the same
 * place. */
static uint32_t come_to(struct execute_warp *warp, const struct execute_op *ops,
                        const struct execute_stack_entry *entry, uint32_t members)
{
    uint32_t above = 0, come = 0;
    for (uint32_t i = warp->depth; i-- > 0;) {
        const struct execute_stack_entry *other = &warp->stack[i];
        if (other != entry && other->mask && !(other->mask & above)) {
            come |= is_warp_barrier(&ops[entry->pc]) ? arrived(warp, ops, other, members) : 0;
            come |= joins(warp, ops, entry, other) ? other->mask : 0;
        }
        above |= other->mask;
    }
    return come;
}

/* Whether an entry's lanes wait for some that have not come. */
static bool is_held_up(struct execute_warp *warp, const struct execute_op *ops, const struct execute_stack_entry *entry)
{
    const struct execute_op *op = &ops[entry->pc];
    uint32_t members = 0, needed = needed_at(warp, ops, entry, &members);
    if (!needed)
        return false;
    uint32_t lanes = lanes_of(warp, entry, op);
    bool divides = is_named(op) && group_of(warp, op, lanes) != lanes; /* possible as soon as it runs */
    return !divides && needed & ~come_to(warp, ops, entry, members);
}

/* ===== whose turn it is ===== */

/* Returns the entry that can run and has waited longest, which is the lowest one; the depth: none can. Lanes that are
 * on an entry above are considered to be there. */
static uint32_t next_of(struct execute_warp *warp, const struct execute_op *ops)
{
    uint32_t above = warp->stack[warp->depth - 1].mask, next = warp->depth;
    for (uint32_t i = warp->depth - 1; i-- > 0;) {
        const struct execute_stack_entry *entry = &warp->stack[i];
        if (entry->mask && !(entry->mask & above) && !is_held_up(warp, ops, entry))
            next = i;
        above |= entry->mask;
    }
    execute_set_frame(warp);
    return next;
}

/* Moves an entry, none of whose lanes is on an entry above it, to the top. */
static void bring_up(struct execute_warp *warp, uint32_t place)
{
    struct execute_stack_entry *stack = warp->stack, entry = stack[place];
    memmove(stack + place, stack + place + 1, (warp->depth - 1 - place) * sizeof entry);
    stack[warp->depth - 1] = entry;
    warp->shares_frames = true; /* frames of other lanes may be above its own */
    execute_set_frame(warp);
}

/* Lanes that wait at a reconvergence point continue on their own, the innermost first. Returns whether there are
 * any. */
static bool part(struct execute_warp *warp)
{
    uint32_t above = warp->stack[warp->depth - 1].mask;
    for (uint32_t i = warp->depth - 1; i-- > 0;) {
        struct execute_stack_entry *entry = &warp->stack[i];
        uint32_t own = entry->mask & ~above;
        above |= entry->mask;
        if (!own || own == entry->mask)
            continue;
        if (warp->depth + warp->set_aside == EXECUTE_STACK_DEPTH) {
            execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(own), 0);
            return true;
        }
        entry->mask &= ~own;
        warp->stack[warp->depth] = *entry;
        warp->stack[warp->depth++].mask = own;
        warp->parted |= EXECUTE_PARTED_BY_POLL;
        warp->shares_frames = true;
        execute_set_frame(warp);
        return true;
    }
    return false;
}

/*
 * Polling lanes must yield to lanes of their warp that may produce the awaited value, as Volta's scheduling guarantees.
 * Entries on separate paths take turns, longest waiting first; occasionally, or if there are none, lanes that wait at a
 * reconvergence point run, too.
 */
void execute_turns_yield(struct execute_warp *warp, uint32_t turn)
{
    enum { TURNS = 8 };
    const struct execute_op *ops = warp->launch->code->ops.items;
    uint32_t next = next_of(warp, ops);
    if ((next == warp->depth || turn % TURNS == TURNS - 1) && part(warp))
        return;
    if (next < warp->depth)
        bring_up(warp, next);
}

/* The running lanes and others at the same place, some of which they wait for, become one. */
static bool join(struct execute_warp *warp, const struct execute_op *ops, uint32_t needed)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    uint32_t above = top->mask;
    for (uint32_t i = warp->depth - 1; i-- > 0;) {
        const struct execute_stack_entry *other = &warp->stack[i];
        if (other->mask & needed && !(other->mask & above) && joins(warp, ops, top, other)) {
            execute_join(warp, i);
            return true;
        }
        above |= other->mask;
    }
    return false;
}

/* Separates those running lanes that name other members than the first lane, because they need not wait with it. */
static bool divide(struct execute_warp *warp, const struct execute_op *op)
{
    struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    uint32_t lanes = lanes_of(warp, top, op), group = is_named(op) ? group_of(warp, op, lanes) : lanes;
    if (group == lanes)
        return false;
    if (warp->depth + warp->set_aside == EXECUTE_STACK_DEPTH) {
        execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(group), 0);
        return true;
    }
    top[1] = top[0];
    top[1].mask = group;
    top[0].mask &= ~group;
    warp->depth++;
    return true;
}

/* Called if no needed lane can arrive, not even those at a reconvergence point or a barrier. */
static void give_up(struct execute_warp *warp, uint32_t needed)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    execute_fault(warp, EXECUTE_FAULT_MEMBERS, (uint32_t)__builtin_ctz(top->mask), needed);
    warp->fault_op = top->pc;
}

bool execute_turns_wait(struct execute_warp *warp, const struct execute_op *ops)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    const struct execute_op *op = &ops[top->pc];
    uint32_t members = 0, needed = execute_is_together(op) ? needed_at(warp, ops, top, &members) : 0;
    if (!needed)
        return false;
    if (join(warp, ops, needed))
        return true;
    look_at(warp, top);
    if (divide(warp, op))
        return true;
    uint32_t come = is_warp_barrier(op) ? come_to(warp, ops, top, members) : 0;
    look_at(warp, top);
    if (!(needed & ~come)) { /* all have arrived, possibly on several paths */
        warp->released |= (come & members) | lanes_of(warp, top, op);
        return false;
    }
    uint32_t next = next_of(warp, ops);
    if (next < warp->depth) {
        bring_up(warp, next);
        return true;
    }
    if (!is_named(op))
        return warp->parted & EXECUTE_PARTED_BY_BARRIER && execute_meet_waits_for(warp, needed);
    if (!part(warp) && !execute_meet_waits_for(warp, EXECUTE_ALL_LANES))
        give_up(warp, needed);
    return true;
}

void execute_step_nothing(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    (void)op;
    warp->released &= ~lanes;
}
