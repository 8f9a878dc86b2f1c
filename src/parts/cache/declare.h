/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cache's rows in the tables of the model that owns it (engine/declare/declare.h): its parameters and statistics,
 * with a prefix for the owner's keys and names. To add a parameter to all caches, add a field and a row here, and use
 * it in mnp_cache_shape_of. Sizes of lines and sectors belong to the owner, because caches that exchange lines must
 * agree on them.
 */
#ifndef MNP_PARTS_CACHE_DECLARE_H
#define MNP_PARTS_CACHE_DECLARE_H

#include "engine/declare/declare.h"
#include "parts/cache/cache.h"

struct mnp_cache_parameters {
    uint64_t size; /* bytes */
    uint64_t ways;
    uint64_t replacement;     /* enum mnp_replacement; MNP_REPLACE_CALLED and above: the policy is in `policy` */
    struct mnp_chosen policy; /* the selected policy, if it is called through pointers */
};

static inline struct mnp_cache_shape mnp_cache_shape_of(const struct mnp_cache_parameters *parameters, uint64_t line,
                                                        uint64_t sector, enum mnp_hash_kind hash)
{
    return (struct mnp_cache_shape){.sets = parameters->size / line / parameters->ways,
                                    .ways = parameters->ways,
                                    .line_bytes = line,
                                    .sector_bytes = sector,
                                    .replacement = parameters->replacement < MNP_REPLACE_CALLED
                                                       ? (enum mnp_replacement)parameters->replacement
                                                       : MNP_REPLACE_CALLED,
                                    .policy = &parameters->policy,
                                    .hash = hash};
}

/* FIELD: the struct mnp_cache_parameters in the owner's struct. SIZE's row: default, least, most, help, source; WAYS'
 * row: default, most, help, source. */
#define MNP_CACHE_SIZE_PARAMETERS(KEY, FIELD, SIZE, LEAST, MOST, SIZE_HELP, SIZE_SOURCE, WAYS, MOST_WAYS, WAYS_HELP,   \
                                  WAYS_SOURCE)                                                                         \
    MNP_SIZE_ROW(KEY "size", "byte", FIELD.size, SIZE, LEAST, MOST, SIZE_HELP, SIZE_SOURCE),                           \
        MNP_NUMBER_ROW(KEY "ways", "way", FIELD.ways, WAYS, 1, MOST_WAYS, WAYS_HELP, WAYS_SOURCE)

/* How the cache treats its lines. */
#define MNP_CACHE_POLICY_PARAMETERS(KEY, FIELD, SOURCE)                                                                \
    MNP_PART_ROW(KEY "replacement", FIELD.replacement, FIELD.policy, "lru", mnp_replacement_names,                     \
                 mnp_called_policies, MNP_POLICY_PART, false, mnp_replacement_help, SOURCE)

enum mnp_cache_statistic {
    MNP_CACHE_ACCESSES,
    MNP_CACHE_MISSES,
    MNP_CACHE_PENDING_HITS,
    MNP_CACHE_LAST_STATISTIC = MNP_CACHE_PENDING_HITS,
};

/* NAME: prefix of the names; AT: number of the first of these statistics in the owner's table; UNIT and the texts
 * describe accesses, misses, and accesses to pending sectors in the owner's terms. */
#define MNP_CACHE_STATISTICS(NAME, AT, UNIT, ACCESSES, MISSES, PENDING)                                                \
    [(AT) + MNP_CACHE_ACCESSES] = MNP_COUNTER_ROW(NAME "total_cache_accesses", UNIT, ACCESSES),                        \
            [(AT) + MNP_CACHE_MISSES] = MNP_COUNTER_ROW(NAME "total_cache_misses", UNIT, MISSES),                      \
            [(AT) + MNP_CACHE_PENDING_HITS] = MNP_COUNTER_ROW(NAME "total_cache_pending_hits", UNIT, PENDING)

#endif
