/* SPDX-License-Identifier: BSD-3-Clause */
/* Multiplies and media instructions (ARMv6 manual, DDI 0100, chapter A4). */
#include "manycore/core/fault.h"

MNP_DEVICE static int64_t half(uint32_t value, uint32_t top)
{
    return (int16_t)(top ? value >> 16 : value);
}

/* Sets Q when a signed sum does not fit into 32 bits. */
MNP_DEVICE static uint32_t accumulate(struct manycore_core *core, int64_t sum)
{
    core->q |= sum != (int32_t)sum;
    return (uint32_t)sum;
}

MNP_DEVICE static uint64_t pair(const struct manycore_core *core, const struct a32_op *op)
{
    return (uint64_t)core->r[op->n] << 32 | core->r[op->d];
}

MNP_DEVICE static void put_pair(struct manycore_core *core, const struct a32_op *op, uint64_t value)
{
    core->r[op->d] = (uint32_t)value;
    core->r[op->n] = (uint32_t)(value >> 32);
}

/* UMAAL … SMLAL. In their encodings n is the (upper) destination, d the addend or the lower destination. */
MNP_DEVICE static void multiply(struct manycore_core *core, const struct manycore_timing *timing,
                                const struct a32_op *op)
{
    uint32_t *r = core->r, m = r[op->m], s = r[op->s];
    uint64_t wide = (uint64_t)m * s, result;
    int64_t narrow = (int64_t)(int32_t)m * (int32_t)s;
    switch (op->handler) {
    case A32_UMAAL:
        result = wide + r[op->d] + r[op->n];
        break;
    case A32_UMULL:
        result = wide;
        break;
    case A32_UMLAL:
        result = wide + pair(core, op);
        break;
    case A32_SMULL:
        result = (uint64_t)narrow;
        break;
    default:
        result = (uint64_t)narrow + pair(core, op);
        break;
    }
    put_pair(core, op, result);
    if (op->flags & A32_SET_FLAGS) {
        core->flags.n = (uint32_t)(result >> 32);
        core->flags.z = (uint32_t)(result >> 32) | (uint32_t)result;
    }
    core->clock += timing->long_multiply - 1;
}

MNP_DEVICE static void multiply_halves(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t *r = core->r;
    int64_t a = half(r[op->m], op->flags & A32_TOP_A), b = half(r[op->s], op->flags & A32_TOP_B);
    int64_t wide = (int64_t)(int32_t)r[op->m] * b >> 16;
    switch (op->handler) {
    case A32_SMUL_XY:
        r[op->n] = (uint32_t)(a * b);
        break;
    case A32_SMLA_XY:
        r[op->n] = accumulate(core, a * b + (int32_t)r[op->d]);
        break;
    case A32_SMULW_Y:
        r[op->n] = (uint32_t)wide;
        break;
    case A32_SMLAW_Y:
        r[op->n] = accumulate(core, wide + (int32_t)r[op->d]);
        break;
    default:
        put_pair(core, op, pair(core, op) + (uint64_t)(a * b));
        break;
    }
}

/* SMUAD, SMLAD, SMUSD, SMLSD and the long ones. */
MNP_DEVICE static void multiply_dual(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t *r = core->r, s = op->flags & A32_EXCHANGE ? a32_rotate(r[op->s], 16) : r[op->s];
    int64_t low = half(r[op->m], 0) * half(s, 0), high = half(r[op->m], 1) * half(s, 1);
    int64_t sum = op->flags & A32_SUBTRACT ? low - high : low + high;
    if (op->handler == A32_SMLALD)
        put_pair(core, op, pair(core, op) + (uint64_t)sum);
    else
        r[op->n] = accumulate(core, sum + (op->flags & A32_ACCUMULATE ? (int32_t)r[op->d] : 0));
}

MNP_DEVICE static void multiply_top(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t *r = core->r;
    uint64_t product = (uint64_t)((int64_t)(int32_t)r[op->m] * (int32_t)r[op->s]);
    uint64_t sum = op->flags & A32_ACCUMULATE ? (uint64_t)r[op->d] << 32 : 0;
    sum = op->flags & A32_SUBTRACT ? sum - product : sum + product;
    if (op->flags & A32_ROUND)
        sum += UINT64_C(0x80000000);
    r[op->n] = (uint32_t)(sum >> 32);
}

