/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results of several processes with time, kept from time to time: the one that simulates for all may be killed, and
 * then the others have nothing but what lies in the folder. Also the description of a run, which results begin with.
 */
#ifndef CUDART_KEPT_RESULTS_H
#define CUDART_KEPT_RESULTS_H

#include <stdint.h>

enum { CUDART_KEEPING = 60 /* s after which a copy gives up */ };

struct cudart;

/* Describes the run in the results. Times are of the whole program, host code and loading included. */
void cudart_describe_run(struct cudart *rt);

/* Between two pieces of the simulation: a copy of this process writes the results so far to the folder, if they are due
 * (as soon as a kernel has ended, and then every few seconds). */
void cudart_keep_results(struct cudart *rt);
/* Waits until such a copy is done, for so many seconds at most: it is not to write over what comes then. */
void cudart_await_kept(const struct cudart *rt, uint32_t seconds);

#endif
