/* SPDX-License-Identifier: BSD-3-Clause */
/* What functions over words are written with (words.c). */
#ifndef EXECUTE_WORDS_BASE_H
#define EXECUTE_WORDS_BASE_H

#include "execute/lanes/lane_math.h"
#include "execute/lanes/words.h"

#include <stdbool.h>

#ifdef __clang__
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int lane = 0; lane < 32; lane++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int lane = 0; lane < 32; lane++)
#endif
#define UNUSED __attribute__((unused))

typedef execute_word word;

/* A function over the words of all lanes, and what it works on: sources, result, modifiers. */
#define WORDS(name) static void words_##name(struct execute_words *w)
#define SOURCES                                                                                                        \
    UNUSED const word *a = w->a, *b = w->b, *c = w->c;                                                                 \
    UNUSED word *d = w->d;                                                                                             \
    UNUSED const uint32_t m = w->modifiers;
/* One whose result is a word, by an expression of one, two or three words. */
#define ONE(name, expression)                                                                                          \
    WORDS(name)                                                                                                        \
    {                                                                                                                  \
        SOURCES EACH_LANE                                                                                              \
        {                                                                                                              \
            uint32_t x = a[lane];                                                                                      \
            d[lane] = (expression);                                                                                    \
        }                                                                                                              \
    }
#define TWO(name, expression)                                                                                          \
    WORDS(name)                                                                                                        \
    {                                                                                                                  \
        SOURCES EACH_LANE                                                                                              \
        {                                                                                                              \
            uint32_t x = a[lane], y = b[lane];                                                                         \
            d[lane] = (expression);                                                                                    \
        }                                                                                                              \
    }
#define THREE(name, expression)                                                                                        \
    WORDS(name)                                                                                                        \
    {                                                                                                                  \
        SOURCES EACH_LANE                                                                                              \
        {                                                                                                              \
            uint32_t x = a[lane], y = b[lane], z = c[lane];                                                            \
            d[lane] = (expression);                                                                                    \
        }                                                                                                              \
    }

LANE_INLINE uint32_t ones(uint32_t m, uint32_t modifier)
{
    return m & modifier ? ~0u : 0;
}

LANE_INLINE uint64_t large(const word *at, int lane)
{
    return (uint64_t)at[lane + 32] << 32 | at[lane];
}

LANE_INLINE void put_large(word *at, int lane, uint64_t value)
{
    at[lane] = (uint32_t)value;
    at[lane + 32] = (uint32_t)(value >> 32);
}

LANE_INLINE bool below(uint32_t x, uint32_t y, uint32_t m)
{
    uint32_t top = m & EXECUTE_WORDS_SIGNED ? 1u << 31 : 0;
    return (x ^ top) < (y ^ top);
}

/* A comparison combined with the predicate that is read. */
LANE_INLINE uint32_t combine(uint32_t m, uint32_t value, uint32_t with)
{
    return m & EXECUTE_WORDS_AND ? value & with : m & EXECUTE_WORDS_XOR ? value ^ with : value | with;
}

LANE_INLINE uint32_t order_of(uint32_t m)
{
    return m >> EXECUTE_WORDS_ORDER_SHIFT & 15;
}

/* Orders of floating point: bits say whether less, equal, greater, and, from 8 on, unordered; 7 and 8 are NUM and NAN,
 * 15 is always. */
LANE_INLINE uint32_t holds_of(uint32_t order, uint32_t less, uint32_t equal, uint32_t greater)
{
    uint32_t none = ~(less | equal | greater);
    return (order & 1 ? less : 0) | (order & 2 ? equal : 0) | (order & 4 ? greater : 0) | (order & 8 ? none : 0);
}

#endif
