/* SPDX-License-Identifier: BSD-3-Clause */
/* The group is cut into pieces as wide as a bin number, which are combined by exclusive or. */
#ifndef MNP_PARTS_HASHES_XOR_H
#define MNP_PARTS_HASHES_XOR_H

#include <stdbool.h>
#include <stdint.h>

enum { mnp_hash_xor_plain = false };

static inline uint32_t mnp_hash_xor_bit(uint32_t bit, uint32_t bits, uint32_t polynomial)
{
    (void)polynomial;
    return UINT32_C(1) << bit % bits;
}

#endif
