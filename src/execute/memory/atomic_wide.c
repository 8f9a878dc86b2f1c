/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on vectors of floats, each element of which is a separate atomic (PTX ISA 9.0, atom), and on 128 bits. At the
 * L2 they are separate pieces of 8 bytes, except that the two pieces of a 128-bit comparison are one.
 */
#include "execute/memory/atomic.h"
#include "execute/memory/multicast.h"
#include "execute/warp/frame.h"

#include <string.h>

enum { MOST_BYTES = 16 };

struct values {
    unsigned char b[32][MOST_BYTES], c[32][MOST_BYTES];
};

static uint32_t bytes_of(const struct execute_op *op)
{
    return (uint32_t)op->access.count * op->size;
}

/* The `count` registers of the list from `from` on. */
static void gather(const struct execute_warp *warp, const struct execute_op *op, uint32_t from,
                   unsigned char to[32][MOST_BYTES])
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list + from;
    for (uint32_t i = 0; i < op->access.count; i++) {
        const unsigned char *at = execute_at(warp, list[i]);
        for (uint32_t lane = 0; lane < 32; lane++)
            memcpy(to[lane] + i * op->size, at + (size_t)lane * op->access.slot, op->size);
    }
}

/* Computes the new value of a lane from `old`. */
static void make(const struct execute_op *op, const unsigned char *b, const unsigned char *c, const unsigned char *old,
                 unsigned char *made)
{
    enum execute_type type = (enum execute_type)op->access.type;
    uint32_t total = bytes_of(op), each = execute_type_bytes(type);
    if (type == EXECUTE_b128) {
        memcpy(made, memcmp(old, b, total) == 0 ? c : old, total);
        return;
    }
    for (uint32_t at = 0; at < total; at += each) {
        uint64_t was = 0, operand = 0;
        memcpy(&was, old + at, each);
        memcpy(&operand, b + at, each);
        uint64_t result =
            execute_atomic_result((enum execute_atomic_operation)op->access.operation, type, false, was, operand, 0);
        memcpy(made + at, &result, each);
    }
}

/* Lanes one after the other; false: a fault. */
static bool perform(struct execute_warp *warp, const struct execute_op *op, enum execute_space space, uint32_t lanes,
                    const uint64_t *addresses, const struct values *values, unsigned char results[32][MOST_BYTES])
{
    uint32_t total = bytes_of(op);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        unsigned char made[MOST_BYTES];
        if (space == EXECUTE_SPACE_GLOBAL &&
            execute_reduce_multicast(warp, op, lane, addresses[lane], total, values->b[lane])) {
            if (warp->status == EXECUTE_FAULTED)
                return false;
            continue;
        }
        if (!execute_access(warp, space, false, 1u << lane, addresses, total, results[lane], 0))
            return false;
        make(op, values->b[lane], values->c[lane], results[lane], made);
        warp->changed |= memcmp(made, results[lane], total) != 0;
        if (!execute_access(warp, space, true, 1u << lane, addresses, total, made, 0))
            return false;
    }
    return true;
}

/* Removes lanes whose atomics are performed at the L2 with timing. Returns 0 if none is left, or on a fault. */
static uint32_t defer(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const uint64_t *given,
                      const struct values *values)
{
    unsigned char operands[32][2 * MOST_BYTES];
    for (uint32_t lane = 0; lane < 32; lane++) {
        memcpy(operands[lane], values->b[lane], MOST_BYTES);
        memcpy(operands[lane] + MOST_BYTES, values->c[lane], MOST_BYTES);
    }
    uint32_t left = execute_defer(warp, op, lanes, given, bytes_of(op), operands, sizeof *operands);
    return warp->status == EXECUTE_FAULTED ? 0 : left;
}

void execute_step_wide_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t given[32], addresses[32];
    struct values values = {{{0}}, {{0}}};
    unsigned char results[32][MOST_BYTES] = {{0}};
    uint32_t sources = op->access.reduction ? 0 : op->access.count;
    execute_access_addresses(warp, op, op->immediate, given);
    gather(warp, op, sources, values.b);
    if (op->access.type == EXECUTE_b128)
        gather(warp, op, sources + op->access.count, values.c);
    lanes = warp->cta->port->defer ? defer(warp, op, lanes, given, &values) : lanes;
    for (uint32_t left = lanes, same; left; left &= ~same) {
        enum execute_space space = (enum execute_space)op->access.space;
        same = left;
        if (space == EXECUTE_SPACE_GENERIC)
            same = execute_resolve(given, left, &space, addresses);
        else
            memcpy(addresses, given, sizeof given);
        if (!perform(warp, op, space, same, addresses, &values, results))
            return;
    }
    if (lanes)
        execute_deliver_wide_atomic(warp, op, lanes, results[0], MOST_BYTES);
}
