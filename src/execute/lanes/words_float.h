/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions over words: single and double precision, special functions, conversions. */
#ifndef EXECUTE_WORDS_FLOAT_H
#define EXECUTE_WORDS_FLOAT_H

#include "execute/lanes/words_base.h"

/* ===== single precision ===== */

LANE_INLINE float modified(uint32_t x, uint32_t m, uint32_t place)
{
    uint32_t keep = m >> place & 2 ? 0x7fffffffu : ~0u, flip = m >> place & 1 ? 0x80000000u : 0;
    return float_of((x & keep) ^ flip);
}

LANE_INLINE float input(uint32_t x, uint32_t m, uint32_t place)
{
    float value = modified(x, m, place);
    return m & EXECUTE_WORDS_FLUSH ? flush(value) : value;
}

LANE_INLINE uint32_t output(float x, uint32_t m)
{
    float value = m & EXECUTE_WORDS_SATURATE ? unit(x) : canonical(x);
    return m & EXECUTE_WORDS_FLUSH ? flush_bits(bits_of(value)) : bits_of(value);
}

LANE_INLINE float scale_of(uint32_t m)
{
    uint32_t scale = m >> EXECUTE_WORDS_SCALE_SHIFT & 7; /* ?, D8, D4, D2, none, M2, M4, M8; 0: none */
    return scale == 1   ? 0.125f
           : scale == 2 ? 0.25f
           : scale == 3 ? 0.5f
           : scale == 5 ? 2.0f
           : scale == 6 ? 4.0f
           : scale == 7 ? 8.0f
                        : 1.0f;
}

/* Instances for sources whose only modifier is negation. */
#define NEGATIONS                                                                                                      \
    const uint32_t na = m & EXECUTE_WORDS_NEGATE_A ? 1u << 31 : 0, nb = m & EXECUTE_WORDS_NEGATE_B ? 1u << 31 : 0;     \
    UNUSED const uint32_t nc = m & EXECUTE_WORDS_NEGATE_C ? 1u << 31 : 0;
WORDS(fadd_n)
{
    SOURCES
    NEGATIONS
    EACH_LANE
    {
        d[lane] = bits_of(canonical(float_of(a[lane] ^ na) + float_of(b[lane] ^ nb)));
    }
}

WORDS(fmul_n)
{
    SOURCES
    NEGATIONS
    EACH_LANE
    {
        d[lane] = bits_of(canonical(float_of(a[lane] ^ na) * float_of(b[lane] ^ nb)));
    }
}

WORDS(ffma_n)
{
    SOURCES
    NEGATIONS
    EACH_LANE
    {
        d[lane] = bits_of(canonical(fused(float_of(a[lane] ^ na), float_of(b[lane] ^ nb), float_of(c[lane] ^ nc))));
    }
}

TWO(fadd, output(input(x, m, 0) + input(y, m, 2), m))
WORDS(fmul)
{
    SOURCES
    float scale = scale_of(m);
    EACH_LANE
    {
        float x = input(a[lane], m, 0), y = input(b[lane], m, 2);
        bool none = (m & EXECUTE_WORDS_ZERO) && (x == 0.0f || y == 0.0f);
        d[lane] = none ? 0 : output(x * y * scale, m);
    }
}

WORDS(ffma)
{
    SOURCES
    EACH_LANE
    {
        float x = input(a[lane], m, 0), y = input(b[lane], m, 2), z = input(c[lane], m, 4);
        bool none = (m & EXECUTE_WORDS_ZERO) && (x == 0.0f || y == 0.0f);
        d[lane] = output(none ? z : fused(x, y, z), m);
    }
}

/* Roundings other than to nearest even, by the exact arithmetic. */
LANE_INLINE enum execute_rounding rounding_of(uint32_t m)
{
    static const enum execute_rounding roundings[] = {EXECUTE_RN, EXECUTE_RM, EXECUTE_RP, EXECUTE_RZ};
    return roundings[m >> EXECUTE_WORDS_ROUND_SHIFT & 3];
}

enum { SUM, PRODUCT, FUSED };

static uint32_t rounded(int what, uint32_t m, uint32_t x, uint32_t y, uint32_t z)
{
    const struct execute_format *format = &execute_format_f32;
    bool flushes = m & EXECUTE_WORDS_FLUSH;
    enum execute_rounding rounding = rounding_of(m);
    struct execute_number n = execute_soft_unpack(format, bits_of(modified(x, m, 0)), flushes);
    struct execute_number p = execute_soft_unpack(format, bits_of(modified(y, m, 2)), flushes);
    if (what == FUSED)
        n = execute_soft_fma(n, p, execute_soft_unpack(format, bits_of(modified(z, m, 4)), flushes), rounding);
    else
        n = what == SUM ? execute_soft_add(n, p, rounding) : execute_soft_multiply(n, p);
    return (uint32_t)execute_soft_pack(format, n, rounding, flushes, m & EXECUTE_WORDS_SATURATE, false);
}

