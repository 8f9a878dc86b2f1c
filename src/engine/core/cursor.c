/* SPDX-License-Identifier: BSD-3-Clause */
/* Cursors on a clock: one of a constant frequency (time.h), or one that follows a course (course.h). */
#include "engine/core/course.h"

typedef unsigned __int128 wide;

void mnp_cursor_init(struct mnp_cursor *cursor, uint64_t hertz)
{
    *cursor = (struct mnp_cursor){.hertz = hertz};
}

void mnp_cursor_move(struct mnp_cursor *cursor, uint64_t cycle)
{
    uint64_t ahead = cycle - cursor->cycle;
    if (__builtin_expect(ahead < 16384, 1)) { /* one 64-bit division, as in mnp_cursor_edge */
        uint64_t scaled = ahead * MNP_SECOND + cursor->remainder;
        cursor->cycle = cycle;
        cursor->time += scaled / cursor->hertz;
        cursor->remainder = scaled % cursor->hertz;
        return;
    }
    struct mnp_stretch of = {.hertz = cursor->hertz};
    if (cursor->course)
        of = *mnp_course_of_cycle(cursor->course, cycle);
    wide scaled = (wide)(cycle - of.cycle) * MNP_SECOND;
    cursor->cycle = cycle;
    cursor->hertz = of.hertz;
    cursor->time = of.time + (mnp_time)(scaled / of.hertz);
    cursor->remainder = (uint64_t)(scaled % of.hertz);
}

mnp_time mnp_cursor_far_edge(const struct mnp_cursor *cursor, uint64_t cycle)
{
    return cursor->course ? mnp_course_edge(cursor->course, cycle) : mnp_edge(cursor->hertz, cycle);
}

uint64_t mnp_cursor_far_cycle_at(const struct mnp_cursor *cursor, mnp_time time)
{
    return cursor->course ? mnp_course_cycle_at(cursor->course, time) : mnp_cycle_at(cursor->hertz, time);
}

void mnp_cursor_follow(struct mnp_cursor *cursor, const struct mnp_course *course)
{
    const struct mnp_stretch *last = mnp_course_last(course);
    *cursor = (struct mnp_cursor){.hertz = last->hertz, .cycle = last->cycle, .time = last->time, .course = course};
}

mnp_time mnp_cursor_longest_period(const struct mnp_cursor *cursor)
{
    return MNP_SECOND / (cursor->course ? cursor->course->slowest : cursor->hertz);
}
