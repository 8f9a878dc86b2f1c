/* SPDX-License-Identifier: BSD-3-Clause */
/* The number as a polynomial over GF(2), modulo an irreducible polynomial: B. R. Rau, "Pseudo-randomly interleaved
 * memory", ISCA 1991. The contribution of a bit is x to the power of its position; the positions of the group begin
 * above the low part. */
#ifndef MNP_PARTS_HASHES_IPOLY_H
#define MNP_PARTS_HASHES_IPOLY_H

#include <stdbool.h>
#include <stdint.h>

enum { mnp_hash_ipoly_plain = false };

static inline uint32_t mnp_hash_ipoly_bit(uint32_t bit, uint32_t bits, uint32_t polynomial)
{
    uint32_t value = 1;
    for (uint32_t i = 0; i < bit + bits; i++) {
        value <<= 1;
        if (value >> bits & 1)
            value ^= polynomial;
    }
    return value;
}

#endif
