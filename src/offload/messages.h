/* SPDX-License-Identifier: BSD-3-Clause */
/* Handling of a guest's messages by the server. */
#ifndef OFFLOAD_MESSAGES_H
#define OFFLOAD_MESSAGES_H

#include "offload/jobs.h"

struct offload_messages {
    struct offload_jobs *jobs;
    struct offload_limits limits;
    struct mnp_offload_welcome welcome;
};

/* Answers all messages that a guest's stream holds. */
void offload_messages_take(struct offload_messages *messages, struct offload_guest *guest);

#endif
