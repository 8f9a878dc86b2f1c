/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions over words: moves, whole numbers, logic, comparisons. */
#ifndef EXECUTE_WORDS_INTEGER_H
#define EXECUTE_WORDS_INTEGER_H

#include "execute/lanes/words_base.h"

/* ===== moves and selections ===== */

ONE(mov, x)
ONE(neg, m &EXECUTE_WORDS_NEGATE_A ? 0 - x : x)
WORDS(mov2)
{
    SOURCES
    EACH_LANE
    {
        uint32_t low = a[lane], high = a[lane + 32];
        d[lane] = low;
        d[lane + 32] = high;
    }
}

WORDS(sel)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint32_t x = a[lane], y = b[lane];
        d[lane] = p >> lane & 1 ? x : y;
    }
}

/* Instances for 64-bit values. */
WORDS(sel2)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint64_t x = large(a, lane), y = large(b, lane);
        put_large(d, lane, p >> lane & 1 ? x : y);
    }
}

/* The selector is the second source. */
THREE(prmt, permute(x, z, y))
THREE(prmt_f4e, permute_f4e(x, z, y))
THREE(prmt_b4e, permute_b4e(x, z, y))
THREE(prmt_rc8, permute_rc8(x, z, y))
THREE(prmt_ecl, permute_ecl(x, z, y))
THREE(prmt_ecr, permute_ecr(x, z, y))
THREE(prmt_rc16, permute_rc16(x, z, y))

WORDS(p2r)
{
    SOURCES
    uint32_t shift = 8 * (m >> EXECUTE_WORDS_AMOUNT_SHIFT & 3);
    for (int lane = 0; lane < 32; lane++) {
        uint32_t all = 0, mask = b[lane] & 0x7f;
        for (int i = 0; i < 7; i++)
            all |= (w->predicates[i] >> lane & 1) << i;
        d[lane] = (a[lane] & ~(mask << shift)) | (all & mask) << shift;
    }
}

WORDS(r2p)
{
    SOURCES
    uint32_t shift = 8 * (m >> EXECUTE_WORDS_AMOUNT_SHIFT & 3);
    for (int i = 0; i < 7; i++) {
        uint32_t value = 0, taken = 0;
        for (int lane = 0; lane < 32; lane++) {
            value |= (a[lane] >> (shift + (uint32_t)i) & 1) << lane;
            taken |= (b[lane] >> i & 1) << lane;
        }
        taken &= w->lanes;
        w->predicates[i] = (w->predicates[i] & ~taken) | (value & taken);
    }
}

/* ===== sums ===== */

#define NEGATE_A(value) (((value) ^ na) - na)
#define NEGATE_B(value) (((value) ^ nb) - nb)
#define NEGATE_C(value) (((value) ^ nc) - nc)
#define SIGNS                                                                                                          \
    UNUSED const uint32_t na = ones(m, EXECUTE_WORDS_NEGATE_A), nb = ones(m, EXECUTE_WORDS_NEGATE_B),                  \
                          nc = ones(m, EXECUTE_WORDS_NEGATE_C);

WORDS(iadd)
{
    SOURCES
    SIGNS EACH_LANE
    {
        d[lane] = NEGATE_A(a[lane]) + NEGATE_B(b[lane]);
    }
}

/* A sum held to the range of 32 bits with a sign. */
WORDS(iadd_sat)
{
    SOURCES
    const int64_t sa = m & EXECUTE_WORDS_NEGATE_A ? -1 : 1, sb = m & EXECUTE_WORDS_NEGATE_B ? -1 : 1;
    EACH_LANE
    {
        int64_t sum = sa * (int32_t)a[lane] + sb * (int32_t)b[lane];
        d[lane] = (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
    }
}

/* Four bytes side by side, none of which carries into the next one. */
WORDS(iadd_four)
{
    SOURCES
    const bool na = m & EXECUTE_WORDS_NEGATE_A, nb = m & EXECUTE_WORDS_NEGATE_B;
    EACH_LANE
    {
        uint32_t r = 0;
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            uint32_t x = a[lane] >> shift, y = b[lane] >> shift;
            r |= (((na ? 0 - x : x) + (nb ? 0 - y : y)) & 0xff) << shift;
        }
        d[lane] = r;
    }
}

