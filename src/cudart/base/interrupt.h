/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends that come from outside: a signal by which the user ends the run, or the end of the time that the user gave
 * (--max-time). A thread waits for them. What simulates or executes kernels looks at `wish` and ends the program with
 * partial results; where the program is at work itself, outside of calls, the thread does that in its place. A program
 * whose first thread ends by pthread_exit ends with its last thread: the thread sees that only the runtime's are left.
 */
#ifndef CUDART_INTERRUPT_H
#define CUDART_INTERRUPT_H

#include "engine/core/engine.h"
#include "engine/count/results.h"

#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>

struct cudart;

/* SIGINT while a call simulates, in a program that handles it itself. Owner: signals.c. */
struct cudart_held {
    bool ours;                 /* the disposition is ours, until the call ends, and then the program's again: */
    struct sigaction program;  /* … which this is */
    _Atomic uint64_t call;     /* number of the call among those that have simulated so */
    _Atomic uint64_t asked_in; /* the call in which a signal came that the program has not got; 0: none */
    _Atomic uint32_t asked;    /* such signals that the waiting thread has not seen */
};

/* Owner: interrupt.c. */
struct cudart_interrupt {
    bool watched;            /* the thread is there */
    sem_t asked;             /* by a signal */
    _Atomic int wish;        /* enum mnp_wish: what is known by now */
    _Atomic bool main_left;  /* the program's first thread has ended by itself, and others may go on */
    _Atomic int own_threads; /* the runtime's, which do not end before the process does */
    struct cudart_held held;
};

/* Starts the thread, once. `deadline`: ns of the clock that only moves forward; 0: none. `end` writes results and ends
 * the process; it is called with the lock, or, of a run that has ended by itself, returns. */
void cudart_watch_end(struct cudart *rt, uint64_t deadline, void (*end)(struct cudart *rt));
/* Counts a thread as the runtime's. */
void cudart_own_thread(struct cudart *rt);
/* Called in the program's first thread: its end will be seen. */
void cudart_watch_main(struct cudart *rt);
/* A signal has come. False: no thread waits for it. Takes no lock. */
bool cudart_ask_end(void);
/* Records a signal that was caught elsewhere. */
void cudart_wish_end(struct cudart *rt);

bool cudart_is_ending(const struct cudart *rt);
/* How results call such an end. */
enum mnp_end cudart_wished_end(const struct cudart *rt);

#endif
