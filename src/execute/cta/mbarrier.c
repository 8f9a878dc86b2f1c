/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mbarrier objects in shared memory (PTX ISA, mbarrier). A phase is complete when all expected arrivals have occurred
 * and no bytes are outstanding; the next phase then begins automatically.
 *
 * The format is opaque to PTX programs, but machine code writes objects (SYNCS.EXCH) and extracts fields by shifts, so
 * the layout is that of hardware: bits 1 … 20 hold 2^20 minus the arrivals of each phase; bits 21 … 42 the outstanding
 * bytes (two's complement, because bytes may complete before they are expected); bits 43 … 62 hold 2^20 minus the
 * pending arrivals of this phase; bit 63 is the phase's parity.
 */
#include "execute/warp/frame.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_BITS = 20, BYTES_BITS = 22, EACH_AT = 1, BYTES_AT = 21, PENDING_AT = 43 };

#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_MASK ((UINT64_C(1) << BYTES_BITS) - 1)

static uint64_t make(bool parity, int64_t bytes, uint64_t each, uint64_t pending)
{
    return (uint64_t)parity << 63 | ((0 - pending) & COUNT_MASK) << PENDING_AT |
           ((uint64_t)bytes & BYTES_MASK) << BYTES_AT | ((0 - each) & COUNT_MASK) << EACH_AT;
}

static uint64_t pending_of(uint64_t object)
{
    return (0 - (object >> PENDING_AT)) & COUNT_MASK;
}

static uint64_t each_of(uint64_t object)
{
    return (0 - (object >> EACH_AT)) & COUNT_MASK;
}

static int64_t bytes_of(uint64_t object)
{
    return (int64_t)(object << (64 - BYTES_BITS - BYTES_AT)) >> (64 - BYTES_BITS);
}

/* An object after `arrivals`, of which `drop` leave every later phase too, and a change of the bytes outstanding. */
static uint64_t change(uint64_t object, uint64_t arrivals, bool drop, int64_t more)
{
    uint64_t pending = pending_of(object), each = each_of(object);
    int64_t bytes = bytes_of(object);
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

uint64_t execute_mbarrier_begin(uint32_t arrivals)
{
    return make(false, 0, arrivals, arrivals);
}

/* An arrival at an object as machine code of Ampere writes it: the lower word has 2^30 less the arrivals of each
 * phase, the upper one 2^31 less those still to come, and the phase's parity in its highest bit, which the last one
 * carries to. */
static uint64_t arrive_in_words(uint64_t object)
{
    enum { EACH_BITS = 30 };
    uint32_t each = (uint32_t)object, upper = (uint32_t)(object >> 32) + 1;
    if ((upper ^ (uint32_t)(object >> 32)) >> 31) /* the next phase begins */
        upper |= each | UINT32_C(1) << EACH_BITS;
    return (uint64_t)upper << 32 | each;
}

static uint64_t next_of(const struct execute_op *op, uint64_t object, uint32_t number)
{
    switch (op->variant) {
    case EXECUTE_MBARRIER_INIT:
        return execute_mbarrier_begin(number);
    case EXECUTE_MBARRIER_EXPECT: /* does not end a phase by itself */
        return make(object >> 63, bytes_of(object) + number, each_of(object), pending_of(object));
    case EXECUTE_MBARRIER_ARRIVE_WORDS:
        return arrive_in_words(object);
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

/* Checks an operation on an mbarrier and returns a fault if it is invalid: the ISA leaves such operations undefined,
 * and a program that performs one may wait forever, or not at all. */
static enum execute_fault fault_of(const struct execute_op *op, uint64_t object, uint32_t number)
{
    const int64_t most = COUNT_MASK;
    bool arrives = op->variant == EXECUTE_MBARRIER_ARRIVE || op->variant == EXECUTE_MBARRIER_ARRIVE_DROP;
    if (op->variant == EXECUTE_MBARRIER_INIT)
        return number < 1 || number > most ? EXECUTE_FAULT_MBARRIER_COUNT : EXECUTE_FAULT_NONE;
    if (arrives && (op->combine ? 1 : number) > pending_of(object))
        return EXECUTE_FAULT_MBARRIER_ARRIVE;
    int64_t more = op->variant == EXECUTE_MBARRIER_EXPECT || (arrives && op->combine) ? (int64_t)number
                   : op->variant == EXECUTE_MBARRIER_COMPLETE                         ? -(int64_t)number
                                                                                      : 0;
    int64_t bytes = bytes_of(object) + more;
    if (more && (bytes > most || bytes < -most))
        return EXECUTE_FAULT_MBARRIER_BYTES;
    return more && !object ? EXECUTE_FAULT_MBARRIER_ARRIVE : EXECUTE_FAULT_NONE; /* no mbarrier is there */
}

void execute_mbarrier_describe(uint64_t object, char *text, size_t room)
{
    int used = snprintf(text, room, "phase of parity %d lacks %lu of %lu arrivals", (int)(object >> 63),
                        (unsigned long)pending_of(object), (unsigned long)each_of(object));
    if (bytes_of(object) && used > 0 && (size_t)used < room)
        snprintf(text + used, room - (size_t)used, " and %ld bytes", (long)bytes_of(object));
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

enum execute_fault execute_mbarrier_fault(uint8_t operation, uint64_t old, uint64_t number)
{
    const struct execute_op op = {.variant = operation & EXECUTE_REMOTE_OPERATION,
                                  .combine = (operation & EXECUTE_REMOTE_COMBINED) != 0};
    return fault_of(&op, old, (uint32_t)number);
}

/* Notifies the machine if a phase has ended. */
static void tell(struct execute_warp *warp, uint64_t address, uint64_t before, uint64_t after)
{
    const struct execute_port *port = warp->cta->port;
    if ((before ^ after) >> 63 && port->flipped)
        port->flipped(port->context, address);
}

/* Whether those that wait are to wait inside the machine; op->combine: they may (try_wait). */
static bool waits_inside(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, uint32_t done,
                         const uint64_t *addresses)
{
    const struct execute_port *port = warp->cta->port;
    lanes &= ~done;
    if (execute_warp_has_turns(warp)) /* other lanes of the warp must not wait with these */
        return false;
    return op->combine && lanes && port->phase && port->phase(port->context, addresses[__builtin_ctz(lanes)]);
}

/* An operation that takes effect when copies have landed. False: they have, and it is performed now. */
static bool put_off(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const uint64_t *addresses)
{
    const struct execute_port *port = warp->cta->port;
    uint64_t objects[32];
    if (!port->arrival)
        return false;
    if (!lanes || !port->arrival(port->context, warp, op, lanes, addresses))
        return true;
    warp->changed = true;
    execute_access(warp, (enum execute_space)op->access.space, false, lanes, addresses, sizeof *objects, objects,
                   sizeof *objects);
    return true;
}

void execute_step_mbarrier(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t addresses[32], states[32] = {0};
    uint32_t done = 0, counts[32] = {0};
    if (op->variant == EXECUTE_MBARRIER_STORE) {
        execute_step_store_async(warp, op, lanes, execute_mbarrier_complete);
        return;
    }
    enum execute_space space = (enum execute_space)op->access.space;
    bool by_state = op->variant == EXECUTE_MBARRIER_WAIT_STATE || op->variant == EXECUTE_MBARRIER_PENDING;
    bool upper = op->variant == EXECUTE_MBARRIER_WAIT_UPPER;
    bool wait = upper || op->variant == EXECUTE_MBARRIER_WAIT_STATE || op->variant == EXECUTE_MBARRIER_WAIT_PARITY;
    const void *given = execute_at(warp, op->b);
    if (op->variant != EXECUTE_MBARRIER_PENDING)
        execute_access_addresses(warp, op, op->immediate, addresses);
    if (warp->cta->cluster->apart && op->variant != EXECUTE_MBARRIER_PENDING)
        lanes = defer(warp, op, lanes, addresses);
    if (op->access.landed && put_off(warp, op, lanes, addresses))
        return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t value = by_state ? ((const uint64_t *)given)[lane] : ((const uint32_t *)given)[lane], object = 0;
        counts[lane] = (uint32_t)pending_of(value);
        if (op->variant == EXECUTE_MBARRIER_PENDING)
            continue;
        if (op->variant != EXECUTE_MBARRIER_INIT && !access_one(warp, space, false, lane, addresses, &object))
            return;
        states[lane] = object;
        if (wait) {
            bool phase = upper                                         ? value >> 31 & 1
                         : op->variant == EXECUTE_MBARRIER_WAIT_PARITY ? value & 1
                                                                       : value >> 63;
            done |= (uint32_t)((object >> 63) != phase) << lane;
            continue;
        }
        enum execute_fault fault = fault_of(op, object, (uint32_t)value);
        if (fault) { /* the phase is told with the address, of which it is the highest bit */
            execute_fault(warp, fault, lane, addresses[lane] | (object >> 63) << 63);
            return;
        }
        object = next_of(op, object, (uint32_t)value);
        if (!access_one(warp, space, true, lane, addresses, &object))
            return;
        if (op->variant != EXECUTE_MBARRIER_INIT)
            tell(warp, addresses[lane], states[lane], object);
    }
    if (wait && waits_inside(warp, op, lanes, done, addresses))
        return;
    warp->polled |= wait;
    if (wait)
        warp->mbarrier = lanes & ~done ? (uint32_t)addresses[__builtin_ctz(lanes & ~done)] + 1 : 0;
    warp->changed |= !wait;
    if (wait)
        execute_set_mask(warp, op->d, lanes, done);
    else if (op->access.pairs)
        execute_blend_pairs(warp, execute_to(warp, op->d), states, lanes);
    else if (op->flags & EXECUTE_OP_WRITES_D)
        execute_blend(warp, execute_to(warp, op->d),
                      op->variant == EXECUTE_MBARRIER_PENDING ? (const void *)counts : states, op->size, lanes);
}

/* Applies a completion by an async unit, or by landed copies: enum execute_mbarrier, COMPLETE or an arrival. */
static bool change_in(struct execute_warp *warp, enum execute_space space, uint32_t lane, const uint64_t *addresses,
                      uint8_t operation, uint32_t number)
{
    uint64_t object, before;
    if (!access_one(warp, space, false, lane, addresses, &object))
        return false;
    enum execute_fault fault = execute_mbarrier_fault(operation, object, number);
    if (fault) {
        execute_fault(warp, fault, lane, addresses[lane] | (object >> 63) << 63);
        return false;
    }
    before = object;
    object = execute_mbarrier_result(operation, object, number);
    tell(warp, addresses[lane], before, object);
    return access_one(warp, space, true, lane, addresses, &object);
}

static bool change_at(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses, uint8_t operation,
                      uint32_t number)
{
    enum execute_space space = addresses[lane] < EXECUTE_CLUSTER_BASE ? EXECUTE_SPACE_SHARED : EXECUTE_SPACE_CLUSTER;
    return change_in(warp, space, lane, addresses, operation, number);
}

bool execute_mbarrier_complete(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses, uint32_t bytes)
{
    return change_at(warp, lane, addresses, EXECUTE_MBARRIER_COMPLETE, bytes);
}

bool execute_mbarrier_arrive(struct execute_warp *warp, uint32_t lane, const uint64_t *addresses)
{
    return change_at(warp, lane, addresses, EXECUTE_MBARRIER_ARRIVE, 1);
}

bool execute_mbarrier_landed(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                             const uint64_t *addresses)
{
    return change_in(warp, (enum execute_space)op->access.space, lane, addresses, op->variant, 1);
}
