/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic of A32: shifts, saturation, additions with flags (ARMv6 manual, DDI 0100, chapters A4 and A5). */
#ifndef MANYCORE_ALU_H
#define MANYCORE_ALU_H

#include "manycore/core/a32.h"

/* Flags, each in a form that is cheap to set: N is bit 31 of `n`, Z means that `z` is 0, C and V are 0 or 1. */
struct a32_flags {
    uint32_t n, z, c, v;
};

MNP_DEVICE static inline uint32_t a32_arithmetic_right(uint32_t value, uint32_t by)
{
    uint32_t sign = value >> 31 ? UINT32_MAX : 0;
    return by >= 32 ? sign : by ? value >> by | (sign << (32 - by)) : value;
}

/* Shift by an immediate amount as encoded; `*carry` is the carry in and becomes the carry out. */
MNP_DEVICE static inline uint32_t a32_shift(uint32_t value, uint32_t shift, uint32_t *carry)
{
    uint32_t by = shift >> 2, in = *carry;
    switch (shift & 3) {
    case 0:
        if (by == 0)
            return value;
        *carry = value >> (32 - by) & 1;
        return value << by;
    case 1:
        *carry = by ? value >> (by - 1) & 1 : value >> 31;
        return by ? value >> by : 0;
    case 2:
        *carry = by ? value >> (by - 1) & 1 : value >> 31;
        return a32_arithmetic_right(value, by ? by : 32);
    default:
        if (by == 0) { /* RRX */
            *carry = value & 1;
            return in << 31 | value >> 1;
        }
        *carry = value >> (by - 1) & 1;
        return a32_rotate(value, by);
    }
}

/* Shift by the low byte of a register. */
MNP_DEVICE static inline uint32_t a32_shift_by_register(uint32_t value, uint32_t type, uint32_t by, uint32_t *carry)
{
    by &= 255;
    if (by == 0)
        return value;
    if (type == 3) {
        *carry = value >> ((by - 1) & 31) & 1;
        return a32_rotate(value, by);
    }
    if (by >= 32) {
        uint32_t last = type == 0 ? value & 1 : value >> 31;
        *carry = by == 32 || type == 2 ? last : 0;
        return type == 2 ? a32_arithmetic_right(value, 32) : 0;
    }
    *carry = type == 0 ? value >> (32 - by) & 1 : value >> (by - 1) & 1;
    return type == 0 ? value << by : type == 1 ? value >> by : a32_arithmetic_right(value, by);
}

/* a + b + carry, with all flags. Subtractions add the complement with a carry of 1. */
MNP_DEVICE static inline uint32_t a32_add(struct a32_flags *flags, uint32_t a, uint32_t b, uint32_t carry)
{
    uint64_t wide = (uint64_t)a + b + carry;
    uint32_t sum = (uint32_t)wide;
    flags->n = flags->z = sum;
    flags->c = (uint32_t)(wide >> 32);
    flags->v = ((a ^ sum) & (b ^ sum)) >> 31;
    return sum;
}

MNP_DEVICE static inline bool a32_holds(const struct a32_flags *flags, uint32_t condition)
{
    bool result;
    switch (condition >> 1) {
    case 0:
        result = flags->z == 0;
        break;
    case 1:
        result = flags->c;
        break;
    case 2:
        result = flags->n >> 31;
        break;
    case 3:
        result = flags->v;
        break;
    case 4:
        result = flags->c && flags->z != 0;
        break;
    case 5:
        result = flags->n >> 31 == flags->v;
        break;
    case 6:
        result = flags->z != 0 && flags->n >> 31 == flags->v;
        break;
    default:
        return true;
    }
    return result != (condition & 1);
}

/* Clamps to the range of a signed number of `bits` bits, or of an unsigned one. */
MNP_DEVICE static inline int64_t a32_clamp_signed(int64_t value, unsigned bits, uint32_t *saturated)
{
    int64_t high = (INT64_C(1) << (bits - 1)) - 1, low = -high - 1;
    *saturated |= value > high || value < low;
    return value > high ? high : value < low ? low : value;
}

MNP_DEVICE static inline int64_t a32_clamp_unsigned(int64_t value, unsigned bits, uint32_t *saturated)
{
    int64_t high = (INT64_C(1) << bits) - 1;
    *saturated |= value > high || value < 0;
    return value > high ? high : value < 0 ? 0 : value;
}

#endif
