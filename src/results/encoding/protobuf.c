/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/encoding/protobuf.h"

#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };
enum { VARINT_MOST = 10 };

static unsigned char *add(struct results_message *message, size_t count)
{
    if (message->count + count > message->room) {
        message->room = 2 * (message->count + count);
        message->bytes = mnp_reallocate(message->bytes, message->room, 1);
    }
    unsigned char *at = message->bytes + message->count;
    message->count += count;
    return at;
}

/* Seven bits in a byte, the lowest first; all but the last have the eighth set. */
static void put_varint(struct results_message *message, uint64_t value)
{
    unsigned char text[VARINT_MOST];
    size_t count = 0;
    do {
        text[count++] = (unsigned char)(value & 127) | (value > 127 ? 128 : 0);
        value >>= 7;
    } while (value);
    memcpy(add(message, count), text, count);
}

static void put_key(struct results_message *message, uint32_t field, enum wire wire)
{
    put_varint(message, (uint64_t)field << 3 | wire);
}

void results_message_number(struct results_message *message, uint32_t field, uint64_t value)
{
    put_key(message, field, WIRE_VARINT);
    put_varint(message, value);
}

void results_message_fixed(struct results_message *message, uint32_t field, uint64_t value)
{
    put_key(message, field, WIRE_64);
    unsigned char *at = add(message, sizeof value);
    for (unsigned i = 0; i < sizeof value; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

void results_message_double(struct results_message *message, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    results_message_fixed(message, field, bits);
}

static void put_bytes(struct results_message *message, uint32_t field, const void *bytes, size_t count)
{
    put_key(message, field, WIRE_BYTES);
    put_varint(message, count);
    if (count)
        memcpy(add(message, count), bytes, count);
}

void results_message_text(struct results_message *message, uint32_t field, const char *text)
{
    put_bytes(message, field, text, strlen(text));
}

void results_message_put(struct results_message *message, uint32_t field, const struct results_message *inner)
{
    put_bytes(message, field, inner->bytes, inner->count);
}

void results_message_clear(struct results_message *message)
{
    message->count = 0;
}

void results_message_release(struct results_message *message)
{
    free(message->bytes);
    *message = (struct results_message){0};
}
