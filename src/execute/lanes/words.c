/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each level of the host's processor, with EXECUTE_WORDS_TABLE naming the table. */
#include "execute/lanes/words.h"

#include "execute/lanes/words_float.h"
#include "execute/lanes/words_half.h"
#include "execute/lanes/words_integer.h"
#include "execute/lanes/words_together.h"

#ifndef EXECUTE_WORDS_TABLE
#define EXECUTE_WORDS_TABLE execute_words_base
#define EXECUTE_WORDS_LEVEL "base"
#endif
#undef ONE
#undef TWO
#undef THREE

#define X(name)                                                                                                        \
    static void any_##name(struct execute_words *w)                                                                    \
    {                                                                                                                  \
        words_##name(w, w->modifiers);                                                                                 \
    }
EXECUTE_WORDS(X)
#undef X

/* PTX has an amount or a selector last, and machine code second. */
#define SWAPPED(name)                                                                                                  \
    WORDS(name##_swapped)                                                                                              \
    {                                                                                                                  \
        struct execute_words swapped = {.d = w->d, .a = w->a, .b = w->c, .c = w->b};                                   \
        words_##name(&swapped, m);                                                                                     \
    }
SWAPPED(shf)
SWAPPED(prmt)
SWAPPED(prmt_f4e)
SWAPPED(prmt_b4e)
SWAPPED(prmt_rc8)
SWAPPED(prmt_ecl)
SWAPPED(prmt_ecr)
SWAPPED(prmt_rc16)

/* The type that stores a lane's value. */
#define ALIAS __attribute__((may_alias))
typedef uint32_t ALIAS slot_u8, ALIAS slot_u16, ALIAS slot_u32;
typedef int32_t ALIAS slot_s8, ALIAS slot_s16, ALIAS slot_s32;
typedef uint64_t ALIAS slot_u64;
typedef int64_t ALIAS slot_s64;
typedef float ALIAS slot_f32;
typedef double ALIAS slot_f64;

typedef uint8_t type_u8;
typedef int8_t type_s8;
typedef uint16_t type_u16;
typedef int16_t type_s16;
typedef uint32_t type_u32;
typedef int32_t type_s32;
typedef uint64_t type_u64;
typedef int64_t type_s64;
typedef float type_f32;
typedef double type_f64;

/* A loop over the lanes, with the declarations of an expression's sources. */
#define FORM(name, D, sources, expression)                                                                             \
    static void form_##name(struct execute_words *w)                                                                   \
    {                                                                                                                  \
        UNUSED const word *pa = w->a, *pb = w->b, *pc = w->c;                                                          \
        word *result = w->d;                                                                                           \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            sources;                                                                                                   \
            ((slot_##D *)result)[lane] = (slot_##D)(type_##D)(expression);                                             \
        }                                                                                                              \
    }
#define OF(T, x)                            type_##T x = (type_##T)((const slot_##T *)p##x)[lane]
#define ONE(name, D, A, expression)         FORM(name, D, OF(A, a), expression)
#define TWO(name, D, A, B, expression)      FORM(name, D, OF(A, a); OF(B, b), expression)
#define THREE(name, D, A, B, C, expression) FORM(name, D, OF(A, a); OF(B, b); OF(C, c), expression)
#define WITH(name, D, A, B, C, function, modifiers)                                                                    \
    static void form_##name(struct execute_words *w)                                                                   \
    {                                                                                                                  \
        words_##function(w, modifiers);                                                                                \
    }
EXECUTE_LANES(ONE, TWO, THREE, WITH, WITH)

/* bfi has four sources: a, b, and position and length as pairs, which the decoder lays down one after the other. */
#define INSERT(T, width)                                                                                               \
    static void form_bfi_b##width(struct execute_words *w)                                                             \
    {                                                                                                                  \
        for (int lane = 0; lane < 32; lane++) {                                                                        \
            uint64_t field = ((const slot_u64 *)w->c)[lane];                                                           \
            ((slot_##T *)w->d)[lane] =                                                                                 \
                (type_##T)insert_bits(((const slot_##T *)w->a)[lane], ((const slot_##T *)w->b)[lane], (uint32_t)field, \
                                      (uint32_t)(field >> 32), width);                                                 \
        }                                                                                                              \
    }
INSERT(u32, 32)
INSERT(u64, 64)

#define TEST(name, function, modifiers)                                                                                \
    static void test_##name(struct execute_words *w)                                                                   \
    {                                                                                                                  \
        words_##function(w, modifiers);                                                                                \
    }
EXECUTE_TESTS(TEST)
#undef TEST

#define BLEND(name, words)                                                                                             \
    static void name(void *to, const void *from, uint32_t lanes)                                                       \
    {                                                                                                                  \
        word *d = to;                                                                                                  \
        const word *a = from;                                                                                          \
        if (lanes == ~0u) {                                                                                            \
            memcpy(to, from, 128 * (words));                                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        INDEPENDENT for (int i = 0; i < 32 * (words); i++) d[i] = lanes & 1u << i / (words) ? a[i] : d[i];             \
    }
BLEND(blend, 1)
BLEND(blend_two, 2)
BLEND(blend_four, 4)

static uint32_t differ(const word *a, const word *b, uint32_t lanes, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i += 2) {
        uint64_t x, y, mask = (lanes >> i & 1 ? UINT32_MAX : 0) | (lanes >> i & 2 ? (uint64_t)UINT32_MAX << 32 : 0);
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        bits += (uint32_t)__builtin_popcountll((x ^ y) & mask);
    }
    return bits;
}

const struct execute_words_table EXECUTE_WORDS_TABLE = {
    .level = EXECUTE_WORDS_LEVEL,
    .differ = differ,
    .blend = {blend, blend_two, blend_four},
#define X(name) any_##name,
    .functions = {EXECUTE_WORDS(X)},
#undef X
#define X(name, ...) [EXECUTE_LANE_##name] = form_##name,
    .lanes = {EXECUTE_LANES(X, X, X, X, X) X(bfi_b32) X(bfi_b64)},
#undef X
#define TEST(name, function, modifiers) [EXECUTE_TEST_##name] = test_##name,
    .tests = {EXECUTE_TESTS(TEST)},
};
