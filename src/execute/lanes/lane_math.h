/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One lane's arithmetic, for the rows of lane_list.h and for functions over words. Everything here is exact or a fixed
 * sequence of IEEE operations without contraction, so that all hosts and CPU levels give the same bits. Approximate
 * functions are computed in double precision and rounded once; docs/ptx.md states their error.
 */
#ifndef EXECUTE_LANE_MATH_H
#define EXECUTE_LANE_MATH_H

#include "execute/lanes/soft_float.h"

#include <stdint.h>
#include <string.h>

#define LANE_INLINE static inline __attribute__((always_inline, unused))

LANE_INLINE float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANE_INLINE uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

LANE_INLINE double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANE_INLINE uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ===== integers ===== */

LANE_INLINE int32_t saturate_s32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

LANE_INLINE int32_t low24(int32_t value)
{
    return (int32_t)((uint32_t)value << 8) >> 8;
}

/* Division by zero has no defined result; hardware gives all ones, and the dividend as remainder. */
LANE_INLINE int64_t divide(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

LANE_INLINE int64_t remainder_of(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b; /* all ones for a division by zero, like the quotient */
}

LANE_INLINE uint32_t pair16(uint32_t low, uint32_t high)
{
    return (low & 0xffff) | high << 16;
}

LANE_INLINE uint32_t reverse32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}

LANE_INLINE uint64_t reverse64(uint64_t a)
{
    return (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32));
}

LANE_INLINE uint32_t find32(uint32_t a)
{
    return a ? 31 - (uint32_t)__builtin_clz(a | 1) : ~0u;
}

LANE_INLINE uint32_t find64(uint64_t a)
{
    return a ? 63 - (uint32_t)__builtin_clzll(a | 1) : ~0u;
}

LANE_INLINE uint32_t shift_to_top(uint32_t place, uint32_t top)
{
    return place == ~0u ? ~0u : top - place;
}

/* fns: the n-th bit set counted from `base`, upwards for n > 0, downwards for n < 0. */
LANE_INLINE uint32_t find_nth(uint32_t mask, uint32_t base, int32_t n)
{
    base &= 31;
    if (n == 0)
        return mask >> base & 1 ? base : ~0u;
    int32_t step = n > 0 ? 1 : -1, left = n > 0 ? n : (n < -33 ? 33 : -n);
    for (int32_t i = (int32_t)base; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0)
            return (uint32_t)i;
    return ~0u;
}

LANE_INLINE uint64_t extract_unsigned(uint64_t a, uint32_t position, uint32_t length, uint32_t width)
{
    position &= width == 64 ? ~0u : 255; /* machine code shifts words of 64 bits by all of the amount */
    length &= width == 64 ? ~0u : 255;
    uint64_t shifted = position < width ? a >> position : 0;
    return length >= 64 ? shifted : shifted & ((UINT64_C(1) << length) - 1);
}

LANE_INLINE uint64_t extract_signed(uint64_t a, uint32_t position, uint32_t length, uint32_t width)
{
    position &= width == 64 ? ~0u : 255;
    length &= width == 64 ? ~0u : 255;
    if (length == 0)
        return 0;
    if (position >= width)
        return a >> (width - 1) & 1 ? ~UINT64_C(0) : 0;
    uint32_t end = length < width - position ? position + length : width; /* first bit behind the field */
    uint64_t sign = a >> (end - 1) & 1 ? ~UINT64_C(0) : 0;
    uint32_t bits = end - position;
    uint64_t field = a >> position & (bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1);
    return bits >= 64 ? field : field | (sign & ~((UINT64_C(1) << bits) - 1));
}

/* bfi: the lowest `length` bits of `field` at `position` in `into`. */
LANE_INLINE uint64_t insert_bits(uint64_t field, uint64_t into, uint32_t position, uint32_t length, uint32_t width)
{
    position &= width == 64 ? ~0u : 255;
    length &= width == 64 ? ~0u : 255;
    if (position >= width || length == 0)
        return into;
    length = length < width - position ? length : width - position;
    uint64_t mask = (length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1) << position;
    return (into & ~mask) | (field << position & mask);
}

