/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions over words: packed halves. */
#ifndef EXECUTE_WORDS_HALF_H
#define EXECUTE_WORDS_HALF_H

#include "execute/lanes/words_float.h"

/* ===== halves ===== */

enum { H1_H0, F32_SOURCE, H0_H0, H1_H1 };

/* Converts a float to a half by truncation: ptxas's expansion of cvt.rz.f16.f32 for sm_75. */
LANE_INLINE uint32_t cut_to_half(uint32_t x)
{
    uint32_t half = narrow_to_half(x);
    float back = float_of(widen_half(half) & 0x7fffffffu), size = float_of(x & 0x7fffffffu);
    return back > size ? half - 1 : half;
}

/* The halves of a packed source as they are taken, as single precision; one that is single precision is cut off. */
LANE_INLINE float half_of(uint32_t x, uint32_t m, uint32_t source, uint32_t upper)
{
    uint32_t form = m >> (EXECUTE_WORDS_HALF_SHIFT + 2 * source) & 3;
    uint32_t flip = m >> 2 * source & 1 ? 0x80000000u : 0, keep = m >> 2 * source & 2 ? 0x7fffffffu : ~0u;
    uint32_t part = form == H1_H1 || (form == H1_H0 && upper) ? x >> 16 : x & 0xffff;
    uint32_t wide = form == F32_SOURCE       ? widen_half(cut_to_half(x))
                    : m & EXECUTE_WORDS_BF16 ? part << 16
                                             : widen_half(part);
    float value = float_of((wide & keep) ^ flip);
    return value;
}

/* Rounds one half of a result. Sums and products were rounded to odd in double precision, so that there is no double
 * rounding. */
LANE_INLINE uint32_t to_bf16(double value)
{
    float near = (float)value;
    uint32_t bits = bits_of(near);
    double size = value < 0 ? -value : value, near_size = (double)near < 0 ? -(double)near : (double)near;
    bits -= near_size > size ? 1u : 0u;
    bits |= near_size != size ? 1u : 0u;
    uint32_t rounded_up = bits + 0x7fffu + (bits >> 16 & 1);
    return value == value ? rounded_up >> 16 : 0x7fff;
}

/* x · y + z with the rest of the sum in its last bit; the product of two halves is exact. */
LANE_INLINE double odd_sum(double p, double q)
{
    double sum = p + q, part = sum - p, rest = (p - (sum - part)) + (q - part);
    uint64_t bits = bits_of_double(sum);
    int inexact = sum - sum == 0 && rest != 0 && !(bits & 1);
    bits += inexact ? ((rest > 0) == (sum > 0) ? UINT64_C(1) : ~UINT64_C(0)) : 0;
    return double_of(bits);
}

LANE_INLINE uint32_t flush_half(uint32_t half, uint32_t m)
{
    uint32_t exponent = m & EXECUTE_WORDS_BF16 ? 0x7f80u : 0x7c00u;
    return (m & EXECUTE_WORDS_FLUSH) && !(half & exponent) ? half & 0x8000u : half;
}

LANE_INLINE uint32_t half_result(double value, uint32_t m)
{
    if (m & EXECUTE_WORDS_SATURATE)
        value = value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
    uint32_t half = m & EXECUTE_WORDS_BF16 ? to_bf16(value) : odd_to_half(value);
    bool nan = value != value;
    half = (m & EXECUTE_WORDS_RELU) && !nan && (half & 0x8000u) ? 0 : half;
    return flush_half(half, m);
}

LANE_INLINE double half_input(uint32_t x, uint32_t m, uint32_t source, uint32_t upper)
{
    float value = half_of(x, m, source, upper);
    float least_normal = m & EXECUTE_WORDS_BF16 ? 0x1p-126f : 0x1p-14f;
    float size = value < 0 ? -value : value;
    return (m & EXECUTE_WORDS_FLUSH) && size < least_normal ? (double)(value * 0.0f) : (double)value;
}

/* How many halves a word has, of those that count. */
LANE_INLINE uint32_t halves_of(uint32_t m)
{
    return m & EXECUTE_WORDS_LOWER ? 1 : 2;
}

/* A function of halves, of which `values` declares those that the expression takes. */
#define HALVES(name, values, expression)                                                                               \
    WORDS(name)                                                                                                        \
    {                                                                                                                  \
        SOURCES for (int lane = 0; lane < 32; lane++)                                                                  \
        {                                                                                                              \
            uint32_t result[2] = {0, 0};                                                                               \
            for (uint32_t upper = 0; upper < halves_of(m); upper++) {                                                  \
                values;                                                                                                \
                result[upper] = (expression);                                                                          \
            }                                                                                                          \
            d[lane] = m & EXECUTE_WORDS_SINGLE ? result[0] : pair16(result[0], result[1]);                             \
        }                                                                                                              \
    }
