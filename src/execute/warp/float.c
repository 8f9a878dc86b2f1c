/* SPDX-License-Identifier: BSD-3-Clause */
/* Floating point and conversions of any format and rounding, lane by lane. */
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

/* Numbers in order as integers: NaN aside. */
static int64_t order_of(const struct execute_format *format, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (width_of(format) - 1);
    return bits & sign ? -(int64_t)(bits ^ sign) - 1 : (int64_t)bits;
}

static uint64_t flushed(const struct execute_format *format, uint64_t bits, bool flush)
{
    uint64_t exponent = ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
    return flush && !(bits & exponent) ? bits & UINT64_C(1) << (width_of(format) - 1) : bits;
}

static bool is_nan(const struct execute_format *format, uint64_t bits)
{
    return execute_soft_unpack(format, bits, false).class == EXECUTE_NAN;
}

static uint64_t extreme(const struct execute_float_form *form, const struct execute_format *format, uint64_t a,
                        uint64_t b)
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
    bool first =
        b_nan || (!a_nan && (order_of(format, a) < order_of(format, b)) == (form->operation == EXECUTE_FLOAT_MIN));
    return form->xorsign ? (first ? a : b) | signs : first ? a : b;
}

/* ex2 and tanh of half precision: by those of single precision, rounded once more. */
static uint64_t approximate(const struct execute_float_form *form, const struct execute_format *format, uint64_t a)
{
    struct execute_number number = execute_soft_unpack(format, a, form->flush);
    float x = float_of((uint32_t)execute_soft_pack(&execute_format_f32, number, EXECUTE_RN, false, false, false));
    float y = form->operation == EXECUTE_FLOAT_EX2 ? power2(x) : hyperbolic_tangent(x);
    return execute_soft_pack(format, execute_soft_unpack(&execute_format_f32, bits_of(y), false), EXECUTE_RN,
                             form->flush, false, false);
}

/* A double's NaN goes through as lane_math.h's settle says; other formats have one NaN. `minus`: the second source is
 * subtracted, and its NaN has the other sign. */
