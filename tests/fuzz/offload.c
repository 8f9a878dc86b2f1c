/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: a guest's bytes, cut into messages, and launches read from them. What gets through lies inside of
 * the region. The checks of headers are put right where only they are wrong: no input would guess them. */
#include "offload/stream.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = sizeof(struct mnp_offload_header), REGION = 1 << 20 };

static void inside(uint64_t at, uint64_t bytes)
{
    if (at < MNP_OFFLOAD_HEAD || at > REGION || bytes > REGION - at)
        abort();
}

static void read_launch(const unsigned char *payload, size_t length)
{
    const struct offload_limits limits = {REGION, 1u << MNP_OFFLOAD_ELF | 1u << MNP_OFFLOAD_PTX, 4096};
    static struct offload_request request;
    struct mnp_error error = {0};
    unsigned char *copy = malloc(length + 1); /* its own block, so that a read behind it is seen */
    memcpy(copy, payload, length);
    if (offload_request_read(copy, length, &limits, &request, &error) == MNP_OFFLOAD_OK) {
        inside(request.launch.program_at, request.launch.program_bytes);
        if (request.launch.buffer_count > MNP_OFFLOAD_BUFFERS || request.launch.argument_count > MNP_OFFLOAD_ARGUMENTS)
            abort();
        for (uint32_t i = 0; i < request.launch.buffer_count; i++)
            inside(request.buffers[i].at, request.buffers[i].bytes);
        for (uint32_t i = 0; i < request.launch.argument_count; i++)
            if (!request.arguments[i].bytes && request.arguments[i].value >= request.launch.buffer_count)
                abort();
    }
    free(copy);
}

static void mend(unsigned char *bytes, size_t size)
{
    const uint32_t magic = MNP_OFFLOAD_MAGIC;
    struct mnp_offload_header header;
    for (size_t at = 0; at + HEADER <= size; at++) {
        memcpy(&header, bytes + at, HEADER);
        if (header.magic != magic)
            continue;
        header.check = mnp_offload_check(&header);
        memcpy(bytes + at, &header, HEADER);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct offload_stream stream;
    struct mnp_offload_header header;
    const unsigned char *payload;
    unsigned char *bytes = malloc(size + 1);
    memcpy(bytes, data, size);
    mend(bytes, size);
    read_launch(bytes, size);
    memset(&stream, 0, sizeof stream);
    size_t messages = 0;
    for (size_t at = 0; at < size;) {
        size_t room, piece = 1 + data[at] % 97u;
        unsigned char *to = offload_stream_room(&stream, &room);
        piece = piece < size - at ? piece : size - at;
        if (piece > room)
            abort();
        memcpy(to, bytes + at, piece);
        stream.used += piece;
        at += piece;
        for (; offload_stream_next(&stream, &header, &payload); messages++)
            if (header.type == MNP_OFFLOAD_LAUNCH)
                read_launch(payload, header.length);
    }
    if (messages * HEADER + stream.skipped > size)
        abort();
    free(bytes);
    return 0;
}
