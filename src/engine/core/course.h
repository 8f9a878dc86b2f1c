/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The course of a clock whose frequency changes while a machine runs: a list of stretches, each of one frequency. Edges
 * keep their numbers. The edge at which the frequency changes keeps its time, and the edges behind it have the new
 * distance: no period is shorter than that of the higher frequency. Edge k of a stretch of f Hz that begins with edge c
 * at time t is at t + floor((k − c)·10^15 / f).
 *
 * A course is changed between windows alone (mnp_engine_turn); units read it at any time.
 */
#ifndef MNP_ENGINE_CORE_COURSE_H
#define MNP_ENGINE_CORE_COURSE_H

#include "base/array.h"
#include "engine/core/time.h"

struct mnp_stretch {
    uint64_t cycle; /* number of its first edge */
    mnp_time time;  /* time of that edge */
    uint64_t hertz;
};

struct mnp_course {
    struct mnp_array stretches; /* struct mnp_stretch, in rising order; the first begins with edge 0 at time 0 */
    uint64_t slowest;           /* lowest frequency of all, in Hz */
};

/* Begins a course with a frequency of 1 Hz to 10 GHz. Free with mnp_course_release. */
void mnp_course_init(struct mnp_course *course, uint64_t hertz);
void mnp_course_release(struct mnp_course *course);

/* Changes the frequency at the first edge at `now` or later. `now` never decreases. */
void mnp_course_turn(struct mnp_course *course, mnp_time now, uint64_t hertz);

/* The last stretch, and the one that an edge belongs to. */
const struct mnp_stretch *mnp_course_last(const struct mnp_course *course);
const struct mnp_stretch *mnp_course_of_cycle(const struct mnp_course *course, uint64_t cycle);

/* Like mnp_edge and mnp_cycle_at. */
mnp_time mnp_course_edge(const struct mnp_course *course, uint64_t cycle);
uint64_t mnp_course_cycle_at(const struct mnp_course *course, mnp_time time);

/* Lets a cursor follow a course, from the first edge of its last stretch. The course must outlive the cursor. */
void mnp_cursor_follow(struct mnp_cursor *cursor, const struct mnp_course *course);

/* The longest period, in whole femtoseconds and rounded down, that a cursor's clock has had. */
mnp_time mnp_cursor_longest_period(const struct mnp_cursor *cursor);

#endif
