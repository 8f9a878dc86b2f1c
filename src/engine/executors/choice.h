/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether windows are run together or by one thread alone, by what either of them took. On a free host several threads
 * are faster wherever the work of a window pays for their meeting; on one whose processors others want, a window waits
 * for a thread that has lost its processor, and one thread alone is faster by far. The other way is tried now and then,
 * the more seldom the longer it has been the slower one; both take turns then, as windows differ from one phase of a
 * program to the next, and each window's host time counts by the work that was expected of it. While running together
 * takes clearly less than the work does, nothing is tried. A time slice that is lost now and then is borne as long as
 * what was saved since the one before is worth more.
 *
 * Long windows are left out of it: they are worth all threads on any host, and much longer than a lost time slice.
 */
#ifndef MNP_ENGINE_EXECUTORS_CHOICE_H
#define MNP_ENGINE_EXECUTORS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

struct mnp_choice {
    bool alone;        /* how the next window is to be run */
    bool former;       /* what was chosen before: alone */
    bool waking;       /* the next window is the first of a stretch together, whose threads have slept until now */
    bool warms;        /* the trial's first turn has just begun, and is not counted yet */
    uint32_t turns;    /* of a trial, the present one included; 0: there is none */
    uint32_t left;     /* windows of the present stretch */
    uint32_t trust[2]; /* windows that a choice of running together holds, and of running alone, */
    uint64_t held;     /* … and the work that the present one holds for; 0: there is none */
    uint64_t windows;  /* since the last look, or of the trial */
    uint64_t ticks[2]; /* of windows together, and alone: since the last look, or of the trial */
    uint64_t work[2];  /* ticks that they were expected to take on one thread */
    int64_t saved;     /* ticks, by running together since that was chosen; a lost time slice counts against it */
};

void mnp_choice_init(struct mnp_choice *choice);

/* Others want the processors just now: the next windows are run alone, before it is tried how they run together. */
void mnp_choice_doubt(struct mnp_choice *choice);

/* What is measured may be so no longer: both ways are tried at once. */
void mnp_choice_try(struct mnp_choice *choice);

/* Work from which a window is long, in ticks: about 2 milliseconds. */
enum { MNP_LONG_WINDOW = 5000000 };

/* Host time from which it is worth finding out whether a window was long or waited: about a millisecond. */
enum { MNP_LOST_TICKS = 2000000 };

/* Ticks that are saved and kept for time slices that will be lost: two of about 3 milliseconds. */
enum { MNP_SAVED_MOST = 16000000 };

/* The work of a window that has been run, by what each of its units took, which is put in order. The longest one of
 * each worker is left out, as its thread may have lost the processor in it. */
uint64_t mnp_choice_work(uint64_t *unit_ticks, uint32_t units, uint32_t workers);

/* Whether what is chosen was measured, and is neither a trial nor a guess. */
static inline bool mnp_choice_is_settled(const struct mnp_choice *choice)
{
    return choice->held != 0;
}

/* Notes what a window took, run as the choice said: ticks, and ticks of work that were expected. */
void mnp_choice_note(struct mnp_choice *choice, uint64_t ticks, uint64_t work);

#endif
