/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each level of the host's processor, with EXECUTE_WORDS_TABLE naming the table. */
#include "execute/words.h"

#include "execute/lane_math.h"

#ifndef EXECUTE_WORDS_TABLE
#define EXECUTE_WORDS_TABLE execute_words_base
#endif

#ifdef __clang__
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int lane = 0; lane < 32; lane++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int lane = 0; lane < 32; lane++)
#endif
#define UNUSED __attribute__((unused))

typedef execute_word word;

/* A function over the words of all lanes: sources x, y, z and modifiers m. */
#define WORDS(name, ...)                                                                                               \
    static void words_##name(struct execute_words *w)                                                                  \
    {                                                                                                                  \
        UNUSED const word *a = w->a, *b = w->b, *c = w->c;                                                             \
        UNUSED word *d = w->d;                                                                                         \
        UNUSED const uint32_t m = w->modifiers;                                                                        \
        __VA_ARGS__                                                                                                    \
    }
/* … whose result is one word, by an expression. */
#define ONE(name, expression) WORDS(name, EACH_LANE { uint32_t x = a[lane]; d[lane] = (expression); })
#define TWO(name, expression) WORDS(name, EACH_LANE { uint32_t x = a[lane], y = b[lane]; d[lane] = (expression); })
#define THREE(name, expression)                                                                                        \
    WORDS(name, EACH_LANE {                                                                                            \
        uint32_t x = a[lane], y = b[lane], z = c[lane];                                                                \
        d[lane] = (expression);                                                                                        \
    })

LANE_INLINE uint32_t bit(uint32_t m, uint32_t modifier)
{
    return m & modifier ? 1 : 0;
}

LANE_INLINE uint32_t ones(uint32_t m, uint32_t modifier)
{
    return m & modifier ? ~0u : 0;
}

/* ===== moves and selections ===== */

ONE(mov, x)
ONE(neg, m & EXECUTE_WORDS_NEGATE_A ? 0 - x : x)
WORDS(mov2, EACH_LANE {
    uint32_t low = a[lane], high = a[lane + 32];
    d[lane] = low;
    d[lane + 32] = high;
})
WORDS(sel, uint32_t p = w->in[0]; EACH_LANE {
    uint32_t x = a[lane], y = b[lane];
    d[lane] = p >> lane & 1 ? x : y;
})
/* The selector is the second source. */
THREE(prmt, permute(x, z, y))
THREE(prmt_f4e, permute_f4e(x, z, y))
THREE(prmt_b4e, permute_b4e(x, z, y))
THREE(prmt_rc8, permute_rc8(x, z, y))
THREE(prmt_ecl, permute_ecl(x, z, y))
THREE(prmt_ecr, permute_ecr(x, z, y))
THREE(prmt_rc16, permute_rc16(x, z, y))

WORDS(p2r, uint32_t shift = 8 * (m >> EXECUTE_WORDS_AMOUNT_SHIFT & 3); for (int lane = 0; lane < 32; lane++) {
    uint32_t all = 0, mask = b[lane] & 0x7f;
    for (int i = 0; i < 7; i++)
        all |= (w->predicates[i] >> lane & 1) << i;
    d[lane] = (a[lane] & ~(mask << shift)) | (all & mask) << shift;
})
WORDS(r2p, uint32_t shift = 8 * (m >> EXECUTE_WORDS_AMOUNT_SHIFT & 3); for (int i = 0; i < 7; i++) {
    uint32_t value = 0, taken = 0;
    for (int lane = 0; lane < 32; lane++) {
        value |= (a[lane] >> (shift + (uint32_t)i) & 1) << lane;
        taken |= (b[lane] >> i & 1) << lane;
    }
    taken &= w->lanes;
    w->predicates[i] = (w->predicates[i] & ~taken) | (value & taken);
})

/* ===== sums ===== */

#define NEGATE_A(value) (((value) ^ na) - na)
#define NEGATE_B(value) (((value) ^ nb) - nb)
#define NEGATE_C(value) (((value) ^ nc) - nc)
#define SIGNS                                                                                                          \
    UNUSED const uint32_t na = ones(m, EXECUTE_WORDS_NEGATE_A), nb = ones(m, EXECUTE_WORDS_NEGATE_B),                  \
                          nc = ones(m, EXECUTE_WORDS_NEGATE_C);

WORDS(iadd, SIGNS EACH_LANE { d[lane] = NEGATE_A(a[lane]) + NEGATE_B(b[lane]); })
WORDS(iadd3, SIGNS EACH_LANE { d[lane] = NEGATE_A(a[lane]) + NEGATE_B(b[lane]) + NEGATE_C(c[lane]); })
/* The carries say whether the sum has one, and whether it has two. A negated source is its inverse and one more. */
WORDS(iadd3_carry, SIGNS uint32_t one = 0, two = 0; uint32_t more = (na & 1) + (nb & 1) + (nc & 1); EACH_LANE {
    uint64_t sum = (uint64_t)(a[lane] ^ na) + (b[lane] ^ nb) + (c[lane] ^ nc) + more;
    d[lane] = (uint32_t)sum;
    one |= (uint32_t)(sum >> 32 > 0) << lane;
    two |= (uint32_t)(sum >> 32 > 1) << lane;
} w->out[0] = one;
      w->out[1] = two;)