MNP_DEVICE static void sum_differences(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t sum = op->flags & A32_ACCUMULATE ? core->r[op->d] : 0;
    for (uint32_t i = 0; i < 32; i += 8) {
        uint32_t a = core->r[op->m] >> i & 255, b = core->r[op->s] >> i & 255;
        sum += a > b ? a - b : b - a;
    }
    core->r[op->n] = sum;
}

/* ===== saturation and parallel arithmetic ===== */

MNP_DEVICE static void add_saturating(struct manycore_core *core, const struct a32_op *op)
{
    int64_t a = (int32_t)core->r[op->m], b = (int32_t)core->r[op->n];
    if (op->flags & 2)
        b = a32_clamp_signed(2 * b, 32, &core->q);
    core->r[op->d] = (uint32_t)a32_clamp_signed(op->flags & 1 ? a - b : a + b, 32, &core->q);
}

enum { SIGNED = 1, SATURATING = 2, HALVING = 3, UNSIGNED = 5, UNSIGNED_SATURATING = 6, UNSIGNED_HALVING = 7 };

/* One element of a parallel sum; the GE bits of its bytes come from the plain forms alone. */
MNP_DEVICE static uint32_t element(uint32_t kind, int64_t sum, unsigned width, bool subtracts, bool *ge)
{
    uint32_t ignored = 0;
    *ge = kind == SIGNED || subtracts ? sum >= 0 : sum >> width != 0;
    switch (kind) {
    case SATURATING:
        sum = a32_clamp_signed(sum, width, &ignored);
        break;
    case UNSIGNED_SATURATING:
        sum = a32_clamp_unsigned(sum, width, &ignored);
        break;
    case HALVING:
    case UNSIGNED_HALVING:
        sum >>= 1;
        break;
    default:
        break;
    }
    return (uint32_t)sum & ((1u << width) - 1);
}

MNP_DEVICE static int64_t lane(uint32_t value, unsigned at, unsigned width, bool is_signed)
{
    uint32_t bits = value >> at & ((1u << width) - 1);
    return is_signed && bits >> (width - 1) ? (int64_t)bits - (INT64_C(1) << width) : (int64_t)bits;
}

MNP_DEVICE static void add_parallel(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t kind = op->value >> 20 & 7, what = op->value >> 5 & 7; /* ADD16 ASX SAX SUB16 ADD8 - - SUB8 */
    unsigned width = what & 4 ? 8 : 16;
    bool is_signed = kind < 4, exchanges = what == 1 || what == 2;
    uint32_t m = exchanges ? a32_rotate(core->r[op->m], 16) : core->r[op->m], result = 0, flags = 0;
    for (unsigned at = 0; at < 32; at += width) {
        bool subtracts = what == 3 || what == 7 || (what == 1 && at == 0) || (what == 2 && at != 0), ge;
        int64_t a = lane(core->r[op->n], at, width, is_signed), b = lane(m, at, width, is_signed);
        result |= element(kind, subtracts ? a - b : a + b, width, subtracts, &ge) << at;
        flags |= ge ? ((1u << width / 8) - 1) << at / 8 : 0;
    }
    if (kind == SIGNED || kind == UNSIGNED)
        core->ge = flags;
    core->r[op->d] = result;
}

MNP_DEVICE static void pack(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t by = op->shift >> 2, m = core->r[op->m], n = core->r[op->n];
    if (op->value >> 6 & 1)
        core->r[op->d] = (n & 0xFFFF0000) | (a32_arithmetic_right(m, by ? by : 32) & 0xFFFF);
    else
        core->r[op->d] = (n & 0xFFFF) | (m << by & 0xFFFF0000);
}

MNP_DEVICE static void saturate(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t carry = 0, to = op->value >> 16 & 31;
    int64_t value = (int32_t)a32_shift(core->r[op->m], op->shift, &carry);
    bool is_unsigned = op->value >> 22 & 1;
    core->r[op->d] =
        (uint32_t)(is_unsigned ? a32_clamp_unsigned(value, to, &core->q) : a32_clamp_signed(value, to + 1, &core->q));
}

