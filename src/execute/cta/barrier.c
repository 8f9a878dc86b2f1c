/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers of a CTA. */
#include "execute/cta/tmem.h"
#include "execute/warp/frame.h"

#include <string.h>

static uint32_t live_warps(const struct execute_cta *cta)
{
    return cta->warp_count - cta->ended_warps;
}

bool execute_barrier_is_complete(const struct execute_barrier_state *barrier, uint32_t live_warps)
{
    if (!barrier->arrived)
        return false;
    return barrier->expected ? barrier->arrived >= barrier->expected
                             : (uint32_t)__builtin_popcountll(barrier->whole) >= live_warps;
}

static uint32_t result_of(const struct execute_barrier_state *barrier)
{
    return barrier->count | (barrier->all & 1) << EXECUTE_BARRIER_COUNT_BITS | (uint32_t)barrier->any << 31;
}

static void give_result(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, uint32_t result)
{
    if (op->variant != EXECUTE_BARRIER_POPC && op->variant != EXECUTE_BARRIER_AND && op->variant != EXECUTE_BARRIER_OR)
        return;
    uint32_t results[32];
    for (uint32_t i = 0; i < 32; i++)
        results[i] = result;
    execute_barrier_results(warp, op, lanes, results);
}

/* Parts of warps arrive anew in the next phase. */
static void forget_parts(struct execute_cta *cta, const struct execute_barrier_state *barrier)
{
    uint32_t number = (uint32_t)(barrier - cta->barriers);
    for (uint64_t rest = barrier->parts; rest; rest &= rest - 1) {
        cta->warps[__builtin_ctzll(rest)].meeting.partly &= ~(1u << number);
    }
}

static void open_barrier(struct execute_cta *cta, struct execute_barrier_state *barrier)
{
    uint32_t number = (uint32_t)(barrier - cta->barriers);
    for (uint64_t rest = barrier->waiting; rest; rest &= rest - 1) {
        struct execute_warp *warp = &cta->warps[__builtin_ctzll(rest)];
        if (warp->meeting.arrived) {
            execute_barrier_opened(warp, number, result_of(barrier));
            continue;
        }
        warp->status = EXECUTE_RUNNING;
        give_result(warp, execute_op_at(warp->launch->code, warp->barrier_op), warp->barrier_lanes, result_of(barrier));
    }
    if (barrier->parts)
        forget_parts(cta, barrier);
    cta->opened |= 1u << number;
    memset(barrier, 0, sizeof *barrier);
}

void execute_barrier_named(const struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                           uint32_t *number, uint32_t *threads)
{
    *number = ((const uint32_t *)execute_at(warp, op->a))[lane];
    *threads = op->b != EXECUTE_NO_REF ? ((const uint32_t *)execute_at(warp, op->b))[lane] : 0;
    if (op->combine) { /* both operands in one register of machine code: ptxas puts the threads into bits 16 to 27 */
        *threads = *number >> 16 & 0xfff;
        *number &= 0xffff;
    }
}

/* The barrier that an operation means, and its threads (0: all). False: a fault. */
static bool name_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lane, uint32_t *number,
                         uint32_t *threads)
{
    if (op->variant == EXECUTE_BARRIER_GROUP) {
        *number = EXECUTE_GROUP_BARRIER + warp->number / 4;
        *threads = 128;
        if ((warp->number | 3) < warp->cta->warp_count && warp->number / 4 < EXECUTE_GROUPS)
            return true;
        execute_fault(warp, EXECUTE_FAULT_WARPGROUP, lane, 0);
        return false;
    }
    execute_barrier_named(warp, op, lane, number, threads);
    if (*number >= EXECUTE_BARRIERS)
        execute_fault(warp, EXECUTE_FAULT_BARRIER, lane, *number);
    else if (*threads % 32 || (op->variant == EXECUTE_BARRIER_ARRIVE && !*threads))
        execute_fault(warp, EXECUTE_FAULT_BARRIER_THREADS, lane, *threads);
    return warp->status != EXECUTE_FAULTED;
}

