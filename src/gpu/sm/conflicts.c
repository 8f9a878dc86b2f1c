/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/conflicts.h"

#include "gpu/sm/coalesce.h"

#include "base/bits.h"

#include <string.h>

/* Fills in the offsets of a pattern; those of lanes that are not active, behind the others, are 0. False: one of them
 * is too far away. */
static bool describe(struct sm_conflict_pattern *pattern, const struct mnp_record *record, const uint64_t *words)
{
    uint64_t addresses[MNP_WARP_SIZE], base = words[0] & ~UINT64_C(3), beyond = 0;
    for (uint32_t i = mnp_expand_addresses(record, words, addresses); i < MNP_WARP_SIZE; i++)
        addresses[i] = base;
    for (uint32_t i = 0; i < MNP_WARP_SIZE; i++) {
        uint64_t offset = addresses[i] - base;
        beyond |= (offset + (UINT64_C(1) << 31)) >> 32;
        pattern->offset[i] = (uint32_t)offset;
    }
    return !beyond;
}

static bool is_same(const struct sm_conflict_pattern *a, const struct sm_conflict_pattern *b)
{
    uint32_t differs = (a->shape[0] ^ b->shape[0]) | (a->shape[1] ^ b->shape[1]);
    for (uint32_t i = 0; i < MNP_WARP_SIZE; i++)
        differs |= a->offset[i] ^ b->offset[i];
    return !differs;
}

/* A few lanes tell most patterns apart. */
static uint32_t place_of(const struct sm_conflict_pattern *pattern)
{
    const uint32_t *offset = pattern->offset;
    uint32_t hash = pattern->shape[0] ^ pattern->shape[1] ^ offset[0];
    hash = hash * 31 + offset[1];
    hash = hash * 31 + offset[7];
    hash = hash * 31 + offset[16];
    hash = hash * 31 + offset[MNP_WARP_SIZE - 1];
    return hash * UINT32_C(0x9e3779b1) >> 16 & (SM_CONFLICT_PATTERNS - 1);
}

uint32_t sm_conflicts_cycles(struct sm_conflicts *conflicts, const struct mnp_record *record, const uint64_t *words,
                             uint32_t width, uint32_t banks, bool atomic)
{
    struct sm_conflict_pattern pattern = {.shape = {width << 1 | atomic, record->mask}};
    bool plain = sm_shared_is_plain(record, words, width, banks, atomic);
    if (plain || !record->mask || !record->address_words || !describe(&pattern, record, words))
        return sm_shared_cycles(record, words, width, banks, atomic);
    struct sm_conflict_pattern *kept = &conflicts->pattern[place_of(&pattern)];
    if (kept->shape[2] && is_same(kept, &pattern))
        return kept->shape[2];
    pattern.shape[2] = sm_shared_cycles(record, words, width, banks, atomic);
    *kept = pattern;
    return pattern.shape[2];
}
