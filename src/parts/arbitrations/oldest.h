/* SPDX-License-Identifier: BSD-3-Clause */
/* The oldest claim first; of several that are equally old, whose turn it is. */
#ifdef MNP_ARBITRATION
MNP_ARBITRATION(OLDEST, oldest, "the oldest")
#elif !defined(MNP_PARTS_ARBITRATIONS_OLDEST_H)
#define MNP_PARTS_ARBITRATIONS_OLDEST_H

#include "parts/arbitrations/claims.h"

__attribute__((always_inline)) static inline uint32_t mnp_arbitration_oldest(const struct mnp_claims *claims,
                                                                             mnp_claim_born *born, const void *owner)
{
    uint32_t first = mnp_claims_next(claims, claims->turn), chosen = first;
    uint32_t best = born(owner, first), last = claims->words * 64 - 1;
    for (uint32_t place = mnp_claims_next(claims, first < last ? first + 1 : 0); place != first;
         place = mnp_claims_next(claims, place < last ? place + 1 : 0)) {
        uint32_t its = born(owner, place);
        if ((int32_t)(its - best) < 0) {
            best = its;
            chosen = place;
        }
    }
    return chosen;
}

#endif