WORDS(iadd3)
{
    SOURCES
    SIGNS EACH_LANE
    {
        d[lane] = NEGATE_A(a[lane]) + NEGATE_B(b[lane]) + NEGATE_C(c[lane]);
    }
}

/* The carries say whether the sum has one, and whether it has two. A negated source is its inverse and one more. */
WORDS(iadd3_carry)
{
    SOURCES
    SIGNS uint32_t one = 0, two = 0;
    uint32_t more = (na & 1) + (nb & 1) + (nc & 1);
    EACH_LANE
    {
        uint64_t sum = (uint64_t)(a[lane] ^ na) + (b[lane] ^ nb) + (c[lane] ^ nc) + more;
        d[lane] = (uint32_t)sum;
        one |= (uint32_t)(sum >> 32 > 0) << lane;
        two |= (uint32_t)(sum >> 32 > 1) << lane;
    }
    w->out[0] = one;
    w->out[1] = two;
}

/* Sum of two numbers, with carry out. */
WORDS(iadd_carry)
{
    SOURCES
    SIGNS uint32_t carries = 0, more = (na & 1) + (nb & 1);
    EACH_LANE
    {
        uint64_t sum = (uint64_t)(a[lane] ^ na) + (b[lane] ^ nb) + more;
        d[lane] = (uint32_t)sum;
        carries |= (uint32_t)(sum >> 32 > 0) << lane;
    }
    w->out[0] = carries;
}

/* Sum with carry in; sources with the negation bit are inverted. */
WORDS(iadd_x)
{
    SOURCES
    SIGNS uint32_t carries = 0, p = w->in[0];
    EACH_LANE
    {
        uint64_t sum = (uint64_t)(a[lane] ^ na) + (b[lane] ^ nb) + (p >> lane & 1);
        d[lane] = (uint32_t)sum;
        carries |= (uint32_t)(sum >> 32 > 0) << lane;
    }
    w->out[0] = carries;
}

/* Sources are inverted, and two carries come in. */
WORDS(iadd3_x)
{
    SOURCES
    SIGNS uint32_t one = 0, two = 0, p = w->in[0], q = w->in[1];
    EACH_LANE
    {
        uint64_t sum = (uint64_t)(a[lane] ^ na) + (b[lane] ^ nb) + (c[lane] ^ nc) + (p >> lane & 1) + (q >> lane & 1);
        d[lane] = (uint32_t)sum;
        one |= (uint32_t)(sum >> 32 > 0) << lane;
        two |= (uint32_t)(sum >> 32 > 1) << lane;
    }
    w->out[0] = one;
    w->out[1] = two;
}

/* Sums of 64 bits. A negated source is its inverse and one more, as for the carries of 32 bits. */
#define INVERTED(value, by) ((value) ^ (0 - (uint64_t)((by)&1)))
WORDS(iadd3_64)
{
    SOURCES
    SIGNS uint32_t one = 0, two = 0;
    for (int lane = 0; lane < 32; lane++) {
        unsigned __int128 sum = (unsigned __int128)INVERTED(large(a, lane), na) + INVERTED(large(b, lane), nb);
        sum += (unsigned __int128)INVERTED(large(c, lane), nc) + (na & 1) + (nb & 1) + (nc & 1);
        put_large(d, lane, (uint64_t)sum);
        one |= (uint32_t)(sum >> 64 > 0) << lane;
        two |= (uint32_t)(sum >> 64 > 1) << lane;
    }
    w->out[0] = one;
    w->out[1] = two;
}

WORDS(iadd_64)
{
    SOURCES
    SIGNS uint32_t carries = 0;
    const uint64_t more = (na & 1) + (nb & 1);
    EACH_LANE
    {
        uint64_t x = INVERTED(large(a, lane), na), y = INVERTED(large(b, lane), nb), sum = x + y, all = sum + more;
        put_large(d, lane, all);
        carries |= (uint32_t)(sum < x || all < sum) << lane;
    }
    w->out[0] = carries;
}

