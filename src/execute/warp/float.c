/* SPDX-License-Identifier: BSD-3-Clause */
/* Quotients and roots of any rounding, sums of numbers of two formats, and conversions, lane by lane. */
#include "execute/lanes/lane_math.h"
#include "execute/warp/frame.h"

#include <string.h>

static const struct execute_format *format_of(enum execute_type type)
{
    switch (type) {
    case EXECUTE_f16:
    case EXECUTE_f16x2:
        return &execute_format_f16;
    case EXECUTE_bf16:
    case EXECUTE_bf16x2:
        return &execute_format_bf16;
    case EXECUTE_f64:
        return &execute_format_f64;
    case EXECUTE_tf32:
        return &execute_format_tf32;
    case EXECUTE_e4m3x2:
        return &execute_format_e4m3;
    case EXECUTE_e5m2x2:
        return &execute_format_e5m2;
    case EXECUTE_e2m3x2:
        return &execute_format_e2m3;
    case EXECUTE_e3m2x2:
        return &execute_format_e3m2;
    case EXECUTE_e2m1x2:
        return &execute_format_e2m1;
    default:
        return &execute_format_f32;
    }
}

static unsigned width_of(const struct execute_format *format)
{
    return 1u + format->exponent_bits + format->fraction_bits;
}

/* Whether a number, rounded to single precision as if exponents had no end, is subnormal: where ptxas expands an
 * instruction with .ftz, that then becomes zero. */
static bool rounds_tiny(struct execute_number number, enum execute_rounding rounding)
{
    static const struct execute_format unbounded = {11, 23, false, 0};
    enum { BIAS = 1023, LEAST = -126 };
    if (number.class != EXECUTE_FINITE)
        return false;
    uint64_t bits = execute_soft_pack(&unbounded, number, rounding, false, false, false);
    return (bits >> 23 & 0x7ff) < BIAS + LEAST;
}

static enum execute_rounding rounding_of(uint32_t m)
{
    static const enum execute_rounding roundings[] = {EXECUTE_RN, EXECUTE_RM, EXECUTE_RP, EXECUTE_RZ};
    return roundings[m >> EXECUTE_WORDS_ROUND_SHIFT & 3];
}

static uint64_t quotient(uint32_t m, uint64_t a, uint64_t b)
{
    const struct execute_format *format = m & EXECUTE_WORDS_WHOLE ? &execute_format_f64 : &execute_format_f32;
    bool flush = m & EXECUTE_WORDS_FLUSH;
    struct execute_number n = execute_soft_unpack(format, a, flush);
    enum execute_words_quotient which = m >> EXECUTE_WORDS_AMOUNT_SHIFT & 3;
    if (which == EXECUTE_WORDS_DIVIDED)
        n = execute_soft_divide(n, execute_soft_unpack(format, b, flush));
    else if (which == EXECUTE_WORDS_ROOT)
        n = execute_soft_root(n);
    else
        n = execute_soft_divide(execute_soft_integer(1, false), n);
    if (which == EXECUTE_WORDS_RECIPROCAL && flush && rounds_tiny(n, rounding_of(m)))
        n.class = EXECUTE_ZERO;
    uint64_t bits = execute_soft_pack(format, n, rounding_of(m), flush, m & EXECUTE_WORDS_SATURATE, false);
    if (!(m & EXECUTE_WORDS_WHOLE))
        return bits;
    return bits_of_double(settle(double_of(bits), double_of(a), which == EXECUTE_WORDS_DIVIDED ? double_of(b) : 0, 0));
}

void execute_words_quotients(struct execute_words *w)
{
    const uint64_t __attribute__((may_alias)) *a = (const void *)w->a, *b = (const void *)(w->b ? w->b : w->a);
    uint64_t __attribute__((may_alias)) *d = (void *)w->d;
    for (uint32_t i = 0; i < 32; i++)
        if (w->modifiers & EXECUTE_WORDS_WHOLE)
            d[i] = quotient(w->modifiers, a[i], b[i]);
        else
            w->d[i] = (uint32_t)quotient(w->modifiers, w->a[i], w->b ? w->b[i] : 0);
}

void execute_words_mixed(struct execute_words *w)
{
    uint32_t m = w->modifiers;
    const struct execute_format *narrow = m & EXECUTE_WORDS_BF16 ? &execute_format_bf16 : &execute_format_f16;
    const struct execute_format *single = &execute_format_f32;
    bool flush = m & EXECUTE_WORDS_FLUSH;
    for (uint32_t i = 0; i < 32; i++) {
        struct execute_number n = execute_soft_unpack(narrow, w->a[i] & 0xffff, flush), p;
        p = w->c ? execute_soft_unpack(narrow, w->b[i] & 0xffff, flush) : execute_soft_unpack(single, w->b[i], flush);
        p.negative ^= (m & EXECUTE_WORDS_NEGATE_B) != 0;
        n = w->c ? execute_soft_fma(n, p, execute_soft_unpack(single, w->c[i], flush), rounding_of(m))
                 : execute_soft_add(n, p, rounding_of(m));
        w->d[i] = (uint32_t)execute_soft_pack(single, n, rounding_of(m), flush, m & EXECUTE_WORDS_SATURATE, false);
    }
}

