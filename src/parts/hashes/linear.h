/* SPDX-License-Identifier: BSD-3-Clause */
/* No hash: neighbours are in neighbouring bins, and the group has no effect. */
#ifndef MNP_PARTS_HASHES_LINEAR_H
#define MNP_PARTS_HASHES_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

enum { mnp_hash_linear_plain = true };

static inline uint32_t mnp_hash_linear_bit(uint32_t bit, uint32_t bits, uint32_t polynomial)
{
    (void)bit;
    (void)bits;
    (void)polynomial;
    return 0;
}

#endif