/* 64-bit sum with carry in; sources with the negation bit are inverted. */
WORDS(iadd_64x)
{
    SOURCES
    SIGNS uint32_t carries = 0, p = w->in[0];
    EACH_LANE
    {
        uint64_t x = INVERTED(large(a, lane), na), y = INVERTED(large(b, lane), nb), sum = x + y;
        uint64_t all = sum + (p >> lane & 1);
        put_large(d, lane, all);
        carries |= (uint32_t)(sum < x || all < sum) << lane;
    }
    w->out[0] = carries;
}

#define AMOUNT const uint32_t amount = m >> EXECUTE_WORDS_AMOUNT_SHIFT & 31;
WORDS(lea)
{
    SOURCES
    SIGNS AMOUNT EACH_LANE
    {
        d[lane] = NEGATE_A(a[lane] << amount) + NEGATE_B(b[lane]);
    }
}

/* With carry out or, with EXECUTE_WORDS_WRAP (.X), with inverted sources and carry in. */
WORDS(lea_carry)
{
    SOURCES
    SIGNS AMOUNT uint32_t carry = 0;
    bool x = m & EXECUTE_WORDS_WRAP;
    uint32_t p = x ? w->in[0] : 0, more = x ? 0 : (na & 1) + (nb & 1);
    EACH_LANE
    {
        uint64_t sum = (uint64_t)((a[lane] << amount) ^ na) + (b[lane] ^ nb) + (p >> lane & 1) + more;
        d[lane] = (uint32_t)sum;
        carry |= (uint32_t)(sum >> 32 > 0) << lane;
    }
    w->out[0] = carry;
}

/* The upper word of {c, a} shifted; with EXECUTE_WORDS_SIGNED c is a's sign. */
WORDS(lea_hi)
{
    SOURCES
    SIGNS AMOUNT uint32_t carry = 0;
    bool x = m & EXECUTE_WORDS_WRAP, sign = m & EXECUTE_WORDS_SIGNED;
    uint32_t p = x ? w->in[0] : 0, more = x ? 0 : nb & 1;
    for (int lane = 0; lane < 32; lane++) {
        uint32_t upper = sign ? (uint32_t)((int32_t)a[lane] >> 31) : c[lane];
        uint64_t value = ((uint64_t)upper << 32 | a[lane]) << amount;
        value = !na ? value : x ? ~value : 0 - value;
        uint64_t sum = (value >> 32) + (b[lane] ^ nb) + (p >> lane & 1) + more;
        d[lane] = (uint32_t)sum;
        carry |= (uint32_t)(sum >> 32 > 0) << lane;
    }
    w->out[0] = carry;
}

ONE(iabs, (int32_t)x < 0 ? 0 - x : x)

/* A whole number held to some bits, with a sign or without. */
LANE_INLINE uint32_t held_to(uint32_t x, uint32_t m, int32_t bits)
{
    int32_t value = (int32_t)x;
    int32_t least = m & EXECUTE_WORDS_SIGNED ? -(1 << (bits - 1)) : 0;
    int32_t most = m & EXECUTE_WORDS_SIGNED ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    value = value < least ? least : value > most ? most : value;
    return (uint32_t)value & ((1u << bits) - 1);
}

LANE_INLINE uint32_t held(uint32_t x, uint32_t m)
{
    return held_to(x, m, m & EXECUTE_WORDS_HIGH ? 16 : 8);
}

ONE(i2i, m &EXECUTE_WORDS_SIGNED ? (uint32_t)((int32_t)(held(x, m) << (m & EXECUTE_WORDS_HIGH ? 16 : 24)) >>
                                              (m & EXECUTE_WORDS_HIGH ? 16 : 24))
                                 : held(x, m))
THREE(i2ip, m &EXECUTE_WORDS_HIGH ? held(x, m) << 16 | held(y, m) : z << 16 | held(x, m) << 8 | held(y, m))
THREE(i2ip_few, m &EXECUTE_WORDS_HIGH ? z << 4 | held_to(x, m, 2) << 2 | held_to(y, m, 2)
                                      : z << 8 | held_to(x, m, 4) << 4 | held_to(y, m, 4))

