/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores to, and reductions in, the shared memory of a cluster whose bytes arrive at an mbarrier, as single
 * instructions of machine code (STAS, REDAS). In PTX, each takes two operations. The list: the barrier's address, data.
 */
#include "execute/memory/atomic.h"
#include "execute/warp/frame.h"

#include <string.h>

enum { MOST_BYTES = 16 };

/* Combines a lane's data with memory, for a reduction. Returns false on a fault. */
static bool reduce(struct execute_warp *warp, const struct execute_op *op, uint32_t lane, const uint64_t *addresses,
                   uint32_t bytes, unsigned char *data)
{
    uint64_t old = 0, operand = 0;
    if (!execute_access(warp, EXECUTE_SPACE_SHARED, false, 1u << lane, addresses, bytes, &old, 0))
        return false;
    memcpy(&operand, data, bytes);
    uint64_t made = execute_atomic_result((enum execute_atomic_operation)op->access.operation,
                                          (enum execute_type)op->access.type, false, old, operand, 0);
    memcpy(data, &made, bytes);
    return true;
}

struct values {
    unsigned char data[MOST_BYTES];
    uint64_t barrier, none; /* place in which timing models expect it (contract/live.h) */
};

/* Removes lanes whose destination is in another block, because the machine performs these with timing. It is a fault if
 * the barrier is in a block other than the destination's. Returns 0 if no lane is left, or on a fault. */
static uint32_t defer(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const uint64_t *addresses,
                      const uint64_t *barriers, struct values values[32])
{
    const uint64_t operation = EXECUTE_REMOTE_MBARRIER | EXECUTE_MBARRIER_COMPLETE;
    for (uint32_t lane = 0; lane < 32; lane++)
        values[lane].barrier = operation << 32 | (barriers[lane] & (EXECUTE_WINDOW_BYTES - 1));
    uint32_t left = execute_defer_remote(warp, op, lanes, addresses, 4u * op->access.count, values, sizeof *values);
    for (uint32_t rest = lanes & ~left; rest && warp->status != EXECUTE_FAULTED; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t within = barriers[lane] & (EXECUTE_WINDOW_BYTES - 1);
        if (barriers[lane] >> EXECUTE_WINDOW_SHIFT != addresses[lane] >> EXECUTE_WINDOW_SHIFT)
            execute_fault(warp, EXECUTE_FAULT_REMOTE, lane, barriers[lane]);
        else if (within % 8 || within + 8 > warp->launch->shared_bytes)
            execute_fault(warp, EXECUTE_FAULT_CLUSTER, lane, barriers[lane]);
    }
    return warp->status == EXECUTE_FAULTED ? 0 : left;
}

void execute_step_store_async(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                              execute_completion *complete)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    uint64_t addresses[32], barriers[32];
    uint32_t count = op->access.count, bytes = 4 * count;
    execute_addresses(warp, op->a, EXECUTE_ADDRESS_NARROW, 0, addresses);
    execute_addresses(warp, list[0], EXECUTE_ADDRESS_NARROW, 0, barriers);
    struct values values[32] = {0};
    warp->changed = true;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t lane = 0; lane < 32; lane++)
            memcpy(values[lane].data + 4 * i, (const unsigned char *)execute_at(warp, list[1 + i]) + 4 * lane, 4);
    if (warp->cta->cluster->apart)
        lanes = defer(warp, op, lanes, addresses, barriers, values);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        unsigned char *data = values[lane].data;
        bool good = (!op->access.reduction || reduce(warp, op, lane, addresses, bytes, data)) &&
                    execute_access(warp, EXECUTE_SPACE_SHARED, true, 1u << lane, addresses, bytes, data, 0) &&
                    complete(warp, lane, barriers, bytes);
        if (!good)
            return;
    }
}
