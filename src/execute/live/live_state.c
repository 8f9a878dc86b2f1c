/* SPDX-License-Identifier: BSD-3-Clause */
/* What the async units' parts have in common: warps that are put aside, and registers that are to be written later. */
#include "execute/live/live_state.h"

enum { SMALLEST = EXECUTE_SMALL_BYTES };

void execute_live_park(struct execute_live_cta *cta, enum mnp_park why, uint64_t address)
{
    cta->park = (uint8_t)why;
    cta->park_address = address;
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
    return live->pending_count || live->async.count || live->async.loads;
}
