/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A coprocessor of the server: a process of its own, which makes one launch after another. Whatever happens in it, a
 * launch that is cancelled or takes too long included, ends that process alone, and the next launch gets a new one.
 */
#ifndef OFFLOAD_WORKER_H
#define OFFLOAD_WORKER_H

#include "offload/launch.h"

#include <sys/types.h>

struct offload_worker {
    pid_t process; /* 0: none */
    int socket;    /* to it: requests there, replies back; each one packet */
    char *folder;  /* of the runs that it makes; NULL: none */
};

/* What comes back: the status and the payload of a REPLY. */
struct offload_answer {
    uint32_t status, length;
    unsigned char payload[MNP_OFFLOAD_PAYLOAD];
};

bool offload_worker_start(struct offload_worker *worker, const struct offload_machine *machine,
                          const struct offload_region *region, struct mnp_error *error);

/* Ends it, with all that it has started. */
void offload_worker_kill(struct offload_worker *worker);

/* False: the process is gone. */
bool offload_worker_ask(struct offload_worker *worker, const struct offload_request *request);
bool offload_worker_answer(struct offload_worker *worker, struct offload_answer *answer);

#endif
