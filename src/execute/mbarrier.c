/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mbarrier objects in shared memory (PTX ISA, mbarrier), and the copies that end with one. A phase is complete when the
 * arrivals that it expects have come and no bytes are outstanding; the next one then begins by itself. Copies are
 * performed at once, so that what completes them does so at once too.
 *
 * The object is opaque to programs. Here: bits 0 … 19 arrivals still to come, 20 … 39 arrivals of each phase, 40 … 62
 * bytes outstanding (two's complement: they may be completed before they are expected), 63 the phase's parity.
 */
#include "execute/frame.h"

#include <string.h>

enum { COUNT_BITS = 20, BYTES_BITS = 23, CHUNK = 16 };

#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_MASK ((UINT64_C(1) << BYTES_BITS) - 1)

static uint64_t make(bool parity, int64_t bytes, uint64_t each, uint64_t pending)
{
    return (uint64_t)parity << 63 | ((uint64_t)bytes & BYTES_MASK) << 2 * COUNT_BITS |
           (each & COUNT_MASK) << COUNT_BITS | (pending & COUNT_MASK);
}

/* An object after `arrivals`, of which `drop` leave every later phase too, and a change of the bytes outstanding. */
static uint64_t change(uint64_t object, uint64_t arrivals, bool drop, int64_t more)
{
    uint64_t pending = object & COUNT_MASK, each = object >> COUNT_BITS & COUNT_MASK;
    int64_t bytes = (int64_t)(object << 1) >> (64 - BYTES_BITS);
    bool parity = object >> 63;
    bytes += more;
    pending -= arrivals;
    each -= drop ? arrivals : 0;
    if ((pending & COUNT_MASK) == 0 && bytes == 0) {
        pending = each;
        parity = !parity;
    }
    return make(parity, bytes, each, pending);
}

static uint64_t next_of(const struct execute_op *op, uint64_t object, uint32_t number)
{
    switch (op->variant) {
    case EXECUTE_MBARRIER_INIT:
        return make(false, 0, number, number);
    case EXECUTE_MBARRIER_EXPECT: /* alone, it ends no phase */
        return make(object >> 63, ((int64_t)(object << 1) >> (64 - BYTES_BITS)) + number, object >> COUNT_BITS, object);
    case EXECUTE_MBARRIER_COMPLETE:
        return change(object, 0, false, -(int64_t)number);
    case EXECUTE_MBARRIER_ARRIVE:
    case EXECUTE_MBARRIER_ARRIVE_DROP:
        return op->combine ? change(object, 1, op->variant == EXECUTE_MBARRIER_ARRIVE_DROP, number)
                           : change(object, number, op->variant == EXECUTE_MBARRIER_ARRIVE_DROP, 0);
    default:
        return object;
    }
}

static bool access_one(struct execute_warp *warp, enum execute_space space, bool write, uint32_t lane,
                       const uint64_t *addresses, uint64_t *object)
{
    return execute_access(warp, space, write, 1u << lane, addresses, sizeof *object, object, 0);
}

/* Leaves operations on objects of other CTAs to these; returns the lanes that remain. */
static uint32_t defer(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const uint64_t *addresses)
{
    const uint32_t *numbers = execute_at(warp, op->b);
    uint64_t operands[32][2] = {{0}};
    for (uint32_t lane = 0; lane < 32; lane++)
        operands[lane][0] = numbers[lane];
    uint32_t left = execute_defer_remote(warp, op, lanes, addresses, 8, operands, sizeof *operands);
    warp->changed |= left != lanes;
    return left;
}

uint64_t execute_mbarrier_result(uint8_t operation, uint64_t old, uint64_t number)
{
    const struct execute_op op = {.variant = operation & EXECUTE_REMOTE_OPERATION,
                                  .combine = (operation & EXECUTE_REMOTE_COMBINED) != 0};
    return next_of(&op, old, (uint32_t)number);
}

void execute_step_mbarrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t addresses[32], states[32] = {0};
    uint32_t done = 0, counts[32] = {0};
    enum execute_space space = (enum execute_space)op->access.space;
    bool by_state = op->variant == EXECUTE_MBARRIER_WAIT_STATE || op->variant == EXECUTE_MBARRIER_PENDING;
    bool wait = op->variant == EXECUTE_MBARRIER_WAIT_STATE || op->variant == EXECUTE_MBARRIER_WAIT_PARITY;
    const void *given = execute_at(warp, op->b);
    if (op->variant != EXECUTE_MBARRIER_PENDING)
        execute_addresses(warp, op->a, op->access.wide_address, op->immediate, addresses);
    if (warp->cta->cluster->apart && op->variant != EXECUTE_MBARRIER_PENDING)
        lanes = defer(warp, op, lanes, addresses);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t value = by_state ? ((const uint64_t *)given)[lane] : ((const uint32_t *)given)[lane], object = 0;
        counts[lane] = (uint32_t)(value & COUNT_MASK);
        if (op->variant == EXECUTE_MBARRIER_PENDING)
            continue;
        if (op->variant != EXECUTE_MBARRIER_INIT && !access_one(warp, space, false, lane, addresses, &object))
            return;
        states[lane] = object;
        if (wait) {
            bool phase = op->variant == EXECUTE_MBARRIER_WAIT_PARITY ? value & 1 : value >> 63;
            done |= (uint32_t)((object >> 63) != phase) << lane;
            continue;
        }
        object = next_of(op, object, (uint32_t)value);
        if (!access_one(warp, space, true, lane, addresses, &object))
            return;
    }
    warp->polled |= wait;
    warp->changed |= !wait;
    if (wait)
        execute_set_mask(warp, op->d, lanes, done);
    else if (op->flags & EXECUTE_OP_WRITES_D)
        execute_blend(execute_to(warp, op->d), op->variant == EXECUTE_MBARRIER_PENDING ? (const void *)counts : states,
                      op->size, lanes);
}