WORDS(fadd_r)
{
    SOURCES
    for (int lane = 0; lane < 32; lane++)
        d[lane] = rounded(SUM, m, a[lane], b[lane], 0);
}

WORDS(fmul_r)
{
    SOURCES
    for (int lane = 0; lane < 32; lane++)
        d[lane] = rounded(PRODUCT, m, a[lane], b[lane], 0);
}

WORDS(ffma_r)
{
    SOURCES
    for (int lane = 0; lane < 32; lane++)
        d[lane] = rounded(FUSED, m, a[lane], b[lane], c[lane]);
}

WORDS(fsel)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint32_t x = bits_of(input(a[lane], m, 0)), y = bits_of(input(b[lane], m, 2));
        d[lane] = p >> lane & 1 ? x : y;
    }
}

WORDS(fmnmx)
{
    SOURCES
    uint32_t p = minimum_of(w, m);
    EACH_LANE
    {
        float x = input(a[lane], m, 0), y = input(b[lane], m, 2);
        float low = m & EXECUTE_WORDS_NAN ? least_nan(x, y) : least(x, y);
        float high = m & EXECUTE_WORDS_NAN ? greatest_nan(x, y) : greatest(x, y);
        d[lane] = bits_of(p >> lane & 1 ? low : high);
    }
}

WORDS(fmnmx3)
{
    SOURCES
    uint32_t p = minimum_of(w, m);
    EACH_LANE
    {
        float x = input(a[lane], m, 0), y = input(b[lane], m, 2), z = input(c[lane], m, 4);
        float low = m & EXECUTE_WORDS_NAN ? least_nan(least_nan(x, y), z) : least(least(x, y), z);
        float high = m & EXECUTE_WORDS_NAN ? greatest_nan(greatest_nan(x, y), z) : greatest(greatest(x, y), z);
        d[lane] = bits_of(p >> lane & 1 ? low : high);
    }
}

/* ===== two numbers of single precision side by side ===== */

/* The number for one half of the result: `high` 0 or 1. */
LANE_INLINE uint32_t of_pair(const word *at, int lane, uint32_t m, uint32_t place, uint32_t high)
{
    uint32_t taken = m >> (EXECUTE_WORDS_PAIR_SHIFT + place) & 3;
    uint32_t upper = taken == EXECUTE_WORDS_ONE ? 0 : taken == EXECUTE_WORDS_CROSSED ? !high : high;
    return m & EXECUTE_WORDS_WHOLE ? (uint32_t)(large_of(at, lane, m) >> 32 * upper) : at[lane + 32 * (int)upper];
}

LANE_INLINE uint32_t half_of_pair(int what, uint32_t m, uint32_t x, uint32_t y, uint32_t z)
{
    if (m >> EXECUTE_WORDS_ROUND_SHIFT & 3)
        return rounded(what, m, x, y, z);
    float p = input(x, m, 0), q = input(y, m, 2), r = input(z, m, 4);
    bool none = (m & EXECUTE_WORDS_ZERO) && (p == 0.0f || q == 0.0f);
    if (what == SUM)
        return output(p + q, m);
    if (what == PRODUCT)
        return none ? 0 : output(p * q, m);
    return output(none ? r : fused(p, q, r), m);
}

LANE_INLINE void pairs_of(int what, struct execute_words *w, uint32_t m)
{
    SOURCES
    EACH_LANE
    {
        uint32_t low = half_of_pair(what, m, of_pair(a, lane, m, 0, 0), of_pair(b, lane, m, 2, 0),
                                    what == FUSED ? of_pair(c, lane, m, 4, 0) : 0);
        uint32_t high = half_of_pair(what, m, of_pair(a, lane, m, 0, 1), of_pair(b, lane, m, 2, 1),
                                     what == FUSED ? of_pair(c, lane, m, 4, 1) : 0);
        put_large_of(d, lane, (uint64_t)high << 32 | low, m);
    }
}

WORDS(fadd2)
{
    pairs_of(SUM, w, m);
}

WORDS(fmul2)
{
    pairs_of(PRODUCT, w, m);
}

WORDS(ffma2)
{
    pairs_of(FUSED, w, m);
}

