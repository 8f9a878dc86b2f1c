/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Division of a byte stream into messages. Bytes that belong to no message are skipped: serial ports outlive the
 * programs that write to them, so a program may begin in the middle of another's message. If an incomplete message
 * contains a HELLO, its sender is gone, and the stream continues with the HELLO.
 */
#ifndef OFFLOAD_STREAM_H
#define OFFLOAD_STREAM_H

#include "offload/decode.h"

struct offload_stream {
    unsigned char bytes[sizeof(struct mnp_offload_header) + MNP_OFFLOAD_PAYLOAD];
    size_t used;
    size_t passed;    /* length of the message that was returned last */
    uint64_t skipped; /* bytes so far that were no message's */
};

/* Returns the free space for more bytes, and its size. */
static inline unsigned char *offload_stream_room(struct offload_stream *stream, size_t *room)
{
    *room = sizeof stream->bytes - stream->used;
    return stream->bytes + stream->used;
}

/* Returns the next message, whose payload stays valid until the next call, or false if it is incomplete. After the call
 * there is free space. */
bool offload_stream_next(struct offload_stream *stream, struct mnp_offload_header *header,
                         const unsigned char **payload);

#endif
