/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dispatch to the arbitrations (arbitrations/list.h), which select the claim to serve. The arbitration is a number
 * chosen at run time; this inline function becomes one comparison per arbitration followed by its code, without a call.
 */
#ifndef MNP_PARTS_ARBITRATION_H
#define MNP_PARTS_ARBITRATION_H

#include "parts/arbitrations/oldest.h"
#include "parts/arbitrations/round_robin.h"

enum mnp_arbitration {
#define MNP_ARBITRATION(KIND, ...) KIND,
#include "parts/arbitrations/list.h"
#undef MNP_ARBITRATION
    MNP_ARBITRATIONS
};

/* Names of the arbitrations, NULL-terminated, in the order of the enumeration: the choices of a machine key. */
extern const char *const mnp_arbitration_names[];

/* Returns the position whose claim is served. */
MNP_DEVICE __attribute__((always_inline)) static inline uint32_t mnp_arbitrate(enum mnp_arbitration arbitration,
                                                                               const struct mnp_claims *claims,
                                                                               mnp_claim_born *born, const void *owner)
{
#define MNP_ARBITRATION(KIND, NAME, CHOOSE, HELP)                                                                      \
    if (arbitration == KIND)                                                                                           \
        return CHOOSE(claims, born, owner);
#include "parts/arbitrations/list.h"
#undef MNP_ARBITRATION
    return claims->turn;
}

#endif
