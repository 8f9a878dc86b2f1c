/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/lanes/soft_float.h"

#include <string.h>

typedef unsigned __int128 wide;

/* Bits of exponent and fraction; whether there are no infinities; the code of a NaN, or of formats that are finite the
 * largest number; whether every code is a number. */
const struct execute_format execute_format_f16 = {5, 10, false, 0x7fff};
const struct execute_format execute_format_bf16 = {8, 7, false, 0x7fff};
const struct execute_format execute_format_tf32 = {8, 10, false, 0x7fffffff}; /* stored in the upper bits of a float */
const struct execute_format execute_format_f32 = {8, 23, false, 0x7fffffff};
const struct execute_format execute_format_f64 = {11, 52, false, UINT64_C(0xfff8) << 48};
const struct execute_format execute_format_e4m3 = {4, 3, true, 0x7f};
const struct execute_format execute_format_e5m2 = {5, 2, false, 0x7f};
const struct execute_format execute_format_e2m3 = {2, 3, true, 0x1f, true};
const struct execute_format execute_format_e3m2 = {3, 2, true, 0x1f, true};
const struct execute_format execute_format_e2m1 = {2, 1, true, 0x07, true};

static int top_bit(wide value) /* place of the highest bit set; value is not 0 */
{
    uint64_t high = (uint64_t)(value >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)value);
}

struct execute_number execute_soft_unpack(const struct execute_format *format, uint64_t bits, bool flush)
{
    unsigned fraction_bits = format->fraction_bits, exponent_bits = format->exponent_bits;
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t exponent = bits >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1);
    uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
    int32_t bias = (1 << (exponent_bits - 1)) - 1;
    struct execute_number number = {.class = EXECUTE_FINITE, .negative = bits >> (fraction_bits + exponent_bits) & 1};
    if (exponent == top && !format->no_infinity) {
        number.class = fraction ? EXECUTE_NAN : EXECUTE_INFINITE;
    } else if (exponent == top && fraction == (UINT64_C(1) << fraction_bits) - 1 && !format->finite) {
        number.class = EXECUTE_NAN;
    } else if (exponent == 0) {
        number.class = fraction && !flush ? EXECUTE_FINITE : EXECUTE_ZERO;
        number.significand = fraction;
        number.exponent = 1 - bias - (int32_t)fraction_bits;
    } else {
        number.significand = fraction | UINT64_C(1) << fraction_bits;
        number.exponent = (int32_t)exponent - bias - (int32_t)fraction_bits;
    }
    return number;
}

/* Whether removing the bits below the unit rounds the magnitude up. `half`: the highest of these bits. */
static bool rounds_up(enum execute_rounding rounding, bool negative, bool odd, bool half, bool rest)
{
    switch (rounding) {
    case EXECUTE_RN:
        return half && (rest || odd);
    case EXECUTE_RNA:
        return half;
    case EXECUTE_RM:
        return negative && (half || rest);
    case EXECUTE_RP:
        return !negative && (half || rest);
    default:
        return false;
    }
}

/* significand · 2^exponent in units of 2^unit, rounded. */
static wide in_units(const struct execute_number *number, int32_t unit, enum execute_rounding rounding)
{
    int32_t cut = unit - number->exponent;
    if (cut <= 0)
        return cut > -128 ? number->significand << -cut : 0;
    bool half = cut <= 128 && (number->significand >> (cut - 1) & 1);
    wide below = cut > 128 ? number->significand : number->significand & (((wide)1 << (cut - 1)) - 1);
    wide kept = cut >= 128 ? 0 : number->significand >> cut;
    return kept + rounds_up(rounding, number->negative, kept & 1, half, below || number->sticky);
}

/* The magnitude of a result that is too large: infinity if it is rounded to nearest or away from zero, the largest
 * finite number otherwise, or if `finite`. Formats without infinities have NaN in place of infinity. */
static uint64_t overflowed(const struct execute_format *format, bool negative, enum execute_rounding rounding,
                           bool finite)
{
    uint64_t infinite = ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
    uint64_t largest = format->finite        ? format->nan
                       : format->no_infinity ? (infinite | ((UINT64_C(1) << format->fraction_bits) - 2))
                                             : infinite - 1;
    bool away = rounding == EXECUTE_RN || rounding == EXECUTE_RNA || (rounding == EXECUTE_RM && negative) ||
                (rounding == EXECUTE_RP && !negative);
    if (finite || !away)
        return largest;
    return format->no_infinity ? format->nan : infinite;
}

