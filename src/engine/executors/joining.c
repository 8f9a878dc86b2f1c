/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/joining.h"

enum {
    LOOK = 5000000,  /* ticks between two decisions: about 2 milliseconds */
    LEAST = 1024,    /* minimum number of windows between two decisions, since time slices may have been lost */
    LONGEST = 50000, /* a window counts as at most so many ticks, in case a time slice was lost */
    NEARLY = 16,     /* join if less than 1/16 of the time was spent in windows run otherwise */
    TIMES_LEAST = 10,
    TIMES_MOST = 320,
    MUCH = 4,         /* increase of the work that ends joining */
    NOTICED = 400000, /* nanoseconds of a window from which its work may have increased so much */
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
