/* SPDX-License-Identifier: BSD-3-Clause */
/* The oldest claim first; among claims of equal age, round robin. */
#ifndef MNP_PARTS_ARBITRATIONS_OLDEST_H
#define MNP_PARTS_ARBITRATIONS_OLDEST_H

#include "parts/arbitrations/claims.h"

/* Updates the best claim with the claims in `bits`. Of equally old claims, the first one wins: call it in
 * order of priority. */
MNP_DEVICE __attribute__((always_inline)) static inline void
mnp_oldest_of(uint64_t bits, uint32_t offset, mnp_claim_born *born, const void *owner, uint32_t *chosen, uint32_t *best)
{
    for (; bits; bits &= bits - 1) {
        uint32_t place = offset + (uint32_t)__builtin_ctzll(bits), its = born(owner, place);
        if (*chosen == UINT32_MAX || (int32_t)(its - *best) < 0) {
            *best = its;
            *chosen = place;
        }
    }
}

/* Selects the oldest claim of at most 64 positions, searching from the position with the highest priority on. */
MNP_DEVICE __attribute__((always_inline)) static inline uint32_t
mnp_oldest_of_word(uint64_t places, uint32_t turn, mnp_claim_born *born, const void *owner)
{
    uint64_t bits = places >> turn | places << (-turn & 63);
    uint32_t chosen = ((uint32_t)__builtin_ctzll(bits) + turn) & 63, best = born(owner, chosen);
    for (bits &= bits - 1; bits; bits &= bits - 1) {
        uint32_t place = ((uint32_t)__builtin_ctzll(bits) + turn) & 63, its = born(owner, place);
        if ((int32_t)(its - best) < 0) {
            best = its;
            chosen = place;
        }
    }
    return chosen;
}

MNP_DEVICE __attribute__((always_inline)) static inline uint32_t
mnp_arbitration_oldest(const struct mnp_claims *claims, mnp_claim_born *born, const void *owner)
{
    if (claims->words == 1)
        return mnp_oldest_of_word(claims->places[0], claims->turn, born, owner);
    uint32_t chosen = UINT32_MAX, best = 0, turn = claims->turn / 64;
    uint64_t behind = UINT64_MAX << claims->turn % 64;
    mnp_oldest_of(claims->places[turn] & behind, turn * 64, born, owner, &chosen, &best);
    for (uint32_t i = 1; i < claims->words; i++) {
        uint32_t word = turn + i < claims->words ? turn + i : turn + i - claims->words;
        mnp_oldest_of(claims->places[word], word * 64, born, owner, &chosen, &best);
    }
    mnp_oldest_of(claims->places[turn] & ~behind, turn * 64, born, owner, &chosen, &best);
    return chosen;
}

#endif