/* The result of .sat for numbers outside (0, 1): NaN and numbers below give +0, infinity gives 1. */
static uint64_t saturated(const struct execute_format *format, const struct execute_number *number)
{
    uint64_t one = ((UINT64_C(1) << (format->exponent_bits - 1)) - 1) << format->fraction_bits;
    if (number->class == EXECUTE_NAN || number->class == EXECUTE_ZERO || number->negative)
        return 0;
    return one;
}

/* Rounding is done once, in units of the lowest fraction bit of the result: 2^unit, where a normal result has its
 * highest bit at unit + fraction_bits, and subnormal results have the unit of the smallest normal number. */
uint64_t execute_soft_pack(const struct execute_format *format, struct execute_number number,
                           enum execute_rounding rounding, bool flush, bool saturate, bool finite)
{
    unsigned fraction_bits = format->fraction_bits;
    int32_t bias = (1 << (format->exponent_bits - 1)) - 1, smallest = 1 - bias - (int32_t)fraction_bits;
    uint64_t sign = (uint64_t)number.negative << (fraction_bits + format->exponent_bits);
    if (saturate && (number.class != EXECUTE_FINITE || number.negative))
        return saturated(format, &number);
    if (number.class == EXECUTE_NAN)
        return format->nan;
    if (number.class == EXECUTE_INFINITE)
        return sign | (finite || format->no_infinity ? overflowed(format, number.negative, EXECUTE_RN, finite)
                                                     : ((UINT64_C(1) << format->exponent_bits) - 1) << fraction_bits);
    if (number.class == EXECUTE_ZERO || (number.significand == 0 && !number.sticky))
        return sign;
    if (number.significand == 0) { /* only the sticky bit is left: represent it by a one below any unit */
        number.significand = 1;
        number.exponent = smallest - 8;
    }
    int32_t unit = top_bit(number.significand) + number.exponent - (int32_t)fraction_bits;
    unit = unit < smallest ? smallest : unit;
    wide units = in_units(&number, unit, rounding);
    if (units >> (fraction_bits + 1)) { /* rounded up to the next power of two */
        units >>= 1;
        unit++;
    }
    bool normal = units >> fraction_bits & 1;
    if (!normal && flush)
        return saturate ? 0 : sign;
    uint64_t exponent = normal ? (uint64_t)(unit - smallest + 1) : 0;
    uint64_t bits = exponent << fraction_bits | ((uint64_t)units & ((UINT64_C(1) << fraction_bits) - 1));
    uint64_t infinite = ((UINT64_C(1) << format->exponent_bits) - 1) << fraction_bits;
    uint64_t limit = format->finite        ? UINT64_MAX
                     : format->no_infinity ? infinite | ((UINT64_C(1) << fraction_bits) - 1)
                                           : infinite;
    if (exponent >= UINT64_C(1) << format->exponent_bits || bits >= limit)
        bits = overflowed(format, number.negative, rounding, finite);
    uint64_t one = (uint64_t)bias << fraction_bits;
    return saturate && bits > one ? one : sign | bits;
}

uint64_t execute_soft_to_e8m0(struct execute_number number, bool up, bool finite)
{
    enum { NONE = 0xff, BIAS = 127 };
    if (number.class == EXECUTE_NAN)
        return NONE;
    if (number.class == EXECUTE_INFINITE)
        return finite ? NONE - 1 : NONE;
    if (number.class == EXECUTE_ZERO)
        return 0;
    int place = top_bit(number.significand);
    int64_t code = (int64_t)place + number.exponent + BIAS;
    code += up && number.significand != (wide)1 << place;
    return code < 0 ? 0 : code < NONE ? (uint64_t)code : finite ? NONE - 1 : NONE;
}

struct execute_number execute_soft_from_e8m0(uint64_t code)
{
    return code == 0xff
               ? (struct execute_number){.class = EXECUTE_NAN}
               : (struct execute_number){.class = EXECUTE_FINITE, .exponent = (int32_t)code - 127, .significand = 1};
}

