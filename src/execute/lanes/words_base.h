/* SPDX-License-Identifier: BSD-3-Clause */
/* Building blocks for the functions over words (words.c). */
#ifndef EXECUTE_WORDS_BASE_H
#define EXECUTE_WORDS_BASE_H

#include "execute/lanes/lane_math.h"
#include "execute/lanes/words.h"

#include <stdbool.h>

/* A loop without dependences between its iterations, so that the compiler vectorises it. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH_LANE INDEPENDENT for (int lane = 0; lane < 32; lane++)
#define UNUSED    __attribute__((unused))

typedef execute_word word;

/* A function over the words of all lanes, with modifiers `m`: those of the operation, or constants, for which words.c
 * instantiates it again. Then the accessors of its sources and result. */
#define WORDS(name) LANE_INLINE void words_##name(struct execute_words *w, UNUSED const uint32_t m)
#define SOURCES                                                                                                        \
    UNUSED const word *a = w->a, *b = w->b, *c = w->c;                                                                 \
    UNUSED word *d = w->d;
/* Functions whose result is a word, by an expression of one, two or three words. */
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

/* Like `word`, for operands with EXECUTE_WORDS_WHOLE. */
typedef uint64_t __attribute__((may_alias)) large_word;

LANE_INLINE uint64_t large_of(const word *at, int lane, uint32_t m)
{
    return m & EXECUTE_WORDS_WHOLE ? ((const large_word *)at)[lane] : large(at, lane);
}

LANE_INLINE void put_large_of(word *at, int lane, uint64_t value, uint32_t m)
{
    if (m & EXECUTE_WORDS_WHOLE)
        ((large_word *)at)[lane] = value;
    else
        put_large(at, lane, value);
}

LANE_INLINE bool below(uint32_t x, uint32_t y, uint32_t m)
{
    uint32_t top = m & EXECUTE_WORDS_SIGNED ? 1u << 31 : 0;
    return __builtin_constant_p(top) ? (top ? (int32_t)x < (int32_t)y : x < y) : (x ^ top) < (y ^ top);
}

LANE_INLINE bool at_most(uint32_t x, uint32_t y, uint32_t m)
{
    return m & EXECUTE_WORDS_SIGNED ? (int32_t)x <= (int32_t)y : x <= y;
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

/* Lanes that take the minimum, not the maximum. */
LANE_INLINE uint32_t minimum_of(const struct execute_words *w, uint32_t m)
{
    return m & EXECUTE_WORDS_LEAST ? ~0u : m & EXECUTE_WORDS_MOST ? 0 : w->in[0];
}

/* Stores the result of a comparison: for all lanes, and its negation. */
LANE_INLINE void put_comparison(struct execute_words *w, uint32_t holds)
{
    w->out[0] = combine(w->modifiers, holds, w->in[0]);
    w->out[1] = combine(w->modifiers, ~holds, w->in[0]);
}

/* The lanes for which an order holds, which is a set of {less, equal, greater}; lanes with none of these are
 * {unordered}. A constant order compiles to one comparison. */
LANE_INLINE uint32_t holds_of(uint32_t order, uint32_t less, uint32_t equal, uint32_t greater)
{
    uint32_t none = ~(less | equal | greater);
    return (order & 1 ? less : 0) | (order & 2 ? equal : 0) | (order & 4 ? greater : 0) | (order & 8 ? none : 0);
}

#define ORDERED(order, less, equal, greater, at_most, at_least)                                                        \
    ((order) == EXECUTE_WORDS_LT                       ? (less)                                                        \
     : (order) == EXECUTE_WORDS_EQ                     ? (equal)                                                       \
     : (order) == EXECUTE_WORDS_LE                     ? (at_most)                                                     \
     : (order) == EXECUTE_WORDS_GT                     ? (greater)                                                     \
     : (order) == EXECUTE_WORDS_NE                     ? (int)(less) | (int)(greater)                                  \
     : (order) == EXECUTE_WORDS_GE                     ? (at_least)                                                    \
     : (order) == EXECUTE_WORDS_NUM                    ? (int)(at_most) | (int)(at_least)                              \
     : (order) == EXECUTE_WORDS_NOT(EXECUTE_WORDS_NUM) ? !((int)(at_most) | (int)(at_least))                           \
     : (order) == EXECUTE_WORDS_NOT(EXECUTE_WORDS_LT)  ? !(less)                                                       \
     : (order) == EXECUTE_WORDS_NOT(EXECUTE_WORDS_EQ)  ? !(equal)                                                      \
     : (order) == EXECUTE_WORDS_NOT(EXECUTE_WORDS_LE)  ? !(at_most)                                                    \
     : (order) == EXECUTE_WORDS_NOT(EXECUTE_WORDS_GT)  ? !(greater)                                                    \
     : (order) == EXECUTE_WORDS_NOT(EXECUTE_WORDS_NE)  ? !((int)(less) | (int)(greater))                               \
     : (order) == EXECUTE_WORDS_NOT(EXECUTE_WORDS_GE)  ? !(at_least)                                                   \
                                                       : (order) == 15)

/* Sets `holds` of the lanes' `x` and `y`, which `values` declares. */
#define COMPARE(values, below, at_most)                                                                                \
    uint32_t holds = 0, order = order_of(m);                                                                           \
    if (__builtin_constant_p(order)) {                                                                                 \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            values;                                                                                                    \
            holds |= (uint32_t)ORDERED(order, below(x, y), x == y, below(y, x), at_most(x, y), at_most(y, x)) << lane; \
        }                                                                                                              \
    } else {                                                                                                           \
        uint32_t less = 0, equal = 0, greater = 0;                                                                     \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            values;                                                                                                    \
            less |= (uint32_t)below(x, y) << lane;                                                                     \
            equal |= (uint32_t)(x == y) << lane;                                                                       \
            greater |= (uint32_t)below(y, x) << lane;                                                                  \
        }                                                                                                              \
        holds = holds_of(order, less, equal, greater);                                                                 \
    }

#endif
