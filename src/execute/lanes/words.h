/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of the 32 lanes of a warp, of PTX and of machine code. Operands are words: registers of 32 bits, 32 lanes
 * each. A value of 64 bits is two of them side by side, the lower word first; in PTX, and with EXECUTE_WORDS_WHOLE, it
 * is 8 bytes per lane. Numbers of 16 and 8 bits lie in a word, extended as their types are.
 *
 * words.c is compiled for each level of the host's processor, and all levels give the same bits; the fastest one that
 * the host has is taken when a kernel is decoded. Functions come in three kinds: those of machine code, by modifiers
 * (EXECUTE_WORDS); those of PTX (lane_list.h), some of which are the former with modifiers that are constants, and so
 * faster; and comparisons, which are all of this kind. execute_words_fixed finds what suits an instruction.
 *
 * `modifiers` has, from bit 0 on, negation and absolute value of a, b and c, two bits each; an inverted source has the
 * bit of negation. What the bits from 8 on mean is the function's own: enum execute_words_modifier.
 */
#ifndef EXECUTE_WORDS_H
#define EXECUTE_WORDS_H

#include "execute/lanes/lane_list.h"

#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) execute_word;

struct execute_words {
    execute_word *d;               /* [32] or [64]; it may be one of the sources */
    const execute_word *a, *b, *c; /* [32] or [64] */
    uint32_t in[3];                /* predicates that are read, one bit per lane */
    uint32_t out[2];               /* predicates that are written */
    uint32_t modifiers;
    uint32_t lanes;           /* that take part */
    execute_word *predicates; /* P0 and following, or UP0; used by moves of all predicates */
};

typedef void (*execute_words_function)(struct execute_words *); /* the result may be one of the sources */

enum execute_words_modifier {
    EXECUTE_WORDS_NEGATE_A = 1,
    EXECUTE_WORDS_ABSOLUTE_A = 2,
    EXECUTE_WORDS_NEGATE_B = 4,
    EXECUTE_WORDS_ABSOLUTE_B = 8,
    EXECUTE_WORDS_NEGATE_C = 16,
    EXECUTE_WORDS_ABSOLUTE_C = 32,
    EXECUTE_WORDS_WHOLE = 1 << 6, /* values of 64 bits are not two words side by side */
    EXECUTE_WORDS_LOWER = 1 << 7, /* only the lower 16 bits of a word */
    EXECUTE_WORDS_SIGNED = 1 << 8,
    EXECUTE_WORDS_HIGH = 1 << 9,   /* the upper word of a shift; FLO: the distance from the top */
    EXECUTE_WORDS_WRAP = 1 << 10,  /* amounts are taken modulo the width */
    EXECUTE_WORDS_LARGE = 1 << 11, /* a shift of 64 bits */
    EXECUTE_WORDS_RIGHT = 1 << 12,
    EXECUTE_WORDS_AND = 1 << 13, /* the predicate read is combined by and, not or */
    EXECUTE_WORDS_XOR = 1 << 14,
    EXECUTE_WORDS_RELU = 1 << 15,
    EXECUTE_WORDS_FLUSH = 1 << 8, /* floating point: subnormal numbers become zero */
    EXECUTE_WORDS_SATURATE = 1 << 9,
    EXECUTE_WORDS_ZERO = 1 << 10, /* .FMZ: zero times anything is zero */
    EXECUTE_WORDS_NAN = 1 << 11,  /* a minimum with NaN is NaN */
    EXECUTE_WORDS_BF16 = 1 << 12,
    EXECUTE_WORDS_SINGLE = 1 << 16, /* packed sources, a result of single precision */
    EXECUTE_WORDS_XORSIGN = 1 << 17,
    EXECUTE_WORDS_LARGEST = 1 << 22, /* values too large for a half become the largest finite number */
    EXECUTE_WORDS_BYTE_SHIFT = 13,   /* conversions: which byte the source begins with, 2 bits */
    EXECUTE_WORDS_UPPER = 1 << 16,   /* conversions of pairs of eight bits: the upper half */
    EXECUTE_WORDS_LOGIC_SHIFT = 16,  /* tables of logic: LOP3; PLOP3 has two, the first one here */
    EXECUTE_WORDS_PAIR_SHIFT = 24,   /* pairs of floats: enum execute_words_pair of a, b, c, two bits each */
    EXECUTE_WORDS_AMOUNT_SHIFT = 24, /* shift of LEA; byte of P2R and R2P */
    EXECUTE_WORDS_ORDER_SHIFT = 20,  /* enum execute_words_order, 4 bits */
    /* extremum of two or three: minimum or maximum, or selected by the predicate read */
    EXECUTE_WORDS_LEAST = 1 << 20,
    EXECUTE_WORDS_MOST = 4 << 20,
    EXECUTE_WORDS_ROUND_SHIFT = 18, /* enum execute_rounding, 2 bits */
    EXECUTE_WORDS_SCALE_SHIFT = 24, /* .D2 and the like, 3 bits */
    EXECUTE_WORDS_HALF_SHIFT = 24,  /* packed sources: halves of a, b, c, two bits each */
    EXECUTE_WORDS_TO_SHIFT = 20,    /* conversions: enum execute_type of the result and of the source */
    EXECUTE_WORDS_FROM_SHIFT = 26,
};