LANE_INLINE uint32_t least_of(uint32_t x, uint32_t y, uint32_t p, uint32_t m)
{
    return below(x, y, m) == (p & 1) ? x : y;
}

LANE_INLINE uint32_t relu_of(uint32_t x, uint32_t m)
{
    return (m & EXECUTE_WORDS_RELU) && (int32_t)x < 0 ? 0 : x;
}

WORDS(imnmx)
{
    SOURCES
    uint32_t p = minimum_of(w, m), chosen = 0;
    EACH_LANE
    {
        uint32_t x = a[lane], y = b[lane], r = least_of(x, y, p >> lane, m);
        d[lane] = relu_of(r, m);
        chosen |= (uint32_t)(r == x) << lane;
    }
    if (!(m & (EXECUTE_WORDS_LEAST | EXECUTE_WORDS_MOST)))
        w->out[0] = chosen;
}

LANE_INLINE bool below_64(uint64_t x, uint64_t y, uint32_t m)
{
    return m & EXECUTE_WORDS_SIGNED ? (int64_t)x < (int64_t)y : x < y;
}

WORDS(imnmx_64)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint64_t x = large(a, lane), y = large(b, lane);
        put_large(d, lane, below_64(x, y, m) == (p >> lane & 1) ? x : y);
    }
}

/* Four bytes side by side. */
WORDS(imnmx_four)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint32_t r = 0;
        for (uint32_t shift = 0; shift < 32; shift += 8) { /* a byte in the upper place has the sign of a word */
            uint32_t x = a[lane] >> shift << 24, y = b[lane] >> shift << 24;
            r |= least_of(x, y, p >> lane, m) >> 24 << shift;
        }
        d[lane] = r;
    }
}

WORDS(imnmx3)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint32_t r = least_of(least_of(a[lane], b[lane], p >> lane, m), c[lane], p >> lane, m);
        d[lane] = relu_of(r, m);
    }
}

WORDS(iaddmnmx)
{
    SOURCES
    SIGNS uint32_t p = w->in[0];
    EACH_LANE
    {
        uint32_t r = least_of(a[lane] + NEGATE_B(b[lane]), NEGATE_C(c[lane]), p >> lane, m);
        d[lane] = relu_of(r, m);
    }
}

/* Minimum (p & 1) or maximum (otherwise) of two pairs of 16-bit numbers. */
LANE_INLINE uint32_t least_pair(uint32_t x, uint32_t y, uint32_t p, uint32_t m)
{
    uint32_t top = m & EXECUTE_WORDS_SIGNED ? 0x8000 : 0;
    uint32_t low = (((x & 0xffff) ^ top) < ((y & 0xffff) ^ top)) == (p & 1) ? x : y;
    uint32_t high = ((x >> 16 ^ top) < (y >> 16 ^ top)) == (p & 1) ? x : y;
    return (low & 0xffff) | (high & 0xffff0000u);
}

LANE_INLINE uint32_t relu_pair(uint32_t x, uint32_t m)
{
    uint32_t low = x & 0x8000 ? 0 : x & 0xffff, high = x >> 31 ? 0 : x & 0xffff0000u;
    return m & EXECUTE_WORDS_RELU ? low | high : x;
}

LANE_INLINE uint32_t sum_pair(uint32_t x, uint32_t y)
{
    return ((x + y) & 0xffff) | ((x & 0xffff0000u) + (y & 0xffff0000u));
}

/* The predicates say whether the lower and whether the upper number is the first source's. */
WORDS(imnmx_pair)
{
    SOURCES
    uint32_t p = minimum_of(w, m), lower = 0, upper = 0;
    EACH_LANE
    {
        uint32_t x = a[lane], r = least_pair(x, b[lane], p >> lane, m);
        d[lane] = relu_pair(r, m);
        lower |= (uint32_t)(((r ^ x) & 0xffff) == 0) << lane;
        upper |= (uint32_t)((r ^ x) >> 16 == 0) << lane;
    }
    if (!(m & (EXECUTE_WORDS_LEAST | EXECUTE_WORDS_MOST))) {
        w->out[0] = lower;
        w->out[1] = upper;
    }
}

