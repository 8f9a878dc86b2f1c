/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/paths.h"
#include "execute/warp/frame.h"

#include "execute/warp/aside.h"
#include "execute/warp/frame.h"
#include "execute/warp/meet.h"

#include <string.h>

static struct execute_stack_entry *top_of(struct execute_warp *warp)
{
    return &warp->stack[warp->depth - 1];
}

static bool open_if_complete(struct execute_warp *warp, uint32_t barrier, uint32_t key)
{
    if (execute_aside_missing(warp, barrier, key))
        return false;
    execute_aside_open(warp, barrier, key);
    return true;
}

void execute_paths_left(struct execute_warp *warp)
{
    for (uint32_t i = 0; i < warp->held_count; i++)
        if (warp->held[i].barrier != EXECUTE_HELD_MEETING &&
            open_if_complete(warp, warp->held[i].barrier, warp->held[i].key))
            i = UINT32_MAX; /* the list has changed */
}

/* Lanes of the path at a position of the stack wait before `pc` for the lanes of `key`; the other lanes of the path
 * continue. */
static void hold(struct execute_warp *warp, uint32_t place, uint32_t barrier, uint32_t key, uint32_t lanes, uint32_t pc)
{
    execute_aside_put(warp, place, &(struct execute_held){pc, lanes, barrier, key, 0});
    open_if_complete(warp, barrier, key);
}

void execute_paths_rotate(struct execute_warp *warp)
{
    struct execute_stack_entry top = *top_of(warp);
    if (warp->depth < 2)
        return;
    memmove(warp->stack + 1, warp->stack, (warp->depth - 1) * sizeof *warp->stack);
    warp->stack[0] = top;
}

/* Lanes that are on some path: held nowhere. */
static uint32_t on_paths(const struct execute_warp *warp)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->depth; i++)
        lanes |= warp->stack[i].mask;
    return lanes;
}

/* Opens the first convergence barrier that waits for none but some of these lanes. */
static bool open_for(struct execute_warp *warp, uint32_t lanes)
{
    for (uint32_t i = 0; i < warp->held_count; i++) {
        uint32_t barrier = warp->held[i].barrier, key = warp->held[i].key;
        if (barrier < EXECUTE_HELD_REGISTERS || execute_aside_missing(warp, barrier, key) & ~lanes)
            continue;
        execute_aside_open_without(warp, barrier, key);
        execute_paths_rotate(warp); /* the released path is on top of the stack; it takes its turn behind the others */
        return true;
    }
    return false;
}

/* Called when a path yields repeatedly while others wait for its lanes: lets these continue without it, since the path
 * may be waiting for work that they do. If no lanes wait only for this path, releases those that wait for paths in
 * general, all of which have run in turn, and finally those that wait for lanes that are themselves waiting. */
static void release_waiting(struct execute_warp *warp)
{
    if (!open_for(warp, top_of(warp)->mask) && !open_for(warp, on_paths(warp)) && !open_for(warp, EXECUTE_ALL_LANES))
        execute_paths_rotate(warp);
}

/* Whether waiting lanes should continue without the running ones. A loop that only polls, without changing memory,
 * waits for an event; a loop of atomics that change memory ends by itself, unless it runs for long. */
static bool seems_to_wait(const struct execute_warp *warp)
{
    enum { CHANGES = 16 };
    uint32_t limit = warp->cta->port->defer ? EXECUTE_POLLS_YIELD_LIVE : EXECUTE_POLLS_YIELD;
    return (warp->idle && warp->idle % limit == 0) || (warp->polls && warp->polls % (CHANGES * limit) == 0);
}

/* Lanes with equal words wait together. `here`: lanes that need not be waited for. `apart`: the lanes of each word
 * continue as a path of their own; otherwise lanes that wait for none stay together, whatever their words. */
static void wait_by_mask(struct execute_warp *warp, const struct execute_op *op, uint32_t barrier, uint32_t lanes,
                         uint32_t here, bool apart)
{
    const execute_word *masks = execute_at(warp, op->a);
    uint32_t pc = top_of(warp)->pc, place = warp->depth - 1; /* paths that open are pushed above it */
    while (lanes) {
        uint32_t key = masks[__builtin_ctz(lanes)], same = 0;
        for (uint32_t i = 0; i < 32; i++)
            same |= (uint32_t)(masks[i] == key) << i;
        same &= lanes;
        lanes &= ~same;
        if (key & warp->lanes & ~(same | here))
            hold(warp, place, barrier, key, same, pc);
        else if (lanes && apart) /* the rest of this path belongs to other groups */
            hold(warp, place, barrier, same, same, pc);
    }
    if (!warp->depth)
        execute_meet_unstick(warp);
}

