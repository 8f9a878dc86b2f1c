/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic re-reference interval prediction (A. Jaleel et al., "High performance cache replacement using re-reference
 * interval prediction", ISCA 2010). New lines are inserted as in srrip.h (SRRIP: long interval), or, except one in 32,
 * with a distant interval (BRRIP). Set dueling selects the better of both: some leader sets always use SRRIP, as many
 * others always BRRIP, and the remaining sets use the one that has missed less often in its leader sets. A 10-bit
 * counter is incremented by misses of the first leaders and decremented by misses of the second. In this way a loop
 * larger than the cache does not thrash it, and scans do not flush it.
 *
 * Stored: per way the state of srrip.h; the counter, from -512 to 511; and the number of BRRIP insertions.
 */
#include "parts/cache/policies/called.h"
#include "parts/cache/policies/srrip.h"

enum { LEADERS = 32, LEAST = 8 /* sets from one leader to the next */, LIMIT = 512, SELDOM = 32 };

struct drrip {
    int32_t selector; /* above 0: SRRIP has missed more often than BRRIP */
    uint32_t distant; /* number of lines inserted by BRRIP */
};

static uint64_t cache_bytes(uint32_t sets, uint32_t ways, const uint64_t *values)
{
    (void)sets, (void)ways, (void)values;
    return sizeof(struct drrip);
}

static void use(const struct mnp_policy_set *set, uint32_t way)
{
    mnp_srrip_use(set, way);
}

/* A miss in a set: moves the counter, if the set is a leader, and says whether the line comes as BRRIP has it. */
static bool duel(const struct mnp_policy_set *set)
{
    struct drrip *drrip = set->cache;
    uint32_t period = set->sets / LEADERS > LEAST ? set->sets / LEADERS : LEAST, place = set->number % period;
    if (place == 0)
        drrip->selector += drrip->selector < LIMIT - 1;
    else if (place == period / 2)
        drrip->selector -= drrip->selector > -LIMIT;
    else
        return drrip->selector > 0;
    return place != 0;
}

static void insert(const struct mnp_policy_set *set, uint32_t way)
{
    struct drrip *drrip = set->cache;
    mnp_srrip_insert(set, way);
    if (duel(set) && ++drrip->distant % SELDOM)
        ((uint8_t *)set->ways)[way] = MNP_SRRIP_DISTANT;
}

static uint32_t victim(const struct mnp_policy_set *set, mnp_policy_barred *barred, const void *cache)
{
    return mnp_srrip_victim(set, barred, cache);
}

const struct mnp_policy mnp_drrip_policy = {
    .part = {.name = "drrip",
             .help = "re-reference interval prediction by set dueling, which resists scans and loops",
             .source = "Jaleel et al., ISCA 2010"},
    .way_bytes = 1,
    .asks = true,
    .cache_bytes = cache_bytes,
    .use = use,
    .insert = insert,
    .free = mnp_srrip_free,
    .victim = victim,
};
