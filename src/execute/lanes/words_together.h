/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions over words for operations that the lanes of a warp perform together. */
#ifndef EXECUTE_WORDS_TOGETHER_H
#define EXECUTE_WORDS_TOGETHER_H

#include "execute/lanes/words_base.h"

/* ===== of the warp's lanes together ===== */

#define ALL(value)                                                                                                     \
    uint32_t made = (value);                                                                                           \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        d[lane] = made;                                                                                                \
    }

WORDS(vote_all)
{
    SOURCES
    uint32_t holds = w->in[0] & w->lanes;
    ALL(holds) w->out[0] = holds == w->lanes ? ~0u : 0;
}

WORDS(vote_any)
{
    SOURCES
    uint32_t holds = w->in[0] & w->lanes;
    ALL(holds) w->out[0] = holds ? ~0u : 0;
}

WORDS(vote_eq)
{
    SOURCES
    uint32_t holds = w->in[0] & w->lanes;
    ALL(holds) w->out[0] = !holds || holds == w->lanes ? ~0u : 0;
}

/* The first lane's value. */
WORDS(first)
{
    SOURCES
    uint32_t value = w->lanes ? a[__builtin_ctz(w->lanes)] : 0, other = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        /* before `d` changes, because it may be the same register as `a` */
        other |= (uint32_t)(a[lane] != value) << lane;
    ALL(value) w->out[0] = other;
}

/* Like the preceding function, combined (OR) with the previous predicate. */
WORDS(first_or)
{
    words_first(w, m);
    w->out[0] |= w->in[0];
}

WORDS(active){SOURCES ALL(w->lanes)}

/* A register and a predicate together. */
WORDS(result)
{
    SOURCES
    EACH_LANE
    {
        d[lane] = a[lane];
    }
    w->out[0] = w->in[0];
}

/* A value of 32 bits, or with EXECUTE_WORDS_LARGE of 64. */
LANE_INLINE uint64_t whole_of(const word *a, int lane, uint32_t m)
{
    return m & EXECUTE_WORDS_LARGE ? large_of(a, lane, m) : a[lane];
}

WORDS(match_any)
{
    SOURCES
    for (int lane = 0; lane < 32; lane++) {
        uint32_t same = 0;
        for (int other = 0; other < 32; other++)
            same |= (uint32_t)(whole_of(a, lane, m) == whole_of(a, other, m)) << other;
        /* computed for all lanes before storing, because the result may be the source */
        w->predicates[lane] = same & w->lanes;
    }
    for (int lane = 0; lane < 32; lane++)
        d[lane] = w->predicates[lane];
}

WORDS(match_all)
{
    SOURCES
    int first = w->lanes ? __builtin_ctz(w->lanes) : 0;
    uint32_t same = 0;
    for (int lane = 0; lane < 32; lane++)
        same |= (uint32_t)(whole_of(a, lane, m) == whole_of(a, first, m)) << lane;
    bool all = (w->lanes & ~same) == 0;
    ALL(all ? w->lanes : 0) w->out[0] = all ? ~0u : 0;
}

WORDS(elect)
{
    SOURCES
    uint32_t chosen = w->lanes & (0 - w->lanes);
    ALL(w->lanes ? (uint32_t)__builtin_ctz(w->lanes) : 0)
    w->out[0] = chosen;
}

#define REDUCTION(name, start, expression)                                                                             \
    WORDS(name)                                                                                                        \
    {                                                                                                                  \
        SOURCES uint32_t value = (start);                                                                              \
        for (uint32_t rest = w->lanes; rest; rest &= rest - 1) {                                                       \
            uint32_t x = a[__builtin_ctz(rest)];                                                                       \
            value = (expression);                                                                                      \
        }                                                                                                              \
        ALL(value)                                                                                                     \
    }
REDUCTION(redux_and, ~0u, value &x)
REDUCTION(redux_or, 0, value | x)
REDUCTION(redux_xor, 0, value ^ x)
REDUCTION(redux_sum, 0, value + x)
REDUCTION(redux_min, m &EXECUTE_WORDS_SIGNED ? INT32_MAX : ~0u, below(x, value, m) ? x : value)
REDUCTION(redux_max, m &EXECUTE_WORDS_SIGNED ? 1u << 31 : 0, below(x, value, m) ? value : x)

/* Reduction of floats: minimum, or with EXECUTE_WORDS_MOST the maximum. */
WORDS(redux_single)
{
    SOURCES
    uint32_t how = (m & EXECUTE_WORDS_MOST ? EXTREME_MOST : 0) | (m & EXECUTE_WORDS_ABSOLUTE_A ? EXTREME_SIZE : 0) |
                   (m & EXECUTE_WORDS_NAN ? EXTREME_NAN : 0);
    float value = w->lanes ? extreme_input(float_of(a[__builtin_ctz(w->lanes)]), how) : 0;
    for (uint32_t rest = w->lanes; rest; rest &= rest - 1)
        value = extreme_of_two(value, extreme_input(float_of(a[__builtin_ctz(rest)]), how), how);
    ALL(bits_of(value))
}

#endif
