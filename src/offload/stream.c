/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/stream.h"

#include <string.h>

enum { HEADER = sizeof(struct mnp_offload_header) };

static void drop(struct offload_stream *stream, size_t count)
{
    stream->used -= count;
    memmove(stream->bytes, stream->bytes + count, stream->used);
}

/* The first place from `from` on where a header begins, or could once more bytes are there. */
static size_t find_header(const struct offload_stream *stream, size_t from, struct mnp_offload_header *header)
{
    const uint32_t magic = MNP_OFFLOAD_MAGIC;
    for (size_t at = from; at < stream->used; at++) {
        size_t left = stream->used - at;
        if (memcmp(stream->bytes + at, &magic, left < sizeof magic ? left : sizeof magic) == 0 &&
            (left < HEADER || offload_header_read(stream->bytes + at, header)))
            return at;
    }
    return stream->used;
}

/* Finds a HELLO inside an incomplete message. Returns 0 if there is none. */
static size_t find_hello(const struct offload_stream *stream)
{
    struct mnp_offload_header header;
    for (size_t at = 1; at + HEADER <= stream->used; at++) {
        at = find_header(stream, at, &header);
        if (at + HEADER <= stream->used && header.type == MNP_OFFLOAD_HELLO)
            return at;
    }
    return 0;
}

bool offload_stream_next(struct offload_stream *stream, struct mnp_offload_header *header,
                         const unsigned char **payload)
{
    drop(stream, stream->passed);
    stream->passed = 0;
    for (;;) {
        size_t at = find_header(stream, 0, header);
        stream->skipped += at;
        drop(stream, at);
        if (stream->used < HEADER)
            return false;
        if (stream->used >= HEADER + header->length)
            break;
        size_t hello = find_hello(stream);
        if (!hello)
            return false;
        stream->skipped += hello;
        drop(stream, hello);
    }
    stream->passed = HEADER + header->length;
    *payload = stream->bytes + HEADER;
    return true;
}
