/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signature-based hit prediction by the address of the instruction (C.-J. Wu et al., "SHiP: signature-based hit
 * predictor for high performance caching", MICRO 2011): a table of counters records whether lines brought in by an
 * instruction were re-used. A hit increments the counter of the instruction that brought in the line; the eviction of
 * an unused line decrements it. Lines of an instruction with counter zero are inserted with a distant interval, others
 * with a long one; victims are selected as in srrip.h.
 */
#include "engine/declare/declare.h"
#include "parts/cache/policies/called.h"

enum { DISTANT, LONG, NEAR = 3, MOST = 7 };

struct way {
    uint8_t nearness; /* 3 - the predicted interval */
    uint8_t unused;   /* there is a line, and no hit since it came */
    uint16_t signature;
};

struct values {
    uint64_t bits;
};

#define MNP_TABLE_OF struct values
static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("ship.bits", "bit", bits, "14", 4, 16, "of a signature: log2 of the counters",
                   "Wu et al., MICRO 2011"),
};

static uint64_t cache_bytes(uint32_t sets, uint32_t ways, const uint64_t *values)
{
    (void)sets, (void)ways;
    return UINT64_C(1) << values[0];
}

static uint16_t signature_of(const struct mnp_policy_set *set)
{
    return (uint16_t)((set->access->pc >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - set->values[0]));
}

/* Returns a counter, 0 … 7. It is stored as the difference from its initial value 1. */
static uint8_t counter_of(const struct mnp_policy_set *set, uint16_t signature)
{
    return ((const uint8_t *)set->cache)[signature] ^ 1;
}

static void count(const struct mnp_policy_set *set, uint16_t signature, bool up)
{
    uint8_t counter = counter_of(set, signature);
    counter = (uint8_t)(up ? counter + (counter < MOST) : counter - (counter > 0));
    ((uint8_t *)set->cache)[signature] = counter ^ 1;
}

static void use(const struct mnp_policy_set *set, uint32_t way)
{
    struct way *line = (struct way *)set->ways + way;
    line->nearness = NEAR;
    line->unused = false;
    count(set, line->signature, true);
}

/* A line goes, if there is one. */
static void leave(const struct mnp_policy_set *set, struct way *line)
{
    if (line->unused)
        count(set, line->signature, false);
    *line = (struct way){0};
}

static void insert(const struct mnp_policy_set *set, uint32_t way)
{
    struct way *ways = set->ways;
    uint8_t step = ways[way].nearness;
    for (uint32_t i = 0; i < set->count && step; i++)
        ways[i].nearness = ways[i].nearness > step ? (uint8_t)(ways[i].nearness - step) : DISTANT;
    leave(set, &ways[way]);
    uint16_t signature = signature_of(set);
    ways[way] =
        (struct way){.nearness = counter_of(set, signature) ? LONG : DISTANT, .unused = true, .signature = signature};
}

static void free_way(const struct mnp_policy_set *set, uint32_t way)
{
    leave(set, (struct way *)set->ways + way);
}

static uint32_t victim(const struct mnp_policy_set *set, mnp_policy_barred *barred, const void *cache)
{
    const struct way *ways = set->ways;
    uint32_t found = MNP_NO_WAY;
    for (uint32_t way = 0; way < set->count; way++)
        if (!barred(cache, way) && (found == MNP_NO_WAY || ways[way].nearness < ways[found].nearness))
            found = way;
    return found;
}

const struct mnp_policy mnp_ship_policy = {
    .part = {.name = "ship",
             .help = "re-reference interval prediction by the instruction that has brought a line",
             .source = "Wu et al., MICRO 2011",
             .parameters = parameters,
             .parameter_count = MNP_ROWS(parameters)},
    .way_bytes = sizeof(struct way),
    .asks = true,
    .cache_bytes = cache_bytes,
    .use = use,
    .insert = insert,
    .free = free_way,
    .victim = victim,
};