/* Sources are inverted, and two carries come in. */
WORDS(iadd3_x, SIGNS uint32_t one = 0, two = 0, p = w->in[0], q = w->in[1]; EACH_LANE {
    uint64_t sum = (uint64_t)(a[lane] ^ na) + (b[lane] ^ nb) + (c[lane] ^ nc) + (p >> lane & 1) + (q >> lane & 1);
    d[lane] = (uint32_t)sum;
    one |= (uint32_t)(sum >> 32 > 0) << lane;
    two |= (uint32_t)(sum >> 32 > 1) << lane;
} w->out[0] = one;
      w->out[1] = two;)

LANE_INLINE uint64_t large(const word *at, int lane)
{
    return (uint64_t)at[lane + 32] << 32 | at[lane];
}

LANE_INLINE void put_large(word *at, int lane, uint64_t value)
{
    at[lane] = (uint32_t)value;
    at[lane + 32] = (uint32_t)(value >> 32);
}

WORDS(iadd3_64, SIGNS EACH_LANE {
    uint64_t x = large(a, lane), y = large(b, lane), z = large(c, lane);
    put_large(d, lane, (na ? 0 - x : x) + (nb ? 0 - y : y) + (nc ? 0 - z : z));
})

#define AMOUNT const uint32_t amount = m >> EXECUTE_WORDS_AMOUNT_SHIFT & 31;
WORDS(lea, SIGNS AMOUNT EACH_LANE { d[lane] = NEGATE_A(a[lane] << amount) + NEGATE_B(b[lane]); })
/* With a carry out, or, with EXECUTE_WORDS_WRAP (.X), sources inverted and one that comes in. */
WORDS(lea_carry, SIGNS AMOUNT uint32_t carry = 0; bool x = m & EXECUTE_WORDS_WRAP;
      uint32_t p = x ? w->in[0] : 0, more = x ? 0 : (na & 1) + (nb & 1); EACH_LANE {
          uint64_t sum = (uint64_t)((a[lane] << amount) ^ na) + (b[lane] ^ nb) + (p >> lane & 1) + more;
          d[lane] = (uint32_t)sum;
          carry |= (uint32_t)(sum >> 32 > 0) << lane;
      } w->out[0] = carry;)
/* The upper word of {c, a} shifted; with EXECUTE_WORDS_SIGNED c is a's sign. */
WORDS(lea_hi, SIGNS AMOUNT uint32_t carry = 0; bool x = m & EXECUTE_WORDS_WRAP, sign = m & EXECUTE_WORDS_SIGNED;
      uint32_t p = x ? w->in[0] : 0, more = x ? 0 : nb & 1; for (int lane = 0; lane < 32; lane++) {
          uint32_t upper = sign ? (uint32_t)((int32_t)a[lane] >> 31) : c[lane];
          uint64_t value = ((uint64_t)upper << 32 | a[lane]) << amount;
          value = !na ? value : x ? ~value : 0 - value;
          uint64_t sum = (value >> 32) + (b[lane] ^ nb) + (p >> lane & 1) + more;
          d[lane] = (uint32_t)sum;
          carry |= (uint32_t)(sum >> 32 > 0) << lane;
      } w->out[0] = carry;)

ONE(iabs, (int32_t)x < 0 ? 0 - x : x)

LANE_INLINE bool below(uint32_t x, uint32_t y, uint32_t m)
{
    uint32_t top = m & EXECUTE_WORDS_SIGNED ? 1u << 31 : 0;
    return (x ^ top) < (y ^ top);
}

LANE_INLINE uint32_t least_of(uint32_t x, uint32_t y, uint32_t p, uint32_t m)
{
    return below(x, y, m) == (p & 1) ? x : y;
}

LANE_INLINE uint32_t relu_of(uint32_t x, uint32_t m)
{
    return (m & EXECUTE_WORDS_RELU) && (int32_t)x < 0 ? 0 : x;
}

