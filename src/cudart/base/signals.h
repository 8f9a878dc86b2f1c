/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that end the program. */
#ifndef CUDART_SIGNALS_H
#define CUDART_SIGNALS_H

#include <signal.h>

struct cudart;

/* From now on a signal that ends the program says that there are no results. */
void cudart_watch_signals(const struct cudart *rt);
/* Those by which a user ends a run, whose results are then partial ones: what a simulation holds back meanwhile. */
void cudart_ending_signals(sigset_t *signals);

#endif