WORDS(imnmx3_pair)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint32_t r = least_pair(least_pair(a[lane], b[lane], p >> lane, m), c[lane], p >> lane, m);
        d[lane] = relu_pair(r, m);
    }
}

WORDS(iaddmnmx_pair)
{
    SOURCES
    uint32_t p = w->in[0];
    EACH_LANE
    {
        uint32_t r = least_pair(sum_pair(a[lane], b[lane]), c[lane], p >> lane, m);
        d[lane] = relu_pair(r, m);
    }
}

WORDS(iadd_pair)
{
    SOURCES
    SIGNS EACH_LANE
    {
        uint32_t x = a[lane], y = b[lane];
        uint32_t low = nb ? x - (y & 0xffff) : x + (y & 0xffff),
                 high = nb ? (x >> 16) - (y >> 16) : (x >> 16) + (y >> 16);
        d[lane] = pair16(low, high);
    }
}

/* ===== comparisons ===== */

#define BELOW(x, y)      below(x, y, m)
#define AT_MOST(x, y)    at_most(x, y, m)
#define BELOW_64(x, y)   below_64(x, y, m)
#define AT_MOST_64(x, y) (m & EXECUTE_WORDS_SIGNED ? (int64_t)x <= (int64_t)y : x <= y)

/* Selects the word, or its lower 16 bits. */
LANE_INLINE uint32_t narrow(uint32_t x, uint32_t m)
{
    return !(m & EXECUTE_WORDS_LOWER) ? x : m & EXECUTE_WORDS_SIGNED ? (uint32_t)(int16_t)x : x & 0xffff;
}

WORDS(isetp)
{
    SOURCES
    COMPARE(uint32_t x = narrow(a[lane], m); uint32_t y = narrow(b[lane], m), BELOW, AT_MOST)
    put_comparison(w, holds);
}

WORDS(isetp_64)
{
    SOURCES
    COMPARE(uint64_t x = large_of(a, lane, m); uint64_t y = large_of(b, lane, m), BELOW_64, AT_MOST_64)
    put_comparison(w, holds);
}

/* The upper words: where they are equal, the lower ones' comparison decides. */
WORDS(isetp_ex)
{
    SOURCES
    uint32_t order = order_of(m), less = 0, equal = 0;
    EACH_LANE
    {
        less |= (uint32_t)below(a[lane], b[lane], m) << lane;
        equal |= (uint32_t)(a[lane] == b[lane]) << lane;
    }
    uint32_t holds = (order & 1 ? less : 0) | (order & 4 ? ~(less | equal) : 0) | (equal & w->in[1]);
    holds = order == 0 ? 0 : order == 7 ? ~0u : holds;
    put_comparison(w, holds);
}

/* ===== products ===== */

WORDS(imad)
{
    SOURCES
    SIGNS EACH_LANE
    {
        d[lane] = NEGATE_B(a[lane] * b[lane]) + NEGATE_C(c[lane]);
    }
}

WORDS(imad_x)
{
    SOURCES
    SIGNS uint32_t p = w->in[0];
    EACH_LANE
    {
        d[lane] = ((a[lane] * b[lane]) ^ nb) + (c[lane] ^ nc) + (p >> lane & 1);
    }
}

LANE_INLINE uint64_t product(uint32_t x, uint32_t y, uint32_t m)
{
    return m & EXECUTE_WORDS_SIGNED ? (uint64_t)((int64_t)(int32_t)x * (int32_t)y) : (uint64_t)x * y;
}

WORDS(imad_wide)
{
    SOURCES
    SIGNS uint32_t carry = 0;
    EACH_LANE
    {
        uint64_t p = product(a[lane], b[lane], m), z = large(c, lane), sum;
        p = nb ? 0 - p : p;
        z = nc ? 0 - z : z;
        sum = p + z;
        put_large(d, lane, sum);
        carry |= (uint32_t)(sum < p) << lane;
    }
    w->out[0] = carry;
}

