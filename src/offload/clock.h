/* SPDX-License-Identifier: BSD-3-Clause */
/* Control of the guest's clock: if time is simulated, QEMU is stopped (QMP stop) while launches wait or run, and
 * continued (cont) after all have received their replies. */
#ifndef OFFLOAD_CLOCK_H
#define OFFLOAD_CLOCK_H

#include <stdbool.h>

struct offload_clock {
    const char *path; /* QEMU's QMP socket; NULL: the guest's clock is never stopped */
    int socket;       /* -1: not connected */
    bool stopped;
};

/* Stops or continues the guest. If the connection to QEMU is lost, reconnects at the next call. */
void offload_clock_set(struct offload_clock *clock, bool stopped);
void offload_clock_close(struct offload_clock *clock);

#endif