#define X_OF_HALF             double x = half_input(a[lane], m, 0, upper)
#define Y_OF_HALF             double y = half_input(b[lane], m, 1, upper)
#define HALF_OR_SINGLE(value) (m & EXECUTE_WORDS_SINGLE ? output((float)(value), m & 0x300) : half_result((value), m))

HALVES(hmov2, X_OF_HALF, half_result(x, m))
HALVES(hex2, X_OF_HALF, half_result((double)power2((float)x), m))
HALVES(htanh2, X_OF_HALF, half_result((double)hyperbolic_tangent((float)x), m))
/* The sum of two halves is exact, that of two .bf16 is not. */
HALVES(hadd2, X_OF_HALF; Y_OF_HALF, HALF_OR_SINGLE(m &EXECUTE_WORDS_BF16 ? odd_sum(x, y) : x + y))
HALVES(hmul2, X_OF_HALF; Y_OF_HALF, HALF_OR_SINGLE(x *y))
HALVES(hfma2, X_OF_HALF; Y_OF_HALF, HALF_OR_SINGLE(odd_sum(x *y, half_input(c[lane], m, 2, upper))))

/* hfma2 with crossed operands: uses b's lower half in place of its upper one, and its negated upper half in place of
 * its lower one, for complex products. */
HALVES(hfma2_crossed, X_OF_HALF,
       HALF_OR_SINGLE(odd_sum(x *(upper ? half_input(b[lane], m, 1, 0) : -half_input(b[lane], m, 1, 1)),
                              half_input(c[lane], m, 2, upper))))

LANE_INLINE uint32_t half_compare(double x, double y, uint32_t m)
{
    return holds_of(order_of(m), x < y ? 1 : 0, x == y ? 1 : 0, x > y ? 1 : 0) & 1;
}

WORDS(hset2)
{
    SOURCES
    uint32_t p = w->in[0];
    for (int lane = 0; lane < 32; lane++) {
        uint32_t result[2], one = m & EXECUTE_WORDS_SATURATE ? (m & EXECUTE_WORDS_BF16 ? 0x3f80 : 0x3c00) : 0xffff;
        for (uint32_t upper = 0; upper < 2; upper++) {
            uint32_t holds = half_compare(half_input(a[lane], m, 0, upper), half_input(b[lane], m, 1, upper), m);
            result[upper] = combine(m, holds, p >> lane & 1) ? one : 0;
        }
        d[lane] = pair16(result[0], result[1]);
    }
}

/* A predicate of each half; of one half, or with EXECUTE_WORDS_NAN (.H_AND) of both together, also its contrary. */
WORDS(hsetp2)
{
    SOURCES
    uint32_t part[2] = {0, 0};
    for (int lane = 0; lane < 32; lane++) {
        for (uint32_t upper = 0; upper < halves_of(m); upper++)
            part[upper] |= half_compare(half_input(a[lane], m, 0, upper), half_input(b[lane], m, 1, upper), m) << lane;
    }
    uint32_t all = m & EXECUTE_WORDS_LOWER ? part[0] : part[0] & part[1];
    bool one = m & (EXECUTE_WORDS_NAN | EXECUTE_WORDS_LOWER);
    w->out[0] = combine(w->modifiers, one ? all : part[0], w->in[0]);
    w->out[1] = combine(w->modifiers, one ? ~all : part[1], w->in[0]);
}

/* The sign bit of the half as it is taken, of a NaN too, before an absolute value. */
LANE_INLINE uint32_t sign_of_half(uint32_t x, uint32_t m, uint32_t source, uint32_t upper)
{
    uint32_t form = m >> (EXECUTE_WORDS_HALF_SHIFT + 2 * source) & 3, flip = m >> 2 * source & 1 ? 0x8000u : 0;
    uint32_t part = form == H1_H1 || (form == H1_H0 && upper) ? x >> 16 : x & 0xffff;
    return (part ^ flip) & 0x8000u;
}

LANE_INLINE float extreme(bool low, bool nan, float x, float y)
{
    return low ? (nan ? least_nan(x, y) : least(x, y)) : (nan ? greatest_nan(x, y) : greatest(x, y));
}

WORDS(hmnmx2)
{
    SOURCES
    uint32_t p = minimum_of(w, m);
    for (int lane = 0; lane < 32; lane++) {
        uint32_t result[2] = {0, 0};
        for (uint32_t upper = 0; upper < halves_of(m); upper++) {
            float x = (float)half_input(a[lane], m, 0, upper), y = (float)half_input(b[lane], m, 1, upper);
            uint32_t signs = (sign_of_half(a[lane], m, 0, upper) ^ sign_of_half(b[lane], m, 1, upper)) << 16;
            if (m & EXECUTE_WORDS_XORSIGN) {
                x = float_of(bits_of(x) & 0x7fffffffu);
                y = float_of(bits_of(y) & 0x7fffffffu);
            }
            float r = extreme(p >> lane & 1, m & EXECUTE_WORDS_NAN, x, y);
            r = m & EXECUTE_WORDS_XORSIGN ? float_of(bits_of(r) | signs) : r;
            result[upper] = half_result((double)r, m);
        }
        d[lane] = pair16(result[0], result[1]);
    }
}

