/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims to one output: a set of positions, and the position with the highest priority. All functions on them are
 * inlined at their uses: `age` is a constant there, and no call remains.
 */
#ifndef MNP_PARTS_ARBITRATIONS_CLAIMS_H
#define MNP_PARTS_ARBITRATIONS_CLAIMS_H

#include "base/device.h"

#include <stdint.h>

struct mnp_claims {
    const uint64_t *places; /* [words] one bit for each place with a claim; at least one */
    uint32_t words;
    uint32_t turn; /* the position that is searched first */
};

/* The time at which a position's claim was made, modulo 2^32; times are less than 2^31 apart. `owner` is the pointer
 * passed by the caller. */
typedef uint32_t mnp_claim_born(const void *owner, uint32_t place);

/* The first claim at `from` or behind it, in a circle. */
MNP_DEVICE static inline uint32_t mnp_claims_next(const struct mnp_claims *claims, uint32_t from)
{
    uint32_t word = from / 64;
    uint64_t bits = claims->places[word] & (UINT64_MAX << from % 64);
    while (!bits) {
        word = word + 1 < claims->words ? word + 1 : 0;
        bits = claims->places[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

#endif
