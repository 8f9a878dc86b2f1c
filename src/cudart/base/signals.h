/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that end the program. */
#ifndef CUDART_SIGNALS_H
#define CUDART_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct cudart;

/* From now on a signal that ends the program says that there are no results. */
void cudart_watch_signals(const struct cudart *rt);
/* From now on a file that grows beyond its limit (ulimit -f) is an error of who writes it, as a full disk is, and does
 * not end the program. Programs that this one starts do not inherit that. */
void cudart_take_file_limits(void);
/* In a call, before a piece of a simulation: until the call ends, SIGINT ends the run even if the program handles it,
 * unless the call ends soon behind it: then the program gets it. A program outside of such calls has its signals. */
void cudart_hold_signals(struct cudart *rt);
/* The call ends. True: a signal has come that the program is to get, when the lock has been given back. */
bool cudart_release_signals(struct cudart *rt);
/* Those by which a user ends a run, whose results are then partial ones: what a simulation holds back meanwhile. */
void cudart_ending_signals(sigset_t *signals);

#endif
