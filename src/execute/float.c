/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating point and conversions of any format and rounding, lane by lane. */
#include "execute/lane_math.h"
#include "execute/warp.h"

#include <string.h>

static const struct ptx_format *format_of(enum ptx_type type)
{
    switch (type) {
    case PTX_f16:
    case PTX_f16x2:
        return &ptx_format_f16;
    case PTX_bf16:
    case PTX_bf16x2:
        return &ptx_format_bf16;
    case PTX_f64:
        return &ptx_format_f64;
    case PTX_tf32:
        return &ptx_format_tf32;
    case PTX_e4m3x2:
        return &ptx_format_e4m3;
    case PTX_e5m2x2:
        return &ptx_format_e5m2;
    default:
        return &ptx_format_f32;
    }
}

static unsigned width_of(const struct ptx_format *format)
{
    return 1u + format->exponent_bits + format->fraction_bits;
}

/* Numbers in order as integers: NaN aside. */
static int64_t order_of(const struct ptx_format *format, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (width_of(format) - 1);
    return bits & sign ? -(int64_t)(bits ^ sign) - 1 : (int64_t)bits;
}

static uint64_t flushed(const struct ptx_format *format, uint64_t bits, bool flush)
{
    uint64_t exponent = ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
    return flush && !(bits & exponent) ? bits & UINT64_C(1) << (width_of(format) - 1) : bits;
}

static bool is_nan(const struct ptx_format *format, uint64_t bits)
{
    return ptx_soft_unpack(format, bits, false).class == PTX_NAN;
}

static uint64_t extreme(const struct ptx_float_form *form, const struct ptx_format *format, uint64_t a, uint64_t b)
{
    uint64_t sign = UINT64_C(1) << (width_of(format) - 1), signs = (a ^ b) & sign;
    bool a_nan = is_nan(format, a), b_nan = is_nan(format, b);
    a = flushed(format, a, form->flush);
    b = flushed(format, b, form->flush);
    if ((a_nan && b_nan) || ((a_nan || b_nan) && form->nan))
        return format->nan;
    if (form->xorsign) {
        a &= ~sign;
        b &= ~sign;
    }
    bool first = b_nan || (!a_nan && (order_of(format, a) < order_of(format, b)) == (form->operation == PTX_FLOAT_MIN));
    return form->xorsign ? (first ? a : b) | signs : first ? a : b;
}

/* ex2 and tanh of half precision: by those of single precision, rounded once more. */
static uint64_t approximate(const struct ptx_float_form *form, const struct ptx_format *format, uint64_t a)
{
    struct ptx_number number = ptx_soft_unpack(format, a, form->flush);
    float x = float_of((uint32_t)ptx_soft_pack(&ptx_format_f32, number, PTX_RN, false, false, false));
    float y = form->operation == PTX_FLOAT_EX2 ? power2(x) : hyperbolic_tangent(x);
    return ptx_soft_pack(format, ptx_soft_unpack(&ptx_format_f32, bits_of(y), false), PTX_RN, form->flush, false,
                         false);
}

/* A double's NaN goes through as lane_math.h's settle says; other formats have one NaN. */
static uint64_t settle_bits(const struct ptx_format *format, uint64_t result, const uint64_t source[3], uint32_t count)
{
    if (format != &ptx_format_f64 || !is_nan(format, result))
        return result;
    for (uint32_t i = 0; i < count; i++)
        if (is_nan(format, source[i]))
            return source[i] | UINT64_C(1) << 51;
    return format->nan;
}

