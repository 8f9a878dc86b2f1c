/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of an atomic operation on the old value and its operands. */
#include "execute/memory/atomic.h"

#include "execute/lanes/lane_math.h"

static const struct execute_format *format_of(enum execute_type type)
{
    return type == EXECUTE_f64                              ? &execute_format_f64
           : type == EXECUTE_f32                            ? &execute_format_f32
           : type == EXECUTE_bf16 || type == EXECUTE_bf16x2 ? &execute_format_bf16
                                                            : &execute_format_f16;
}

/* Compares two numbers that are not NaN, by their bits; -0 is less than +0. */
static bool less(uint64_t a_bits, uint64_t b_bits, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    int64_t x = a_bits & sign ? -(int64_t)(a_bits ^ sign) - 1 : (int64_t)a_bits;
    int64_t y = b_bits & sign ? -(int64_t)(b_bits ^ sign) - 1 : (int64_t)b_bits;
    return x < y;
}

static uint64_t float_atomic(enum execute_atomic_operation operation, enum execute_type type, uint64_t old, uint64_t b,
                             bool flush)
{
    const struct execute_format *format = format_of(type);
    struct execute_number x = execute_soft_unpack(format, old, flush), y = execute_soft_unpack(format, b, flush);
    if (operation == EXECUTE_ATOMIC_ADD && type == EXECUTE_f64) /* NaN operands are handled as by DADD */
        return bits_of_double(settle(double_of(old) + double_of(b), double_of(b), double_of(old), 0));
    if (operation == EXECUTE_ATOMIC_ADD)
        return execute_soft_pack(format, execute_soft_add(x, y, EXECUTE_RN), EXECUTE_RN, flush, false, false);
    if (x.class == EXECUTE_NAN || y.class == EXECUTE_NAN)
        return x.class == EXECUTE_NAN && y.class == EXECUTE_NAN ? format->nan : x.class == EXECUTE_NAN ? b : old;
    unsigned width = 1u + format->exponent_bits + format->fraction_bits;
    return less(old, b, width) == (operation == EXECUTE_ATOMIC_MIN) ? old : b;
}

static uint64_t integer_atomic(enum execute_atomic_operation operation, enum execute_type type, uint64_t old,
                               uint64_t b)
{
    bool is_signed = execute_type_is_signed(type);
    if (is_signed && execute_type_bytes(type) == 4) {
        old = (uint64_t)(int32_t)old;
        b = (uint64_t)(int32_t)b;
    }
    bool below = is_signed ? (int64_t)old < (int64_t)b : old < b;
    switch (operation) {
    case EXECUTE_ATOMIC_ADD:
        return old + b;
    case EXECUTE_ATOMIC_MIN:
        return below ? old : b;
    case EXECUTE_ATOMIC_MAX:
        return below ? b : old;
    case EXECUTE_ATOMIC_AND:
        return old & b;
    case EXECUTE_ATOMIC_OR:
        return old | b;
    case EXECUTE_ATOMIC_XOR:
        return old ^ b;
    case EXECUTE_ATOMIC_INC:
        return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case EXECUTE_ATOMIC_DEC:
        return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
    default:
        return b; /* exch */
    }
}

uint64_t execute_atomic_result(enum execute_atomic_operation operation, enum execute_type type, bool flush,
                               uint64_t old, uint64_t b, uint64_t c)
{
    if (operation == EXECUTE_ATOMIC_CAS)
        return old == b ? c : old;
    if (type == EXECUTE_f32x2 || type == EXECUTE_f16x4 || type == EXECUTE_bf16x4) {
        enum execute_type each = type == EXECUTE_f32x2   ? EXECUTE_f32
                                 : type == EXECUTE_f16x4 ? EXECUTE_f16x2
                                                         : EXECUTE_bf16x2;
        flush |= each == EXECUTE_f32; /* these types exist in global memory only */
        return (execute_atomic_result(operation, each, flush, (uint32_t)old, (uint32_t)b, 0) & UINT32_MAX) |
               execute_atomic_result(operation, each, flush, old >> 32, b >> 32, 0) << 32;
    }
    if (type == EXECUTE_f16x2 || type == EXECUTE_bf16x2) {
        enum execute_type half = type == EXECUTE_f16x2 ? EXECUTE_f16 : EXECUTE_bf16;
        return float_atomic(operation, half, old & 0xffff, b & 0xffff, false) |
               float_atomic(operation, half, old >> 16 & 0xffff, b >> 16 & 0xffff, false) << 16;
    }
    if (execute_type_is_float(type))
        return float_atomic(operation, type, old, b, flush);
    return integer_atomic(operation, type, old, b);
}
