/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/choice.h"

#include <stdlib.h>

enum {
    CHECK = 16, /* windows after which running together is looked at */
    PROBE = 8,  /* windows for which the other way is tried */
    DOUBT = 64, /* windows run alone before it is tried to run together */
    TRUST_LEAST = 128,
    TRUST_MOST = 8192,
};

static void begin(struct mnp_choice *choice, bool alone, uint32_t windows)
{
    choice->waking = choice->alone && !alone;
    choice->alone = alone;
    choice->left = windows;
    choice->ticks[alone] = choice->units[alone] = 0;
    if (!alone)
        choice->work = 0;
}

void mnp_choice_init(struct mnp_choice *choice)
{
    *choice = (struct mnp_choice){.trust = TRUST_LEAST};
    begin(choice, false, CHECK);
}

void mnp_choice_doubt(struct mnp_choice *choice)
{
    choice->other = false;
    choice->former = true;
    begin(choice, true, DOUBT);
}

static bool is_clearly_good(const struct mnp_choice *choice)
{
    return !choice->alone && choice->ticks[0] <= choice->work - choice->work / 5;
}

static bool is_clearly_bad(const struct mnp_choice *choice)
{
    return !choice->alone && choice->ticks[0] > 4 * choice->work + MNP_LOST_TICKS;
}

/* Both ways have been measured. */
static void choose(struct mnp_choice *choice)
{
    bool alone = (unsigned __int128)choice->ticks[1] * choice->units[0] <
                 (unsigned __int128)choice->ticks[0] * choice->units[1];
    bool again = alone == choice->former;
    choice->trust = !again ? TRUST_LEAST : choice->trust < TRUST_MOST / 2 ? 2 * choice->trust : TRUST_MOST;
    choice->former = alone;
    choice->other = false;
    begin(choice, alone, choice->trust);
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

void mnp_choice_note(struct mnp_choice *choice, uint64_t ticks, uint64_t units, uint64_t work)
{
    bool wakes = choice->waking && ticks <= 4 * work + MNP_LOST_TICKS;
    choice->waking = false;
    if (wakes) /* it takes longer than the others of the stretch, once */
        return;
    choice->ticks[choice->alone] += ticks;
    choice->units[choice->alone] += units;
    if (!choice->alone)
        choice->work += work;
    if (--choice->left && !is_clearly_bad(choice))
        return;
    if (choice->other) {
        choose(choice);
    } else if (is_clearly_good(choice)) {
        begin(choice, false, CHECK);
    } else {
        choice->other = true;
        begin(choice, !choice->alone, PROBE);
    }
}
