/* SPDX-License-Identifier: BSD-3-Clause */
/* Round robin: the first claim behind the position that was served last. */
#ifndef MNP_PARTS_ARBITRATIONS_ROUND_ROBIN_H
#define MNP_PARTS_ARBITRATIONS_ROUND_ROBIN_H

#include "parts/arbitrations/claims.h"

MNP_DEVICE __attribute__((always_inline)) static inline uint32_t
mnp_arbitration_round_robin(const struct mnp_claims *claims, mnp_claim_born *born, const void *owner)
{
    (void)born;
    (void)owner;
    return mnp_claims_next(claims, claims->turn);
}

#endif
