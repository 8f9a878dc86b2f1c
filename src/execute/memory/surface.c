/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Surfaces: suld.b, sust.b and sured.b are loads, stores and reductions whose address is computed from a surface object
 * and integer coordinates. The first coordinate counts bytes. A surface is an unfiltered texture; accesses outside the
 * bounds are ignored, clamped, or trap, depending on the instruction.
 */
#include "execute/memory/atomic.h"
#include "execute/memory/texture.h"
#include "execute/warp/frame.h"

#include <string.h>

/* A coordinate inside, `clamped`; false: it is outside, and the instruction does not clamp it. */
static bool hold(int64_t *at, uint64_t size, uint64_t bytes, enum execute_outside outside)
{
    int64_t last = (int64_t)(size - bytes);
    if (*at >= 0 && *at <= last)
        return true;
    *at = *at < 0 || last < 0 ? 0 : last;
    return outside == EXECUTE_OUTSIDE_CLAMP && last >= 0;
}

/* Finds a lane's element; returns false if it is outside. `at`: the coordinates, with the layer in the third. */
static bool place(const struct execute_texture *surface, uint32_t dimensions, bool layered, int64_t at[3],
                  uint32_t bytes, enum execute_outside outside, uint64_t *address)
{
    uint64_t texel = (uint64_t)surface->channels * surface->channel_bytes;
    bool inside = hold(&at[0], surface->size[0] * texel, bytes, outside);
    if (dimensions > 1)
        inside = hold(&at[1], surface->size[1], 1, outside) && inside;
    if (dimensions > 2 || layered)
        inside = hold(&at[2], surface->size[2], 1, outside) && inside;
    uint64_t rows = (uint64_t)at[2] * (surface->size[1] ? surface->size[1] : 1) + (uint64_t)at[1];
    *address = surface->address + rows * surface->pitch + (uint64_t)at[0];
    return inside;
}

/* The handle has 64 bits, or 32 where the form says so: machine code of sm_90 has it in one uniform register. */
static uint64_t handle_at(const struct execute_warp *warp, const struct execute_op *op, uint32_t lane)
{
    return op->access.wide_address == EXECUTE_ADDRESS_ONE ? ((const uint32_t *)execute_at(warp, op->a))[lane]
                                                          : execute_long_at(warp, op->a, lane);
}

/* Finds the lanes that have an address. The instruction defines the behaviour of lanes outside the bounds; returns
 * false on a fault. */
static bool find(struct execute_warp *warp, const struct execute_op *op, uint32_t *lanes, uint64_t addresses[32])
{
    const struct execute_port *port = warp->cta->port;
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list + op->access.count;
    uint32_t dimensions = op->variant & 3,
             bytes = op->access.count * execute_type_bytes((enum execute_type)op->access.type);
    bool layered = op->variant >> 2;
    enum execute_outside outside = (enum execute_outside)op->access.operation;
    for (uint32_t rest = *lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t handle = handle_at(warp, op, lane);
        const struct execute_texture *surface = port->texture ? port->texture(port->context, handle) : NULL;
        int64_t at[3] = {0, 0, 0};
        if (!surface) {
            execute_fault(warp, EXECUTE_FAULT_TEXTURE, lane, handle);
            return false;
        }
        for (uint32_t i = 0; i < dimensions; i++)
            at[i] = ((const int32_t *)execute_at(warp, list[layered + i]))[lane];
        if (layered)
            at[2] = ((const int32_t *)execute_at(warp, list[0]))[lane];
        if (place(surface, dimensions, layered, at, bytes, outside, &addresses[lane]))
            continue;
        *lanes &= ~(1u << lane);
        if (outside == EXECUTE_OUTSIDE_TRAP) {
            execute_fault(warp, EXECUTE_FAULT_TRAP, lane, addresses[lane]);
            return false;
        }
    }
    return true;
}

/* op->combine: the operation, from 1 on; op->size: the type. Lanes one after the other. */
static void reduce(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const uint64_t *addresses,
                   uint32_t bytes, const unsigned char *data)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t old = 0, operand = 0;
        memcpy(&operand, data + (size_t)lane * bytes, bytes);
        if (!execute_access(warp, EXECUTE_SPACE_GLOBAL, false, 1u << lane, addresses, bytes, &old, 0))
            return;
        uint64_t made = execute_atomic_result((enum execute_atomic_operation)(op->combine - 1),
                                              (enum execute_type)op->size, false, old, operand, 0);
        warp->changed |= memcmp(&made, &old, bytes) != 0;
        if (!execute_access(warp, EXECUTE_SPACE_GLOBAL, true, 1u << lane, addresses, bytes, &made, 0))
            return;
    }
}

void execute_step_surface(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    _Alignas(64) unsigned char data[32 * 16] = {0};
    uint64_t addresses[32] = {0};
    uint32_t bytes = op->access.count * execute_type_bytes((enum execute_type)op->access.type), inside = lanes;
    bool store = op->kind == EXECUTE_KIND_SURFACE_STORE;
    if (!find(warp, op, &inside, addresses))
        return;
    if (store)
        execute_collect(warp, op, data, bytes);
    else if (inside != lanes)
        execute_deliver(warp, op, lanes & ~inside, data, bytes); /* zeros */
    uint32_t now = inside ? execute_defer(warp, op, inside, addresses, bytes, data, bytes) : 0;
    if (!now || warp->status == EXECUTE_FAULTED)
        return;
    if (op->combine) {
        reduce(warp, op, now, addresses, bytes, data);
        return;
    }
    if (execute_access(warp, EXECUTE_SPACE_GLOBAL, store, now, addresses, bytes, data, bytes) && !store)
        execute_deliver(warp, op, now, data, bytes);
}