/* The extreme of the sizes, with the product of the signs. */
WORDS(fmnmx_xorsign)
{
    SOURCES
    uint32_t p = minimum_of(w, m);
    EACH_LANE
    {
        float x = input(a[lane], m, 0), y = input(b[lane], m, 2);
        uint32_t own = m & ~(uint32_t)(EXECUTE_WORDS_ABSOLUTE_A | EXECUTE_WORDS_ABSOLUTE_B);
        uint32_t signs = (bits_of(modified(a[lane], own, 0)) ^ bits_of(modified(b[lane], own, 2))) & 0x80000000u;
        float low = m & EXECUTE_WORDS_NAN ? least_nan(x, y) : least(x, y);
        float high = m & EXECUTE_WORDS_NAN ? greatest_nan(x, y) : greatest(x, y);
        float r = p >> lane & 1 ? low : high;
        d[lane] = r == r ? (bits_of(r) & 0x7fffffffu) | signs : bits_of(r);
    }
}

#define LESS(x, y)       ((x) < (y))
#define LESS_EQUAL(x, y) ((x) <= (y))
#define COMPARE_SINGLE   COMPARE(float x = input(a[lane], m, 0); float y = input(b[lane], m, 2), LESS, LESS_EQUAL)

WORDS(fsetp)
{
    SOURCES
    COMPARE_SINGLE
    put_comparison(w, holds);
}

WORDS(fset)
{
    SOURCES
    COMPARE_SINGLE holds = combine(m, holds, w->in[0]);
    EACH_LANE
    {
        d[lane] = holds >> lane & 1 ? 0x3f800000u : 0;
    }
}

/* Whether a division needs more than the short sequence: operands or quotient near the ends of the range. */
WORDS(fchk)
{
    SOURCES
    uint32_t holds = 0;
    EACH_LANE
    {
        int32_t x = (int32_t)(a[lane] >> 23 & 0xff), y = (int32_t)(b[lane] >> 23 & 0xff), quotient = x - y;
        bool hard = x < 25 || x > 253 || y < 2 || y > 252 || quotient > 125 || quotient < -124;
        holds |= (uint32_t)hard << lane;
    }
    w->out[0] = holds;
}

/* ===== special functions ===== */

ONE(mufu_cos, bits_of(sfu_cos(modified(x, m, 0))))
ONE(mufu_sin, bits_of(sfu_sin(modified(x, m, 0))))
ONE(mufu_ex2, bits_of(sfu_ex2(modified(x, m, 0))))
ONE(mufu_lg2, bits_of(sfu_lg2(modified(x, m, 0))))
ONE(mufu_rcp, bits_of(sfu_rcp(modified(x, m, 0))))
ONE(mufu_rsq, bits_of(sfu_rsq(modified(x, m, 0))))
ONE(mufu_sqrt, bits_of(sfu_sqrt(modified(x, m, 0))))
ONE(mufu_tanh, bits_of(hyperbolic_tangent(modified(x, m, 0)))) /* subnormal numbers are kept */
/* Upper word of a double's reciprocal; the lower word has little influence and is taken as zero. */
ONE(mufu_rcp64h, (uint32_t)(reciprocal_approximately((uint64_t)bits_of(modified(x, m, 0)) << 32) >> 32))
ONE(mufu_rsq64h, (uint32_t)(reciprocal_root_approximately((uint64_t)bits_of(modified(x, m, 0)) << 32) >> 32))
/* ===== double precision ===== */

LANE_INLINE double double_at(const word *at, int lane, uint32_t m, uint32_t place)
{
    uint64_t keep = m >> place & 2 ? ~(UINT64_C(1) << 63) : ~UINT64_C(0);
    uint64_t flip = m >> place & 1 ? UINT64_C(1) << 63 : 0;
    return double_of((large_of(at, lane, m) & keep) ^ flip);
}

WORDS(dadd)
{
    SOURCES
    EACH_LANE
    {
        double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);
        put_large_of(d, lane, bits_of_double(settle(x + y, x, y, 0)), m);
    }
}

WORDS(dmul)
{
    SOURCES
    EACH_LANE
    {
        double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);
        put_large_of(d, lane, bits_of_double(settle(x * y, x, y, 0)), m);
    }
}

WORDS(dfma)
{
    SOURCES
    EACH_LANE
    {
        double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2), z = double_at(c, lane, m, 4);
        put_large_of(d, lane, bits_of_double(settle(fused2(x, y, z), x, y, z)), m);
    }
}