/* Rounding modes, in the encoding of machine code's modifiers. */
enum execute_words_rounding { EXECUTE_WORDS_RN, EXECUTE_WORDS_RM, EXECUTE_WORDS_RP, EXECUTE_WORDS_RZ };

/* Comparisons: sets of {less, equal, greater, unordered}. */
enum execute_words_order {
    EXECUTE_WORDS_LT = 1,
    EXECUTE_WORDS_EQ,
    EXECUTE_WORDS_LE,
    EXECUTE_WORDS_GT,
    EXECUTE_WORDS_NE,
    EXECUTE_WORDS_GE,
    EXECUTE_WORDS_NUM
};
#define EXECUTE_WORDS_NOT(order)     ((order) ^ 15) /* the order that holds where this does not */
#define EXECUTE_WORDS_ORDERED(order) ((uint32_t)(order) << EXECUTE_WORDS_ORDER_SHIFT)

/* The numbers of a register pair that a function of two floats uses: both, both swapped, or one register's number for
 * both. */
enum execute_words_pair { EXECUTE_WORDS_BOTH, EXECUTE_WORDS_CROSSED, EXECUTE_WORDS_ONE };

/* Functions that take their modifiers from the operation. clang-format off */
#define EXECUTE_WORDS(X)                                                                                               \
    X(mov)                                                                                                             \
    X(neg)                                                                                                             \
    X(hfma2_crossed)                                                                                                   \
    X(iadd_sat) X(iadd_four) X(imnmx_four) X(mov2) X(sel2) X(iadd_64) X(iadd_64x) X(imnmx_64) X(isetp_64) X(fmnmx3)    \
        X(fadd2) X(fmul2) X(ffma2) X(iadd_carry) X(iadd_x) X(sel) X(prmt) X(prmt_f4e) X(prmt_b4e) X(prmt_rc8)          \
            X(prmt_ecl) X(prmt_ecr) X(prmt_rc16) X(p2r) X(r2p) X(iadd) X(iadd3) X(iadd3_carry) X(iadd3_x) X(iadd3_64)  \
                X(lea) X(lea_carry) X(lea_hi) X(iabs) X(i2i) X(i2ip) X(imnmx) X(imnmx3) X(i2ip_few) X(iaddmnmx)        \
                    X(imnmx_pair) X(imnmx3_pair) X(iaddmnmx_pair) X(iadd_pair) X(isetp) X(isetp_ex) X(imad) X(imad_x)  \
                        X(imad_wide) X(imad_wide_x) X(imad_hi) X(imad_hi_carry) X(lop3) X(lop3_p) X(flo) X(brev)       \
                            X(popc) X(bmsk) X(plop3) X(plop3_signs) X(sgxt) X(idp4) X(idp2) X(shf) X(shr) X(vabsdiff4) \
                                X(vabsdiff) X(fadd) X(fadd_n) X(fmul_n) X(ffma_n) X(fmul) X(ffma) X(fadd_r) X(fmul_r)  \
                                    X(ffma_r) X(fsel) X(fmnmx) X(fmnmx_xorsign) X(fsetp) X(f2ip) X(fset) X(fchk)       \
                                        X(dadd) X(dmul) X(dfma) X(dadd_r) X(dmul_r) X(dfma_r) X(dsetp)                 \
                                            X(dsetp_extreme) X(mufu_cos) X(mufu_sin) X(mufu_ex2) X(mufu_lg2)           \
                                                X(mufu_rcp) X(mufu_rsq) X(mufu_rcp64h) X(mufu_rsq64h) X(mufu_sqrt)     \
                                                    X(mufu_tanh) X(mufu_half) X(i2f_s32) X(i2f_u32) X(f2i_s32)         \
                                                        X(f2i_u32) X(f2d) X(d2f) X(i2d_s32) X(i2d_u32) X(d2i_s32)      \
                                                            X(hmov2) X(hex2) X(htanh2) X(hadd2) X(hmul2) X(hfma2)      \
                                                                X(hset2) X(hsetp2) X(hmnmx2) X(hmnmx3) X(f2fp)         \
                                                                    X(f2fp_merge) X(f2fp_tf32) X(vote_all) X(vote_any) \
                                                                        X(vote_eq) X(first) X(first_or) X(active)      \
                                                                            X(result) X(match_any) X(match_all)        \
                                                                                X(elect) X(redux_and) X(redux_or)      \
                                                                                    X(redux_xor) X(redux_sum)          \
                                                                                        X(redux_min) X(redux_max)      \
                                                                                    X(redux_single)
