/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/join.h"

#include "execute/warp/frame.h"

#include <string.h>

bool execute_join_may(const struct execute_warp *warp, const struct execute_stack_entry *a,
                      const struct execute_stack_entry *b)
{
    uint32_t one = a->frame, two = b->frame;
    while (one != two) {
        const struct execute_frame *first = &warp->frame[one], *second = &warp->frame[two];
        if (!one || !two || first->function != second->function || first->call != second->call ||
            first->local != second->local)
            return false;
        one = first->caller;
        two = second->caller;
    }
    return true;
}

/* ===== frames ===== */

static void copy_registers(struct execute_warp *warp, uint32_t lanes, const struct execute_frame *from,
                           const struct execute_frame *to)
{
    const struct execute_code_function *function = execute_code_function_at(warp->launch->code, from->function);
    unsigned char *in = warp->registers + from->registers, *out = warp->registers + to->registers;
    for (uint32_t at = 0; at < function->predicate_bytes; at += 4) {
        uint32_t *mask = (uint32_t *)(out + at);
        *mask = (*mask & ~lanes) | (*(const uint32_t *)(in + at) & lanes);
    }
    for (uint32_t at = function->predicate_bytes; at < function->frame_bytes;) {
        uint32_t size = at < function->large_start ? 4 : at < function->quad_start ? 8 : 16;
        execute_blend(warp, out + at, in + at, size, lanes);
        at += 32 * size;
    }
}

/* Entries in a frame become entries in another, as far as these lanes are on them. Returns false for want of room. */
static bool move_entries(struct execute_warp *warp, uint32_t lanes, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < warp->depth; i++) {
        struct execute_stack_entry *entry = &warp->stack[i];
        if (entry->frame != from || !(entry->mask & lanes))
            continue;
        if (entry->mask & ~lanes) {
            if (warp->depth + warp->set_aside == EXECUTE_STACK_DEPTH) {
                execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(lanes), 0);
                return false;
            }
            memmove(entry + 1, entry, (warp->depth++ - i) * sizeof *entry);
            entry->mask &= ~lanes;
            entry++;
            i++;
        }
        entry->mask &= lanes;
        entry->frame = to;
    }
    return true;
}

/* Values that are still on their way to the lanes' registers find them in the other frame. */
static bool note_move(struct execute_warp *warp, uint32_t lanes, uint32_t from, uint32_t to)
{
    if (!warp->awaits)
        return true;
    if (warp->move_count == EXECUTE_MOVES) {
        execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(lanes), 0);
        return false;
    }
    warp->moves[warp->move_count++] = (struct execute_move){lanes, from, to};
    return true;
}

/* Moves lanes from their frames to those of other lanes that have made the same calls. */
static bool move(struct execute_warp *warp, uint32_t lanes, uint32_t from, uint32_t to)
{
    while (from != to) {
        if (!note_move(warp, lanes, from, to) || !move_entries(warp, lanes, from, to))
            return false;
        copy_registers(warp, lanes, &warp->frame[from], &warp->frame[to]);
        from = warp->frame[from].caller;
        to = warp->frame[to].caller;
    }
    return true;
}

/* ===== where they meet others ===== */

/* The lanes that come back to an entry of the running function before the place `pc`, of those below the topmost. */
static uint32_t lanes_at(const struct execute_warp *warp, uint32_t pc)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    uint32_t lanes = 0;
    for (uint32_t i = 0; i + 1 < warp->depth; i++)
        if (warp->stack[i].frame == top->frame && warp->stack[i].pc == pc)
            lanes |= warp->stack[i].mask;
    return lanes;
}

/* The innermost place where all of the running lanes come back to an entry of their function. */
static uint32_t common_meet(const struct execute_warp *warp)
{
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    for (uint32_t i = warp->depth - 1; i-- > 0;) {
        const struct execute_stack_entry *entry = &warp->stack[i];
        if (entry->frame == top->frame && entry->mask & top->mask && !(top->mask & ~lanes_at(warp, entry->pc)))
            return entry->pc;
    }
    return EXECUTE_NONE;
}

/* Sets the reconvergence point of the running lanes to `meet`, removing all points before it. */
static void meet_at(struct execute_warp *warp, uint32_t meet)
{
    struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    uint32_t rest = top->mask;
    for (uint32_t i = warp->depth - 1; i-- > 0;) {
        struct execute_stack_entry *entry = &warp->stack[i];
        if (entry->frame != top->frame)
            continue;
        if (entry->pc == meet)
            rest &= ~entry->mask;
        else
            entry->mask &= ~rest;
    }
    top->meet = meet;
}

/* Whether no lanes of the warp are on ways of their own. */
static bool is_whole(const struct execute_warp *warp)
{
    for (uint32_t i = 0; i < warp->depth; i++)
        if (warp->stack[i].mask && warp->stack[i].mask != warp->lanes)
            return false;
    return !warp->held_count;
}

void execute_join(struct execute_warp *warp, uint32_t place)
{
    struct execute_stack_entry other = warp->stack[place];
    memmove(warp->stack + place, warp->stack + place + 1, (--warp->depth - place) * sizeof other);
    uint32_t frame = warp->stack[warp->depth - 1].frame, meet = warp->stack[warp->depth - 1].meet;
    if (!move(warp, other.mask, other.frame, frame))
        return;
    struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    top->mask |= other.mask;
    if (other.frame != frame || other.meet != meet)
        meet_at(warp, common_meet(warp));
    if (is_whole(warp))
        warp->parted = 0;
    execute_set_frame(warp);
}
