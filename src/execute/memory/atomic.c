/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics and reductions: lanes act one after the other, in their order. */
#include "execute/memory/atomic.h"
#include "execute/memory/multicast.h"
#include "execute/warp/frame.h"

#include <string.h>

static uint64_t register_of(const struct execute_warp *warp, const struct execute_op *op, uint32_t ref, uint32_t lane,
                            unsigned bytes)
{
    uint64_t value = 0;
    uint32_t slot = op->access.slot;
    if (op->access.pairs && ref != EXECUTE_NO_REF) {
        const execute_word *words = execute_at(warp, ref);
        return (uint64_t)words[lane + 32] << 32 | words[lane];
    }
    if (ref != EXECUTE_NO_REF)
        memcpy(&value, (const unsigned char *)execute_at(warp, ref) + (size_t)lane * slot, bytes);
    return value;
}

/* Returns a pointer to an atomic's bytes if it can operate on them directly: they are aligned, and the access is not
 * recorded. */
static unsigned char *place_of(struct execute_warp *warp, enum execute_space space, uint64_t address, unsigned bytes)
{
    const struct execute_port *port = warp->cta->port;
    if (warp->record || address % bytes)
        return NULL;
    if (space == EXECUTE_SPACE_SHARED && warp->launch->code->paths && warp->cta->cluster->size > 1)
        return NULL; /* the address has a rank above it */
    if (space == EXECUTE_SPACE_SHARED)
        return address < warp->launch->shared_bytes && warp->launch->shared_bytes - address >= bytes
                   ? warp->cta->shared + address
                   : NULL;
    return space == EXECUTE_SPACE_GLOBAL && port->place ? port->place(port->context, address, bytes) : NULL;
}

static bool one_lane(struct execute_warp *warp, const struct execute_op *op, enum execute_space space, uint32_t lane,
                     const uint64_t *addresses, uint64_t *old)
{
    unsigned bytes = execute_type_bytes((enum execute_type)op->access.type);
    unsigned char *place = place_of(warp, space, addresses[lane], bytes);
    *old = 0;
    if (place)
        memcpy(old, place, bytes);
    else if (!execute_access(warp, space, false, 1u << lane, addresses, bytes, old, 0))
        return false;
    uint64_t b = register_of(warp, op, op->b, lane, bytes);
    uint64_t c = register_of(warp, op, op->c, lane, bytes);
    /* f32 additions to global memory flush subnormal numbers, those to shared memory do not (ISA 9.0, atom) */
    bool shared = space == EXECUTE_SPACE_SHARED || space == EXECUTE_SPACE_CLUSTER;
    bool flush = !shared && op->access.type == EXECUTE_f32;
    uint64_t made = *old;
    if (op->variant != EXECUTE_ATOMIC_TRIES || *old == c)
        made = execute_atomic_result((enum execute_atomic_operation)op->access.operation,
                                     (enum execute_type)op->access.type, flush, *old, b, c);
    warp->changed |= memcmp(&made, old, bytes) != 0;
    if (place) {
        memcpy(place, &made, bytes);
        return true;
    }
    return execute_access(warp, space, true, 1u << lane, addresses, bytes, &made, 0);
}

/* A reduction of a lane on a multicast object: on each of its memories. Returns 0 if it is none. */
static uint32_t reduce_members(struct execute_warp *warp, const struct execute_op *op, uint32_t lane, uint64_t address)
{
    unsigned bytes = execute_type_bytes((enum execute_type)op->access.type);
    uint64_t b = register_of(warp, op, op->b, lane, bytes);
    return execute_reduce_multicast(warp, op, lane, address, bytes, (const unsigned char *)&b);
}

/* Operands as struct execute_port has them. */
static void collect(const struct execute_warp *warp, const struct execute_op *op, unsigned char data[32 * 16])
{
    unsigned bytes = execute_type_bytes((enum execute_type)op->access.type);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t b = register_of(warp, op, op->b, lane, bytes);
        uint64_t c = register_of(warp, op, op->c, lane, bytes);
        memcpy(data + lane * 16, &b, 8);
        memcpy(data + lane * 16 + 8, &c, 8);
    }
}

/* The lanes whose addresses are in global memory. */
static uint32_t global_lanes(const struct execute_op *op, uint32_t lanes, const uint64_t *given)
{
    uint32_t global = op->access.space == EXECUTE_SPACE_GENERIC ? 0 : lanes, left = global ? 0 : lanes;
    while (left) {
        uint64_t addresses[32];
        enum execute_space space = EXECUTE_SPACE_GENERIC;
        uint32_t same = execute_resolve(given, left, &space, addresses);
        global |= space == EXECUTE_SPACE_GLOBAL ? same : 0;
        left &= ~same;
    }
    return global;
}

void execute_step_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t given[32], addresses[32];
    _Alignas(64) unsigned char results[256] = {0};
    warp->polled |= op->variant != EXECUTE_ATOMIC_TRIES; /* an attempt fails where another lane's has not */
    if (execute_is_wide_atomic(op)) {
        execute_step_wide_atomic(warp, op, lanes);
        return;
    }
    execute_access_addresses(warp, op, op->immediate, given);
    if (op->variant == EXECUTE_ATOMIC_GLOBAL_ALONE) {
        uint32_t global = global_lanes(op, lanes, given);
        execute_set_mask(warp, op->target, lanes, global);
        lanes = global;
        if (!lanes)
            return;
    }
    if (warp->cta->port->defer) {
        _Alignas(64) unsigned char operands[32 * 16];
        collect(warp, op, operands);
        lanes =
            execute_defer(warp, op, lanes, given, execute_type_bytes((enum execute_type)op->access.type), operands, 16);
        if (!lanes || warp->status == EXECUTE_FAULTED)
            return;
    }
    uint32_t left = lanes, swapped = 0;
    while (left) {
        enum execute_space space = (enum execute_space)op->access.space;
        uint32_t same = left;
        if (space == EXECUTE_SPACE_GENERIC)
            same = execute_resolve(given, left, &space, addresses);
        else
            memcpy(addresses, given, sizeof given);
        for (uint32_t rest = same; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            uint64_t old = 0;
            uint32_t many = space == EXECUTE_SPACE_GLOBAL ? reduce_members(warp, op, lane, addresses[lane]) : 0;
            if (warp->status == EXECUTE_FAULTED)
                return;
            if (!many && !one_lane(warp, op, space, lane, addresses, &old))
                return;
            if (op->combine) /* CAST: whether memory held the expected value */
                old = old == register_of(warp, op, op->b, lane, execute_type_bytes((enum execute_type)op->access.type));
            else if (op->variant == EXECUTE_ATOMIC_TRIES)
                old = old == register_of(warp, op, op->c, lane, execute_type_bytes((enum execute_type)op->access.type));
            swapped |= (uint32_t)(old & 1) << lane;
            memcpy(results + (size_t)lane * op->access.slot, &old, op->access.slot);
        }
        left &= ~same;
    }
    if (op->variant == EXECUTE_ATOMIC_SWAPS)
        execute_set_mask(warp, op->target, lanes, swapped);
    if (op->access.reduction || op->variant == EXECUTE_ATOMIC_SWAPS)
        return;
    if (op->access.pairs)
        execute_blend_pairs(warp, execute_to(warp, op->d), results, lanes);
    else
        execute_blend(warp, execute_to(warp, op->d), results, op->access.slot, lanes);
}
