/* SPDX-License-Identifier: BSD-3-Clause */
/* A guest from the server's view: a connection, its session, and unsent data. */
#ifndef OFFLOAD_GUEST_H
#define OFFLOAD_GUEST_H

#include "offload/stream.h"
#include "offload/transport.h"

struct offload_guest {
    struct offload_peer peer;
    struct offload_stream *in;
    unsigned char *out; /* [OFFLOAD_UNSENT] */
    size_t unsent;
    uint64_t session;  /* 0: none yet */
    uint32_t sequence; /* sequence number of the last LAUNCH of the session */
    uint32_t jobs;     /* that wait or run */
    uint64_t heard;    /* ns: when it last said something that made sense, or came in */
};

enum { OFFLOAD_UNSENT = 1 << 20 }; /* a guest with more unsent bytes is dropped */

static inline bool offload_guest_is_there(const struct offload_guest *guest)
{
    return guest->peer.transport != NULL;
}

/* Accepts a guest that waits at a door. Returns false if there is none. */
bool offload_guest_enter(struct offload_guest *guest, struct offload_door *door);
void offload_guest_leave(struct offload_guest *guest);

/* Reads available data, up to the free space. Returns false if the guest has disconnected. `got`: data was read. */
bool offload_guest_read(struct offload_guest *guest, bool *got);

/* Sends pending data. Returns false if the guest has disconnected. */
bool offload_guest_flush(struct offload_guest *guest);

/* Queues a REPLY. If the guest's queue is full, the REPLY is lost and the guest will be dropped. */
void offload_guest_reply(struct offload_guest *guest, uint32_t sequence, enum mnp_offload_status status,
                         const void *payload, size_t length);

/* A REPLY without results: a struct mnp_offload_result of zeroes, and a message. */
void offload_guest_refuse(struct offload_guest *guest, uint32_t sequence, enum mnp_offload_status status,
                          const char *message);

#endif
