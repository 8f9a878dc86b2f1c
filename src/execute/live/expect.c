/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to the host's memory ahead of the execution of instructions. */
#include "execute/live/live_state.h"

#include "base/prefetch.h"

/* A source in the running frame, for all lanes; other references name what many warps share. Results are left out: the
 * host does not wait for what it writes. */
static inline void expect_source(const unsigned char *frame, uint32_t ref, bool large)
{
    if (ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME)
        return;
    const unsigned char *lanes = frame + ref;
    for (uint32_t at = 0; at < EXECUTE_SMALL_BYTES; at += MNP_HOST_LINE)
        __builtin_prefetch(lanes + at);
    for (uint32_t at = EXECUTE_SMALL_BYTES; large && at < EXECUTE_LARGE_BYTES; at += MNP_HOST_LINE)
        __builtin_prefetch(lanes + at);
}

void execute_live_expect_operands(const struct execute_live_warp *live)
{
    const struct live_warp *common = &live->common;
    const struct execute_warp *warp = live->warp;
    if (common->base.known == common->executed)
        return;
    const struct execute_op *op =
        execute_op_at(warp->launch->code, common->base.ahead[common->executed % MNP_LIVE_AHEAD].index);
    const unsigned char *frame = warp->bases[EXECUTE_BASE_FRAME];
    expect_source(frame, op->a, op->size > 4);
    if (op->flags & EXECUTE_OP_READS_B)
        expect_source(frame, op->b, op->size > 4);
    if (op->flags & EXECUTE_OP_READS_C)
        expect_source(frame, op->c, op->size > 4);
}

void execute_live_expect(const struct mnp_live_warp *base, enum mnp_live_expect step)
{
    const struct execute_live_warp *live = (const struct execute_live_warp *)base;
    const struct execute_warp *warp = live->warp;
    switch (step) {
    case MNP_LIVE_EXPECT_SOURCE:
        mnp_prefetch(&live->common.core, sizeof live->common.core + sizeof live->common.executed);
        mnp_prefetch(&live->warp, offsetof(struct execute_live_warp, async) - offsetof(struct execute_live_warp, warp));
        mnp_prefetch(&live->pending_count, sizeof live->pending_count);
        break;
    case MNP_LIVE_EXPECT_STATE:
        mnp_prefetch(warp, offsetof(struct execute_warp, stack));
        if (live->depth)
            mnp_prefetch(&warp->stack[live->depth - 1], sizeof *warp->stack);
        break;
    case MNP_LIVE_EXPECT_OPERANDS:
        execute_live_expect_operands(live);
        break;
    case MNP_LIVE_EXPECT_STEPS:
        break;
    }
}
