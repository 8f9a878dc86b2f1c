/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of the first process of a spread machine to those that follow it (device/ranks.h). */
#ifndef CUDART_RANK_COMMANDS_H
#define CUDART_RANK_COMMANDS_H

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

#endif