static uint64_t compute(const struct ptx_float_form *form, const struct ptx_format *format, const uint64_t source[3])
{
    const struct ptx_format *narrow = form->from ? format_of((enum ptx_type)form->from) : format;
    bool fma = form->operation == PTX_FLOAT_FMA;
    struct ptx_number n[3];
    for (uint32_t i = 0; i < 3; i++)
        n[i] = ptx_soft_unpack(fma ? (i < 2 ? narrow : format) : i == 0 ? narrow : format, source[i], form->flush);
    enum ptx_rounding rounding = (enum ptx_rounding)form->rounding;
    uint32_t count = 2;
    switch (form->operation) {
    case PTX_FLOAT_SUB:
        n[1].negative = !n[1].negative;
        /* fall through */
    case PTX_FLOAT_ADD:
        n[0] = ptx_soft_add(n[0], n[1], rounding);
        break;
    case PTX_FLOAT_MUL:
        n[0] = ptx_soft_multiply(n[0], n[1]);
        break;
    case PTX_FLOAT_FMA:
        n[0] = ptx_soft_fma(n[0], n[1], n[2], rounding);
        count = 3;
        break;
    case PTX_FLOAT_DIV:
        n[0] = ptx_soft_divide(n[0], n[1]);
        break;
    case PTX_FLOAT_RCP:
        n[0] = ptx_soft_divide(ptx_soft_integer(1, false), n[0]);
        count = 1;
        break;
    default:
        n[0] = ptx_soft_root(n[0]);
        count = 1;
        break;
    }
    uint64_t result = ptx_soft_pack(format, n[0], rounding, form->flush, form->saturate, false);
    return form->saturate ? result : settle_bits(format, result, source, count);
}

static uint64_t one_value(const struct ptx_float_form *form, const struct ptx_format *format, const uint64_t source[3])
{
    uint64_t sign = UINT64_C(1) << (width_of(format) - 1), result;
    switch (form->operation) {
    case PTX_FLOAT_MIN:
    case PTX_FLOAT_MAX:
        result = extreme(form, format, source[0], source[1]);
        break;
    case PTX_FLOAT_ABS:
    case PTX_FLOAT_NEG:
        result = flushed(format, source[0], form->flush);
        result = form->operation == PTX_FLOAT_ABS ? result & ~sign : result ^ sign;
        break;
    case PTX_FLOAT_EX2:
    case PTX_FLOAT_TANH:
        return approximate(form, format, source[0]);
    default:
        result = compute(form, format, source);
        break;
    }
    if (form->relu)
        result = is_nan(format, result) ? format->nan : result & sign ? 0 : result;
    return result;
}