/* bmsk: `length` ones from `position` on. */
LANE_INLINE uint32_t bit_mask_clamp(uint32_t position, uint32_t length)
{
    uint32_t ones = length >= 32 ? ~0u : (1u << length) - 1;
    return position >= 32 ? 0 : ones << position;
}

LANE_INLINE uint32_t dot4(uint32_t a, uint32_t b, int a_signed, int b_signed)
{
    uint32_t sum = 0;
    for (int byte = 0; byte < 4; byte++) {
        int32_t x = (int32_t)(a >> 8 * byte & 0xff), y = (int32_t)(b >> 8 * byte & 0xff);
        x = a_signed ? (int8_t)x : x;
        y = b_signed ? (int8_t)y : y;
        sum += (uint32_t)(x * y);
    }
    return sum;
}

LANE_INLINE uint32_t dot2(uint32_t a, uint32_t b, int a_signed, int b_signed)
{
    uint32_t sum = 0;
    for (int half = 0; half < 2; half++) {
        int32_t x = (int32_t)(a >> 16 * half & 0xffff), y = (int32_t)(b >> 8 * half & 0xff);
        x = a_signed ? (int16_t)x : x;
        y = b_signed ? (int8_t)y : y;
        sum += (uint32_t)(x * y);
    }
    return sum;
}

/* ===== logic ===== */

LANE_INLINE uint32_t byte_of(uint32_t a, uint32_t b, uint32_t place)
{
    return (place & 4 ? b : a) >> 8 * (place & 3) & 0xff;
}

LANE_INLINE uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t nibble = selector >> 4 * i & 0xf, byte = byte_of(a, b, nibble & 7);
        uint32_t sign = byte & 0x80 ? 0xff : 0;
        result |= (nibble & 8 ? sign : byte) << 8 * i;
    }
    return result;
}

LANE_INLINE uint32_t permute_f4e(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> 8 * (c & 3));
}

LANE_INLINE uint32_t permute_b4e(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++)
        result |= byte_of(a, b, ((c & 3) - i) & 7) << 8 * i;
    return result;
}

LANE_INLINE uint32_t permute_rc8(uint32_t a, uint32_t b, uint32_t c)
{
    return byte_of(a, b, c & 3) * 0x01010101u;
}

LANE_INLINE uint32_t permute_ecl(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++)
        result |= byte_of(a, b, i > (c & 3) ? i : (c & 3)) << 8 * i;
    return result;
}

LANE_INLINE uint32_t permute_ecr(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++)
        result |= byte_of(a, b, i < (c & 3) ? i : (c & 3)) << 8 * i;
    return result;
}

LANE_INLINE uint32_t permute_rc16(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b;
    return (a >> 16 * (c & 1) & 0xffff) * 0x00010001u;
}

/* ===== single precision ===== */

#define EXECUTE_NAN_F32 0x7fffffffu

/* A NaN result is the canonical one (ISA 9.0, section 9.7.3). */
LANE_INLINE float canonical(float a)
{
    return a == a ? a : float_of(EXECUTE_NAN_F32);
}

LANE_INLINE uint32_t flush_bits(uint32_t a)
{
    return a & 0x7f800000u ? a : a & 0x80000000u;
}

LANE_INLINE float flush(float a)
{
    return float_of(flush_bits(bits_of(a)));
}

/* .sat: into [0, 1]; NaN becomes +0. */
LANE_INLINE float unit(float a)
{
    return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f;
}

LANE_INLINE float fused(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return execute_soft_fma32(a, b, c);
#endif
}

LANE_INLINE double fused2(double a, double b, double c)
{
#ifdef __FMA__
    return __builtin_fma(a, b, c);
#else
    return execute_soft_fma64(a, b, c);
#endif
}

/* -0 is less than +0, and a NaN loses against a number. */
LANE_INLINE float least(float a, float b)
{
    float either = float_of(bits_of(a) | bits_of(b));
    float chosen = a == b ? either : (a < b || b != b) ? a : b;
    return canonical(chosen);
}

LANE_INLINE float greatest(float a, float b)
{
    float both = float_of(bits_of(a) & bits_of(b));
    float chosen = a == b ? both : (a > b || b != b) ? a : b;
    return canonical(chosen);
}

