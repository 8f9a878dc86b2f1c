/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/choice.h"

#include <stdlib.h>

enum {
    CHECK = 16,     /* number of windows after which running together is evaluated */
    PROBE = 8,      /* number of windows of a turn of a trial */
    TURNS = 4,      /* number of turns of a trial: the other way, the chosen way, and both again */
    WARM = 1000000, /* ticks for warming caches at the beginning of a trial, before turns are counted: 0.4 ms */
    DOUBT = 64,     /* number of windows run alone before running together is tried */
    TRUST_LEAST = 128,
    TRUST_MOST = 8192,
};

static void begin(struct mnp_choice *choice, bool alone, uint32_t windows)
{
    choice->waking = choice->alone && !alone;
    choice->alone = alone;
    choice->left = windows;
}

static void forget(struct mnp_choice *choice)
{
    for (uint32_t alone = 0; alone < 2; alone++)
        choice->ticks[alone] = choice->work[alone] = 0;
    choice->windows = 0;
}

static void look_again(struct mnp_choice *choice)
{
    choice->held = 0;
    forget(choice);
    begin(choice, false, CHECK);
}

void mnp_choice_init(struct mnp_choice *choice)
{
    *choice = (struct mnp_choice){.trust = {TRUST_LEAST, TRUST_LEAST}};
    begin(choice, false, CHECK);
}

void mnp_choice_doubt(struct mnp_choice *choice)
{
    choice->turns = 0;
    choice->warms = false;
    choice->former = true;
    forget(choice);
    begin(choice, true, DOUBT);
}

static bool is_clearly_good(const struct mnp_choice *choice)
{
    return !choice->alone && choice->ticks[0] <= choice->work[0] - choice->work[0] / 5;
}

static bool is_clearly_bad(const struct mnp_choice *choice)
{
    return !choice->alone && choice->ticks[0] > 4 * choice->work[0] + MNP_LOST_TICKS;
}

/* Whether the choice has expired. It is valid for an amount of work, measured when it was made: for fewer windows, if
 * these are longer. */
static bool is_outdated(const struct mnp_choice *choice)
{
    return choice->held && choice->work[choice->alone] >= choice->held;
}

static void choose(struct mnp_choice *choice, bool alone)
{
    uint32_t *trust = &choice->trust[alone];
    if (alone == choice->former)
        *trust = *trust < TRUST_MOST / 2 ? 2 * *trust : TRUST_MOST;
    if (alone)
        choice->trust[false] = TRUST_LEAST;
    else if (choice->former)
        choice->saved = 0;
    uint64_t windows = choice->windows ? choice->windows : 1;
    choice->held = *trust * ((choice->work[0] + choice->work[1]) / windows);
    choice->former = alone;
    choice->turns = 0;
    choice->warms = false;
    forget(choice);
    begin(choice, alone, *trust);
}

/* Whether one way is more than `times` times as fast as the other in the current trial. Ticks are compared relative to
 * expected work. */
static bool is_faster(const struct mnp_choice *choice, bool alone, uint32_t times)
{
    return (unsigned __int128)choice->ticks[alone] * times * choice->work[!alone] <
           (unsigned __int128)choice->ticks[!alone] * choice->work[alone];
}

/* Ends a turn of a trial. Two turns suffice if one way is at least twice as fast. */
static void take_turns(struct mnp_choice *choice)
{
    choice->turns--;
    bool clear = choice->turns == TURNS / 2 && (is_faster(choice, true, 2) || is_faster(choice, false, 2));
    if (choice->turns && !clear)
        begin(choice, !choice->alone, PROBE);
    else
        choose(choice, is_faster(choice, true, 1));
}

/* Starts counting the first turn of a trial when the caches are warm, or when enough windows have passed: windows that
 * are so short need little cache. */
static void warm_up(struct mnp_choice *choice)
{
    if (--choice->left && choice->ticks[choice->alone] < WARM)
        return;
    choice->warms = false;
    choice->left = PROBE;
    forget(choice);
}

static void try_both(struct mnp_choice *choice)
{
    choice->turns = TURNS;
    choice->held = 0;
    choice->warms = true;
    forget(choice);
    begin(choice, !choice->alone, CHECK);
}

void mnp_choice_try(struct mnp_choice *choice)
{
    choice->alone = choice->former;
    try_both(choice);
}

/* Adds the time saved by running together since that choice, limited to the cost of two lost time slices. */
static void save(struct mnp_choice *choice, uint64_t ticks, uint64_t work)
{
    choice->saved += (int64_t)work - (int64_t)ticks;
    if (choice->saved < MNP_SAVED_MOST)
        return;
    choice->saved = MNP_SAVED_MOST;
    choice->trust[true] = TRUST_LEAST;
}

/* Handles a lost time slice. It ends a trial, and also ends running together unless more time has been saved than lost.
 * Each early end delays the next attempt. */
static void lose(struct mnp_choice *choice)
{
    if (!choice->turns && choice->saved >= 0) {
        look_again(choice);
        return;
    }
    choice->former = true;
    choose(choice, true);
}

static int longest_first(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left == right ? 0 : left < right ? 1 : -1;
}

uint64_t mnp_choice_work(uint64_t *unit_ticks, uint32_t units, uint32_t workers)
{
    uint64_t work = 0;
    qsort(unit_ticks, units, sizeof *unit_ticks, longest_first);
    for (uint32_t i = workers; i < units; i++)
        work += unit_ticks[i];
    return work;
}

void mnp_choice_note(struct mnp_choice *choice, uint64_t ticks, uint64_t work)
{
    bool wakes = choice->waking && ticks <= 4 * work + MNP_LOST_TICKS;
    choice->waking = false;
    if (wakes) /* the first window after sleep takes longer, once, and is not counted */
        return;
    choice->ticks[choice->alone] += ticks;
    choice->work[choice->alone] += work;
    choice->windows++;
    if (!choice->alone)
        save(choice, ticks, work);
    if (is_clearly_bad(choice))
        lose(choice);
    else if (choice->warms)
        warm_up(choice);
    else if (--choice->left && !is_outdated(choice))
        return;
    else if (choice->turns)
        take_turns(choice);
    else if (is_clearly_good(choice))
        look_again(choice);
    else
        try_both(choice);
}