/* The predicate says that the minimum is meant. */
WORDS(imnmx, uint32_t p = w->in[0], chosen = 0; EACH_LANE {
    uint32_t x = a[lane], y = b[lane], r = least_of(x, y, p >> lane, m);
    d[lane] = relu_of(r, m);
    chosen |= (uint32_t)(r == x) << lane;
} w->out[0] = chosen;)
WORDS(imnmx3, uint32_t p = w->in[0]; EACH_LANE {
    uint32_t r = least_of(least_of(a[lane], b[lane], p >> lane, m), c[lane], p >> lane, m);
    d[lane] = relu_of(r, m);
})
WORDS(iaddmnmx, SIGNS uint32_t p = w->in[0]; EACH_LANE {
    uint32_t r = least_of(a[lane] + NEGATE_B(b[lane]), NEGATE_C(c[lane]), p >> lane, m);
    d[lane] = relu_of(r, m);
})
/* Two numbers of 16 bits. */
WORDS(imnmx_pair, uint32_t p = w->in[0]; EACH_LANE {
    uint32_t top = m & EXECUTE_WORDS_SIGNED ? 0x8000 : 0, x = a[lane], y = b[lane];
    uint32_t low = (((x & 0xffff) ^ top) < ((y & 0xffff) ^ top)) == (p >> lane & 1) ? x : y;
    uint32_t high = ((x >> 16 ^ top) < (y >> 16 ^ top)) == (p >> lane & 1) ? x : y;
    low = (m & EXECUTE_WORDS_RELU) && (low & 0x8000) ? 0 : low & 0xffff;
    high = (m & EXECUTE_WORDS_RELU) && (high >> 31) ? 0 : high & 0xffff0000u;
    d[lane] = low | high;
})
WORDS(iadd_pair, SIGNS EACH_LANE {
    uint32_t x = a[lane], y = b[lane];
    uint32_t low = nb ? x - (y & 0xffff) : x + (y & 0xffff), high = nb ? (x >> 16) - (y >> 16) : (x >> 16) + (y >> 16);
    d[lane] = pair16(low, high);
})

/* ===== comparisons ===== */

/* Of integers: F LT EQ LE GT NE GE T, as a set of {less, equal, greater}. */
LANE_INLINE uint32_t combine(uint32_t m, uint32_t value, uint32_t with)
{
    return m & EXECUTE_WORDS_AND ? value & with : m & EXECUTE_WORDS_XOR ? value ^ with : value | with;
}

LANE_INLINE uint32_t order_of(uint32_t m)
{
    return m >> EXECUTE_WORDS_ORDER_SHIFT & 15;
}

WORDS(isetp, uint32_t order = order_of(m), less = 0, equal = 0; EACH_LANE {
    less |= (uint32_t)below(a[lane], b[lane], m) << lane;
    equal |= (uint32_t)(a[lane] == b[lane]) << lane;
} uint32_t holds = (order & 1 ? less : 0) | (order & 2 ? equal : 0) | (order & 4 ? ~(less | equal) : 0);
      w->out[0] = combine(m, holds, w->in[0]); w->out[1] = combine(m, ~holds, w->in[0]);)
/* The upper words: where they are equal, the lower ones' comparison decides. */
WORDS(isetp_ex, uint32_t order = order_of(m), less = 0, equal = 0; EACH_LANE {
    less |= (uint32_t)below(a[lane], b[lane], m) << lane;
    equal |= (uint32_t)(a[lane] == b[lane]) << lane;
} uint32_t holds = (order & 1 ? less : 0) | (order & 4 ? ~(less | equal) : 0) | (equal & w->in[1]);
      holds = order == 0 ? 0 : order == 7 ? ~0u : holds; w->out[0] = combine(m, holds, w->in[0]);
      w->out[1] = combine(m, ~holds, w->in[0]);)

/* ===== products ===== */

WORDS(imad, SIGNS EACH_LANE { d[lane] = NEGATE_B(a[lane] * b[lane]) + NEGATE_C(c[lane]); })
WORDS(imad_x, SIGNS uint32_t p = w->in[0]; EACH_LANE {
    d[lane] = ((a[lane] * b[lane]) ^ nb) + (c[lane] ^ nc) + (p >> lane & 1);
})

LANE_INLINE uint64_t product(uint32_t x, uint32_t y, uint32_t m)
{
    return m & EXECUTE_WORDS_SIGNED ? (uint64_t)((int64_t)(int32_t)x * (int32_t)y) : (uint64_t)x * y;
}

WORDS(imad_wide, SIGNS uint32_t carry = 0; EACH_LANE {
    uint64_t p = product(a[lane], b[lane], m), z = large(c, lane), sum;
    p = nb ? 0 - p : p;
    z = nc ? 0 - z : z;
    sum = p + z;
    put_large(d, lane, sum);
    carry |= (uint32_t)(sum < p) << lane;
} w->out[0] = carry;)
WORDS(imad_wide_x, SIGNS uint32_t p = w->in[0]; EACH_LANE {
    uint64_t x = product(a[lane], b[lane], m), z = large(c, lane);
    put_large(d, lane, (nb ? ~x : x) + (nc ? ~z : z) + (p >> lane & 1));
})
/* The upper word of a product and a sum of 64 bits. */
WORDS(imad_hi, SIGNS EACH_LANE {
    uint64_t p = product(a[lane], b[lane], m), z = large(c, lane);
    d[lane] = (uint32_t)(((nb ? 0 - p : p) + (nc ? 0 - z : z)) >> 32);
})