LANE_INLINE float least_nan(float a, float b)
{
    return a != a || b != b ? float_of(EXECUTE_NAN_F32) : least(a, b);
}

LANE_INLINE float greatest_nan(float a, float b)
{
    return a != a || b != b ? float_of(EXECUTE_NAN_F32) : greatest(a, b);
}

/* The extreme of numbers, perhaps of their sizes; a NaN loses against a number unless it is to go through. */
enum { EXTREME_MOST = 1, EXTREME_NAN = 2, EXTREME_SIZE = 4, EXTREME_FLUSH = 8 };

LANE_INLINE float extreme_input(float a, uint32_t how)
{
    float size = how & EXTREME_SIZE ? float_of(bits_of(a) & 0x7fffffffu) : a;
    return how & EXTREME_FLUSH ? flush(size) : size;
}

LANE_INLINE float extreme_of_two(float a, float b, uint32_t how)
{
    float chosen = how & EXTREME_MOST ? greatest(a, b) : least(a, b);
    return (how & EXTREME_NAN) && (a != a || b != b) ? float_of(EXECUTE_NAN_F32) : chosen;
}

/* ===== approximate functions ===== */

LANE_INLINE double sine_polynomial(double r)
{
    double s = r * r;
    return r + r * s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 + s * (-1.0 / 39916800)))));
}

LANE_INLINE double cosine_polynomial(double r)
{
    double s = r * r;
    return 1.0 + s * (-0.5 + s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800)))));
}

/* Sine of an angle in turns, a quarter of a turn further where `quarter` is 1. */
LANE_INLINE float turned(float x, int64_t quarter)
{
    double size = x < 0 ? -(double)x : (double)x;
    double turns = size < 0x1p40 ? (double)x : 0.0;
    const double shifter = 0x1.8p52;
    double k = turns * 4.0 + shifter;
    int64_t quadrant = (int64_t)(bits_of_double(k) & 3) + quarter;
    k -= shifter;
    double r = (turns * 4.0 - k) * 0x1.921fb54442d18p+0; /* π/2 */
    double value = quadrant & 1 ? cosine_polynomial(r) : sine_polynomial(r);
    float result = (float)(quadrant & 2 ? -value : value);
    return size < (double)float_of(0x7f800000u) ? result : float_of(EXECUTE_NAN_F32);
}

/* 2^x for |x| < 1000 */
LANE_INLINE double exponential2(double x)
{
    const double shifter = 0x1.8p52;
    double k = x + shifter;
    uint64_t whole = bits_of_double(k);
    k -= shifter;
    double y = (x - k) * 0x1.62e42fefa39efp-1; /* ln 2 */
    double p =
        1.0 +
        y * (1.0 + y * (1.0 / 2 +
                        y * (1.0 / 6 +
                             y * (1.0 / 24 +
                                  y * (1.0 / 120 +
                                       y * (1.0 / 720 + y * (1.0 / 5040 + y * (1.0 / 40320 + y * (1.0 / 362880)))))))));
    return p * double_of((whole + 1023) << 52);
}

LANE_INLINE float power2(float a)
{
    float clamped = a > 200.0f ? 200.0f : a < -200.0f ? -200.0f : a;
    double value = exponential2(clamped == clamped ? (double)clamped : 0.0);
    return a == a ? (float)value : float_of(EXECUTE_NAN_F32);
}

/* log2 of m · 2^e with m in [√½, √2): 2/ln 2 · atanh((m−1)/(m+1)). Powers of two are exact. */
LANE_INLINE float logarithm2(float a)
{
    double x = (double)a;
    uint64_t bits = bits_of_double(x);
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023;
    double m = double_of((bits & 0xfffffffffffffu) | UINT64_C(0x3ff) << 52);
    int up = m > 0x1.6a09e667f3bcdp+0;
    m = up ? m * 0.5 : m;
    exponent += up;
    double t = (m - 1.0) / (m + 1.0), s = t * t;
    double p =
        t *
        (1.0 + s * (1.0 / 3 +
                    s * (1.0 / 5 +
                         s * (1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11 + s * (1.0 / 13 + s * (1.0 / 15 + s / 17))))))));
    float result = (float)((double)exponent + p * 0x1.71547652b82fep+1);
    float infinite = float_of(0x7f800000u);
    result = a < infinite ? result : infinite;
    result = a > 0.0f ? result : a == 0.0f ? -infinite : float_of(EXECUTE_NAN_F32);
    return a == a ? result : float_of(EXECUTE_NAN_F32);
}