WORDS(imad_wide_x)
{
    SOURCES
    SIGNS uint32_t p = w->in[0], carry = 0;
    EACH_LANE
    {
        uint64_t x = product(a[lane], b[lane], m), z = large(c, lane), sum, all;
        x = nb ? ~x : x;
        sum = x + (nc ? ~z : z);
        all = sum + (p >> lane & 1);
        put_large(d, lane, all);
        carry |= (uint32_t)(sum < x || all < sum) << lane;
    }
    w->out[0] = carry;
}

/* The upper word of a product and a sum of 64 bits. */
WORDS(imad_hi)
{
    SOURCES
    SIGNS EACH_LANE
    {
        uint64_t p = product(a[lane], b[lane], m), z = large(c, lane);
        d[lane] = (uint32_t)(((nb ? 0 - p : p) + (nc ? 0 - z : z)) >> 32);
    }
}

WORDS(imad_hi_carry)
{
    SOURCES
    SIGNS uint32_t carry = 0;
    for (int lane = 0; lane < 32; lane++) {
        uint64_t p = product(a[lane], b[lane], m), z = large(c, lane), sum;
        carry |= (uint32_t)__builtin_add_overflow(nb ? 0 - p : p, nc ? 0 - z : z, &sum) << lane;
        d[lane] = (uint32_t)(sum >> 32);
    }
    w->out[0] = carry;
}

/* ===== bits ===== */

/* Eight masks of a table of logic, so that the loop has no choice in it. */
#define LOGIC                                                                                                          \
    uint32_t row[8];                                                                                                   \
    for (uint32_t k = 0; k < 8; k++)                                                                                   \
        row[k] = 0 - (m >> (EXECUTE_WORDS_LOGIC_SHIFT + k) & 1);
#define CHOOSE(x, y, z)                                                                                                \
    (((x) & (((y) & (((z)&row[7]) | (~(z)&row[6]))) | (~(y) & (((z)&row[5]) | (~(z)&row[4]))))) |                      \
     (~(x) & (((y) & (((z)&row[3]) | (~(z)&row[2]))) | (~(y) & (((z)&row[1]) | (~(z)&row[0]))))))

WORDS(lop3)
{
    SOURCES
    LOGIC EACH_LANE
    {
        uint32_t x = a[lane], y = b[lane], z = c[lane];
        d[lane] = CHOOSE(x, y, z);
    }
}

/* With a predicate that states whether the result is nonzero. */
WORDS(lop3_p)
{
    SOURCES
    LOGIC uint32_t holds = 0;
    EACH_LANE
    {
        uint32_t x = a[lane], y = b[lane], z = c[lane], r = CHOOSE(x, y, z);
        d[lane] = r;
        holds |= (uint32_t)(r != 0) << lane;
    }
    w->out[0] = combine(m, holds, w->in[0]);
}