static struct execute_number not_a_number(void)
{
    return (struct execute_number){.class = EXECUTE_NAN};
}

/* Exact: two significands have at most 53 bits each, and the product has 128. */
struct execute_number execute_soft_multiply(struct execute_number a, struct execute_number b)
{
    bool negative = a.negative != b.negative;
    if (a.class == EXECUTE_NAN || b.class == EXECUTE_NAN || (a.class == EXECUTE_INFINITE && b.class == EXECUTE_ZERO) ||
        (a.class == EXECUTE_ZERO && b.class == EXECUTE_INFINITE))
        return not_a_number();
    if (a.class == EXECUTE_INFINITE || b.class == EXECUTE_INFINITE)
        return (struct execute_number){.class = EXECUTE_INFINITE, .negative = negative};
    if (a.class == EXECUTE_ZERO || b.class == EXECUTE_ZERO)
        return (struct execute_number){.class = EXECUTE_ZERO, .negative = negative};
    return (struct execute_number){.class = EXECUTE_FINITE,
                                   .negative = negative,
                                   .exponent = a.exponent + b.exponent,
                                   .significand = a.significand * b.significand};
}

/* Moves the significand's highest bit to `place`, accumulating lost bits as sticky. */
static void normalise(struct execute_number *a, int place)
{
    int shift = place - top_bit(a->significand);
    if (shift >= 0) {
        a->significand <<= shift;
    } else {
        a->sticky |= (a->significand & (((wide)1 << -shift) - 1)) != 0;
        a->significand >>= -shift;
    }
    a->exponent -= shift;
}

struct execute_number execute_soft_add(struct execute_number a, struct execute_number b, enum execute_rounding rounding)
{
    if (a.class == EXECUTE_NAN || b.class == EXECUTE_NAN ||
        (a.class == EXECUTE_INFINITE && b.class == EXECUTE_INFINITE && a.negative != b.negative))
        return not_a_number();
    if (a.class == EXECUTE_INFINITE || b.class == EXECUTE_INFINITE)
        return a.class == EXECUTE_INFINITE ? a : b;
    bool zero_sign = a.negative == b.negative ? a.negative : rounding == EXECUTE_RM;
    if (a.class == EXECUTE_ZERO && b.class == EXECUTE_ZERO)
        return (struct execute_number){.class = EXECUTE_ZERO, .negative = zero_sign};
    if (a.class == EXECUTE_ZERO || b.class == EXECUTE_ZERO)
        return a.class == EXECUTE_ZERO ? b : a;
    normalise(&a, 124);
    normalise(&b, 124);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        struct execute_number swap = a;
        a = b;
        b = swap;
    }
    int32_t shift = a.exponent - b.exponent;
    bool lost = shift > 124 ? b.significand != 0 : (b.significand & (((wide)1 << shift) - 1)) != 0;
    wide other = shift > 124 ? 0 : b.significand >> shift;
    if (a.negative == b.negative) {
        a.significand += other;
    } else { /* subtract the sticky bits: one unit less, and a nonzero remainder */
        a.significand -= other + lost;
        if (a.significand == 0 && !lost)
            return (struct execute_number){.class = EXECUTE_ZERO, .negative = rounding == EXECUTE_RM};
    }
    a.sticky |= lost;
    return a;
}

/* A single rounding, in the pack that follows: the product is exact. */
struct execute_number execute_soft_fma(struct execute_number a, struct execute_number b, struct execute_number c,
                                       enum execute_rounding rounding)
{
    return execute_soft_add(execute_soft_multiply(a, b), c, rounding);
}

