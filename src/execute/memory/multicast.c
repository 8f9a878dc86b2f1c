/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/memory/multicast.h"

#include "execute/lanes/soft_float.h"
#include "execute/memory/atomic.h"

#include <string.h>

uint8_t execute_reduced_type(const struct execute_op *op)
{
    return (uint8_t)((op->access.reduced - 1u) | (op->access.single ? EXECUTE_REDUCED_SINGLE : 0));
}

/* ===== values ===== */

/* The sum of halves as a float of 32 bits, rounded to a half once. */
static uint64_t sum_of_halves(const struct execute_format *half, const uint64_t *values, uint32_t count, uint32_t shift)
{
    const struct execute_format *single = &execute_format_f32;
    struct execute_number sum = execute_soft_unpack(half, values[0] >> shift & 0xffff, false);
    for (uint32_t i = 1; i < count; i++) {
        struct execute_number next = execute_soft_unpack(half, values[i] >> shift & 0xffff, false);
        uint64_t bits =
            execute_soft_pack(single, execute_soft_add(sum, next, EXECUTE_RN), EXECUTE_RN, false, false, false);
        sum = execute_soft_unpack(single, bits, false);
    }
    return execute_soft_pack(half, sum, EXECUTE_RN, false, false, false);
}

static uint64_t add_halves(enum execute_type type, uint32_t bytes, const uint64_t *values, uint32_t count)
{
    bool brain = type == EXECUTE_bf16 || type == EXECUTE_bf16x2 || type == EXECUTE_bf16x4;
    const struct execute_format *half = brain ? &execute_format_bf16 : &execute_format_f16;
    uint64_t result = 0;
    for (uint32_t at = 0; at < bytes; at += 2)
        result |= sum_of_halves(half, values, count, 8 * at) << 8 * at;
    return result;
}

uint64_t execute_reduce_values(uint8_t operation, uint8_t type, uint32_t bytes, const uint64_t *values, uint32_t count)
{
    enum execute_type of = (enum execute_type)(type & ~EXECUTE_REDUCED_SINGLE);
    uint32_t each = execute_type_bytes(of);
    uint64_t result = 0, mask = each < 8 ? (UINT64_C(1) << 8 * each) - 1 : UINT64_MAX;
    if (type & EXECUTE_REDUCED_SINGLE)
        return add_halves(of, bytes, values, count);
    for (uint32_t at = 0; at < bytes; at += each) {
        uint64_t made = values[0] >> 8 * at & mask;
        for (uint32_t i = 1; i < count; i++)
            made = execute_atomic_result((enum execute_atomic_operation)operation, of, false, made,
                                         values[i] >> 8 * at & mask, 0);
        result |= (made & mask) << 8 * at;
    }
    return result;
}

/* ===== accesses without time ===== */

/* The memories behind an address; 0: it is in no multicast object, or a fault. */
static uint32_t members_of(struct execute_warp *warp, uint32_t lane, uint64_t address, uint32_t bytes,
                           unsigned char *places[EXECUTE_MEMBERS])
{
    const struct execute_port *port = warp->cta->port;
    uint32_t count = port->members(port->context, address, places);
    if (count && count != EXECUTE_NO_MEMBERS && address % bytes)
        execute_fault(warp, EXECUTE_FAULT_MISALIGNED, lane, address);
    else if (count == EXECUTE_NO_MEMBERS)
        execute_fault(warp, EXECUTE_FAULT_MULTIMEM, lane, address);
    return warp->status == EXECUTE_FAULTED ? 0 : count;
}

static void load(const struct execute_op *op, unsigned char *const *places, uint32_t count, uint32_t bytes,
                 unsigned char *to)
{
    uint32_t piece = bytes < 8 ? bytes : 8;
    for (uint32_t at = 0; at < bytes; at += piece) {
        uint64_t values[EXECUTE_MEMBERS] = {0};
        for (uint32_t i = 0; i < count; i++)
            memcpy(&values[i], places[i] + at, piece);
        uint64_t made = execute_reduce_values(op->access.operation, execute_reduced_type(op), piece, values, count);
        memcpy(to + at, &made, piece);
    }
}

uint32_t execute_load_multicast(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                                const uint64_t *addresses, uint32_t bytes, unsigned char *data)
{
    unsigned char *places[EXECUTE_MEMBERS];
    uint32_t many = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), count = members_of(warp, lane, addresses[lane], bytes, places);
        if (warp->status == EXECUTE_FAULTED)
            break;
        if (!count)
            continue;
        load(op, places, count, bytes, data + (size_t)lane * bytes);
        many |= 1u << lane;
    }
    return many;
}

/* The new value of an element. */
static void reduce(struct execute_warp *warp, const struct execute_op *op, uint32_t each, const unsigned char *operand,
                   unsigned char *place)
{
    enum execute_type type = (enum execute_type)op->access.type;
    uint64_t old = 0, b = 0;
    memcpy(&old, place, each);
    memcpy(&b, operand, each);
    uint64_t made = execute_atomic_result((enum execute_atomic_operation)op->access.operation, type,
                                          type == EXECUTE_f32, old, b, 0);
    warp->changed |= memcmp(&made, &old, each) != 0;
    memcpy(place, &made, each);
}

uint32_t execute_reduce_multicast(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                                  uint64_t address, uint32_t bytes, const unsigned char *operand)
{
    unsigned char *places[EXECUTE_MEMBERS];
    uint32_t each = execute_type_bytes((enum execute_type)op->access.type);
    if (!warp->cta->port->members)
        return 0;
    uint32_t count = members_of(warp, lane, address, bytes, places);
    if (count && !op->access.reduction)
        execute_fault(warp, EXECUTE_FAULT_MULTIMEM, lane, address);
    for (uint32_t i = 0; i < count && warp->status != EXECUTE_FAULTED; i++)
        for (uint32_t at = 0; at < bytes; at += each)
            reduce(warp, op, each, operand + at, places[i] + at);
    return warp->status == EXECUTE_FAULTED ? EXECUTE_NO_MEMBERS : count;
}