/* The least or the greatest of three. */
WORDS(hmnmx3)
{
    SOURCES
    uint32_t p = w->in[0];
    for (int lane = 0; lane < 32; lane++) {
        uint32_t result[2];
        for (uint32_t upper = 0; upper < 2; upper++) {
            bool low = p >> lane & 1, nan = m & EXECUTE_WORDS_NAN;
            float x = (float)half_input(a[lane], m, 0, upper), y = (float)half_input(b[lane], m, 1, upper);
            float two = extreme(low, nan, x, y);
            result[upper] = half_result((double)extreme(low, nan, two, (float)half_input(c[lane], m, 2, upper)), m);
        }
        d[lane] = pair16(result[0], result[1]);
    }
}

/* MUFU of half precision or .bf16; the lowest bit of the amount (EXECUTE_WORDS_AMOUNT_SHIFT) selects TANH, otherwise
 * EX2. */
WORDS(mufu_half)
{
    SOURCES
    uint32_t shift = m & EXECUTE_WORDS_UPPER ? 16 : 0;
    bool short_exponent = !(m & EXECUTE_WORDS_BF16);
    EACH_LANE
    {
        uint32_t half = (a[lane] >> shift & (m & 2 ? 0x7fffu : 0xffffu)) ^ (m & 1 ? 0x8000u : 0);
        float x = float_of(short_exponent ? widen_half(half) : half << 16);
        bool tangent = m >> EXECUTE_WORDS_AMOUNT_SHIFT & 1;
        float y = tangent ? hyperbolic_tangent(x) : power2(x);
        uint32_t how = tangent ? EXECUTE_WORDS_BF16 : EXECUTE_WORDS_BF16 | EXECUTE_WORDS_FLUSH;
        d[lane] = short_exponent ? narrow_to_half(bits_of(y)) : half_result((double)y, how);
    }
}

/* Rounds a float to a half or a .bf16. Rounding toward zero: a result that is greater in magnitude than `x` is replaced
 * by the next one below, so that values out of range become the largest finite number. */
LANE_INLINE uint32_t packed_plainly(float x, uint32_t m)
{
    double value = (double)x;
    uint32_t half = half_result(value, m & ~(uint32_t)(EXECUTE_WORDS_SATURATE | EXECUTE_WORDS_FLUSH));
    if (value - value != 0 || (m >> EXECUTE_WORDS_ROUND_SHIFT & 3) != EXECUTE_WORDS_RZ)
        return half;
    double back = (double)float_of(m & EXECUTE_WORDS_BF16 ? half << 16 : widen_half(half));
    return (back < 0 ? -back : back) > (value < 0 ? -value : value) ? half - 1 : half;
}

/* .SATFINITE: values out of range become the largest finite number. */
LANE_INLINE uint32_t packed(float x, uint32_t m)
{
    uint32_t half = packed_plainly(x, m), infinity = m & EXECUTE_WORDS_BF16 ? 0x7f80 : 0x7c00;
    return m & EXECUTE_WORDS_LARGEST && (half & 0x7fff) == infinity ? half - 1 : half;
}

/* Merge: a becomes the lower half; the upper half comes from c. */
WORDS(f2fp_merge)
{
    SOURCES
    uint32_t shift = m & EXECUTE_WORDS_XORSIGN ? 16 : 0;
    EACH_LANE
    {
        d[lane] = pair16(packed(modified(a[lane], m, 0), m), c[lane] >> shift & 0xffff);
    }
}

/* A float of ten bits of fraction, to nearest even or towards zero. */
LANE_INLINE uint32_t to_tf32(float x, uint32_t m)
{
    uint32_t bits = bits_of(x), zero = (m >> EXECUTE_WORDS_ROUND_SHIFT & 3) == EXECUTE_WORDS_RZ;
    if (x != x)
        return 0x7fffffff;
    if (m & EXECUTE_WORDS_RELU && bits >> 31)
        return 0;
    uint32_t near = (zero || x - x != 0.0f ? bits : bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
    bool large = m & EXECUTE_WORDS_LARGEST && (near & 0x7fffffff) == 0x7f800000;
    return large ? (near & 0x80000000) | 0x7f7fe000 : near;
}

ONE(f2fp_tf32, to_tf32(modified(x, m, 0), m))
TWO(f2fp, pair16(packed(modified(y, m, 2), m), packed(modified(x, m, 0), m)))

#endif
