/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CUDA program whose machine is spread over processes (DESIGN §2.11). The first one runs the program; the others
 * follow (cudart/follow.c): before each piece of simulated time they are told what the program has done to the device,
 * and then all of them run the piece.
 */
#ifndef CUDART_SPREAD_H
#define CUDART_SPREAD_H

#include "base/error.h"
#include "engine/executors/processes.h"

enum spread_action {
    SPREAD_DEVICE,  /* the machine's name follows the notes: there is a device from now on */
    SPREAD_MACHINE, /* it begins to run */
    SPREAD_RUN,     /* to a simulated time */
    SPREAD_COLLECT, /* the end of the simulation: statistics are gathered */
    SPREAD_END,     /* the end of the program */
};

struct spread_order { /* from the first process to all others */
    uint64_t action;  /* enum spread_action */
    uint64_t until;   /* fs; SPREAD_RUN */
    uint64_t notes;   /* bytes of a device's journal (execute/device/journal.h) that come with it, */
    uint64_t text;    /* and behind them, of a text */
};

/* Collective: the first process sends, the others receive. `*bytes` is to be freed. */
void cudart_spread_send(const struct processes *processes, struct spread_order order, const void *notes,
                        const char *text);
struct spread_order cudart_spread_receive(const struct processes *processes, void **bytes);

struct cudart;

/* The first process's side; each does nothing where there is one process. */
bool cudart_spread_join(struct cudart *rt, struct mnp_error *error);
void cudart_spread_order(struct cudart *rt, enum spread_action action, uint64_t until);
void cudart_spread_print(struct cudart *rt); /* what kernels have printed in the last piece */
void cudart_spread_end(struct cudart *rt);

#endif
