/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A block is a row of sequences: a token (4 bits length of literals, 4 bits length of a match), more bytes of the
 * first length, the literals, the distance of the match (2 bytes), more bytes of the second length. The last one ends
 * with its literals.
 */
#include "frontend/cuda/lz4.h"

#include <stdint.h>
#include <string.h>

enum { LONG_LENGTH = 15, LEAST_MATCH = 4 };

struct cursor {
    const unsigned char *at, *end;
};

/* A length of four bits, continued in bytes while they are 255. */
static bool read_length(struct cursor *in, size_t nibble, size_t limit, size_t *length)
{
    *length = nibble;
    if (nibble < LONG_LENGTH)
        return true;
    for (unsigned char byte = 255; byte == 255;) {
        if (in->at == in->end || *length > limit)
            return false;
        byte = *in->at++;
        *length += byte;
    }
    return true;
}

bool fatbin_lz4_decompress(const unsigned char *in, size_t in_bytes, unsigned char *out, size_t out_bytes)
{
    struct cursor from = {in, in + in_bytes};
    size_t made = 0, length;
    while (from.at < from.end) {
        unsigned token = *from.at++;
        if (!read_length(&from, token >> 4, out_bytes, &length) || length > (size_t)(from.end - from.at) ||
            length > out_bytes - made)
            return false;
        memcpy(out + made, from.at, length);
        made += length;
        from.at += length;
        if (from.at == from.end)
            return made == out_bytes;
        if (from.end - from.at < 2)
            return false;
        size_t distance = from.at[0] | (size_t)from.at[1] << 8;
        from.at += 2;
        if (!read_length(&from, token & 15, out_bytes, &length) || distance == 0 || distance > made)
            return false;
        length += LEAST_MATCH;
        if (length > out_bytes - made)
            return false;
        for (; length; length--, made++) /* byte by byte, because a match may overlap its own output */
            out[made] = out[made - distance];
    }
    return false;
}
