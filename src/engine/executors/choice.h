/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decision whether windows are run by several threads or by one, from measured times. On an idle host several threads
 * are faster whenever a window's work outweighs the synchronisation. On a host with competing processes, a window waits
 * for threads that have lost their processors, and one thread alone is much faster. The other way is tried from time to
 * time, less often the longer it has been slower. In a trial both ways take turns, since windows differ between phases
 * of a program, and each window's host time is related to its expected work. As long as running together takes clearly
 * less time than the work, nothing is tried. Occasional loss of a time slice is tolerated as long as the time saved
 * since the previous loss is greater.
 *
 * Long windows are excluded: they justify all threads on any host, and are much longer than a lost time slice.
 */
#ifndef MNP_ENGINE_EXECUTORS_CHOICE_H
#define MNP_ENGINE_EXECUTORS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

struct mnp_choice {
    bool alone;        /* whether the next window is run by one thread */
    bool former;       /* whether the previous choice was to run alone */
    bool waking;       /* the next window is the first one run together after a phase in which the threads slept */
    bool warms;        /* the first turn of a trial has just begun, and is not counted yet because caches are cold */
    uint32_t turns;    /* number of turns of the trial, including the current one; 0: no trial */
    uint32_t left;     /* windows left in the current phase */
    uint32_t trust[2]; /* numbers of windows for which a choice of running together, and of running alone, is valid */
    uint64_t held;     /* total work, in ticks, for which the current choice is valid; 0: no choice */
    uint64_t windows;  /* number of windows since the last decision, or in the trial */
    uint64_t ticks[2]; /* ticks of windows run together, and alone, since the last decision or in the trial */
    uint64_t work[2];  /* expected ticks of these windows on one thread */
    int64_t saved;     /* ticks saved by running together since that choice; a lost time slice is subtracted */
};

void mnp_choice_init(struct mnp_choice *choice);

/* Other processes are using the processors: runs the next windows alone, before trying to run together. */
void mnp_choice_doubt(struct mnp_choice *choice);

/* Measurements may be outdated: tries both ways at once. */
void mnp_choice_try(struct mnp_choice *choice);

/* Work in ticks at which a window counts as long: about 2 milliseconds. */
enum { MNP_LONG_WINDOW = 5000000 };

/* Host time at which it is checked whether a window was long or was delayed: about a millisecond. */
enum { MNP_LOST_TICKS = 2000000 };

/* Limit in ticks of the saved time that offsets future lost time slices: two of about 3 milliseconds. */
enum { MNP_SAVED_MOST = 16000000 };

/* The work of a completed window, from the ticks of its units, which this function sorts. The longest unit of each
 * worker is excluded, because its thread may have lost the processor while running it. */
uint64_t mnp_choice_work(uint64_t *unit_ticks, uint32_t units, uint32_t workers);

/* Whether the current choice was measured, i.e. is neither a trial nor a guess. */
static inline bool mnp_choice_is_settled(const struct mnp_choice *choice)
{
    return choice->held != 0;
}

/* Records a window that was run according to the choice: its ticks, and the expected ticks of work. */
void mnp_choice_note(struct mnp_choice *choice, uint64_t ticks, uint64_t work);

#endif