/* ===== conversions ===== */

static bool is_integer(enum execute_type type)
{
    return type >= EXECUTE_u8 && type <= EXECUTE_s64;
}

static uint64_t narrow_value(uint64_t value, enum execute_type type)
{
    unsigned bits = 8 * execute_type_bytes(type);
    if (bits == 64)
        return value;
    return execute_type_is_signed(type) ? (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits))
                                        : value & ((UINT64_C(1) << bits) - 1);
}

static uint64_t clamp(uint64_t value, enum execute_type from, enum execute_type to)
{
    unsigned bits = 8 * execute_type_bytes(to);
    bool negative = execute_type_is_signed(from) && (int64_t)value < 0;
    uint64_t most = execute_type_is_signed(to) ? (UINT64_C(1) << (bits - 1)) - 1 : ~UINT64_C(0) >> (64 - bits);
    if (!negative)
        return value < most ? value : most;
    if (!execute_type_is_signed(to))
        return 0;
    int64_t least = -(int64_t)most - 1;
    return (int64_t)value < least ? (uint64_t)least : value;
}

/* tf32 is held in the upper bits of a float. */
static struct execute_number unpack(enum execute_type type, uint64_t bits, bool flush)
{
    if (is_integer(type)) {
        uint64_t value = narrow_value(bits, type);
        bool negative = execute_type_is_signed(type) && (int64_t)value < 0;
        return execute_soft_integer(negative ? 0 - value : value, negative);
    }
    const struct execute_format *format = format_of(type);
    unsigned width = width_of(format);
    if (type == EXECUTE_tf32)
        format = &execute_format_f32;
    else if (width < 64)
        bits &= (UINT64_C(1) << width) - 1;
    return execute_soft_unpack(format, bits, flush);
}

static uint64_t pack(const struct execute_float_form *form, struct execute_number number)
{
    enum execute_type to = (enum execute_type)form->type;
    enum execute_rounding rounding = (enum execute_rounding)form->rounding;
    if (form->relu && number.class != EXECUTE_NAN && number.negative)
        number = (struct execute_number){.class = EXECUTE_ZERO};
    if (form->integral)
        number = execute_soft_whole(number, rounding);
    bool flush = form->flush && to == EXECUTE_f32, finite = form->finite && number.class != EXECUTE_NAN;
    if (flush && form->from == EXECUTE_f64 && rounds_tiny(number, rounding))
        number.class = EXECUTE_ZERO;
    uint64_t bits = execute_soft_pack(format_of(to), number, rounding, flush, form->saturate, finite);
    return to == EXECUTE_tf32 && bits != execute_format_tf32.nan ? bits << 13 : bits;
}

/* Conversions that are no instruction, or a shift: NaNs keep their bits. */
static bool is_copy(const struct execute_float_form *form)
{
    bool plain = !form->flush && !form->saturate && !form->integral && !form->relu;
    return plain && ((form->type == EXECUTE_f32 && (form->from == EXECUTE_f32 || form->from == EXECUTE_bf16)) ||
                     (form->type == EXECUTE_f64 && form->from == EXECUTE_f64));
}

/* cvt.rna.tf32 as ptxas makes it: half a unit is added to the bits and the rest is cut off, of NaNs too. */
static uint64_t nearest_tf32(uint32_t bits, bool finite)
{
    uint32_t infinite = 0x7f800000u, cut = ~UINT32_C(0x1fff);
    uint32_t near = ((bits & INT32_MAX) < infinite ? bits + 0x1000 : bits) & cut;
    return finite && (near & INT32_MAX) >= infinite ? near + cut : near;
}

static uint64_t convert(const struct execute_float_form *form, uint64_t bits)
{
    enum execute_type to = (enum execute_type)form->type, from = (enum execute_type)form->from;
    if (is_integer(to) && is_integer(from)) {
        uint64_t value = narrow_value(bits, from);
        return narrow_value(form->saturate ? clamp(value, from, to) : value, to);
    }
    if (is_copy(form))
        return from == EXECUTE_bf16 ? (bits & 0xffff) << 16 : bits;
    if (to == EXECUTE_tf32 && form->rounding == EXECUTE_RNA)
        return nearest_tf32((uint32_t)bits, form->finite);
    struct execute_number number = unpack(from, bits, form->flush && from == EXECUTE_f32 && to != EXECUTE_f16);
    if (!is_integer(to)) {
        uint64_t result = pack(form, number);
        /* a double that stays one keeps its NaN */
        return number.class == EXECUTE_NAN && to == EXECUTE_f64 && !form->saturate
                   ? (from == EXECUTE_f64 ? bits | UINT64_C(1) << 51 : UINT64_C(0x7fffffffe0000000))
                   : result;
    }
    unsigned width = 8 * execute_type_bytes(to);
    /* NaN converts to zero, or to the sign bit alone if one of the types has 64 bits (ISA 9.0, cvt) */
    uint64_t nan = from == EXECUTE_f64 || width == 64 ? UINT64_C(1) << (width - 1) : 0;
    return narrow_value(
        execute_soft_to_integer(number, (enum execute_rounding)form->rounding, width, execute_type_is_signed(to), nan),
        to);
}

