/* SPDX-License-Identifier: BSD-3-Clause */
/* A guest as the server sees it: a connection, its session, and what has not been sent to it yet. */
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
    uint32_t sequence; /* of the last LAUNCH of the session */
    uint32_t jobs;     /* that wait or run */
    uint64_t heard;    /* ns: when it last said something that made sense, or came in */
};

enum { OFFLOAD_UNSENT = 1 << 20 }; /* a guest that lets so much wait is given up */

static inline bool offload_guest_is_there(const struct offload_guest *guest)
{
    return guest->peer.transport != NULL;
}

/* Takes in who waits at a door. False: nobody. */
bool offload_guest_enter(struct offload_guest *guest, struct offload_door *door);
void offload_guest_leave(struct offload_guest *guest);

/* Reads what is there, at most as much as fits. False: the guest has gone. `got`: something came. */
bool offload_guest_read(struct offload_guest *guest, bool *got);

/* Sends what has not been sent. False: the guest has gone. */
bool offload_guest_flush(struct offload_guest *guest);

/* Puts a REPLY among what is to be sent; a guest that takes nothing loses it, and will be given up. */
void offload_guest_reply(struct offload_guest *guest, uint32_t sequence, enum mnp_offload_status status,
                         const void *payload, size_t length);

/* A REPLY without results: a struct mnp_offload_result of zeroes, and a message. */
void offload_guest_refuse(struct offload_guest *guest, uint32_t sequence, enum mnp_offload_status status,
                          const char *message);

#endif