/* ===== bits ===== */

/* Eight masks of a table of logic, so that the loop has no choice in it. */
#define LOGIC                                                                                                          \
    uint32_t row[8];                                                                                                   \
    for (uint32_t k = 0; k < 8; k++)                                                                                   \
        row[k] = 0 - (m >> (EXECUTE_WORDS_LOGIC_SHIFT + k) & 1);
#define CHOOSE(x, y, z)                                                                                                \
    (((x) & (((y) & (((z) & row[7]) | (~(z) & row[6]))) | (~(y) & (((z) & row[5]) | (~(z) & row[4]))))) |              \
     (~(x) & (((y) & (((z) & row[3]) | (~(z) & row[2]))) | (~(y) & (((z) & row[1]) | (~(z) & row[0]))))))

WORDS(lop3, LOGIC EACH_LANE {
    uint32_t x = a[lane], y = b[lane], z = c[lane];
    d[lane] = CHOOSE(x, y, z);
})
/* With a predicate that says that the result is not zero. */
WORDS(lop3_p, LOGIC uint32_t holds = 0; EACH_LANE {
    uint32_t x = a[lane], y = b[lane], z = c[lane], r = CHOOSE(x, y, z);
    d[lane] = r;
    holds |= (uint32_t)(r != 0) << lane;
} w->out[0] = combine(m, holds, w->in[0]);)
TWO(and, x &y)
TWO(or, x | y)
TWO(xor, x ^ y)
WORDS(plop3, uint32_t x = w->in[0], y = w->in[1], z = w->in[2]; for (uint32_t table = 0; table < 2; table++) {
    uint32_t result = 0, bits = m >> (EXECUTE_WORDS_LOGIC_SHIFT + 8 * table) & 0xff;
    for (uint32_t k = 0; k < 8; k++)
        result |= (bits >> k & 1 ? ~0u : 0) & (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
    w->out[table] = result;
})
WORDS(flo, SIGNS uint32_t found = 0; EACH_LANE {
    uint32_t x = a[lane] ^ na;
    x = (m & EXECUTE_WORDS_SIGNED) && (int32_t)x < 0 ? ~x : x;
    uint32_t place = find32(x);
    found |= (uint32_t)(x != 0) << lane;
    d[lane] = m & EXECUTE_WORDS_HIGH ? shift_to_top(place, 31) : place;
} w->out[0] = found;)
ONE(brev, reverse32(x))
WORDS(popc, SIGNS EACH_LANE { d[lane] = (uint32_t)__builtin_popcount(a[lane] ^ na); })
TWO(bmsk, m & EXECUTE_WORDS_WRAP ? bit_mask_clamp(x & 31, y & 31) : bit_mask_clamp(x, y))
WORDS(sgxt, EACH_LANE {
    uint32_t x = a[lane], y = m & EXECUTE_WORDS_WRAP ? b[lane] & 31 : b[lane];
    bool sign = m & EXECUTE_WORDS_SIGNED;
    uint32_t cut = (uint32_t)(sign ? extract_signed(x, 0, y & 31, 32) : extract_unsigned(x, 0, y & 31, 32));
    d[lane] = y >= 32 ? x : cut;
})
WORDS(idp4, SIGNS EACH_LANE {
    d[lane] = NEGATE_C(c[lane]) +
              dot4(a[lane], b[lane], m & EXECUTE_WORDS_SIGNED ? 1 : 0, m & EXECUTE_WORDS_HIGH ? 1 : 0);
})
WORDS(idp2, SIGNS EACH_LANE {
    uint32_t y = m & EXECUTE_WORDS_RIGHT ? b[lane] >> 16 : b[lane];
    d[lane] = NEGATE_C(c[lane]) + dot2(a[lane], y, m & EXECUTE_WORDS_SIGNED ? 1 : 0, m & EXECUTE_WORDS_HIGH ? 1 : 0);
})
/* {c, a} shifted by b; of 32 bits, amounts above 32 are 32. */
WORDS(shf, uint32_t most = m & EXECUTE_WORDS_LARGE ? 64 : 32; EACH_LANE {
    uint64_t value = (uint64_t)c[lane] << 32 | a[lane], result;
    uint32_t amount = b[lane];
    amount = m & EXECUTE_WORDS_WRAP ? amount & (most - 1) : amount < most ? amount : most;
    uint32_t most_signed = amount < 63 ? amount : 63;
    uint64_t gone = 0 - (uint64_t)(amount < 64);
    result = !(m & EXECUTE_WORDS_RIGHT)     ? value << (amount & 63) & gone
             : m & EXECUTE_WORDS_SIGNED ? (uint64_t)((int64_t)value >> most_signed)
                                            : value >> (amount & 63) & gone;
    d[lane] = (uint32_t)(m & EXECUTE_WORDS_HIGH ? result >> 32 : result);
})
/* What most shifts are: a word, with zeros or signs beside it. */
TWO(shl, y > 31 ? 0 : x << (y & 31))
WORDS(shr, EACH_LANE {
    uint32_t x = c[lane], y = b[lane], s = y > 31 ? 31 : y;
    d[lane] = m & EXECUTE_WORDS_SIGNED ? (uint32_t)((int32_t)x >> s) : y > 31 ? 0 : x >> s;
})
WORDS(vabsdiff4, EACH_LANE {
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
})
WORDS(vabsdiff, EACH_LANE {
    uint32_t x = a[lane], y = b[lane];
    d[lane] = (below(x, y, m) ? y - x : x - y) + c[lane];
})

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
    return scale == 1 ? 0.125f : scale == 2 ? 0.25f : scale == 3 ? 0.5f
           : scale == 5 ? 2.0f : scale == 6 ? 4.0f : scale == 7 ? 8.0f : 1.0f;
}

