/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/time.h"

#include "engine/core/course.h"

typedef unsigned __int128 wide;

mnp_time mnp_edge(uint64_t hertz, uint64_t cycle)
{
    wide time = (wide)cycle * MNP_SECOND / hertz;
    return time >= MNP_NEVER ? MNP_NEVER : (mnp_time)time;
}

uint64_t mnp_cycle_at(uint64_t hertz, mnp_time time)
{
    return (uint64_t)(((wide)time * hertz + MNP_SECOND - 1) / MNP_SECOND);
}

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
