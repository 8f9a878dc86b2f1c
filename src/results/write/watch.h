/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread beside the simulation that waits for signals and shows progress. Ctrl-C (or SIGTERM, SIGHUP) sets
 * `interrupted`, upon which the simulation ends with partial results; a second one, more than half a second later, ends
 * the program at once (`timeout` sends each of its signals twice). On a terminal the thread draws a line of progress,
 * but only in runs of more than two seconds.
 * Waiting in a thread needs no signal handler, and so no variable that the whole program shares.
 */
#ifndef MNP_RESULTS_WATCH_H
#define MNP_RESULTS_WATCH_H

#include "engine/count/results.h"

#include <pthread.h>
#include <signal.h>

enum watch_stage {
    WATCH_RUNNING,  /* a signal asks for partial results */
    WATCH_STARTING, /* there are no results yet: where the simulation does not begin soon, a signal ends the program */
    WATCH_SAVING,   /* files of results are being written: a signal changes nothing */
    WATCH_PRINTING, /* results go to standard output, maybe a pipe that nobody reads: a second signal ends that */
};

struct watch {
    _Atomic int interrupted; /* enum mnp_wish */
    uint64_t deadline_ns;    /* --max-time: when the host's time is over; 0: never */
    _Atomic enum watch_stage stage;
    uint64_t interrupted_ns; /* when the first signal came; the thread's own */
    bool quiet;
    bool draws; /* standard error is a terminal, and not -q */
    _Atomic bool drawn;
    pthread_t thread;
    sigset_t signals, previous;
    _Atomic uint64_t start_ns; /* when the simulation began */
    uint64_t last_ns, last_work;
    bool watching;
    _Atomic bool ending;

    /* The last progress reported, field by field; a line that mixes two reports does no harm. */
    _Atomic bool reported;
    const struct mnp_results_form *_Atomic form;
    _Atomic uint32_t parts_ended, part_count;
    _Atomic uint64_t pieces_done, pieces_known, cycles, work;
};

/* Starts watching: signals are held back from all threads that are started from here on. `deadline_ns`: by
 * results_watch_now; when it has come, `interrupted` becomes MNP_WISH_TIME; 0: never. Where no thread can be started,
 * signals end the process as they always do, and a deadline is an error. */
bool results_watch_start(struct watch *watch, bool quiet, uint64_t deadline_ns, struct mnp_error *error);

/* Says what the program is about from here on; results_watch_start leaves it at WATCH_RUNNING. */
void results_watch_enter(struct watch *watch, enum watch_stage stage);

/* Makes writes that fail return errors in place of signals, so that the error can be told and results be kept: of files
 * that grow beyond a limit, and, with `pipes`, of pipes that nobody reads. For the rest of the program. */
void results_watch_take_write_errors(bool pipes);

/* Clears the line, until progress is reported again. */
void results_watch_clear(struct watch *watch);

/* Ends watching and clears the line; once it has ended, nothing. */
void results_watch_end(struct watch *watch);

/* Takes a report of progress; `watch` is a struct watch. Cheap enough to be called in every window. */
void results_watch_progress(void *watch, const struct mnp_progress *progress);

/* Nanoseconds of a clock that only moves forward. */
uint64_t results_watch_now(void);

#endif
