/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampling dead block prediction (S. M. Khan, Y. Tian and D. A. Jimenez, "Sampling dead block prediction for last-level
 * caches", MICRO 2010). A few sets have a sampler, a small extra set with partial tags and exact LRU. When a sampler
 * entry is evicted, the instruction that touched it last is trained as one that leaves lines dead; when the entry is
 * touched again, as one that leaves them alive. The predictor consists of three tables of counters, each indexed by
 * another hash of the instruction's address; a line is predicted dead if the sum for its last instruction is 8 or more.
 * A dead line is replaced first, otherwise the least recently used one. A line that is predicted dead on arrival is not
 * allocated if the cache supports bypassing. In the paper, a sampler has fewer ways than the cache (12 of 16); here it
 * has three quarters of the cache's ways.
 */
#include "engine/declare/declare.h"
#include "parts/cache/policies/called.h"

enum { TABLES = 3, ENTRIES = 4096, COUNTER_MOST = 3, DEAD_FROM = 8, PARTIAL_BITS = 15 };

struct way {
    uint32_t stamp; /* time of its last use, by the set's clock */
    uint8_t dead;
    uint8_t reserved[3];
};

struct sample {
    uint32_t stamp;   /* 0: free */
    uint16_t tag, pc; /* partial tag and partial PC */
};

struct values {
    uint64_t sets;
};

#define MNP_TABLE_OF struct values
static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("dead-block.sets", "set", sets, "32", 1, 4096, "sets of a cache that have a sampler, at most",
                   "Khan et al., MICRO 2010"),
};

/* The state of a cache: the tables, then the samplers. */
static uint8_t *table_of(const struct mnp_policy_set *set, uint32_t table)
{
    return (uint8_t *)set->cache + (size_t)table * ENTRIES;
}

static uint32_t sample_ways(uint32_t ways)
{
    return ways > 1 ? ways * 3 / 4 : 1;
}

static uint64_t cache_bytes(uint32_t sets, uint32_t ways, const uint64_t *values)
{
    uint64_t sampled = sets < values[0] ? sets : values[0];
    return TABLES * ENTRIES + sampled * sample_ways(ways) * sizeof(struct sample);
}

/* A hash of `bits` bits. */
static uint32_t mix(uint64_t number, uint32_t bits)
{
    number = (number ^ number >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(number >> (64 - bits));
}

static uint32_t place_of(uint32_t table, uint32_t pc)
{
    return mix((uint64_t)pc << 8 | table, 12);
}

static uint16_t pc_of(const struct mnp_policy_set *set)
{
    return (uint16_t)mix(set->access->pc, PARTIAL_BITS);
}

static bool is_dead(const struct mnp_policy_set *set, uint32_t pc)
{
    uint32_t sum = 0;
    for (uint32_t table = 0; table < TABLES; table++)
        sum += table_of(set, table)[place_of(table, pc)];
    return sum >= DEAD_FROM;
}

static void learn(const struct mnp_policy_set *set, uint32_t pc, bool dead)
{
    for (uint32_t table = 0; table < TABLES; table++) {
        uint8_t *counter = &table_of(set, table)[place_of(table, pc)];
        *counter = (uint8_t)(dead ? *counter + (*counter < COUNTER_MOST) : *counter - (*counter > 0));
    }
}

/* The sampler of a set, NULL: it has none. */
static struct sample *sampler_of(const struct mnp_policy_set *set)
{
    uint32_t most = (uint32_t)set->values[0], period = set->sets > most ? set->sets / most : 1;
    if (set->number % period || set->number / period >= most)
        return NULL;
    struct sample *samples = (void *)((uint8_t *)set->cache + TABLES * ENTRIES);
    return samples + (size_t)(set->number / period) * sample_ways(set->count);
}

/* Advances the set's clock, which counts accesses. */
static uint32_t tick(const struct mnp_policy_set *set)
{
    return ++*(uint32_t *)set->own;
}

/* Returns the entry of a tag, or the entry to replace: a dead one, otherwise the least recently touched one. */
static struct sample *find(const struct mnp_policy_set *set, struct sample *samples, uint16_t tag)
{
    struct sample *oldest = samples, *dead = NULL;
    for (uint32_t i = 0; i < sample_ways(set->count); i++) {
        if (samples[i].stamp && samples[i].tag == tag)
            return &samples[i];
        if (samples[i].stamp < oldest->stamp)
            oldest = &samples[i];
        if (!dead && samples[i].stamp && is_dead(set, samples[i].pc))
            dead = &samples[i];
    }
    return dead && oldest->stamp ? dead : oldest;
}

static void seen(const struct mnp_policy_set *set)
{
    uint32_t now = tick(set);
    struct sample *samples = sampler_of(set);
    if (!samples)
        return;
    uint16_t tag = (uint16_t)mix(set->access->address, PARTIAL_BITS);
    struct sample *sample = find(set, samples, tag);
    if (sample->stamp)
        learn(set, sample->pc, sample->tag != tag);
    *sample = (struct sample){.stamp = now, .tag = tag, .pc = pc_of(set)};
}

static bool bypasses(const struct mnp_policy_set *set)
{
    return is_dead(set, pc_of(set));
}

static void touch(const struct mnp_policy_set *set, uint32_t way)
{
    ((struct way *)set->ways)[way] =
        (struct way){.stamp = *(const uint32_t *)set->own, .dead = is_dead(set, pc_of(set))};
}

static void free_way(const struct mnp_policy_set *set, uint32_t way)
{
    ((struct way *)set->ways)[way] = (struct way){0};
}

static uint32_t victim(const struct mnp_policy_set *set, mnp_policy_barred *barred, const void *cache)
{
    const struct way *ways = set->ways;
    uint32_t found = MNP_NO_WAY;
    for (uint32_t way = 0; way < set->count; way++) {
        if (barred(cache, way))
            continue;
        if (ways[way].dead)
            return way;
        if (found == MNP_NO_WAY || ways[way].stamp < ways[found].stamp)
            found = way;
    }
    return found;
}

const struct mnp_policy mnp_dead_block_policy = {
    .part = {.name = "dead-block",
             .help = "least recently used, after lines that a sampling predictor takes for dead",
             .source = "Khan et al., MICRO 2010",
             .parameters = parameters,
             .parameter_count = MNP_ROWS(parameters)},
    .way_bytes = sizeof(struct way),
    .set_bytes = sizeof(uint32_t),
    .asks = true,
    .cache_bytes = cache_bytes,
    .seen = seen,
    .bypasses = bypasses,
    .use = touch,
    .insert = touch,
    .free = free_way,
    .victim = victim,
};