static uint64_t rounded2(int what, uint32_t m, double x, double y, double z)
{
    const struct execute_format *format = &execute_format_f64;
    enum execute_rounding rounding = rounding_of(m);
    struct execute_number n = execute_soft_unpack(format, bits_of_double(x), false);
    struct execute_number p = execute_soft_unpack(format, bits_of_double(y), false);
    if (what == FUSED)
        n = execute_soft_fma(n, p, execute_soft_unpack(format, bits_of_double(z), false), rounding);
    else
        n = what == SUM ? execute_soft_add(n, p, rounding) : execute_soft_multiply(n, p);
    uint64_t bits = execute_soft_pack(format, n, rounding, false, false, false);
    return bits_of_double(settle(double_of(bits), x, y, z));
}

#define ROUNDED2(name, what, third)                                                                                    \
    WORDS(name)                                                                                                        \
    {                                                                                                                  \
        SOURCES for (int lane = 0; lane < 32; lane++)                                                                  \
        {                                                                                                              \
            double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);                                         \
            put_large_of(d, lane, rounded2(what, m, x, y, third), m);                                                  \
        }                                                                                                              \
    }
ROUNDED2(dadd_r, SUM, 0)
ROUNDED2(dmul_r, PRODUCT, 0)
ROUNDED2(dfma_r, FUSED, double_at(c, lane, m, 4))

WORDS(dsetp)
{
    SOURCES
    COMPARE(double x = double_at(a, lane, m, 0); double y = double_at(b, lane, m, 2), LESS, LESS_EQUAL)
    put_comparison(w, holds);
}

/* Whether the first one is the minimum, or with EXECUTE_WORDS_NAN the maximum; and whether both are NaN. A NaN loses
 * against a number, -0 is less than +0. */
WORDS(dsetp_extreme)
{
    SOURCES
    uint32_t first = 0, nan = 0;
    bool most = m & EXECUTE_WORDS_NAN;
    EACH_LANE
    {
        double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);
        uint64_t xs = bits_of_double(x) >> 63, ys = bits_of_double(y) >> 63;
        bool smaller = x < y || (x == y && xs > ys), greater = x > y || (x == y && xs < ys);
        first |= (uint32_t)((most ? greater : smaller) || (x == x && y != y)) << lane;
        nan |= (uint32_t)(x != x && y != y) << lane;
    }
    w->out[0] = combine(m, first, w->in[0]);
    w->out[1] = combine(m, nan, w->in[0]);
}

/* ===== conversions that compilers write often; float.c does all the others ===== */

ONE(i2f_s32, bits_of((float)(int32_t)x))
ONE(i2f_u32, bits_of((float)x))
ONE(f2i_s32, (uint32_t)to_s32(input(x, m, 0)))
ONE(f2i_u32, to_u32(input(x, m, 0)))
/* A number held to 8 bits, with a sign or without, and then rounded; NaN is zero. */
LANE_INLINE uint32_t rounded_byte(uint32_t x, uint32_t m, uint32_t place)
{
    float value = modified(x, m, place), least = m & EXECUTE_WORDS_SIGNED && !(m & EXECUTE_WORDS_RELU) ? -128.0f : 0.0f;
    float most = m & EXECUTE_WORDS_SIGNED ? 127.0f : 255.0f;
    value = value == value ? value : 0.0f;
    value = value < least ? least : value > most ? most : value;
    value = m & EXECUTE_WORDS_HIGH ? value : (value + 0x1.8p23f) - 0x1.8p23f; /* to the nearest, ties to even */
    return (uint32_t)(int32_t)value & 0xff;
}

/* Two numbers as bytes, before which the lower half of a third word is put; EXECUTE_WORDS_HIGH: towards zero. */
THREE(f2ip, z << 16 | rounded_byte(x, m, 0) << 8 | rounded_byte(y, m, 2))

WORDS(f2d)
{
    SOURCES
    EACH_LANE
    {
        uint64_t bits = bits_of_double(widen_single(input(a[lane], m, 0)));
        put_large_of(d, lane, bits, m);
    }
}

WORDS(d2f)
{
    SOURCES
    EACH_LANE
    {
        d[lane] = bits_of(canonical((float)double_at(a, lane, m, 0)));
    }
}

WORDS(i2d_s32)
{
    SOURCES
    EACH_LANE
    {
        uint64_t bits = bits_of_double((double)(int32_t)a[lane]);
        put_large_of(d, lane, bits, m);
    }
}

WORDS(i2d_u32)
{
    SOURCES
    EACH_LANE
    {
        uint64_t bits = bits_of_double((double)a[lane]);
        put_large_of(d, lane, bits, m);
    }
}

WORDS(d2i_s32)
{
    SOURCES
    EACH_LANE
    {
        d[lane] = (uint32_t)double_to_s32(double_at(a, lane, m, 0));
    }
}

#endif