LANE_INLINE float hyperbolic_tangent(float a)
{
    float clamped = a > 20.0f ? 20.0f : a < -20.0f ? -20.0f : a;
    double x = clamped == clamped ? (double)clamped : 0.0, e = exponential2(x * 0x1.71547652b82fep+1);
    double small = x - x * x * x * (1.0 / 3);
    double value = x < 0x1p-12 && x > -0x1p-12 ? small : (e - 1.0) / (e + 1.0);
    return a == a ? (float)value : float_of(EXECUTE_NAN_F32);
}

/* ===== the special function unit =====
 * MUFU, which PTX and machine code share: subnormal sources and results are zero. */

LANE_INLINE float sfu_sin(float a)
{
    float x = flush(a);
    return x == 0.0f ? x : flush(turned(x, 0));
}

LANE_INLINE float sfu_cos(float a)
{
    return flush(turned(flush(a), 1));
}

LANE_INLINE float sfu_ex2(float a)
{
    return flush(power2(flush(a)));
}

LANE_INLINE float sfu_lg2(float a)
{
    return flush(logarithm2(flush(a)));
}

LANE_INLINE float sfu_rcp(float a)
{
    return flush(canonical(1.0f / flush(a)));
}

LANE_INLINE float sfu_rsq(float a)
{
    return canonical((float)(1.0 / __builtin_sqrt((double)flush(a))));
}

LANE_INLINE float sfu_sqrt(float a)
{
    return canonical(__builtin_sqrtf(flush(a)));
}

/* ===== approximations as ptxas 13.0 expands them =====
 * One call of the special function unit, between multiplications that keep its source and result normal. */

LANE_INLINE float magnitude(float a)
{
    return float_of(bits_of(a) & 0x7fffffffu);
}

LANE_INLINE bool is_tiny(float a)
{
    return magnitude(a) < 0x1p-126f;
}

/* Product rounded toward zero; the exact product of two floats fits double precision. */
LANE_INLINE float product_to_zero(float a, float b)
{
    double exact = (double)a * (double)b;
    float near = (float)exact;
    double size = exact < 0 ? -exact : exact, near_size = (double)near < 0 ? -(double)near : (double)near;
    return float_of(bits_of(near) - (near_size > size ? 1u : 0u));
}

/* sin.approx: converts the angle to turns first. The factor 1/2π is a float, so that the result for large angles loses
 * the digits that the factor lacks. */
LANE_INLINE float sine_approximately(float a)
{
    return sfu_sin(product_to_zero(a, 0x1.45f306p-3f));
}

LANE_INLINE float cosine_approximately(float a)
{
    return sfu_cos(product_to_zero(a, 0x1.45f306p-3f));
}

LANE_INLINE float power2_approximately(float a)
{
    float small = sfu_ex2(a * 0.5f), plain = sfu_ex2(a);
    return a < -126.0f ? small * small : plain;
}

LANE_INLINE float logarithm2_approximately(float a)
{
    float value = sfu_lg2(is_tiny(a) ? a * 0x1p24f : a);
    return is_tiny(a) ? canonical(value - 24.0f) : value;
}

LANE_INLINE float reciprocal_of(float a)
{
    float scale = magnitude(a) > 0x1p126f ? 0.25f : is_tiny(a) ? 0x1p24f : 1.0f;
    return canonical(scale * sfu_rcp(a * scale));
}

LANE_INLINE float root_approximately(float a)
{
    float root = sfu_sqrt(is_tiny(a) ? a * 0x1p24f : a);
    return is_tiny(a) ? canonical(root * 0x1p-12f) : root;
}

LANE_INLINE float reciprocal_root_of(float a)
{
    float root = sfu_rsq(is_tiny(a) ? a * 0x1p24f : a);
    return is_tiny(a) ? canonical(root * 0x1p12f) : root;
}

LANE_INLINE float divide_approximately(float a, float b)
{
    float scale = is_tiny(b) ? 0x1p24f : 1.0f;
    return canonical(a * scale * sfu_rcp(b * scale));
}