bool execute_mbarrier_complete(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses, uint32_t bytes)
{
    uint64_t object;
    if (!access_one(warp, EXECUTE_SPACE_SHARED, false, lane, addresses, &object))
        return false;
    object = change(object, 0, false, -(int64_t)bytes);
    return access_one(warp, EXECUTE_SPACE_SHARED, true, lane, addresses, &object);
}

/* One lane's copy: sixteen bytes at a time, 32 of these together, for which lanes stand. False: a fault. */
static bool copy_lane(struct execute_warp *warp, bool in, uint64_t to, uint64_t from, uint32_t bytes)
{
    enum execute_space source = in ? EXECUTE_SPACE_GLOBAL : EXECUTE_SPACE_SHARED,
                       target = in ? EXECUTE_SPACE_SHARED : EXECUTE_SPACE_GLOBAL;
    for (uint32_t done = 0; done < bytes; done += 32 * CHUNK) {
        _Alignas(64) unsigned char data[32 * CHUNK];
        uint64_t sources[32], targets[32];
        uint32_t count = (bytes - done) / CHUNK < 32 ? (bytes - done) / CHUNK : 32;
        uint32_t mask = count == 32 ? EXECUTE_ALL_LANES : (1u << count) - 1;
        for (uint32_t i = 0; i < 32; i++) {
            sources[i] = from + done + (i < count ? i * CHUNK : 0);
            targets[i] = to + done + (i < count ? i * CHUNK : 0);
        }
        if (!execute_access(warp, source, false, mask, sources, CHUNK, data, CHUNK) ||
            !execute_access(warp, target, true, mask, targets, CHUNK, data, CHUNK))
            return false;
    }
    return true;
}

void execute_step_copy_bulk(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint64_t *wide = (const uint64_t *)warp->launch->code->wide.items + op->target;
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    uint64_t to[32], from[32], barriers[32];
    const uint32_t *bytes = execute_at(warp, op->c);
    execute_addresses(warp, op->a, op->access.wide_address, op->immediate, to);
    execute_addresses(warp, op->b, op->access.bypass, (int64_t)wide[0], from);
    execute_addresses(warp, wide[2] ? EXECUTE_NO_REF : list[0], op->access.framed, (int64_t)wide[1], barriers);
    struct execute_record *record = warp->record;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (bytes[lane] % CHUNK) {
            execute_fault(warp, EXECUTE_FAULT_MISALIGNED, lane, bytes[lane]);
            return;
        }
        warp->record = NULL;
        bool good = copy_lane(warp, op->variant, to[lane], from[lane], bytes[lane]) &&
                    (!op->variant || execute_mbarrier_complete(warp, lane, barriers, bytes[lane]));
        warp->record = record;
        if (!good)
            return;
    }
    warp->changed = true;
    if (!record)
        return;
    record->space = EXECUTE_SPACE_GLOBAL; /* the first line of each copy stands for it in the models of time */
    record->bytes = CHUNK;
    memcpy(record->addresses, op->variant ? from : to, sizeof record->addresses);
}