TWO(fadd, bits_of(canonical(float_of(x) + float_of(y))))
TWO(fmul, bits_of(canonical(float_of(x) * float_of(y))))
THREE(ffma, bits_of(canonical(fused(float_of(x), float_of(y), float_of(z)))))
TWO(fadd_m, output(input(x, m, 0) + input(y, m, 2), m))
WORDS(fmul_m, float scale = scale_of(m); EACH_LANE {
    float x = input(a[lane], m, 0), y = input(b[lane], m, 2);
    bool none = (m & EXECUTE_WORDS_ZERO) && (x == 0.0f || y == 0.0f);
    d[lane] = none ? 0 : output(x * y * scale, m);
})
WORDS(ffma_m, EACH_LANE {
    float x = input(a[lane], m, 0), y = input(b[lane], m, 2), z = input(c[lane], m, 4);
    bool none = (m & EXECUTE_WORDS_ZERO) && (x == 0.0f || y == 0.0f);
    d[lane] = output(none ? z : fused(x, y, z), m);
})

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

WORDS(fadd_r, for (int lane = 0; lane < 32; lane++) d[lane] = rounded(SUM, m, a[lane], b[lane], 0);)
WORDS(fmul_r, for (int lane = 0; lane < 32; lane++) d[lane] = rounded(PRODUCT, m, a[lane], b[lane], 0);)
WORDS(ffma_r, for (int lane = 0; lane < 32; lane++) d[lane] = rounded(FUSED, m, a[lane], b[lane], c[lane]);)

WORDS(fsel, uint32_t p = w->in[0]; EACH_LANE {
    uint32_t x = bits_of(input(a[lane], m, 0)), y = bits_of(input(b[lane], m, 2));
    d[lane] = p >> lane & 1 ? x : y;
})
WORDS(fmnmx, uint32_t p = w->in[0]; EACH_LANE {
    float x = input(a[lane], m, 0), y = input(b[lane], m, 2);
    float low = m & EXECUTE_WORDS_NAN ? least_nan(x, y) : least(x, y);
    float high = m & EXECUTE_WORDS_NAN ? greatest_nan(x, y) : greatest(x, y);
    d[lane] = bits_of(p >> lane & 1 ? low : high);
})

/* Orders of floating point: bits say whether less, equal, greater, and, from 8 on, unordered; 7 and 8 are NUM and NAN,
 * 15 is always. */
LANE_INLINE uint32_t holds_of(uint32_t order, uint32_t less, uint32_t equal, uint32_t greater)
{
    uint32_t none = ~(less | equal | greater);
    return (order & 1 ? less : 0) | (order & 2 ? equal : 0) | (order & 4 ? greater : 0) | (order & 8 ? none : 0);
}

#define COMPARE_SINGLE                                                                                                 \
    uint32_t less = 0, equal = 0, greater = 0;                                                                         \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        float x = input(a[lane], m, 0), y = input(b[lane], m, 2);                                                      \
        less |= (uint32_t)(x < y) << lane;                                                                             \
        equal |= (uint32_t)(x == y) << lane;                                                                           \
        greater |= (uint32_t)(x > y) << lane;                                                                          \
    }                                                                                                                  \
    uint32_t holds = holds_of(order_of(m), less, equal, greater);

WORDS(fsetp, COMPARE_SINGLE w->out[0] = combine(m, holds, w->in[0]); w->out[1] = combine(m, ~holds, w->in[0]);)
WORDS(fset, COMPARE_SINGLE holds = combine(m, holds, w->in[0]);
      EACH_LANE { d[lane] = holds >> lane & 1 ? 0x3f800000u : 0; })
/* Whether a division needs more than the short sequence: operands or quotient near the ends of the range. */
WORDS(fchk, uint32_t holds = 0; EACH_LANE {
    int32_t x = (int32_t)(a[lane] >> 23 & 0xff), y = (int32_t)(b[lane] >> 23 & 0xff), quotient = x - y;
    bool hard = x < 25 || x > 253 || y < 2 || y > 252 || quotient > 125 || quotient < -124;
    holds |= (uint32_t)hard << lane;
} w->out[0] = holds;)