static bool compare(const struct ptx_float_form *form, const struct ptx_format *format, uint64_t a, uint64_t b)
{
    uint64_t sign = UINT64_C(1) << (width_of(format) - 1);
    bool unordered = is_nan(format, a) || is_nan(format, b);
    a = flushed(format, a, form->flush);
    b = flushed(format, b, form->flush);
    int64_t x = order_of(format, a == sign ? 0 : a), y = order_of(format, b == sign ? 0 : b);
    const bool ordered[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
    if (form->comparison <= PTX_GE)
        return !unordered && ordered[form->comparison];
    if (form->comparison <= PTX_GEU)
        return unordered || ordered[form->comparison - PTX_EQU];
    return unordered == (form->comparison == PTX_ISNAN);
}

static bool is_pair(enum ptx_type type)
{
    return type == PTX_f16x2 || type == PTX_bf16x2;
}

/* setp and set of half precision; of a pair, the second predicate is the upper half's. */
static void execute_compare(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    const uint32_t *a = ptx_at(warp, op->a), *b = ptx_at(warp, op->b);
    const struct ptx_format *format = format_of((enum ptx_type)op->flt.type);
    bool pair = is_pair((enum ptx_type)op->flt.type);
    uint32_t low = 0, high = 0, c = ~0u, result[32];
    for (uint32_t i = 0; i < 32; i++) {
        low |= (uint32_t)compare(&op->flt, format, a[i] & 0xffff, b[i] & 0xffff) << i;
        if (pair)
            high |= (uint32_t)compare(&op->flt, format, a[i] >> 16, b[i] >> 16) << i;
    }
    high = pair ? high : ~low;
    if (op->combine) {
        c = ptx_mask_at(warp, op->c) ^ (op->flags & PTX_OP_FLIP_C ? ~0u : 0);
        low = op->combine == PTX_COMBINE_AND ? low & c : op->combine == PTX_COMBINE_OR ? low | c : low ^ c;
        high = op->combine == PTX_COMBINE_AND ? high & c : op->combine == PTX_COMBINE_OR ? high | c : high ^ c;
    }
    if (op->variant) {
        for (uint32_t i = 0; i < 32; i++)
            result[i] = (low >> i & 1 ? (uint32_t)op->immediate : 0) |
                        (pair && (high >> i & 1) ? (uint32_t)op->immediate << 16 : 0);
        ptx_blend(ptx_to(warp, op->d), result, 4, lanes);
        return;
    }
    if (op->list_results)
        ptx_set_mask(warp, ((const uint32_t *)warp->launch->code->list.items)[op->list], lanes, high);
    ptx_set_mask(warp, op->d, lanes, low);
}

void ptx_execute_float(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    if (op->flt.operation == PTX_FLOAT_COMPARE) {
        execute_compare(warp, op, lanes);
        return;
    }
    const uint32_t refs[3] = {op->a, op->b, op->c};
    const struct ptx_format *format = format_of((enum ptx_type)op->flt.type);
    bool pair = is_pair((enum ptx_type)op->flt.type);
    _Alignas(64) unsigned char result[256];
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t source[3] = {0, 0, 0}, value;
        for (uint32_t j = 0; j < 3; j++)
            if (refs[j] != PTX_NO_REF)
                memcpy(&source[j], (const unsigned char *)ptx_at(warp, refs[j]) + (size_t)i * op->size, op->size);
        if (pair) {
            uint64_t low[3], high[3];
            for (uint32_t j = 0; j < 3; j++) {
                low[j] = source[j] & 0xffff;
                high[j] = source[j] >> 16 & 0xffff;
            }
            value = one_value(&op->flt, format, low) | one_value(&op->flt, format, high) << 16;
        } else {
            unsigned width = width_of(format);
            for (uint32_t j = 0; j < 3 && width == 16 && !op->flt.from; j++)
                source[j] &= 0xffff;
            value = one_value(&op->flt, format, source);
        }
        memcpy(result + (size_t)i * op->size, &value, op->size);
    }
    ptx_blend(ptx_to(warp, op->d), result, op->size, lanes);
}

/* ===== conversions ===== */

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_u8 && type <= PTX_s64;
}

static uint64_t narrow_value(uint64_t value, enum ptx_type type)
{
    unsigned bits = 8 * ptx_type_bytes(type);
    if (bits == 64)
        return value;
    return ptx_type_is_signed(type) ? (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits))
                                    : value & ((UINT64_C(1) << bits) - 1);
}

static uint64_t clamp(uint64_t value, enum ptx_type from, enum ptx_type to)
{
    unsigned bits = 8 * ptx_type_bytes(to);
    bool negative = ptx_type_is_signed(from) && (int64_t)value < 0;
    uint64_t most = ptx_type_is_signed(to) ? (UINT64_C(1) << (bits - 1)) - 1 : ~UINT64_C(0) >> (64 - bits);
    if (!negative)
        return value < most ? value : most;
    if (!ptx_type_is_signed(to))
        return 0;
    int64_t least = -(int64_t)most - 1;
    return (int64_t)value < least ? (uint64_t)least : value;
}

/* tf32 is held in the upper bits of a float. */
static struct ptx_number unpack(enum ptx_type type, uint64_t bits, bool flush)
{
    if (is_integer(type)) {
        uint64_t value = narrow_value(bits, type);
        bool negative = ptx_type_is_signed(type) && (int64_t)value < 0;
        return ptx_soft_integer(negative ? 0 - value : value, negative);
    }
    const struct ptx_format *format = format_of(type);
    unsigned width = width_of(format);
    if (type == PTX_tf32)
        format = &ptx_format_f32;
    else if (width < 64)
        bits &= (UINT64_C(1) << width) - 1;
    return ptx_soft_unpack(format, bits, flush);
}

