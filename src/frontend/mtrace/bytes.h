/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes being written, which grow, and bytes being read, which end: reading behind the end gives 0 and is noted. */
#ifndef MNP_FRONTEND_MTRACE_BYTES_H
#define MNP_FRONTEND_MTRACE_BYTES_H

#include "base/arena.h"
#include "frontend/mtrace/format.h"

#include <stdbool.h>
#include <stdlib.h>

struct bytes {
    uint8_t *data;
    size_t length, capacity;
};

static inline void bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->capacity - bytes->length >= more)
        return;
    bytes->capacity = 2 * bytes->capacity > bytes->length + more ? 2 * bytes->capacity : bytes->length + more + 256;
    bytes->data = mnp_reallocate(bytes->data, bytes->capacity, 1);
}

static inline void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

static inline void put_bytes(struct bytes *bytes, const void *data, size_t length)
{
    bytes_reserve(bytes, length);
    if (length)
        memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

static inline void put8(struct bytes *bytes, uint8_t value)
{
    put_bytes(bytes, &value, 1);
}

static inline void put32(struct bytes *bytes, uint32_t value)
{
    bytes_reserve(bytes, 4);
    store32(bytes->data + bytes->length, value);
    bytes->length += 4;
}

static inline void put64(struct bytes *bytes, uint64_t value)
{
    bytes_reserve(bytes, 8);
    store64(bytes->data + bytes->length, value);
    bytes->length += 8;
}

/* The low `count` bytes of a number. */
static inline void put_low(struct bytes *bytes, uint64_t value, uint32_t count)
{
    bytes_reserve(bytes, 8);
    store64(bytes->data + bytes->length, value);
    bytes->length += count;
}

/* Seven bits per byte, the low ones first; all but the last byte have bit 7 set. */
static inline void put_varint(struct bytes *bytes, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        put8(bytes, (uint8_t)(value | 128));
    put8(bytes, (uint8_t)value);
}

struct reader {
    const uint8_t *at, *end;
    bool short_of; /* a read went beyond the end */
};

static inline const uint8_t *get_bytes(struct reader *reader, size_t length)
{
    if ((size_t)(reader->end - reader->at) < length) {
        reader->short_of = true;
        reader->at = reader->end;
        return NULL;
    }
    const uint8_t *bytes = reader->at;
    reader->at += length;
    return bytes;
}

static inline uint32_t get8(struct reader *reader)
{
    const uint8_t *bytes = get_bytes(reader, 1);
    return bytes ? *bytes : 0;
}

static inline uint32_t get32(struct reader *reader)
{
    const uint8_t *bytes = get_bytes(reader, 4);
    return bytes ? load32(bytes) : 0;
}

static inline uint64_t get64(struct reader *reader)
{
    const uint8_t *bytes = get_bytes(reader, 8);
    return bytes ? load64(bytes) : 0;
}

static inline uint64_t get_varint(struct reader *reader)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint64_t byte = get8(reader);
        value |= (byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    reader->short_of = true;
    return 0;
}

#endif
