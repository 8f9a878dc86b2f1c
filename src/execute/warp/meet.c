/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/meet.h"

#include "execute/warp/aside.h"
#include "execute/warp/frame.h"

static bool is_at_barrier(const struct execute_held *held)
{
    return held->barrier == EXECUTE_HELD_MEETING;
}

/* Whether lanes have arrived and still wait for others of their warp. */
static bool is_new(const struct execute_warp *warp, const struct execute_held *held)
{
    return is_at_barrier(held) && !(held->mask & (warp->meeting.arrived | warp->meeting.opened));
}

static bool any_is_new(const struct execute_warp *warp)
{
    for (uint32_t i = 0; i < warp->held_count; i++)
        if (is_new(warp, &warp->held[i]))
            return true;
    return false;
}

/* Whether every lane that has not exited is held at a barrier. */
static bool all_have_come(const struct execute_warp *warp)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->held_count; i++)
        lanes |= is_at_barrier(&warp->held[i]) ? warp->held[i].mask : 0;
    return !(warp->lanes & ~lanes);
}

void execute_meet_take_in(struct execute_warp *warp)
{
    for (uint32_t i = 0; i < warp->held_count;)
        if (warp->held[i].mask & warp->meeting.opened)
            execute_aside_return(warp, i, EXECUTE_STACK_DEPTH);
        else
            i++;
}

/* The running lanes' barrier has opened: lets the other lanes of the warp that wait there continue, too. */
static void pass(struct execute_warp *warp)
{
    execute_meet_take_in(warp);
    execute_aside_open(warp, EXECUTE_HELD_MEMBERS, EXECUTE_ALL_LANES);
}

bool execute_meet_waits_for(struct execute_warp *warp, uint32_t lanes)
{
    uint32_t held = warp->held_count;
    if (lanes & warp->meeting.opened)
        execute_meet_take_in(warp);
    if (warp->held_count != held)
        return true;
    if (!(lanes & warp->meeting.arrived))
        return false;
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    execute_aside_put(warp, warp->depth - 1,
                      &(struct execute_held){top->pc, top->mask, EXECUTE_HELD_MEMBERS, EXECUTE_ALL_LANES, 0});
    warp->meeting.moved = true;
    if (!warp->depth)
        execute_meet_unstick(warp);
    return true;
}

/* Executes the barriers of all lanes that have arrived; lanes at the same place arrive together. */
static void go_to_barriers(struct execute_warp *warp)
{
    uint32_t from = warp->depth, lanes = 0;
    for (uint32_t i = 0; i < warp->held_count;) {
        if (!is_new(warp, &warp->held[i])) {
            i++;
            continue;
        }
        lanes |= warp->held[i].mask;
        execute_aside_return(warp, i, from);
    }
    bool together = lanes == warp->lanes && warp->stack[warp->depth - 1].mask == lanes;
    warp->meeting.met |= together ? 0 : lanes;
}

/* Lanes that wait for their barrier are the running ones; they will find that they still do. */
static void return_waiting(struct execute_warp *warp)
{
    uint32_t last = warp->held_count - 1;
    while (!(warp->held[last].mask & warp->meeting.arrived))
        last--;
    execute_aside_return(warp, last, EXECUTE_STACK_DEPTH);
}

void execute_meet_unstick(struct execute_warp *warp)
{
    warp->meeting.moved = true;
    execute_meet_take_in(warp);
    if (warp->depth)
        return;
    if (all_have_come(warp)) {
        if (any_is_new(warp))
            go_to_barriers(warp);
        else
            return_waiting(warp);
        return;
    }
    if (warp->meeting.arrived) { /* the others may come when the barrier has opened */
        return_waiting(warp);
        return;
    }
    if (execute_aside_unstick(warp))
        return;
    uint32_t first = 0;
    while (first + 1 < warp->held_count && is_at_barrier(&warp->held[first]))
        first++;
    execute_aside_open(warp, warp->held[first].barrier, warp->held[first].key);
}

/* No lanes of the warp run, and some wait at barriers. */
static void wait(struct execute_warp *warp)
{
    return_waiting(warp);
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    warp->status = EXECUTE_AT_BARRIER;
    warp->barrier = warp->met.number[__builtin_ctz(top->mask)];
    warp->barrier_op = top->pc;
    warp->barrier_lanes = top->mask;
    for (uint32_t rest = warp->meeting.arrived; rest; rest &= rest - 1)
        if (warp->met.number[__builtin_ctz(rest)] != warp->barrier)
            warp->barrier = EXECUTE_SEVERAL_BARRIERS;
}

/* The running lanes stop before the barrier that they are at, and others run. */
static void stop(struct execute_warp *warp, uint32_t lanes)
{
    uint32_t place = warp->depth - 1;
    execute_aside_put(
        warp, place,
        &(struct execute_held){warp->stack[place].pc - 1, lanes, EXECUTE_HELD_MEETING, EXECUTE_ALL_LANES, 0});
    if (warp->status == EXECUTE_FAULTED)
        return;
    execute_meet_take_in(warp);
    if (warp->depth)
        return;
    if (warp->meeting.arrived && !(all_have_come(warp) && any_is_new(warp)))
        wait(warp);
    else
        execute_meet_unstick(warp);
}

static void arrive(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_meeting *meeting = &warp->meeting;
    meeting->met &= ~lanes;
    bool waits = execute_barrier(warp, op, lanes, true);
    if (warp->status == EXECUTE_FAULTED)
        return;
    if (warp->record && !meeting->met) /* the warp's last arrival represents all of them */
        warp->record->mask = lanes;
    if (!waits) {
        pass(warp);
        return;
    }
    meeting->arrived |= lanes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        warp->met.number[__builtin_ctz(rest)] = (uint8_t)warp->barrier;
    stop(warp, lanes);
}

void execute_meet(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_meeting *meeting = &warp->meeting;
    meeting->moved = true;
    if (warp->record)
        warp->record->mask = 0;
    if (lanes & meeting->met) {
        arrive(warp, op, lanes);
    } else if (lanes & meeting->opened) {
        meeting->opened &= ~lanes;
        execute_barrier_results(warp, op, lanes, warp->met.result);
        pass(warp);
    } else {
        stop(warp, lanes);
    }
}
