/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared code of the async units' files: faults, and registers that are written later. */
#include "execute/live/live_state.h"

enum { SMALLEST = EXECUTE_SMALL_BYTES };

bool execute_live_failed(struct mnp_live_core *base, struct execute_warp *warp, uint32_t op, uint32_t lane)
{
    warp->fault_op = op;
    warp->fault_lane = lane;
    execute_device_describe(((struct execute_live_core *)base->owner)->device, warp, &base->error);
    return false;
}

void execute_live_mark(struct execute_live_warp *live, const struct execute_op *op, int change)
{
    struct execute_live_async *async = &live->async;
    const uint32_t *refs = (const uint32_t *)live->warp->launch->code->list.items + op->list;
    if (!async->sums) {
        async->sums_size = live->warp->register_bytes / SMALLEST + 1;
        async->sums = mnp_allocate(async->sums_size, 1);
    }
    for (uint32_t i = 0; i < op->list_results; i++)
        if (refs[i] >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_FRAME && refs[i] / SMALLEST < async->sums_size)
            async->sums[refs[i] / SMALLEST] = (uint8_t)(async->sums[refs[i] / SMALLEST] + change);
}

bool execute_live_has_pending(const struct execute_live_warp *live)
{
    return live->pending_count || live->common.products || live->async.loads;
}
