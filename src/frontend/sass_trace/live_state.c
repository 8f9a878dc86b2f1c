/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared code of live CTAs of a trace: places in a cluster's shared memory, mbarriers, and errors. */
#include "frontend/sass_trace/live_state.h"

#include <string.h>

uint32_t trace_live_wrong(const struct trace_live_warp *warp, const char *what)
{
    const struct trace_live_cta *cta = warp->cta;
    mnp_fail_at(&cta->core->core->error, cta->file->path, 0,
                "block (%u,%u,%u), warp %u, instruction %lu: %s; the trace is not of a program that works so, or "
                "damaged: trace again",
                cta->block[0], cta->block[1], cta->block[2], warp->number, (unsigned long)warp->common.executed + 1,
                what);
    return MNP_LIVE_FAULTED;
}

struct trace_live_place trace_live_place(const struct trace_live_cta *cta, uint64_t address)
{
    uint32_t rank = (uint32_t)(address >> TRACE_RANK_SHIFT) & 0xff;
    return (struct trace_live_place){cta->ranks > 1 ? rank : cta->rank,
                                     (uint32_t)address & ((UINT32_C(1) << TRACE_RANK_SHIFT) - 1)};
}

bool trace_live_change(struct trace_live_warp *warp, uint32_t offset, uint8_t operation, uint64_t value)
{
    static const char *const texts[] = {
        [EXECUTE_FAULT_MBARRIER_COUNT] = "an mbarrier of no or too many arrivals",
        [EXECUTE_FAULT_MBARRIER_ARRIVE] = "more arrivals than the phase of an mbarrier expects, or there is none",
        [EXECUTE_FAULT_MBARRIER_BYTES] = "more bytes outstanding than an mbarrier counts"};
    struct trace_live_cta *cta = warp->cta;
    struct mnp_live_core *core = cta->core->core;
    uint64_t before, after;
    if (offset % sizeof before || offset + sizeof before > cta->shared_bytes)
        return !trace_live_wrong(warp, "an mbarrier outside the shared memory of its block");
    memcpy(&before, cta->shared + offset, sizeof before);
    enum execute_fault fault =
        operation == EXECUTE_MBARRIER_INIT ? EXECUTE_FAULT_NONE : execute_mbarrier_fault(operation, before, value);
    if (fault)
        return !trace_live_wrong(warp, texts[fault]);
    after = operation == EXECUTE_MBARRIER_INIT ? value : execute_mbarrier_result(operation, before, value);
    memcpy(cta->shared + offset, &after, sizeof after);
    if (operation != EXECUTE_MBARRIER_INIT && mnp_live_ends_phase(before, after))
        core->flipped = core->flipped ? UINT64_MAX : offset + UINT64_C(1);
    return true;
}