static void leave_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    execute_word *masks = execute_to(warp, op->a);
    uint32_t together = masks[__builtin_ctz(lanes)];
    for (uint32_t i = 0; i < 32; i++)
        if (masks[i] == together)
            masks[i] &= ~lanes;
    for (uint32_t i = 0; i < warp->held_count; i++)
        if (warp->held[i].barrier == op->a && warp->held[i].key == together)
            warp->held[i].key &= ~lanes;
    execute_paths_left(warp);
}

void execute_step_converge(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    lanes = execute_flow_lanes(warp, op, lanes);
    if (!lanes)
        return;
    switch (op->variant) {
    case EXECUTE_CONVERGE_SYNC:
        wait_by_mask(warp, op, op->a, lanes, 0, false);
        break;
    case EXECUTE_CONVERGE_BREAK:
        leave_barrier(warp, op, lanes);
        break;
    case EXECUTE_CONVERGE_WARP:
        wait_by_mask(warp, op, EXECUTE_HELD_MASK, lanes, lanes, false);
        break;
    case EXECUTE_CONVERGE_GROUPS:
        wait_by_mask(warp, op, EXECUTE_HELD_MASK, lanes, 0, true);
        break;
    case EXECUTE_CONVERGE_SLEEP:
        if (execute_sleeps(warp, op->a, lanes))
            break;
        /* fall through */
    default:
        if (warp->held_count && seems_to_wait(warp))
            release_waiting(warp);
        else if (warp->polls)
            execute_paths_rotate(warp);
        break;
    }
}

void execute_step_converge_set(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    execute_word *masks = execute_to(warp, op->a);
    lanes = execute_flow_lanes(warp, op, lanes);
    for (uint32_t i = 0; i < 32; i++)
        masks[i] = lanes >> i & 1 ? lanes : masks[i];
}

/* ===== indirect branches ===== */

/* The operation at an address; EXECUTE_NONE: none. The last one of all says that the code has ended, and has none. */
static uint32_t place_of(const struct execute_code *code, uint64_t address)
{
    const struct execute_code_function *kernel = execute_code_function_at(code, 0);
    uint64_t first = 0, count = kernel->op_count, place = address;
    if (address >= EXECUTE_FUNCTION_WINDOW) {
        first = kernel->op_count;
        count = code->ops.count - 1 - first;
        place = address - EXECUTE_FUNCTION_WINDOW;
    }
    return place % 16 || place / 16 >= count ? EXECUTE_NONE : (uint32_t)(first + place / 16);
}

static uint64_t pair_at(const struct execute_warp *warp, uint32_t ref, uint32_t lane)
{
    const execute_word *low = execute_at(warp, ref);
    return (uint64_t)low[lane + 32] << 32 | low[lane];
}

static bool is_system(uint64_t address)
{
    return address >= EXECUTE_SYSTEM_WINDOW && address < EXECUTE_SYSTEM_WINDOW + 0x1000;
}

/* Lanes with the same target jump together. System functions are executed immediately, and the lanes continue at the
 * return address. */
bool execute_paths_jump(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_code *code = warp->launch->code;
    struct execute_stack_entry *top = top_of(warp);
    uint32_t own = execute_op_place(code, op);
    uint64_t targets[32] = {0};
    lanes = execute_flow_lanes(warp, op, lanes);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        targets[lane] = (op->a == EXECUTE_NO_REF ? 0 : pair_at(warp, op->a, lane)) + (uint64_t)op->immediate;
        if (is_system(targets[lane])) {
            execute_paths_system(warp, (uint32_t)(targets[lane] - EXECUTE_SYSTEM_WINDOW) / 16, op->b, lane);
            targets[lane] = pair_at(warp, op->c, lane);
        }
    }
    if (warp->status == EXECUTE_FAULTED)
        return false;
    top->mask &= ~lanes;
    uint32_t from = warp->depth;
    bool whole = !top->mask, back = false;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), place = place_of(code, targets[lane]);
        if (place == EXECUTE_NONE) {
            execute_fault(warp, EXECUTE_FAULT_TARGET, lane, targets[lane]);
            return false;
        }
        if (whole) { /* the first target's lanes stay this path */
            top->pc = place;
            whole = false;
            from = warp->depth - 1;
        }
        execute_aside_ready(warp, place, 1u << lane, from);
        back |= place <= own;
    }
    return back;
}