LANE_INLINE float divide_fully(float a, float b)
{
    float scale = magnitude(b) > 0x1p126f ? 0.25f : is_tiny(b) ? 0x1p24f : 1.0f;
    return canonical(a * scale * sfu_rcp(b * scale));
}

LANE_INLINE float divide_approximately_ftz(float a, float b)
{
    return flush(canonical(flush(a) * sfu_rcp(b)));
}

LANE_INLINE float divide_fully_ftz(float a, float b)
{
    float scale = magnitude(flush(b)) > 0x1p126f ? 0.25f : 1.0f;
    return flush(canonical(flush(flush(a) * scale) * sfu_rcp(flush(b) * scale)));
}

/* ===== double precision ===== */

LANE_INLINE uint64_t flush_bits2(uint64_t a)
{
    return a & UINT64_C(0x7ff) << 52 ? a : a & UINT64_C(1) << 63;
}

/* A NaN result is the first NaN among the sources, made quiet, or the default one. */
LANE_INLINE double settle(double result, double a, double b, double c)
{
    uint64_t quiet = UINT64_C(1) << 51;
    uint64_t nan = UINT64_C(0xfff8) << 48;
    nan = c == c ? nan : bits_of_double(c) | quiet;
    nan = b == b ? nan : bits_of_double(b) | quiet;
    nan = a == a ? nan : bits_of_double(a) | quiet;
    return result == result ? result : double_of(nan);
}

LANE_INLINE double least2(double a, double b)
{
    double either = double_of(bits_of_double(a) | bits_of_double(b));
    double chosen = a == b ? either : (a < b || b != b) ? a : b;
    return a != a && b != b ? settle(chosen, b, b, 0) : chosen; /* if both are NaN, the second one */
}

LANE_INLINE double greatest2(double a, double b)
{
    double both = double_of(bits_of_double(a) & bits_of_double(b));
    double chosen = a == b ? both : (a > b || b != b) ? a : b;
    return a != a && b != b ? settle(chosen, b, b, 0) : chosen;
}

/* MUFU.RCP64H and RSQ64H: the upper word of the result from the upper word of the source, the lower ones zero;
 * subnormals are flushed (ISA 9.0, rcp.approx.ftz.f64). */
LANE_INLINE uint64_t reciprocal_approximately(uint64_t a)
{
    double x = double_of(flush_bits2(a >> 32 << 32));
    return x == x ? flush_bits2(bits_of_double(1.0 / x) >> 32 << 32) : UINT64_C(0x7fffffff) << 32;
}

LANE_INLINE uint64_t reciprocal_root_approximately(uint64_t a)
{
    double x = double_of(flush_bits2(a >> 32 << 32)), root = 1.0 / __builtin_sqrt(x);
    return root == root ? bits_of_double(root) >> 32 << 32 : UINT64_C(0x7fffffff) << 32;
}

/* rsqrt.approx.f64 as ptxas 13.0 expands it: one step of third order from the upper word's root. */
LANE_INLINE double refined_root(double x)
{
    double y = double_of(reciprocal_root_approximately(bits_of_double(x)));
    double rest = fused2(x, -(y * y), 1.0);
    return fused2(fused2(rest, 0.375, 0.5), y * rest, y);
}

LANE_INLINE double reciprocal_root_of_double(double a)
{
    uint64_t bits = bits_of_double(a), sign = UINT64_C(1) << 63, infinite = UINT64_C(0x7ff) << 52;
    bool tiny = bits < UINT64_C(1) << 52, special = bits << 1 == 0 || bits >= infinite;
    double root = refined_root(special ? 1.0 : tiny ? a * 0x1p54 : a);
    double none = a == 0.0      ? double_of((bits & sign) | infinite)
                  : a != a      ? double_of(bits | UINT64_C(1) << 51)
                  : bits & sign ? double_of(UINT64_C(0xfff8) << 48)
                                : 0.0;
    return special ? none : tiny ? root * 0x1p27 : root;
}

/* A negated or absolute NaN is made quiet: silicon adds it to -0. */
LANE_INLINE uint64_t quiet2(uint64_t a)
{
    return double_of(a) == double_of(a) ? a : a | UINT64_C(1) << 51;
}