/* clang-format on */

enum execute_words_name {
#define X(name) EXECUTE_WORDS_##name,
    EXECUTE_WORDS(X)
#undef X
        EXECUTE_WORDS_COUNT
};

enum execute_lane {
#define X(name, ...) EXECUTE_LANE_##name,
    EXECUTE_LANES(X, X, X, X, X)
#undef X
        EXECUTE_LANE_bfi_b32,
    EXECUTE_LANE_bfi_b64,
    EXECUTE_LANE_COUNT
};

enum execute_test {
#define TEST(name, function, modifiers) EXECUTE_TEST_##name,
    EXECUTE_TESTS(TEST)
#undef TEST
        EXECUTE_TEST_COUNT
};

/* Copies the values of the lanes that have a bit. */
typedef void (*execute_blend_function)(void *to, const void *from, uint32_t lanes);

/* The number of bits in which words differ, of those lanes of `count` that have a bit; `count` is even, at most 32. */
typedef uint32_t (*execute_differ_function)(const execute_word *a, const execute_word *b, uint32_t lanes,
                                            uint32_t count);

struct execute_words_table {
    const char *level;
    execute_differ_function differ;
    execute_blend_function blend[3]; /* for values of 4, 8 and 16 bytes */
    execute_words_function functions[EXECUTE_WORDS_COUNT], lanes[EXECUTE_LANE_COUNT], tests[EXECUTE_TEST_COUNT];
};

extern const struct execute_words_table execute_words_base;
#ifdef EXECUTE_LANE_LEVELS
extern const struct execute_words_table execute_words_v3; /* x86-64-v3: AVX2, FMA */
extern const struct execute_words_table execute_words_v4; /* x86-64-v4: AVX-512 */
#endif

/* The fastest table for this host. */
const struct execute_words_table *execute_words_best(void);

/* Returns all tables that this host can run, for tests, and their number. */
uint32_t execute_words_all(const struct execute_words_table *tables[static 4]);

/* The function that does a function of machine code with these modifiers, made for them if there is one. */
execute_words_function execute_words_fixed(const struct execute_words_table *table, enum execute_words_name name,
                                           uint32_t modifiers);

/* A quotient, the reciprocal or the root of a, of single precision or with EXECUTE_WORDS_WHOLE double, of any rounding
 * (float.c); which one EXECUTE_WORDS_AMOUNT_SHIFT says. */
enum execute_words_quotient { EXECUTE_WORDS_DIVIDED, EXECUTE_WORDS_RECIPROCAL, EXECUTE_WORDS_ROOT };
void execute_words_quotients(struct execute_words *w);

/* a + b, where a is a half and b single precision, or with c, a · b + c, where a and b are halves. */
void execute_words_mixed(struct execute_words *w);

/* Conversions of any types (float.c): the details are in `modifiers`. */
void execute_words_convert(struct execute_words *w);

/* Converts two floats (a is the upper one), or a pair of .f16, to a pair of eight bits, with c's lower half above it;
 * or such a pair to a pair of .f16. EXECUTE_WORDS_SATURATE: values too large become the largest finite number. */
void execute_words_convert_pair(struct execute_words *w);

#endif
