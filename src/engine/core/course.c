/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/course.h"

#include "base/range.h"

static const struct mnp_stretch *at(const struct mnp_course *course, uint32_t index)
{
    return (const struct mnp_stretch *)course->stretches.items + index;
}

static void append(struct mnp_course *course, uint64_t cycle, mnp_time time, uint64_t hertz)
{
    struct mnp_stretch *stretch = mnp_array_add(&course->stretches, 1, sizeof *stretch);
    *stretch = (struct mnp_stretch){.cycle = cycle, .time = time, .hertz = hertz};
}

void mnp_course_init(struct mnp_course *course, uint64_t hertz)
{
    *course = (struct mnp_course){.slowest = hertz};
    append(course, 0, 0, hertz);
}

void mnp_course_release(struct mnp_course *course)
{
    mnp_array_release(&course->stretches);
}

const struct mnp_stretch *mnp_course_last(const struct mnp_course *course)
{
    return at(course, course->stretches.count - 1);
}

const struct mnp_stretch *mnp_course_of_cycle(const struct mnp_course *course, uint64_t cycle)
{
    uint32_t later = mnp_array_before(&course->stretches, sizeof(struct mnp_stretch), cycle);
    bool begins = later < course->stretches.count && at(course, later)->cycle == cycle;
    return at(course, begins ? later : later - 1);
}

/* The stretch that begins last at `time` or before it. */
static const struct mnp_stretch *of_time(const struct mnp_course *course, mnp_time time)
{
    uint32_t low = 0, high = course->stretches.count; /* the first begins at 0 */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(at(course, middle)->time <= time ? &low : &high) = middle;
    }
    return at(course, low);
}

void mnp_course_turn(struct mnp_course *course, mnp_time now, uint64_t hertz)
{
    uint64_t cycle = mnp_course_cycle_at(course, now);
    struct mnp_stretch *last = (struct mnp_stretch *)course->stretches.items + course->stretches.count - 1;
    mnp_lower(&course->slowest, hertz);
    if (last->cycle == cycle) /* no edge has used the frequency that it had */
        last->hertz = hertz;
    else if (last->hertz != hertz)
        append(course, cycle, mnp_course_edge(course, cycle), hertz);
}

mnp_time mnp_course_edge(const struct mnp_course *course, uint64_t cycle)
{
    const struct mnp_stretch *of = mnp_course_of_cycle(course, cycle);
    mnp_time time;
    return __builtin_add_overflow(of->time, mnp_edge(of->hertz, cycle - of->cycle), &time) ? MNP_NEVER : time;
}

uint64_t mnp_course_cycle_at(const struct mnp_course *course, mnp_time time)
{
    const struct mnp_stretch *of = of_time(course, time);
    return of->cycle + mnp_cycle_at(of->hertz, time - of->time);
}