/* Lanes arrive. If other lanes of their warp have not arrived, each counts as one thread; the last lanes of a warp also
 * count the exited ones, so that a warp contributes 32 threads. */
static void count_lanes(struct execute_warp *warp, struct execute_barrier_state *barrier, uint32_t number,
                        uint32_t lanes)
{
    uint32_t *partly = &warp->meeting.partly, came = *partly >> number & 1 ? warp->met.came[number] : 0;
    uint64_t bit = UINT64_C(1) << warp->number;
    uint32_t before = (uint32_t)__builtin_popcount(came);
    came |= lanes;
    if (warp->lanes & ~came) {
        barrier->arrived += (uint32_t)__builtin_popcount(lanes);
        barrier->parts |= bit;
        *partly |= 1u << number;
        warp->met.came[number] = came;
        return;
    }
    barrier->arrived += 32 - before;
    barrier->whole |= bit;
    barrier->parts &= ~bit;
    *partly &= ~(1u << number);
}

/* The lanes' predicates go into the reduction. */
static void reduce(const struct execute_warp *warp, struct execute_barrier_state *barrier, const struct execute_op *op,
                   uint32_t lanes)
{
    uint32_t holds = (execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0)) & lanes;
    barrier->count += (uint32_t)__builtin_popcount(holds);
    barrier->all &= holds == lanes;
    barrier->any |= holds != 0;
}

bool execute_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, bool parted)
{
    if (op->variant >= EXECUTE_BARRIER_CLUSTER_ARRIVE)
        return execute_cluster_barrier(warp, op, lanes, parted);
    struct execute_cta *cta = warp->cta;
    uint32_t number, threads;
    if (op->variant == EXECUTE_BARRIER_GROUP && cta->port->group) { /* the machine knows when products are there */
        cta->port->group(cta->port->context, warp, op, lanes);
        return false;
    }
    if (!name_barrier(warp, op, (uint32_t)__builtin_ctz(lanes), &number, &threads))
        return true;
    struct execute_barrier_state *barrier = &cta->barriers[number];
    bool waits = op->variant != EXECUTE_BARRIER_ARRIVE;
    if (!barrier->arrived)
        barrier->all = 1;
    barrier->expected = threads ? threads : barrier->expected;
    cta->advanced++;
    if (op->c != EXECUTE_NO_REF)
        reduce(warp, barrier, op, lanes);
    count_lanes(warp, barrier, number, lanes);
    warp->barrier = number;
    if (waits) {
        barrier->waiting |= UINT64_C(1) << warp->number;
        warp->barrier_lanes = lanes;
        warp->barrier_op = execute_op_place(warp->launch->code, op);
    }
    if (waits && !parted)
        warp->status = EXECUTE_AT_BARRIER;
    if (!execute_barrier_is_complete(barrier, live_warps(cta)))
        return waits;
    if (parted)
        give_result(warp, op, lanes, result_of(barrier));
    open_barrier(cta, barrier);
    return false;
}

void execute_barrier_left(struct execute_warp *warp)
{
    struct execute_cta *cta = warp->cta;
    for (uint32_t rest = warp->meeting.partly; rest; rest &= rest - 1) {
        uint32_t number = (uint32_t)__builtin_ctz(rest);
        struct execute_barrier_state *barrier = &cta->barriers[number];
        if (warp->lanes & ~warp->met.came[number])
            continue;
        count_lanes(warp, barrier, number, 0);
        if (execute_barrier_is_complete(barrier, live_warps(cta)))
            open_barrier(cta, barrier);
    }
}

void execute_cta_warp_ended(struct execute_warp *warp)
{
    struct execute_cta *cta = warp->cta;
    cta->ended_warps++;
    cta->advanced++;
    if (!live_warps(cta))
        execute_tmem_end(warp);
    for (uint32_t i = 0; i < EXECUTE_BARRIERS && live_warps(cta); i++)
        if (execute_barrier_is_complete(&cta->barriers[i], live_warps(cta)))
            open_barrier(cta, &cta->barriers[i]);
}
