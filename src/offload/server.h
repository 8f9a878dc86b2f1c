/* SPDX-License-Identifier: BSD-3-Clause */
/* The server of coprocessors: guests on one side, workers on the other, a queue between them. One thread, which waits
 * in poll and nowhere else. */
#ifndef OFFLOAD_SERVER_H
#define OFFLOAD_SERVER_H

#include "offload/launch.h"
#include "offload/transport.h"

#include <stdio.h>

struct offload_options {
    struct offload_machine machine;
    const char *socket, *doorbell, *fifos; /* ways in; NULL: not that one */
    const char *memory;                    /* the region's file */
    uint64_t memory_bytes;
    uint32_t coprocessors;
    uint32_t most_milliseconds; /* maximum time of a launch; 0: no limit */
    const char *qmp;            /* QEMU's QMP socket: time is simulated; NULL: the guest's clock is never stopped */
    const char *folder;         /* folder for offloads.json, written at the end; NULL: none */
    FILE *log;                  /* a line for each offload */
    FILE *summary;              /* how all went, at the end; NULL: nowhere */
    int alive;                  /* the server ends when this file is closed by its peer; -1: only by a signal */
};

/* Serves until SIGINT or SIGTERM. False: it could not begin. */
bool offload_serve(const struct offload_options *options, struct mnp_error *error);

#endif