/* ===== special functions ===== */

/* The angle is in turns: what RRO or a multiplication by 1/2π has made. */
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

#define FUNCTION(name, expression)                                                                                     \
    WORDS(name, EACH_LANE {                                                                                            \
        float x = flush(modified(a[lane], m, 0));                                                                      \
        d[lane] = flush_bits(bits_of(expression));                                                                     \
    })
FUNCTION(mufu_cos, turned(x, 1))
FUNCTION(mufu_sin, x == 0.0f ? x : turned(x, 0))
FUNCTION(mufu_ex2, power2(x))
FUNCTION(mufu_lg2, logarithm2(x))
FUNCTION(mufu_rcp, canonical(1.0f / x))
FUNCTION(mufu_rsq, canonical((float)(1.0 / __builtin_sqrt((double)x))))
FUNCTION(mufu_sqrt, canonical(__builtin_sqrtf(x)))
FUNCTION(mufu_tanh, hyperbolic_tangent(x))
/* The upper word of a double's reciprocal; what the lower word is matters little and is taken as zero. */
ONE(mufu_rcp64h, (uint32_t)(reciprocal_approximately((uint64_t)bits_of(modified(x, m, 0)) << 32) >> 32))
ONE(mufu_rsq64h, (uint32_t)(reciprocal_root_approximately((uint64_t)bits_of(modified(x, m, 0)) << 32) >> 32))
/* Of half precision; the function is told by the amount: EX2 or TANH. */
WORDS(mufu_half, EACH_LANE {
    float x = float_of(widen_half((a[lane] & (m & 2 ? 0x7fffu : 0xffffu)) ^ (m & 1 ? 0x8000u : 0)));
    float y = m >> EXECUTE_WORDS_AMOUNT_SHIFT & 1 ? hyperbolic_tangent(x) : power2(x);
    d[lane] = narrow_to_half(bits_of(y));
})

/* ===== double precision ===== */

LANE_INLINE double double_at(const word *at, int lane, uint32_t m, uint32_t place)
{
    uint64_t keep = m >> place & 2 ? ~(UINT64_C(1) << 63) : ~UINT64_C(0);
    uint64_t flip = m >> place & 1 ? UINT64_C(1) << 63 : 0;
    return double_of((large(at, lane) & keep) ^ flip);
}

WORDS(dadd, EACH_LANE {
    double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);
    put_large(d, lane, bits_of_double(settle(x + y, x, y, 0)));
})
WORDS(dmul, EACH_LANE {
    double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);
    put_large(d, lane, bits_of_double(settle(x * y, x, y, 0)));
})
WORDS(dfma, EACH_LANE {
    double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2), z = double_at(c, lane, m, 4);
    put_large(d, lane, bits_of_double(settle(fused2(x, y, z), x, y, z)));
})

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
    WORDS(name, for (int lane = 0; lane < 32; lane++) {                                                                \
        double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);                                             \
        put_large(d, lane, rounded2(what, m, x, y, third));                                                            \
    })
ROUNDED2(dadd_r, SUM, 0)
ROUNDED2(dmul_r, PRODUCT, 0)
ROUNDED2(dfma_r, FUSED, double_at(c, lane, m, 4))

WORDS(dsetp, uint32_t less = 0, equal = 0, greater = 0; EACH_LANE {
    double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);
    less |= (uint32_t)(x < y) << lane;
    equal |= (uint32_t)(x == y) << lane;
    greater |= (uint32_t)(x > y) << lane;
} uint32_t holds = holds_of(order_of(m), less, equal, greater);
      w->out[0] = combine(m, holds, w->in[0]); w->out[1] = combine(m, ~holds, w->in[0]);)

/* Whether the first one is the minimum, or with EXECUTE_WORDS_NAN the maximum; and whether both are NaN. A NaN loses
 * against a number, -0 is less than +0. */
WORDS(dsetp_extreme, uint32_t first = 0, nan = 0; bool most = m & EXECUTE_WORDS_NAN; EACH_LANE {
    double x = double_at(a, lane, m, 0), y = double_at(b, lane, m, 2);
    uint64_t xs = bits_of_double(x) >> 63, ys = bits_of_double(y) >> 63;
    bool smaller = x < y || (x == y && xs > ys), greater = x > y || (x == y && xs < ys);
    first |= (uint32_t)((most ? greater : smaller) || (x == x && y != y)) << lane;
    nan |= (uint32_t)(x != x && y != y) << lane;
} w->out[0] = combine(m, first, w->in[0]);
      w->out[1] = combine(m, nan, w->in[0]);)

/* ===== conversions that compilers write often; float.c does all the others ===== */

