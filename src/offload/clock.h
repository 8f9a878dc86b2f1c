/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's clock: where time is to be simulated, QEMU stands still (QMP stop) while launches wait or run, and goes
 * on (cont) when all have got their replies. */
#ifndef OFFLOAD_CLOCK_H
#define OFFLOAD_CLOCK_H

#include <stdbool.h>

struct offload_clock {
    const char *path; /* QEMU's QMP socket; NULL: the guest's clock goes on */
    int socket;       /* -1: not connected */
    bool stopped;
};

/* Lets the guest stand still, or go on. A QEMU that has gone is looked for again the next time. */
void offload_clock_set(struct offload_clock *clock, bool stopped);
void offload_clock_close(struct offload_clock *clock);

#endif
