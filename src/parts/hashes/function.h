/* SPDX-License-Identifier: BSD-3-Clause */
/* A function of an address hash (parts/hash.h). It is linear over GF(2), and therefore defined by the contribution of
 * each bit. */
#ifndef MNP_PARTS_HASHES_FUNCTION_H
#define MNP_PARTS_HASHES_FUNCTION_H

#include "engine/declare/part.h"

#include <stdbool.h>
#include <stdint.h>

/* The kind of part (mnp_parameter.joins) under which plug-ins add hashes. */
#define MNP_HASH_PART "hash"

struct mnp_hash_function {
    struct mnp_part part; /* parameters and statistics are not supported */
    bool plain;           /* no bit contributes anything */
    /* The value that bit number `bit` of a group contributes to a bin number of `bits` bits (not 0); `polynomial` is
     * the smallest irreducible one of that degree. The value of a group is the exclusive or over its bits. */
    uint32_t (*bit)(uint32_t bit, uint32_t bits, uint32_t polynomial);
};

#endif