MNP_DEVICE static void saturate_halves(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t result = 0, to = op->value >> 16 & 15;
    bool is_unsigned = op->value >> 22 & 1;
    for (uint32_t top = 0; top < 2; top++) {
        int64_t value = half(core->r[op->m], top);
        value = is_unsigned ? a32_clamp_unsigned(value, to, &core->q) : a32_clamp_signed(value, to + 1, &core->q);
        result |= ((uint32_t)value & 0xFFFF) << 16 * top;
    }
    core->r[op->d] = result;
}

/* SXTAB16, SXTAB, SXTAH and the unsigned ones; n 15: nothing is added. */
MNP_DEVICE static void extend_add(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t m = a32_rotate(core->r[op->m], (op->value >> 10 & 3) * 8), n = op->n == 15 ? 0 : core->r[op->n];
    bool is_unsigned = op->value >> 22 & 1;
    uint32_t low = is_unsigned ? m & 0xFF : (uint32_t)(int8_t)m;
    uint32_t high = is_unsigned ? m >> 16 & 0xFF : (uint32_t)(int8_t)(m >> 16);
    switch (op->value >> 20 & 3) {
    case 0:
        core->r[op->d] = ((n + low) & 0xFFFF) | ((n >> 16) + high) << 16;
        break;
    case 2:
        core->r[op->d] = n + low;
        break;
    default:
        core->r[op->d] = n + (is_unsigned ? m & 0xFFFF : (uint32_t)(int16_t)m);
        break;
    }
}

MNP_DEVICE static void select_bytes(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 4; i++)
        mask |= core->ge >> i & 1 ? UINT32_C(255) << 8 * i : 0;
    core->r[op->d] = (core->r[op->n] & mask) | (core->r[op->m] & ~mask);
}

MNP_DEVICE static void reverse(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t m = core->r[op->m], halves = (m & 0x00FF00FF) << 8 | (m >> 8 & 0x00FF00FF);
    bool revsh = op->value >> 22 & 1, rev = !(op->value >> 7 & 1);
    core->r[op->d] = revsh ? (uint32_t)(int16_t)halves : rev ? a32_rotate(halves, 16) : halves;
}

MNP_APART enum a32_result manycore_execute_arithmetic(struct manycore_core *core, const struct manycore_timing *timing,
                                                      const struct a32_op *op)
{
    if (op->handler >= A32_UMAAL && op->handler <= A32_SMLAL) {
        multiply(core, timing, op);
        return A32_NEXT;
    }
    if (op->mix == A32_CLASS_MULTIPLY && op->handler != A32_UNDEFINED)
        core->clock += timing->multiply - 1;
    switch (op->handler) {
    case A32_SMLA_XY:
    case A32_SMLAW_Y:
    case A32_SMULW_Y:
    case A32_SMLAL_XY:
    case A32_SMUL_XY:
        multiply_halves(core, op);
        break;
    case A32_SMLAD:
    case A32_SMLALD:
        multiply_dual(core, op);
        break;
    case A32_SMMLA:
        multiply_top(core, op);
        break;
    case A32_USADA8:
        sum_differences(core, op);
        break;
    case A32_QADD:
        add_saturating(core, op);
        break;
    case A32_CLZ:
        core->r[op->d] = core->r[op->m] ? (uint32_t)__builtin_clz(core->r[op->m]) : 32;
        break;
    case A32_PARALLEL:
        add_parallel(core, op);
        break;
    case A32_PACK:
        pack(core, op);
        break;
    case A32_SATURATE:
        saturate(core, op);
        break;
    case A32_SATURATE16:
        saturate_halves(core, op);
        break;
    case A32_EXTEND:
        extend_add(core, op);
        break;
    case A32_SELECT:
        select_bytes(core, op);
        break;
    case A32_REVERSE:
        reverse(core, op);
        break;
    default:
        return manycore_fault(core, MANYCORE_FAULT_UNDEFINED, 0);
    }
    return A32_NEXT;
}