ONE(i2f_s32, bits_of((float)(int32_t)x))
ONE(i2f_u32, bits_of((float)x))
ONE(f2i_s32, (uint32_t)to_s32(input(x, m, 0)))
ONE(f2i_u32, to_u32(input(x, m, 0)))
WORDS(f2d, EACH_LANE {
    uint64_t bits = bits_of_double(widen_single(input(a[lane], m, 0)));
    put_large(d, lane, bits);
})
WORDS(d2f, EACH_LANE { d[lane] = bits_of(canonical((float)double_at(a, lane, m, 0))); })
WORDS(i2d_s32, EACH_LANE {
    uint64_t bits = bits_of_double((double)(int32_t)a[lane]);
    put_large(d, lane, bits);
})
WORDS(i2d_u32, EACH_LANE {
    uint64_t bits = bits_of_double((double)a[lane]);
    put_large(d, lane, bits);
})
WORDS(d2i_s32, EACH_LANE { d[lane] = (uint32_t)double_to_s32(double_at(a, lane, m, 0)); })

/* ===== halves ===== */

enum { H1_H0, F32_SOURCE, H0_H0, H1_H1 };

/* The halves of a packed source as they are taken, as single precision; of one that is single precision, that. */
LANE_INLINE float half_of(uint32_t x, uint32_t m, uint32_t source, uint32_t upper)
{
    uint32_t form = m >> (EXECUTE_WORDS_HALF_SHIFT + 2 * source) & 3;
    uint32_t flip = m >> 2 * source & 1 ? 0x80000000u : 0, keep = m >> 2 * source & 2 ? 0x7fffffffu : ~0u;
    uint32_t part = form == H1_H1 || (form == H1_H0 && upper) ? x >> 16 : x & 0xffff;
    uint32_t wide = form == F32_SOURCE ? x : m & EXECUTE_WORDS_BF16 ? part << 16 : widen_half(part);
    float value = float_of((wide & keep) ^ flip);
    return value;
}

/* One half of a result; sums and products were rounded to odd in double precision, so that this rounds once. */
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

#define HALVES(name, expression)                                                                                       \
    WORDS(name, for (int lane = 0; lane < 32; lane++) {                                                                \
        uint32_t result[2];                                                                                            \
        for (uint32_t upper = 0; upper < 2; upper++) {                                                                 \
            UNUSED double x = half_input(a[lane], m, 0, upper), y = half_input(b[lane], m, 1, upper);                  \
            result[upper] = (expression);                                                                              \
        }                                                                                                              \
        d[lane] = m & EXECUTE_WORDS_SINGLE ? result[0] : pair16(result[0], result[1]);                                 \
    })
#define HALF_OR_SINGLE(value) (m & EXECUTE_WORDS_SINGLE ? output((float)(value), m & 0x300) : half_result((value), m))

HALVES(hadd2, HALF_OR_SINGLE(odd_sum(x, y)))
HALVES(hmul2, HALF_OR_SINGLE(x *y))
HALVES(hfma2, HALF_OR_SINGLE(odd_sum(x *y, half_input(c[lane], m, 2, upper))))

LANE_INLINE uint32_t half_compare(double x, double y, uint32_t m)
{
    return holds_of(order_of(m), x < y ? 1 : 0, x == y ? 1 : 0, x > y ? 1 : 0) & 1;
}

WORDS(hset2, uint32_t p = w->in[0]; for (int lane = 0; lane < 32; lane++) {
    uint32_t result[2], one = m & EXECUTE_WORDS_SATURATE ? (m & EXECUTE_WORDS_BF16 ? 0x3f80 : 0x3c00) : 0xffff;
    for (uint32_t upper = 0; upper < 2; upper++) {
        uint32_t holds = half_compare(half_input(a[lane], m, 0, upper), half_input(b[lane], m, 1, upper), m);
        result[upper] = combine(m, holds, p >> lane & 1) ? one : 0;
    }
    d[lane] = pair16(result[0], result[1]);
})
/* A predicate of each half; with EXECUTE_WORDS_NAN (.H_AND), of both together and its contrary. */
WORDS(hsetp2, uint32_t part[2] = {0, 0}; for (int lane = 0; lane < 32; lane++) {
    for (uint32_t upper = 0; upper < 2; upper++)
        part[upper] |=
            half_compare(half_input(a[lane], m, 0, upper), half_input(b[lane], m, 1, upper), m) << lane;
} bool both = m & EXECUTE_WORDS_NAN;
      uint32_t all = part[0] & part[1]; w->out[0] = combine(m, both ? all : part[0], w->in[0]);
      w->out[1] = combine(m, both ? ~all : part[1], w->in[0]);)
