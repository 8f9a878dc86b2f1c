/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/joining.h"

enum {
    LOOK = 5000000,  /* ticks after which it is looked at how windows were run: about 2 milliseconds, … */
    LEAST = 1024,    /* … and so many of them: time slices may have been lost, */
    LONGEST = 50000, /* … for which none counts as more ticks than that */
    NEARLY = 16,     /* part of that time in which windows may have been run otherwise */
    TIMES_LEAST = 10,
    TIMES_MOST = 320,
    MUCH = 4,         /* times as much to do as before */
    NOTICED = 400000, /* nanoseconds of a window that may have so much to do */
};

void mnp_joining_init(struct mnp_joining *joining)
{
    *joining = (struct mnp_joining){.times = TIMES_LEAST};
}

static void look_again(struct mnp_joining *joining, uint64_t times)
{
    *joining = (struct mnp_joining){.times = times};
}

static void join(struct mnp_joining *joining)
{
    joining->joined = true;
    joining->left = joining->span > UINT64_MAX / TIMES_MOST ? UINT64_MAX : joining->times * joining->span;
    joining->span = joining->nanoseconds = 0;
}

static bool has_much_more(const struct mnp_joining *joining, uint64_t nanoseconds, uint64_t span)
{
    return joining->span && nanoseconds >= NOTICED &&
           (unsigned __int128)nanoseconds * joining->span > (unsigned __int128)MUCH * joining->nanoseconds * span;
}

void mnp_joining_note_joined(struct mnp_joining *joining, uint64_t nanoseconds, uint64_t span)
{
    uint64_t more = 2 * joining->times;
    if (has_much_more(joining, nanoseconds, span)) {
        look_again(joining, TIMES_LEAST);
    } else if (joining->left <= span) {
        look_again(joining, more < TIMES_MOST ? more : TIMES_MOST);
    } else {
        joining->left -= span;
        joining->nanoseconds += nanoseconds;
        joining->span += span;
    }
}

void mnp_joining_note_divided(struct mnp_joining *joining, enum mnp_joining_way way, uint64_t ticks, uint64_t span)
{
    uint64_t *sums = joining->ticks;
    sums[way] += ticks < LONGEST ? ticks : LONGEST;
    joining->span += span;
    if (++joining->windows < LEAST || sums[0] + sums[1] + sums[2] < LOOK)
        return;
    if (sums[MNP_JOINING_TOGETHER] + sums[MNP_JOINING_UNDECIDED] < sums[MNP_JOINING_ALONE] / NEARLY)
        join(joining);
    else
        look_again(joining, sums[MNP_JOINING_TOGETHER] > sums[MNP_JOINING_ALONE] ? TIMES_LEAST : joining->times);
}