/* Two functions of three predicates, by tables. */
LANE_INLINE void two_tables(struct execute_words *w, uint32_t m, uint32_t x, uint32_t y, uint32_t z)
{
    for (uint32_t table = 0; table < 2; table++) {
        uint32_t result = 0, bits = m >> (EXECUTE_WORDS_LOGIC_SHIFT + 8 * table) & 0xff;
        for (uint32_t k = 0; k < 8; k++)
            result |= (bits >> k & 1 ? ~0u : 0) & (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
        w->out[table] = result;
    }
}
WORDS(plop3)
{
    two_tables(w, m, w->in[0], w->in[1], w->in[2]);
}
WORDS(plop3_signs)
{
    uint32_t x = 0, y = 0, z = 0;
    for (int lane = 0; lane < 32; lane++) {
        x |= w->a[lane] >> 31 << lane;
        y |= w->b[lane] >> 31 << lane;
        z |= w->c[lane] >> 31 << lane;
    }
    two_tables(w, m, x, y, z);
}

WORDS(flo)
{
    SOURCES
    SIGNS uint32_t found = 0;
    EACH_LANE
    {
        uint32_t x = a[lane] ^ na;
        x = (m & EXECUTE_WORDS_SIGNED) && (int32_t)x < 0 ? ~x : x;
        uint32_t place = find32(x);
        found |= (uint32_t)(x != 0) << lane;
        d[lane] = m & EXECUTE_WORDS_HIGH ? shift_to_top(place, 31) : place;
    }
    w->out[0] = found;
}

ONE(brev, reverse32(x))
WORDS(popc)
{
    SOURCES
    SIGNS EACH_LANE
    {
        d[lane] = (uint32_t)__builtin_popcount(a[lane] ^ na);
    }
}

TWO(bmsk, m &EXECUTE_WORDS_WRAP ? bit_mask_clamp(x & 31, y & 31) : bit_mask_clamp(x, y))
WORDS(sgxt)
{
    SOURCES
    EACH_LANE
    {
        uint32_t x = a[lane], y = m & EXECUTE_WORDS_WRAP ? b[lane] & 31 : b[lane];
        bool sign = m & EXECUTE_WORDS_SIGNED;
        uint32_t cut = (uint32_t)(sign ? extract_signed(x, 0, y & 31, 32) : extract_unsigned(x, 0, y & 31, 32));
        d[lane] = y >= 32 ? x : cut;
    }
}

WORDS(idp4)
{
    SOURCES
    SIGNS EACH_LANE
    {
        d[lane] = NEGATE_C(c[lane]) +
                  dot4(a[lane], b[lane], m & EXECUTE_WORDS_SIGNED ? 1 : 0, m & EXECUTE_WORDS_HIGH ? 1 : 0);
    }
}

WORDS(idp2)
{
    SOURCES
    SIGNS EACH_LANE
    {
        uint32_t y = m & EXECUTE_WORDS_RIGHT ? b[lane] >> 16 : b[lane];
        d[lane] =
            NEGATE_C(c[lane]) + dot2(a[lane], y, m & EXECUTE_WORDS_SIGNED ? 1 : 0, m & EXECUTE_WORDS_HIGH ? 1 : 0);
    }
}

/* {c, a} shifted by b; of 32 bits, amounts above 32 are 32. */
WORDS(shf)
{
    SOURCES
    uint32_t most = m & EXECUTE_WORDS_LARGE ? 64 : 32;
    EACH_LANE
    {
        uint64_t value = (uint64_t)c[lane] << 32 | a[lane], result;
        uint32_t amount = b[lane];
        amount = m & EXECUTE_WORDS_WRAP ? amount & (most - 1) : amount < most ? amount : most;
        uint32_t most_signed = amount < 63 ? amount : 63;
        uint64_t gone = 0 - (uint64_t)(amount < 64);
        result = !(m & EXECUTE_WORDS_RIGHT) ? value << (amount & 63) & gone
                 : m & EXECUTE_WORDS_SIGNED ? (uint64_t)((int64_t)value >> most_signed)
                                            : value >> (amount & 63) & gone;
        d[lane] = (uint32_t)(m & EXECUTE_WORDS_HIGH ? result >> 32 : result);
    }
}

/* Most right shifts: of a word, extended by zeros or signs. */
WORDS(shr)
{
    SOURCES
    EACH_LANE
    {
        uint32_t x = c[lane], y = b[lane], s = y > 31 ? 31 : y;
        d[lane] = m & EXECUTE_WORDS_SIGNED ? (uint32_t)((int32_t)x >> s) : y > 31 ? 0 : x >> s;
    }
}

WORDS(vabsdiff4)
{
    SOURCES
    EACH_LANE
    {
        uint32_t sum = 0, parts = 0;
        for (int k = 0; k < 32; k += 8) {
            int32_t x = (int32_t)(a[lane] >> k & 0xff), y = (int32_t)(b[lane] >> k & 0xff);
            x = m & EXECUTE_WORDS_SIGNED ? (int8_t)x : x;
            y = m & EXECUTE_WORDS_SIGNED ? (int8_t)y : y;
            uint32_t distance = (uint32_t)(x < y ? y - x : x - y);
            sum += distance;
            parts |= (distance & 0xff) << k;
        }
        d[lane] = m & EXECUTE_WORDS_HIGH ? sum + c[lane] : parts;
    }
}

WORDS(vabsdiff)
{
    SOURCES
    EACH_LANE
    {
        uint32_t x = a[lane], y = b[lane];
        d[lane] = (below(x, y, m) ? y - x : x - y) + c[lane];
    }
}

#endif