void execute_words_convert(struct execute_words *w)
{
    uint32_t m = w->modifiers;
    enum execute_type from = (enum execute_type)(m >> EXECUTE_WORDS_FROM_SHIFT & 63);
    enum execute_type to = (enum execute_type)(m >> EXECUTE_WORDS_TO_SHIFT & 63);
    struct execute_float_form form = {.type = (uint8_t)to,
                                      .from = (uint8_t)from,
                                      .rounding = rounding_of(m),
                                      .flush = m & EXECUTE_WORDS_FLUSH,
                                      .saturate = m & EXECUTE_WORDS_SATURATE,
                                      .integral = m & EXECUTE_WORDS_ZERO};
    bool wide_from = execute_type_bytes(from) == 8, wide_to = execute_type_bytes(to) == 8;
    uint64_t sign = UINT64_C(1) << (8 * execute_type_bytes(from) - 1);
    uint32_t from_bit = 8 * (m >> EXECUTE_WORDS_BYTE_SHIFT & 3);
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t value = ((wide_from ? (uint64_t)w->a[i + 32] << 32 : 0) | w->a[i]) >> from_bit;
        if (m & EXECUTE_WORDS_ABSOLUTE_A)
            value &= ~sign;
        if (m & EXECUTE_WORDS_NEGATE_A)
            value = is_integer(from) ? 0 - value : value ^ sign;
        uint64_t result = convert(&form, value);
        w->d[i] = (uint32_t)result;
        if (wide_to)
            w->d[i + 32] = (uint32_t)(result >> 32);
    }
}

/* Distance in bits between the two numbers of a pair; six-bit numbers occupy bytes. */
static unsigned step_of(enum execute_type type)
{
    unsigned width = type == EXECUTE_ue8m0x2 ? 8 : width_of(format_of(type));
    return width > 4 && width < 8 ? 8 : width;
}

static struct execute_number unpack_part(enum execute_type type, uint64_t bits)
{
    if (type == EXECUTE_ue8m0x2)
        return execute_soft_from_e8m0(bits & 0xff);
    const struct execute_format *format = format_of(type);
    return execute_soft_unpack(format, bits & ((UINT64_C(1) << width_of(format)) - 1), false);
}

static uint64_t pack_part(const struct execute_float_form *form, struct execute_number number)
{
    return form->type == EXECUTE_ue8m0x2 ? execute_soft_to_e8m0(number, form->rounding == EXECUTE_RP, form->finite)
                                         : pack(form, number);
}

static uint64_t convert_pair(const struct execute_float_form *form, uint64_t a, uint64_t b)
{
    enum execute_type to = (enum execute_type)form->type, from = (enum execute_type)form->from;
    struct execute_number low, high;
    if (from == EXECUTE_f32) { /* a is the upper half */
        low = unpack(from, b, form->flush);
        high = unpack(from, a, form->flush);
    } else {
        low = unpack_part(from, a);
        high = unpack_part(from, a >> step_of(from));
    }
    return pack_part(form, low) | pack_part(form, high) << step_of(to);
}

void execute_words_convert_pair(struct execute_words *w)
{
    uint32_t m = w->modifiers;
    struct execute_float_form form = {.type = m >> EXECUTE_WORDS_TO_SHIFT & 63,
                                      .from = m >> EXECUTE_WORDS_FROM_SHIFT & 63,
                                      .rounding = rounding_of(m),
                                      .finite = m & EXECUTE_WORDS_SATURATE,
                                      .relu = m & EXECUTE_WORDS_RELU};
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t a = w->a[i], b = w->b ? w->b[i] : 0;
        uint64_t result = convert_pair(&form, m & EXECUTE_WORDS_UPPER ? a >> 16 : a, b);
        w->d[i] = (uint32_t)result | (w->c ? w->c[i] << 16 : 0);
    }
}

void execute_step_convert(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    enum execute_type to = (enum execute_type)op->flt.type;
    unsigned from_bytes = execute_type_bytes((enum execute_type)op->flt.from) == 8 ? 8 : 4;
    bool pair = to == EXECUTE_f16x2 || to == EXECUTE_bf16x2 || execute_type_is_narrow(to);
    _Alignas(64) unsigned char result[256];
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t a = 0, b = 0, value;
        memcpy(&a, (const unsigned char *)execute_at(warp, op->a) + (size_t)i * from_bytes, from_bytes);
        if (op->b != EXECUTE_NO_REF)
            memcpy(&b, (const unsigned char *)execute_at(warp, op->b) + (size_t)i * from_bytes, from_bytes);
        value = pair ? convert_pair(&op->flt, a, b) : convert(&op->flt, a);
        memcpy(result + (size_t)i * op->size, &value, op->size);
    }
    execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
}
