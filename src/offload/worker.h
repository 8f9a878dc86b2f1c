/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A coprocessor of the server is a separate process that executes launches one after another. A crash, a cancellation
 * or a timeout ends only that process, and the next launch gets a new one.
 */
#ifndef OFFLOAD_WORKER_H
#define OFFLOAD_WORKER_H

#include "offload/launch.h"

#include <sys/types.h>

struct offload_worker {
    pid_t process; /* 0: none */
    int socket;    /* socket to the process: requests and replies, one packet each */
    char *folder;  /* folder for the files of its runs; NULL: none */
};

/* The answer of a worker: the status and the payload of a REPLY. */
struct offload_answer {
    uint32_t status, length;
    unsigned char payload[MNP_OFFLOAD_PAYLOAD];
};

bool offload_worker_start(struct offload_worker *worker, const struct offload_machine *machine,
                          const struct offload_region *region, struct mnp_error *error);

/* Kills it, together with all processes that it has started. */
void offload_worker_kill(struct offload_worker *worker);

/* False: the process is gone. */
bool offload_worker_ask(struct offload_worker *worker, const struct offload_request *request);
bool offload_worker_answer(struct offload_worker *worker, struct offload_answer *answer);

#endif