struct execute_number execute_soft_divide(struct execute_number a, struct execute_number b)
{
    bool negative = a.negative != b.negative;
    if (a.class == EXECUTE_NAN || b.class == EXECUTE_NAN || (a.class == b.class && a.class != EXECUTE_FINITE))
        return not_a_number();
    if (a.class == EXECUTE_INFINITE || b.class == EXECUTE_ZERO)
        return (struct execute_number){.class = EXECUTE_INFINITE, .negative = negative};
    if (a.class == EXECUTE_ZERO || b.class == EXECUTE_INFINITE)
        return (struct execute_number){.class = EXECUTE_ZERO, .negative = negative};
    normalise(&a, 126); /* the quotient has at least 66 bits, more than any format needs; the remainder is sticky */
    normalise(&b, 60);
    return (struct execute_number){.class = EXECUTE_FINITE,
                                   .negative = negative,
                                   .exponent = a.exponent - b.exponent,
                                   .significand = a.significand / b.significand,
                                   .sticky = a.significand % b.significand != 0};
}

struct execute_number execute_soft_root(struct execute_number a)
{
    if (a.class == EXECUTE_NAN || (a.negative && a.class != EXECUTE_ZERO))
        return not_a_number();
    if (a.class != EXECUTE_FINITE)
        return a;
    normalise(&a, 124);
    if (a.exponent & 1) {
        a.significand <<= 1;
        a.exponent--;
    }
    wide root = 0, rest = a.significand; /* digit by digit: the root has 63 bits, the remainder is sticky */
    for (wide bit = (wide)1 << 124; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (struct execute_number){
        .class = EXECUTE_FINITE, .exponent = a.exponent / 2, .significand = root, .sticky = rest != 0};
}

struct execute_number execute_soft_integer(uint64_t magnitude, bool negative)
{
    return (struct execute_number){.class = magnitude ? EXECUTE_FINITE : EXECUTE_ZERO,
                                   .negative = negative && magnitude,
                                   .significand = magnitude};
}

struct execute_number execute_soft_whole(struct execute_number a, enum execute_rounding rounding)
{
    if (a.class != EXECUTE_FINITE || a.exponent >= 0)
        return a;
    a.significand = in_units(&a, 0, rounding);
    a.exponent = 0;
    a.sticky = false;
    a.class = a.significand ? EXECUTE_FINITE : EXECUTE_ZERO;
    return a;
}

uint64_t execute_soft_to_integer(struct execute_number a, enum execute_rounding rounding, unsigned bits, bool is_signed,
                                 uint64_t nan)
{
    uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    uint64_t least = is_signed ? UINT64_C(1) << (bits - 1) : 0; /* magnitude of the least number */
    if (a.class == EXECUTE_NAN)
        return nan;
    if (a.class == EXECUTE_ZERO)
        return 0;
    a = execute_soft_whole(a, rounding);
    if (a.class == EXECUTE_ZERO)
        return 0;
    uint64_t limit = a.negative ? least : most, magnitude = limit;
    if (a.class == EXECUTE_FINITE && top_bit(a.significand) + a.exponent < 64) {
        uint64_t exact = (uint64_t)(a.significand << (a.exponent > 0 ? a.exponent : 0));
        magnitude = exact < limit ? exact : limit;
    }
    return a.negative ? 0 - magnitude : magnitude;
}

float execute_soft_fma32(float a, float b, float c)
{
    uint32_t bits[3];
    memcpy(&bits[0], &a, 4);
    memcpy(&bits[1], &b, 4);
    memcpy(&bits[2], &c, 4);
    struct execute_number n[3];
    for (int i = 0; i < 3; i++)
        n[i] = execute_soft_unpack(&execute_format_f32, bits[i], false);
    uint32_t result = (uint32_t)execute_soft_pack(&execute_format_f32, execute_soft_fma(n[0], n[1], n[2], EXECUTE_RN),
                                                  EXECUTE_RN, false, false, false);
    float value;
    memcpy(&value, &result, 4);
    return value;
}

double execute_soft_fma64(double a, double b, double c)
{
    uint64_t bits[3];
    memcpy(&bits[0], &a, 8);
    memcpy(&bits[1], &b, 8);
    memcpy(&bits[2], &c, 8);
    struct execute_number n[3];
    for (int i = 0; i < 3; i++)
        n[i] = execute_soft_unpack(&execute_format_f64, bits[i], false);
    uint64_t result = execute_soft_pack(&execute_format_f64, execute_soft_fma(n[0], n[1], n[2], EXECUTE_RN), EXECUTE_RN,
                                        false, false, false);
    double value;
    memcpy(&value, &result, 8);
    return value;
}
