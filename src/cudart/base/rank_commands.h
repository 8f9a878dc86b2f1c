/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the first process of a spread machine to those that follow it (device/ranks.h). */
#ifndef CUDART_RANK_COMMANDS_H
#define CUDART_RANK_COMMANDS_H

#include "engine/executors/processes.h"

enum cudart_rank_action {
    CUDART_RANK_DEVICE,  /* the machine's name follows the notes: there is a device from now on */
    CUDART_RANK_MACHINE, /* the machine starts */
    CUDART_RANK_RUN,     /* the machine runs to a simulated time */
    CUDART_RANK_COLLECT, /* the end of the simulation: statistics are gathered */
    CUDART_RANK_END,     /* the end of the program */
};

struct cudart_rank_command { /* from the first process to all others */
    uint64_t action;         /* enum cudart_rank_action */
    uint64_t until;          /* fs; CUDART_RANK_RUN */
    uint64_t notes;          /* bytes of a device's journal (execute/device/journal.h) behind the command, … */
    uint64_t text;           /* … and of a text behind them */
};

/* Collective: the first process sends, the others receive. `*bytes` is to be freed. */
void cudart_send_command(const struct processes *processes, struct cudart_rank_command command, const void *notes,
                         const char *text);
struct cudart_rank_command cudart_receive_command(const struct processes *processes, void **bytes);

#endif
