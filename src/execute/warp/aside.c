/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/aside.h"

#include "execute/warp/frame.h"
#include "execute/warp/turns.h"

#include <string.h>

/* ===== machine code: paths ===== */

void execute_aside_ready(struct execute_warp *warp, uint32_t pc, uint32_t mask, uint32_t from)
{
    for (uint32_t i = from; i < warp->depth; i++)
        if (warp->stack[i].pc == pc) {
            warp->stack[i].mask |= mask;
            return;
        }
    warp->stack[warp->depth++] = (struct execute_stack_entry){.pc = pc, .meet = EXECUTE_NONE, .mask = mask};
}

/* Takes lanes out of the path at a place of the stack; a path without lanes goes. */
static void take(struct execute_warp *warp, uint32_t place, uint32_t lanes)
{
    struct execute_stack_entry *path = &warp->stack[place];
    path->mask &= ~lanes;
    if (path->mask)
        return;
    memmove(path, path + 1, (warp->depth - place - 1) * sizeof *path);
    warp->depth--;
}

/* ===== PTX: stacks ===== */

/* Whether any lanes, running or set aside, are in a function that the kernel has called: frame 0 is the kernel's. */
static bool has_frames(const struct execute_warp *warp)
{
    for (uint32_t i = 0; i < EXECUTE_STACK_DEPTH; i++)
        if ((i < warp->depth || i >= EXECUTE_STACK_DEPTH - warp->set_aside) && warp->stack[i].frame)
            return true;
    return false;
}

static void changed(struct execute_warp *warp)
{
    warp->shares_frames = has_frames(warp);
    if (warp->depth <= 1 && !warp->held_count)
        warp->parted = 0;
    else if (warp->launch->code->names_members)
        warp->parted |= EXECUTE_PARTED_BY_BARRIER;
    if (warp->depth)
        execute_set_frame(warp);
}

/* Splits the stack: moves the given lanes' part to its end. Returns the number of entries; 0: no space, a fault. */
static uint32_t split(struct execute_warp *warp, uint32_t lanes, uint32_t pc)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < warp->depth; i++)
        count += (warp->stack[i].mask & lanes) != 0;
    if (warp->depth + warp->set_aside + count > EXECUTE_STACK_DEPTH) {
        execute_fault(warp, EXECUTE_FAULT_STACK, (uint32_t)__builtin_ctz(lanes), 0);
        return 0;
    }
    warp->set_aside += count;
    struct execute_stack_entry *own = warp->stack + EXECUTE_STACK_DEPTH - warp->set_aside;
    for (uint32_t i = 0; i < warp->depth; i++) {
        struct execute_stack_entry entry = warp->stack[i];
        if (entry.mask & ~lanes) {
            warp->stack[kept] = entry;
            warp->stack[kept++].mask &= ~lanes;
        }
        entry.mask &= lanes;
        if (entry.mask)
            *own++ = entry;
    }
    own[-1].pc = pc;
    warp->depth = kept;
    return count;
}

static bool is_same(const struct execute_stack_entry *a, const struct execute_stack_entry *b)
{
    return a->pc == b->pc && a->meet == b->meet && a->frame == b->frame;
}

/*
 * Merges a stack into the warp's. Equal entries at the bottom of both are combined, because all of these lanes meet
 * there. The other entries are inserted below the rest of the warp's own, so that the running lanes continue. The tops
 * of both stacks, where lanes run, are combined only if the stack had at most so many entries below (`from`).
 */
static void join(struct execute_warp *warp, const struct execute_stack_entry *own, uint32_t count, uint32_t from)
{
    struct execute_stack_entry *stack = warp->stack;
    uint32_t same = 0;
    while (same + 1 < count && same + 1 < warp->depth && is_same(&stack[same], &own[same])) {
        stack[same].mask |= own[same].mask;
        same++;
    }
    if (same + 1 == count && same + 1 == warp->depth && same >= from && is_same(&stack[same], &own[same])) {
        stack[same].mask |= own[same].mask;
        return;
    }
    memmove(stack + count, stack + same, (warp->depth - same) * sizeof *stack);
    memcpy(stack + same, own + same, (count - same) * sizeof *stack);
    warp->depth += count - same;
}

