/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream of bytes cut into messages. What is no message is skipped: the streams of serial ports outlive the programs
 * that write them, so that one may begin in the middle of another's message. Where a message is not complete, and a
 * HELLO lies in what has come of it, its sender is gone, and the stream goes on with the HELLO.
 */
#ifndef OFFLOAD_STREAM_H
#define OFFLOAD_STREAM_H

#include "offload/decode.h"

struct offload_stream {
    unsigned char bytes[sizeof(struct mnp_offload_header) + MNP_OFFLOAD_PAYLOAD];
    size_t used;
    size_t passed;    /* of the message that was handed out last */
    uint64_t skipped; /* bytes so far that were no message's */
};

/* Where more bytes may be put, and how many. */
static inline unsigned char *offload_stream_room(struct offload_stream *stream, size_t *room)
{
    *room = sizeof stream->bytes - stream->used;
    return stream->bytes + stream->used;
}

/* The next message, whose payload stays until the next call; false: it is not there yet. After it, there is room. */
bool offload_stream_next(struct offload_stream *stream, struct mnp_offload_header *header,
                         const unsigned char **payload);

#endif
