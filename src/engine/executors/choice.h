/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether windows are run together or by one thread alone, by what either of them took. On a free host several threads
 * are faster wherever the work of a window pays for their meeting; on one whose processors others want, a window waits
 * for a thread that has lost its processor, and one thread alone is faster by far. Stretches of windows are measured,
 * in host time for each unit that was run; the other way is tried now and then, the more seldom the longer it has been
 * the slower one. While running together takes clearly less than the work does, nothing is tried.
 *
 * Long windows are left out of it: they are worth all threads on any host, and much longer than a lost time slice.
 */
#ifndef MNP_ENGINE_EXECUTORS_CHOICE_H
#define MNP_ENGINE_EXECUTORS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

struct mnp_choice {
    bool alone;        /* how the next window is to be run */
    bool other;        /* the present stretch tries what was not chosen */
    bool former;       /* what was chosen before: alone */
    bool waking;       /* the next window is the first of a stretch together, whose threads have slept until now */
    uint32_t left;     /* windows of the present stretch */
    uint32_t trust;    /* windows that a choice holds */
    uint64_t ticks[2]; /* of the last stretch together, and alone */
    uint64_t units[2]; /* that were run in it */
    uint64_t work;     /* ticks that the stretch together was expected to take on one thread */
};

void mnp_choice_init(struct mnp_choice *choice);

/* Others want the processors just now: the next windows are run alone, before it is tried how they run together. */
void mnp_choice_doubt(struct mnp_choice *choice);

/* Work from which a window is long, in ticks: about 2 milliseconds. */
enum { MNP_LONG_WINDOW = 5000000 };

/* Host time from which it is worth finding out whether a window was long or waited: about a millisecond. */
enum { MNP_LOST_TICKS = 2000000 };

/* The work of a window that has been run, by what each of its units took, which is put in order. The longest one of
 * each worker is left out, as its thread may have lost the processor in it. */
uint64_t mnp_choice_work(uint64_t *unit_ticks, uint32_t units, uint32_t workers);

/* Notes what a window took, run as the choice said: ticks, units, and ticks of work that were expected. */
void mnp_choice_note(struct mnp_choice *choice, uint64_t ticks, uint64_t units, uint64_t work);

#endif