static void return_stack(struct execute_warp *warp, uint32_t which, uint32_t from)
{
    struct execute_stack_entry own[EXECUTE_STACK_DEPTH];
    uint32_t count = warp->held[which].entries, first = EXECUTE_STACK_DEPTH - warp->set_aside, at = EXECUTE_STACK_DEPTH;
    for (uint32_t i = 0; i <= which; i++)
        at -= warp->held[i].entries;
    memcpy(own, warp->stack + at, count * sizeof *own);
    memmove(warp->stack + first + count, warp->stack + first, (at - first) * sizeof *own);
    warp->set_aside -= count;
    join(warp, own, count, from);
}

/* ===== both ===== */

void execute_aside_put(struct execute_warp *warp, uint32_t place, const struct execute_held *held)
{
    uint32_t entries = 0;
    if (warp->launch->code->paths)
        take(warp, place, held->mask);
    else if (!(entries = split(warp, held->mask, held->pc)))
        return;
    warp->held[warp->held_count] = *held;
    warp->held[warp->held_count++].entries = entries;
    if (entries)
        changed(warp);
}

void execute_aside_return(struct execute_warp *warp, uint32_t which, uint32_t from)
{
    struct execute_held *held = &warp->held[which];
    if (warp->launch->code->paths)
        execute_aside_ready(warp, held->pc, held->mask, from);
    else
        return_stack(warp, which, from);
    memmove(held, held + 1, (--warp->held_count - which) * sizeof *held);
    if (!warp->launch->code->paths)
        changed(warp);
}

void execute_aside_open(struct execute_warp *warp, uint32_t barrier, uint32_t key)
{
    uint32_t from = warp->depth;
    for (uint32_t i = 0; i < warp->held_count;)
        if (warp->held[i].barrier == barrier && warp->held[i].key == key)
            execute_aside_return(warp, i, from);
        else
            i++;
}

uint32_t execute_aside_missing(const struct execute_warp *warp, uint32_t barrier, uint32_t key)
{
    uint32_t missing = key & warp->lanes;
    for (uint32_t i = 0; i < warp->held_count; i++)
        if (warp->held[i].barrier == barrier && warp->held[i].key == key)
            missing &= ~warp->held[i].mask;
    return missing;
}

void execute_aside_open_without(struct execute_warp *warp, uint32_t barrier, uint32_t key)
{
    execute_word *masks = execute_to(warp, barrier);
    uint32_t missing = execute_aside_missing(warp, barrier, key), arrived = key & warp->lanes & ~missing;
    for (; missing; missing &= missing - 1)
        masks[__builtin_ctz(missing)] &= ~arrived;
    execute_aside_open(warp, barrier, key);
}

bool execute_aside_unstick(struct execute_warp *warp)
{
    for (uint32_t i = warp->held_count; i-- > 0;)
        if (warp->held[i].barrier >= EXECUTE_HELD_REGISTERS) {
            execute_aside_open_without(warp, warp->held[i].barrier, warp->held[i].key);
            return true;
        }
    for (uint32_t i = 0; i < warp->held_count; i++)
        if (warp->held[i].barrier == EXECUTE_HELD_MASK) {
            uint32_t key = warp->held[i].key, missing = execute_aside_missing(warp, EXECUTE_HELD_MASK, key);
            execute_aside_open(warp, EXECUTE_HELD_MASK, key);
            uint32_t first = (uint32_t)__builtin_ctz(warp->stack[warp->depth - 1].mask);
            execute_fault(warp, EXECUTE_FAULT_MEMBERS, first, missing);
            return true;
        }
    return false;
}
