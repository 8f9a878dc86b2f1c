/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the program: their clocks, and calls that wait for what only another thread can bring about. */
#ifndef CUDART_OTHER_THREADS_H
#define CUDART_OTHER_THREADS_H

#include <stdbool.h>
#include <stdint.h>

struct cudart;

/* Several devices: each thread of the program has a clock of its own. The host's time is this thread's from now on, and
 * is kept for it. */
void cudart_load_clock(struct cudart *rt);
void cudart_keep_clock(struct cudart *rt);

/* Lets other threads make calls for so many nanoseconds at most. The calling thread counts as one that waits meanwhile,
 * and keeps its clock. */
void cudart_wait_for_calls(struct cudart *rt, uint64_t nanoseconds);

/* Gives the lock away until another thread has made a call, or the program is to end. False: no other thread will. */
bool cudart_await_call(struct cudart *rt);

/* Whether all threads that wait so have looked since the last call: one that has not may be about to go on. */
bool cudart_calls_are_seen(const struct cudart *rt);

#endif