static uint64_t pack(const struct ptx_float_form *form, struct ptx_number number)
{
    enum ptx_type to = (enum ptx_type)form->type;
    enum ptx_rounding rounding = (enum ptx_rounding)form->rounding;
    if (form->relu && number.class != PTX_NAN && number.negative)
        number = (struct ptx_number){.class = PTX_ZERO};
    if (form->integral)
        number = ptx_soft_whole(number, rounding);
    bool flush = form->flush && to == PTX_f32, finite = form->finite && number.class != PTX_NAN;
    uint64_t bits = ptx_soft_pack(format_of(to), number, rounding, flush, form->saturate, finite);
    return to == PTX_tf32 && bits != ptx_format_tf32.nan ? bits << 13 : bits;
}

static uint64_t convert(const struct ptx_float_form *form, uint64_t bits)
{
    enum ptx_type to = (enum ptx_type)form->type, from = (enum ptx_type)form->from;
    if (is_integer(to) && is_integer(from)) {
        uint64_t value = narrow_value(bits, from);
        return narrow_value(form->saturate ? clamp(value, from, to) : value, to);
    }
    struct ptx_number number = unpack(from, bits, form->flush && from == PTX_f32);
    if (!is_integer(to)) {
        uint64_t result = pack(form, number);
        /* a double that stays one keeps its NaN */
        return number.class == PTX_NAN && to == PTX_f64 && !form->saturate
                   ? (from == PTX_f64 ? bits | UINT64_C(1) << 51 : UINT64_C(0x7fffffffe0000000))
                   : result;
    }
    unsigned width = 8 * ptx_type_bytes(to);
    /* NaN: zero, but the sign bit alone where one of the types has 64 bits (ISA 9.0, cvt) */
    uint64_t nan = from == PTX_f64 || width == 64 ? UINT64_C(1) << (width - 1) : 0;
    return narrow_value(
        ptx_soft_to_integer(number, (enum ptx_rounding)form->rounding, width, ptx_type_is_signed(to), nan), to);
}

static uint64_t convert_pair(const struct ptx_float_form *form, uint64_t a, uint64_t b)
{
    enum ptx_type to = (enum ptx_type)form->type, from = (enum ptx_type)form->from;
    unsigned out = width_of(format_of(to)), in = width_of(format_of(from));
    if (from == PTX_f32) /* a is the upper half */
        return pack(form, unpack(from, b, form->flush)) | pack(form, unpack(from, a, form->flush)) << out;
    struct ptx_number low = ptx_soft_unpack(format_of(from), a & ((1u << in) - 1), false);
    struct ptx_number high = ptx_soft_unpack(format_of(from), a >> in & ((1u << in) - 1), false);
    return pack(form, low) | pack(form, high) << out;
}

void ptx_execute_convert(struct ptx_warp *warp, const struct ptx_op *op, uint32_t lanes)
{
    enum ptx_type to = (enum ptx_type)op->flt.type;
    unsigned from_bytes = ptx_type_bytes((enum ptx_type)op->flt.from) == 8 ? 8 : 4;
    bool pair = is_pair(to) || to == PTX_e4m3x2 || to == PTX_e5m2x2;
    _Alignas(64) unsigned char result[256];
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t a = 0, b = 0, value;
        memcpy(&a, (const unsigned char *)ptx_at(warp, op->a) + (size_t)i * from_bytes, from_bytes);
        if (op->b != PTX_NO_REF)
            memcpy(&b, (const unsigned char *)ptx_at(warp, op->b) + (size_t)i * from_bytes, from_bytes);
        value = pair ? convert_pair(&op->flt, a, b) : convert(&op->flt, a);
        memcpy(result + (size_t)i * op->size, &value, op->size);
    }
    ptx_blend(ptx_to(warp, op->d), result, op->size, lanes);
}
