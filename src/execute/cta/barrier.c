/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers of a CTA. */
#include "execute/cta/tmem.h"
#include "execute/warp/frame.h"

#include <string.h>

static uint32_t live_warps(const struct execute_cta *cta)
{
    return cta->warp_count - cta->ended_warps;
}

static bool is_complete(const struct execute_cta *cta, const struct execute_barrier_state *barrier)
{
    if (!barrier->arrived)
        return false;
    return barrier->expected ? barrier->arrived >= barrier->expected
                             : (uint32_t)__builtin_popcountll(barrier->waiting) >= live_warps(cta);
}

static void give_result(struct execute_warp *warp, const struct execute_barrier_state *barrier, uint32_t variant)
{
    const struct execute_op *op = execute_op_at(warp->launch->code, warp->barrier_op);
    if (variant == EXECUTE_BARRIER_POPC) {
        uint32_t values[32];
        for (uint32_t i = 0; i < 32; i++)
            values[i] = barrier->count;
        execute_blend(execute_to(warp, op->d), values, 4, warp->barrier_lanes);
    } else if (variant == EXECUTE_BARRIER_AND || variant == EXECUTE_BARRIER_OR) {
        bool holds = variant == EXECUTE_BARRIER_AND ? barrier->all : barrier->any;
        execute_set_mask(warp, op->d, warp->barrier_lanes, holds ? ~0u : 0);
    }
}

static void open_barrier(struct execute_cta *cta, struct execute_barrier_state *barrier)
{
    for (uint64_t rest = barrier->waiting; rest; rest &= rest - 1) {
        struct execute_warp *warp = &cta->warps[__builtin_ctzll(rest)];
        warp->status = EXECUTE_RUNNING;
        give_result(warp, barrier, warp->barrier_variant);
    }
    cta->opened |= 1u << (barrier - cta->barriers);
    memset(barrier, 0, sizeof *barrier);
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
    *number = ((const uint32_t *)execute_at(warp, op->a))[lane];
    *threads = op->b != EXECUTE_NO_REF ? ((const uint32_t *)execute_at(warp, op->b))[lane] : 0;
    if (*number < EXECUTE_BARRIERS && *threads % 32 == 0)
        return true;
    execute_fault(warp, EXECUTE_FAULT_BARRIER, lane, *number >= EXECUTE_BARRIERS ? *number : *threads);
    return false;
}

bool execute_barrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (op->variant >= EXECUTE_BARRIER_CLUSTER_ARRIVE)
        return execute_cluster_barrier(warp, op, lanes);
    struct execute_cta *cta = warp->cta;
    uint32_t number, threads;
    if (op->variant == EXECUTE_BARRIER_GROUP && cta->port->group) { /* the machine knows when products are there */
        cta->port->group(cta->port->context, warp, op, lanes);
        return false;
    }
    if (!name_barrier(warp, op, (uint32_t)__builtin_ctz(lanes), &number, &threads))
        return true;
    struct execute_barrier_state *barrier = &cta->barriers[number];
    if (!barrier->arrived)
        barrier->all = 1;
    barrier->expected = threads ? threads : barrier->expected;
    barrier->arrived += 32;
    cta->advanced++;
    if (op->c != EXECUTE_NO_REF) {
        uint32_t holds = (execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0)) & lanes;
        barrier->count += (uint32_t)__builtin_popcount(holds);
        barrier->all &= holds == lanes;
        barrier->any |= holds != 0;
    }
    if (op->variant != EXECUTE_BARRIER_ARRIVE) {
        barrier->waiting |= UINT64_C(1) << warp->number;
        warp->status = EXECUTE_AT_BARRIER;
        warp->barrier = number;
        warp->barrier_variant = op->variant;
        warp->barrier_lanes = lanes;
        warp->barrier_op = (uint32_t)(op - (const struct execute_op *)warp->launch->code->ops.items);
    }
    if (is_complete(cta, barrier))
        open_barrier(cta, barrier);
    return warp->status != EXECUTE_RUNNING;
}

void execute_cta_warp_ended(struct execute_warp *warp)
{
    struct execute_cta *cta = warp->cta;
    cta->ended_warps++;
    cta->advanced++;
    if (!live_warps(cta))
        execute_tmem_end(warp);
    for (uint32_t i = 0; i < EXECUTE_BARRIERS && live_warps(cta); i++)
        if (is_complete(cta, &cta->barriers[i]))
            open_barrier(cta, &cta->barriers[i]);
}
