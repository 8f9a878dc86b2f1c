/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores to and reductions in the shared memory of a cluster whose bytes arrive at an mbarrier when they are there, as one
 * instruction of machine code (STAS, REDAS). PTX has two operations of them. The list: the barrier's address, data.
 */
#include "execute/atomic.h"
#include "execute/frame.h"

#include <string.h>

enum { MOST_BYTES = 16 };

/* A lane's data, which become what a reduction leaves. False: a fault. */
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

void execute_step_store_async(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    uint64_t addresses[32], barriers[32];
    uint32_t count = op->access.count, bytes = 4 * count;
    execute_addresses(warp, op->a, EXECUTE_ADDRESS_NARROW, 0, addresses);
    execute_addresses(warp, list[0], EXECUTE_ADDRESS_NARROW, 0, barriers);
    warp->changed = true;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        unsigned char data[MOST_BYTES];
        for (uint32_t i = 0; i < count; i++)
            memcpy(data + 4 * i, (const unsigned char *)execute_at(warp, list[1 + i]) + 4 * lane, 4);
        bool good = (!op->access.reduction || reduce(warp, op, lane, addresses, bytes, data)) &&
                    execute_access(warp, EXECUTE_SPACE_SHARED, true, 1u << lane, addresses, bytes, data, 0) &&
                    execute_mbarrier_complete(warp, lane, barriers, bytes);
        if (!good)
            return;
    }
}
