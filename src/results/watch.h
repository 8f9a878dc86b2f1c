/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread beside the simulation that waits for signals and shows progress. Ctrl-C (or SIGTERM) sets `interrupted`,
 * upon which the simulation ends with partial results; a second one ends the program at once. On a terminal it draws a
 * line of progress, but only in runs of more than two seconds.
 * Waiting in a thread needs no signal handler, and so no variable that the whole program shares.
 */
#ifndef MNP_RESULTS_WATCH_H
#define MNP_RESULTS_WATCH_H

#include "engine/count/results.h"

#include <pthread.h>
#include <signal.h>

struct watch {
    _Atomic int interrupted;
    bool draws; /* standard error is a terminal, and not -q */
    _Atomic bool drawn;
    pthread_t thread;
    sigset_t signals, previous;
    uint64_t start_ns, last_ns, last_instructions;
    _Atomic bool ending;

    /* The last progress reported, field by field; a line that mixes two reports does no harm. */
    _Atomic bool reported;
    _Atomic uint32_t kernels_ended, kernel_count;
    _Atomic uint64_t ctas_done, ctas_known, cycles, warp_instructions;
};

/* Starts watching: signals are held back from all threads that are started from here on. */
void watch_start(struct watch *watch, bool quiet);

/* Clears the line, until progress is reported again. */
void watch_clear(struct watch *watch);

/* Ends watching and clears the line. */
void watch_end(struct watch *watch);

/* Takes a report of progress; `watch` is a struct watch. Cheap enough to be called in every window. */
void watch_progress(void *watch, const struct mnp_progress *progress);

/* Nanoseconds of a clock that only moves forward. */
uint64_t watch_now(void);

#endif
