/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time: an unsigned integer of femtoseconds, exact for every clock.
 * Edge k of a clock of f Hz is floor(k·10^15 / f), computed from k: equal clocks coincide and nothing drifts.
 */
#ifndef MNP_ENGINE_CORE_TIME_H
#define MNP_ENGINE_CORE_TIME_H

#include <stdint.h>

typedef uint64_t mnp_time;

#define MNP_NEVER  UINT64_MAX
#define MNP_SECOND UINT64_C(1000000000000000) /* femtoseconds in a second */

/* Time of edge `cycle` of a clock of `hertz` (1 Hz to 10 GHz); MNP_NEVER if it exceeds the range of time (five
 * hours). */
mnp_time mnp_edge(uint64_t hertz, uint64_t cycle);

/* The first cycle whose edge is at `time` or later. */
uint64_t mnp_cycle_at(uint64_t hertz, mnp_time time);

struct mnp_course; /* a clock whose frequency changes: engine/core/course.h */

/*
 * A cursor holds one known edge of a clock, from which edges nearby are computed with 64-bit arithmetic.
 * Invariant, with cycle and time counted from the begin of the stretch that a course is in:
 * cycle·10^15 == time·hertz + remainder, 0 <= remainder < hertz.
 */
struct mnp_cursor {
    uint64_t hertz;
    uint64_t cycle;
    mnp_time time;
    uint64_t remainder;
    const struct mnp_course *course; /* NULL: the clock keeps its frequency */
};

void mnp_cursor_init(struct mnp_cursor *cursor, uint64_t hertz);

/* Moves the cursor to an edge, forwards or backwards. */
void mnp_cursor_move(struct mnp_cursor *cursor, uint64_t cycle);

/* mnp_cursor_edge and mnp_cursor_cycle_at for cycles and times that are not near. */
mnp_time mnp_cursor_far_edge(const struct mnp_cursor *cursor, uint64_t cycle);
uint64_t mnp_cursor_far_cycle_at(const struct mnp_cursor *cursor, mnp_time time);

/* Like mnp_edge and mnp_cycle_at, but fast for cycles and times up to about 4 microseconds after the cursor. */
static inline mnp_time mnp_cursor_edge(const struct mnp_cursor *cursor, uint64_t cycle)
{
    uint64_t ahead = cycle - cursor->cycle;
    mnp_time time;
    if (__builtin_expect(ahead < 16384, 1)) {
        if (__builtin_add_overflow(cursor->time, (ahead * MNP_SECOND + cursor->remainder) / cursor->hertz, &time))
            return MNP_NEVER;
        return time;
    }
    return mnp_cursor_far_edge(cursor, cycle);
}

static inline uint64_t mnp_cursor_cycle_at(const struct mnp_cursor *cursor, mnp_time time)
{
    uint64_t ahead = time - cursor->time;
    if (__builtin_expect(ahead < UINT64_C(1) << 30 && time >= cursor->time, 1)) {
        uint64_t product = ahead * cursor->hertz;
        if (product <= cursor->remainder)
            return cursor->cycle;
        return cursor->cycle + (product - cursor->remainder + MNP_SECOND - 1) / MNP_SECOND;
    }
    return mnp_cursor_far_cycle_at(cursor, time);
}

#endif
