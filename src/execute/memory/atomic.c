/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics and reductions: lanes act one after the other, in their order. */
#include "execute/memory/atomic.h"
#include "execute/memory/multicast.h"
#include "execute/warp/frame.h"

#include <string.h>

/* A number of 1 to 8 bytes. */
static inline uint64_t number_at(const unsigned char *place, unsigned bytes)
{
    uint64_t value = 0;
    if (bytes == 4) {
        uint32_t word;
        memcpy(&word, place, 4);
        return word;
    }
    memcpy(&value, place, bytes);
    return value;
}

static inline void put_number(unsigned char *place, uint64_t value, unsigned bytes)
{
    if (bytes == 4)
        memcpy(place, &(uint32_t){(uint32_t)value}, 4);
    else
        memcpy(place, &value, bytes);
}

static inline uint64_t register_of(const struct execute_warp *warp, const struct execute_op *op, uint32_t ref,
                                   uint32_t lane, unsigned bytes)
{
    if (ref == EXECUTE_NO_REF)
        return 0;
    if (op->access.pairs) {
        const execute_word *words = execute_at(warp, ref);
        return (uint64_t)words[lane + 32] << 32 | words[lane];
    }
    return number_at((const unsigned char *)execute_at(warp, ref) + (size_t)lane * op->access.slot, bytes);
}

/* Returns a pointer to an atomic's bytes in global memory if it can operate on them directly: they are aligned, and the
 * access is not recorded. */
static unsigned char *place_of(struct execute_warp *warp, enum execute_space space, uint64_t address, unsigned bytes)
{
    const struct execute_port *port = warp->cta->port;
    bool direct = space == EXECUTE_SPACE_GLOBAL && port->place && !warp->record && address % bytes == 0;
    return direct ? port->place(port->context, address, bytes) : NULL;
}

/* The new value of a lane's memory, and whether the warp has changed some. */
static uint64_t result_of(struct execute_warp *warp, const struct execute_op *op, enum execute_space space,
                          uint32_t lane, unsigned bytes, uint64_t old)
{
    uint64_t b = register_of(warp, op, op->b, lane, bytes), c = register_of(warp, op, op->c, lane, bytes), made = old;
    /* f32 additions to global memory flush subnormal numbers, those to shared memory do not (ISA 9.0, atom) */
    bool shared = space == EXECUTE_SPACE_SHARED || space == EXECUTE_SPACE_CLUSTER;
    bool flush = !shared && op->access.type == EXECUTE_f32;
    if (op->variant != EXECUTE_ATOMIC_TRIES || old == c)
        made = execute_atomic_result((enum execute_atomic_operation)op->access.operation,
                                     (enum execute_type)op->access.type, flush, old, b, c);
    warp->changed |= (made ^ old) << (64 - 8 * bytes) != 0;
    return made;
}

static bool one_lane(struct execute_warp *warp, const struct execute_op *op, enum execute_space space, uint32_t lane,
                     const uint64_t *addresses, uint64_t *old)
{
    unsigned bytes = execute_type_bytes((enum execute_type)op->access.type);
    unsigned char *place = place_of(warp, space, addresses[lane], bytes);
    *old = 0;
    if (place)
        *old = number_at(place, bytes);
    else if (!execute_access(warp, space, false, 1u << lane, addresses, bytes, old, 0))
        return false;
    uint64_t made = result_of(warp, op, space, lane, bytes, *old);
    if (!place)
        return execute_access(warp, space, true, 1u << lane, addresses, bytes, &made, 0);
    put_number(place, made, bytes);
    return true;
}

/* Old values of the lanes' memory. */
struct read_values {
    _Alignas(64) unsigned char values[256]; /* in slots of the lanes */
    uint32_t swapped;                       /* lanes whose value is odd: whether they have swapped */
};