WORDS(hmnmx2, uint32_t p = w->in[0]; for (int lane = 0; lane < 32; lane++) {
    uint32_t result[2];
    for (uint32_t upper = 0; upper < 2; upper++) {
        float x = (float)half_input(a[lane], m, 0, upper), y = (float)half_input(b[lane], m, 1, upper);
        uint32_t signs = (bits_of(x) ^ bits_of(y)) & 0x80000000u;
        if (m & EXECUTE_WORDS_XORSIGN) {
            x = float_of(bits_of(x) & 0x7fffffffu);
            y = float_of(bits_of(y) & 0x7fffffffu);
        }
        bool low = p >> lane & 1, nan = m & EXECUTE_WORDS_NAN;
        float r = low ? (nan ? least_nan(x, y) : least(x, y)) : (nan ? greatest_nan(x, y) : greatest(x, y));
        r = m & EXECUTE_WORDS_XORSIGN ? float_of(bits_of(r) | signs) : r;
        result[upper] = half_result((double)r, m);
    }
    d[lane] = pair16(result[0], result[1]);
})

/* a is the upper half. With a rounding to zero what does not fit is cut off. */
LANE_INLINE uint32_t packed(float x, uint32_t m)
{
    double value = (double)x;
    uint32_t half = half_result(value, m & ~(uint32_t)(EXECUTE_WORDS_SATURATE | EXECUTE_WORDS_FLUSH));
    if (value - value != 0 || (m >> EXECUTE_WORDS_ROUND_SHIFT & 3) != EXECUTE_WORDS_RZ)
        return half;
    double back = (double)float_of(m & EXECUTE_WORDS_BF16 ? half << 16 : widen_half(half));
    return (back < 0 ? -back : back) > (value < 0 ? -value : value) ? half - 1 : half;
}
TWO(f2fp, pair16(packed(modified(y, m, 2), m), packed(modified(x, m, 0), m)))

/* ===== of the warp's lanes together ===== */

#define ALL(value)                                                                                                     \
    uint32_t made = (value);                                                                                           \
    EACH_LANE { d[lane] = made; }

WORDS(vote_all, uint32_t holds = w->in[0] & w->lanes; ALL(holds) w->out[0] = holds == w->lanes ? ~0u : 0;)
WORDS(vote_any, uint32_t holds = w->in[0] & w->lanes; ALL(holds) w->out[0] = holds ? ~0u : 0;)
WORDS(vote_eq, uint32_t holds = w->in[0] & w->lanes; ALL(holds) w->out[0] = !holds || holds == w->lanes ? ~0u : 0;)
/* The first lane's value. */
WORDS(first, ALL(w->lanes ? a[__builtin_ctz(w->lanes)] : 0) w->out[0] = ~0u;)
WORDS(active, ALL(w->lanes))
/* A register and a predicate together. */
WORDS(result, EACH_LANE { d[lane] = a[lane]; } w->out[0] = w->in[0];)
WORDS(match_any, for (int lane = 0; lane < 32; lane++) {
    uint32_t same = 0;
    bool wide = m & EXECUTE_WORDS_LARGE;
    for (int other = 0; other < 32; other++)
        same |= (uint32_t)(a[lane] == a[other] && (!wide || a[lane + 32] == a[other + 32])) << other;
    w->predicates[lane] = same & w->lanes; /* a place for all of them: the result may be the source */
} for (int lane = 0; lane < 32; lane++) d[lane] = w->predicates[lane];)
WORDS(match_all, int first = w->lanes ? __builtin_ctz(w->lanes) : 0; uint32_t same = 0;
      bool wide = m & EXECUTE_WORDS_LARGE; for (int lane = 0; lane < 32; lane++) same |=
      (uint32_t)(a[lane] == a[first] && (!wide || a[lane + 32] == a[first + 32])) << lane;
      bool all = (w->lanes & ~same) == 0; ALL(all ? w->lanes : 0) w->out[0] = all ? ~0u : 0;)
WORDS(elect, uint32_t chosen = w->lanes & (0 - w->lanes); ALL(w->lanes ? (uint32_t)__builtin_ctz(w->lanes) : 0)
      w->out[0] = chosen;)

#define REDUCTION(name, start, expression)                                                                             \
    WORDS(name, uint32_t value = (start); for (uint32_t rest = w->lanes; rest; rest &= rest - 1) {                     \
        uint32_t x = a[__builtin_ctz(rest)];                                                                           \
        value = (expression);                                                                                          \
    } ALL(value))
REDUCTION(redux_and, ~0u, value &x)
REDUCTION(redux_or, 0, value | x)
REDUCTION(redux_xor, 0, value ^ x)
REDUCTION(redux_sum, 0, value + x)
REDUCTION(redux_min, m &EXECUTE_WORDS_SIGNED ? INT32_MAX : ~0u, below(x, value, m) ? x : value)
REDUCTION(redux_max, m &EXECUTE_WORDS_SIGNED ? 1u << 31 : 0, below(x, value, m) ? value : x)

const struct execute_words_table EXECUTE_WORDS_TABLE = {{
#define X(name) words_##name,
    EXECUTE_WORDS(X)
#undef X
}};