static uint64_t settle_bits(const struct execute_format *format, uint64_t result, const uint64_t source[3],
                            uint32_t count, bool minus)
{
    if (format != &execute_format_f64 || !is_nan(format, result))
        return result;
    for (uint32_t i = 0; i < count; i++)
        if (is_nan(format, source[i]))
            return (source[i] | UINT64_C(1) << 51) ^ (uint64_t)(minus && i == 1) << 63;
    return format->nan;
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

static uint64_t compute(const struct execute_float_form *form, const struct execute_format *format,
                        const uint64_t source[3])
{
    const struct execute_format *narrow = form->from ? format_of((enum execute_type)form->from) : format;
    bool fma = form->operation == EXECUTE_FLOAT_FMA;
    struct execute_number n[3];
    for (uint32_t i = 0; i < 3; i++)
        n[i] = execute_soft_unpack(fma ? (i < 2 ? narrow : format) : i == 0 ? narrow : format, source[i], form->flush);
    enum execute_rounding rounding = (enum execute_rounding)form->rounding;
    uint32_t count = 2;
    switch (form->operation) {
    case EXECUTE_FLOAT_SUB:
        n[1].negative = !n[1].negative;
        /* fall through */
    case EXECUTE_FLOAT_ADD:
        n[0] = execute_soft_add(n[0], n[1], rounding);
        break;
    case EXECUTE_FLOAT_MUL:
        n[0] = execute_soft_multiply(n[0], n[1]);
        break;
    case EXECUTE_FLOAT_FMA:
        n[0] = execute_soft_fma(n[0], n[1], n[2], rounding);
        count = 3;
        break;
    case EXECUTE_FLOAT_DIV:
        n[0] = execute_soft_divide(n[0], n[1]);
        break;
    case EXECUTE_FLOAT_RCP:
        n[0] = execute_soft_divide(execute_soft_integer(1, false), n[0]);
        n[0].class = form->flush && rounds_tiny(n[0], rounding) ? EXECUTE_ZERO : n[0].class;
        count = 1;
        break;
    default:
        n[0] = execute_soft_root(n[0]);
        count = 1;
        break;
    }
    uint64_t result = execute_soft_pack(format, n[0], rounding, form->flush, form->saturate, false);
    return form->saturate ? result : settle_bits(format, result, source, count, form->operation == EXECUTE_FLOAT_SUB);
}

static uint64_t one_value(const struct execute_float_form *form, const struct execute_format *format,
                          const uint64_t source[3])
{
    uint64_t sign = UINT64_C(1) << (width_of(format) - 1), result;
    switch (form->operation) {
    case EXECUTE_FLOAT_MIN:
    case EXECUTE_FLOAT_MAX:
        result = extreme(form, format, source[0], source[1]);
        break;
    case EXECUTE_FLOAT_ABS:
    case EXECUTE_FLOAT_NEG:
        result = flushed(format, source[0], form->flush);
        result = is_nan(format, result)                 ? format->nan
                 : form->operation == EXECUTE_FLOAT_ABS ? result & ~sign
                                                        : result ^ sign;
        break;
    case EXECUTE_FLOAT_EX2:
    case EXECUTE_FLOAT_TANH:
        return approximate(form, format, source[0]);
    default:
        result = compute(form, format, source);
        break;
    }
    if (form->relu)
        result = is_nan(format, result) ? format->nan : result & sign ? 0 : result;
    return result;
}

static bool compare(const struct execute_float_form *form, const struct execute_format *format, uint64_t a, uint64_t b)
{
    uint64_t sign = UINT64_C(1) << (width_of(format) - 1);
    bool unordered = is_nan(format, a) || is_nan(format, b);
    a = flushed(format, a, form->flush);
    b = flushed(format, b, form->flush);
    int64_t x = order_of(format, a == sign ? 0 : a), y = order_of(format, b == sign ? 0 : b);
    const bool ordered[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
    if (form->comparison <= EXECUTE_GE)
        return !unordered && ordered[form->comparison];
    if (form->comparison <= EXECUTE_GEU)
        return unordered || ordered[form->comparison - EXECUTE_EQU];
    return unordered == (form->comparison == EXECUTE_ISNAN);
}

static bool is_pair(enum execute_type type)
{
    return type == EXECUTE_f16x2 || type == EXECUTE_bf16x2;
}

/* setp and set of half precision; of a pair, the second predicate is the upper half's. */
static void execute_compare(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *a = execute_at(warp, op->a), *b = execute_at(warp, op->b);
    const struct execute_format *format = format_of((enum execute_type)op->flt.type);
    bool pair = is_pair((enum execute_type)op->flt.type);
    uint32_t low = 0, high = 0, c = ~0u, result[32];
    for (uint32_t i = 0; i < 32; i++) {
        low |= (uint32_t)compare(&op->flt, format, a[i] & 0xffff, b[i] & 0xffff) << i;
        if (pair)
            high |= (uint32_t)compare(&op->flt, format, a[i] >> 16, b[i] >> 16) << i;
    }
    high = pair ? high : ~low;
    if (op->combine) {
        c = execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0);
        low = op->combine == EXECUTE_COMBINE_AND ? low & c : op->combine == EXECUTE_COMBINE_OR ? low | c : low ^ c;
        high = op->combine == EXECUTE_COMBINE_AND ? high & c : op->combine == EXECUTE_COMBINE_OR ? high | c : high ^ c;
    }
    if (op->variant) {
        for (uint32_t i = 0; i < 32; i++)
            result[i] = (low >> i & 1 ? (uint32_t)op->immediate : 0) |
                        (pair && (high >> i & 1) ? (uint32_t)op->immediate << 16 : 0);
        execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
        return;
    }
    if (op->list_results)
        execute_set_mask(warp, ((const uint32_t *)warp->launch->code->list.items)[op->list], lanes, high);
    execute_set_mask(warp, op->d, lanes, low);
}

void execute_step_float(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (op->flt.operation == EXECUTE_FLOAT_COMPARE) {
        execute_compare(warp, op, lanes);
        return;
    }
    const uint32_t refs[3] = {op->a, op->b, op->c};
    const struct execute_format *format = format_of((enum execute_type)op->flt.type);
    bool pair = is_pair((enum execute_type)op->flt.type), singles = op->flt.type == EXECUTE_f32x2;
    _Alignas(64) unsigned char result[256];
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t source[3] = {0, 0, 0}, value;
        for (uint32_t j = 0; j < 3; j++)
            if (refs[j] != EXECUTE_NO_REF)
                memcpy(&source[j], (const unsigned char *)execute_at(warp, refs[j]) + (size_t)i * op->size, op->size);
        if (pair || singles) {
            unsigned step = singles ? 32 : 16;
            uint64_t low[3], high[3], mask = (UINT64_C(1) << step) - 1;
            for (uint32_t j = 0; j < 3; j++) {
                low[j] = source[j] & mask;
                high[j] = source[j] >> step & mask;
            }
            value = one_value(&op->flt, format, low) | one_value(&op->flt, format, high) << step;
        } else {
            unsigned width = width_of(format);
            for (uint32_t j = 0; j < 3 && width == 16 && !op->flt.from; j++)
                source[j] &= 0xffff;
            value = one_value(&op->flt, format, source);
        }
        memcpy(result + (size_t)i * op->size, &value, op->size);
    }
    execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
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
    /* NaN: zero, but the sign bit alone where one of the types has 64 bits (ISA 9.0, cvt) */
    uint64_t nan = from == EXECUTE_f64 || width == 64 ? UINT64_C(1) << (width - 1) : 0;
    return narrow_value(
        execute_soft_to_integer(number, (enum execute_rounding)form->rounding, width, execute_type_is_signed(to), nan),
        to);
}

static const enum execute_rounding roundings[] = {EXECUTE_RN, EXECUTE_RM, EXECUTE_RP, EXECUTE_RZ};

void execute_words_convert(struct execute_words *w)
{
    uint32_t m = w->modifiers;
    enum execute_type from = (enum execute_type)(m >> EXECUTE_WORDS_FROM_SHIFT & 63);
    enum execute_type to = (enum execute_type)(m >> EXECUTE_WORDS_TO_SHIFT & 63);
    struct execute_float_form form = {.type = (uint8_t)to,
                                      .from = (uint8_t)from,
                                      .rounding = roundings[m >> EXECUTE_WORDS_ROUND_SHIFT & 3],
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

/* Bits from one number of a pair to the next; those of six bits lie in bytes. */
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
                                      .rounding = roundings[m >> EXECUTE_WORDS_ROUND_SHIFT & 3],
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
    bool pair = is_pair(to) || execute_type_is_narrow(to);
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