/* ===== conversions ===== */

LANE_INLINE int32_t to_s32(float a)
{
    int32_t value = (int32_t)(a < 0x1p31f && a >= -0x1p31f ? a : 0.0f);
    value = a >= 0x1p31f ? INT32_MAX : value;
    return a < -0x1p31f ? INT32_MIN : value;
}

LANE_INLINE uint32_t to_u32(float a)
{
    uint32_t value = (uint32_t)(int64_t)(a < 0x1p32f && a > 0.0f ? a : 0.0f);
    return a >= 0x1p32f ? ~0u : value;
}

LANE_INLINE int32_t double_to_s32(double a)
{
    int32_t value = (int32_t)(a < 0x1p31 && a > -0x1p31 - 1.0 ? a : 0.0);
    value = a >= 0x1p31 ? INT32_MAX : value;
    return a <= -0x1p31 || a != a ? INT32_MIN : value;
}

LANE_INLINE uint32_t double_to_u32(double a)
{
    uint32_t value = (uint32_t)(int64_t)(a < 0x1p32 && a > 0.0 ? a : 0.0);
    value = a >= 0x1p32 ? ~0u : value;
    return a == a ? value : 0x80000000u;
}

/* Rounds to an integral float; values of 2^23 or more are integral already. The sign is preserved, also of zero. */
LANE_INLINE float with_sign(float value, float sign)
{
    return float_of((bits_of(value) & 0x7fffffffu) | (bits_of(sign) & 0x80000000u));
}

LANE_INLINE float nearest(float a)
{
    float size = float_of(bits_of(a) & 0x7fffffffu);
    float rounded = (size + 0x1p23f) - 0x1p23f;
    return size < 0x1p23f ? with_sign(rounded, a) : a;
}

LANE_INLINE float truncate_of(float a)
{
    float size = float_of(bits_of(a) & 0x7fffffffu);
    float whole = (float)(int32_t)(size < 0x1p23f ? size : 0.0f);
    return size < 0x1p23f ? with_sign(whole, a) : a;
}

LANE_INLINE float floor_of(float a)
{
    float whole = truncate_of(a);
    return whole > a ? whole - 1.0f : whole;
}

/* A NaN becomes the canonical one, widened. */
LANE_INLINE double widen_single(float a)
{
    return a == a ? (double)a : double_of(UINT64_C(0x7fffffffe0000000));
}

/* Half precision to single; exact. A NaN becomes canonical. */
LANE_INLINE uint32_t widen_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
    uint32_t normal = (rest << 13) + (112u << 23);
    uint32_t small = bits_of((float)(int32_t)rest * 0x1p-24f);
    uint32_t value = rest < 0x400u ? small : rest < 0x7c00u ? normal : 0x7f800000u;
    return rest > 0x7c00u ? EXECUTE_NAN_F32 : sign | value;
}

/* Single to half precision, to nearest even. A NaN becomes 0x7fff. */
LANE_INLINE uint32_t narrow_to_half(uint32_t single)
{
    uint32_t sign = single >> 16 & 0x8000u, rest = single & 0x7fffffffu;
    uint32_t odd = rest >> 13 & 1, normal = (rest - (112u << 23) + 0xfffu + odd) >> 13;
    uint32_t small = bits_of(float_of(rest < 0x38800000u ? rest : 0) + 0.5f) - 0x3f000000u; /* rounds at 2^-24 */
    uint32_t value = rest < 0x38800000u ? small : rest < 0x477ff000u ? normal : 0x7c00u;
    return rest > 0x7f800000u ? 0x7fffu : sign | value;
}

/* ===== half precision, rounded once ===== */

/* A double that was rounded to odd, to half precision: by way of single precision, to odd again. */
LANE_INLINE uint32_t odd_to_half(double value)
{
    float near = (float)value;
    uint32_t bits = bits_of(near);
    double size = value < 0 ? -value : value, near_size = (double)near < 0 ? -(double)near : (double)near;
    bits -= near_size > size ? 1u : 0u; /* cut off */
    bits |= near_size != size ? 1u : 0u;
    return narrow_to_half(value == value ? bits : EXECUTE_NAN_F32);
}

#endif