/* Whether lanes can operate on the bytes of the CTA's own shared memory themselves: all addresses are good. */
static bool is_plain(const struct execute_warp *warp, enum execute_space space, uint32_t lanes,
                     const uint64_t *addresses, unsigned bytes)
{
    uint64_t size = warp->launch->shared_bytes, good = warp->launch->code->paths ? warp->cta->cluster->size == 1 : 1;
    if (space != EXECUTE_SPACE_SHARED || size < bytes)
        return false;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t address = addresses[__builtin_ctz(rest)];
        good &= (address % bytes == 0) & (address <= size - bytes);
    }
    return good;
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

/* Operates for the lanes of `same`, whose addresses are in one space, and adds what they read to the results. Returns
 * false after a fault. */
static bool operate(struct execute_warp *warp, const struct execute_op *op, enum execute_space space, uint32_t same,
                    const uint64_t *addresses, struct read_values *got)
{
    unsigned bytes = execute_type_bytes((enum execute_type)op->access.type);
    bool plain = is_plain(warp, space, same, addresses, bytes);
    if (plain)
        execute_record_access(warp, space, bytes, addresses);
    for (uint32_t rest = same; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t old = 0;
        if (plain) {
            unsigned char *place = warp->cta->shared + addresses[lane];
            old = number_at(place, bytes);
            put_number(place, result_of(warp, op, space, lane, bytes, old), bytes);
        } else {
            uint32_t many = space == EXECUTE_SPACE_GLOBAL ? reduce_members(warp, op, lane, addresses[lane]) : 0;
            if (warp->status == EXECUTE_FAULTED || (!many && !one_lane(warp, op, space, lane, addresses, &old)))
                return false;
        }
        if (op->combine) /* CAST: whether memory held the expected value */
            old = old == register_of(warp, op, op->b, lane, bytes);
        else if (op->variant == EXECUTE_ATOMIC_TRIES)
            old = old == register_of(warp, op, op->c, lane, bytes);
        got->swapped |= (uint32_t)(old & 1) << lane;
        memcpy(got->values + (size_t)lane * op->access.slot, &old, op->access.slot);
    }
    return true;
}

/* The lanes that perform the operation here and now, not those of other memory or those that the L2 performs; 0: none,
 * or a fault. */
static uint32_t lanes_here(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                           const uint64_t given[32])
{
    if (op->variant == EXECUTE_ATOMIC_GLOBAL_ALONE) {
        uint32_t global = global_lanes(op, lanes, given);
        execute_set_mask(warp, op->target, lanes, global);
        lanes = global;
    }
    if (!lanes || !warp->cta->port->defer)
        return lanes;
    _Alignas(64) unsigned char operands[32 * 16];
    collect(warp, op, operands);
    lanes = execute_defer(warp, op, lanes, given, execute_type_bytes((enum execute_type)op->access.type), operands, 16);
    return warp->status == EXECUTE_FAULTED ? 0 : lanes;
}

void execute_step_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t given[32], addresses[32];
    struct read_values got = {0};
    warp->polled |= op->variant != EXECUTE_ATOMIC_TRIES; /* an attempt fails where another lane's has not */
    if (execute_is_wide_atomic(op)) {
        execute_step_wide_atomic(warp, op, lanes);
        return;
    }
    execute_access_addresses(warp, op, op->immediate, given);
    lanes = lanes_here(warp, op, lanes, given);
    for (uint32_t left = lanes, same; left; left &= ~same) {
        enum execute_space space = (enum execute_space)op->access.space;
        same = left;
        if (space == EXECUTE_SPACE_GENERIC)
            same = execute_resolve(given, left, &space, addresses);
        if (!operate(warp, op, space, same, op->access.space == EXECUTE_SPACE_GENERIC ? addresses : given, &got))
            return;
    }
    if (!lanes)
        return;
    if (op->variant == EXECUTE_ATOMIC_SWAPS)
        execute_set_mask(warp, op->target, lanes, got.swapped);
    else if (op->access.pairs && !op->access.reduction)
        execute_blend_pairs(warp, execute_to(warp, op->d), got.values, lanes);
    else if (!op->access.reduction)
        execute_blend(warp, execute_to(warp, op->d), got.values, op->access.slot, lanes);
}
