/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/cache/cache.h"

#include "base/range.h"
#include "engine/configure/part_error.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 1 << 20, MAX_WAYS = 1 << 15, MAX_LINE = 128, MAX_SECTORS = 16 };

bool mnp_cache_check(const struct mnp_cache_shape *shape, const char *what, struct mnp_error *error)
{
    unsigned long long line = shape->line_bytes, sector = shape->sector_bytes;
    if (!mnp_is_power_of_two(line) || line > MAX_LINE)
        return mnp_fail(error, "%s: a line of %llu bytes; use a power of two up to %d", what, line, MAX_LINE);
    if (!mnp_is_power_of_two(sector) || sector > line || line / sector > MAX_SECTORS)
        return mnp_fail(error, "%s: a sector of %llu bytes; use a power of two from %llu to %llu", what, sector,
                        line > MAX_SECTORS ? line / MAX_SECTORS : 1, line);
    if (shape->ways < 1 || shape->ways > MAX_WAYS)
        return mnp_fail(error, "%s: %llu ways; use 1 to %d", what, (unsigned long long)shape->ways, MAX_WAYS);
    if (shape->sets < 1 || shape->sets > MAX_SETS)
        return mnp_fail(error, "%s: %llu sets; use 1 to %d", what, (unsigned long long)shape->sets, MAX_SETS);
    return true;
}

static uint32_t stride_of(const struct mnp_cache_shape *shape)
{
    return (uint32_t)mnp_round_up(shape->ways, MNP_CACHE_VECTOR);
}

uint32_t mnp_cache_lines(const struct mnp_cache_shape *shape)
{
    return (uint32_t)shape->sets * stride_of(shape);
}

size_t mnp_cache_size(const struct mnp_cache_shape *shape)
{
    struct mnp_cache cache;
    struct mnp_arena arena;
    mnp_arena_measure(&arena);
    mnp_cache_init(&cache, shape, &arena);
    return arena.used;
}

static const struct mnp_policy *policy_of(const struct mnp_cache_shape *shape)
{
    return shape->replacement == MNP_REPLACE_CALLED ? (const struct mnp_policy *)shape->policy->part
                                                    : mnp_replacement_policy(shape->replacement);
}

/* Size in words of the policy's state of the whole cache. */
static size_t words_of(const struct mnp_policy *policy, const struct mnp_cache_shape *shape)
{
    uint64_t bytes = policy->cache_bytes((uint32_t)shape->sets, (uint32_t)shape->ways, shape->policy->values);
    return (size_t)mnp_divide_up(bytes, sizeof(uint64_t));
}

/* Sets the constants of a cache, which do not change once it is built. */
static void describe(struct mnp_cache *cache, const struct mnp_cache_shape *shape)
{
    struct mnp_error error = {{0}};
    MNP_REQUIRE(mnp_cache_check(shape, "cache", &error), "%s", error.text);
    cache->sets = (uint32_t)shape->sets;
    cache->ways = (uint32_t)shape->ways;
    cache->stride = stride_of(shape);
    cache->line_shift = (uint32_t)__builtin_ctzll(shape->line_bytes);
    cache->sector_shift = (uint32_t)__builtin_ctzll(shape->sector_bytes);
    cache->sectors = (uint32_t)(shape->line_bytes / shape->sector_bytes);
    cache->replacement = shape->replacement;
    const struct mnp_policy *policy = policy_of(shape);
    bool called = shape->replacement == MNP_REPLACE_CALLED;
    cache->way_bytes = policy->way_bytes;
    cache->set_bytes = policy->set_bytes;
    cache->finds_free = policy->finds_free;
    cache->policy = called ? policy : NULL;
    cache->policy_values = called ? shape->policy->values : NULL;
    cache->asks = called && policy->asks;
    cache->announced = false;
    cache->access = (struct mnp_cache_access){0};
    cache->inserted = MNP_NO_LINE;
    cache->policy_state = NULL;
    cache->chains = cache->chained = NULL;
    mnp_hash_init_by(&cache->hash, shape->hashes ? shape->hashes : mnp_hash_function(shape->hash), shape->sets);
}

void mnp_cache_init(struct mnp_cache *cache, const struct mnp_cache_shape *shape, struct mnp_arena *arena)
{
    if (!arena->measures) /* the first run of a layout needs no description */
        describe(cache, shape);
    const struct mnp_policy *policy = policy_of(shape);
    size_t lines = mnp_cache_lines(shape);
    cache->signatures = mnp_arena_take(arena, lines, sizeof *cache->signatures);
    cache->lines = mnp_arena_take(arena, lines, sizeof *cache->lines);
    cache->bytes = mnp_arena_take(arena, lines, sizeof *cache->bytes);
    cache->way_states = mnp_arena_take(arena, lines, policy->way_bytes);
    cache->set_states = mnp_arena_take(arena, shape->sets, policy->set_bytes);
    cache->used = mnp_arena_take(arena, 1, sizeof *cache->used);
    cache->withheld = mnp_arena_take(arena, 1, sizeof *cache->withheld);
    if (policy->cache_bytes)
        cache->policy_state = mnp_arena_take(arena, words_of(policy, shape), sizeof(uint64_t));
}

/* ===== the index ===== */

static uint32_t line_count(const struct mnp_cache *cache)
{
    return cache->sets * cache->stride;
}

/* Chains: a power of two, at least one for each line. */
static uint32_t chain_bits(const struct mnp_cache *cache)
{
    uint32_t bits = 1;
    while (UINT32_C(1) << bits < line_count(cache))
        bits++;
    return bits;
}

void mnp_cache_index(struct mnp_cache *cache)
{
    if (line_count(cache) >= UINT16_MAX)
        return;
    cache->chain_shift = 64 - chain_bits(cache);
    cache->chains = mnp_allocate((size_t)1 << chain_bits(cache), sizeof *cache->chains);
    cache->chained = mnp_allocate(line_count(cache), sizeof *cache->chained);
}

void mnp_cache_release_index(struct mnp_cache *cache)
{
    free(cache->chains);
    free(cache->chained);
    cache->chains = cache->chained = NULL;
}

static void enter(struct mnp_cache *cache, uint32_t line, uint64_t tag)
{
    uint16_t *first = &cache->chains[mnp_cache_chain(cache, tag)];
    cache->chained[line] = *first;
    *first = (uint16_t)(line + 1);
}

/* The line is about to lose its tag. */
static void leave(struct mnp_cache *cache, uint32_t line)
{
    uint16_t *place = &cache->chains[mnp_cache_chain(cache, cache->lines[line].tag)];
    while (*place != line + 1)
        place = &cache->chained[*place - 1];
    *place = cache->chained[line];
}

void mnp_cache_renew_index(struct mnp_cache *cache)
{
    if (!cache->chains)
        return;
    memset(cache->chains, 0, sizeof *cache->chains << chain_bits(cache));
    for (uint32_t line = 0; line < line_count(cache); line++)
        if (!mnp_cache_is_free(cache, line))
            enter(cache, line, cache->lines[line].tag);
}

/* ===== a policy that is called ===== */

static struct mnp_policy_set called_set(const struct mnp_cache *cache, uint32_t set)
{
    struct mnp_policy_set view = mnp_cache_policy_set(cache, set);
    view.sets = cache->sets;
    view.cache = cache->policy_state;
    view.values = cache->policy_values;
    view.access = &cache->access;
    return view;
}

void mnp_cache_announce(struct mnp_cache *cache, uint32_t set, const struct mnp_cache_access *access, bool again)
{
    cache->access = *access;
    cache->announced = true;
    cache->inserted = MNP_NO_LINE;
    struct mnp_policy_set view = called_set(cache, set);
    if (cache->policy->seen && !again)
        cache->policy->seen(&view);
}

/* Announces an access on behalf of a caller that did not: it is an instruction fetch. */
static void announce_fetch(struct mnp_cache *cache, uint32_t set, uint64_t tag)
{
    struct mnp_cache_access access = {.address = tag << cache->line_shift, .kind = MNP_ACCESS_FETCH};
    access.pc = access.address;
    mnp_cache_announce(cache, set, &access, false);
    cache->announced = false;
}

bool mnp_cache_bypasses(const struct mnp_cache *cache, uint32_t set)
{
    struct mnp_policy_set view = called_set(cache, set);
    return cache->policy->bypasses && cache->policy->bypasses(&view);
}

static __attribute__((noinline)) void use_called(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    if (line == cache->inserted) /* inserted by the same access */
        return;
    if (cache->asks && !cache->announced)
        announce_fetch(cache, set, cache->lines[line].tag);
    struct mnp_policy_set view = called_set(cache, set);
    cache->policy->use(&view, line - set * cache->stride);
}

static __attribute__((noinline)) void insert_called(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    if (cache->asks && !cache->announced)
        announce_fetch(cache, set, cache->lines[line].tag);
    cache->inserted = cache->announced ? line : MNP_NO_LINE;
    struct mnp_policy_set view = called_set(cache, set);
    cache->policy->insert(&view, line - set * cache->stride);
}

static __attribute__((noinline)) void free_called(const struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    struct mnp_policy_set view = called_set(cache, set);
    cache->policy->free(&view, line - set * cache->stride);
}

uint32_t mnp_cache_called_way(const struct mnp_cache *cache, uint32_t set, mnp_policy_barred *barred,
                              const void *context)
{
    struct mnp_policy_set view = called_set(cache, set);
    uint32_t way = cache->policy->victim(&view, barred, context);
    if (__builtin_expect(way != MNP_NO_WAY && (way >= view.count || barred(context, way)), 0))
        mnp_part_fail(&cache->policy->part,
                      "gives up way %u of set %u, %s; a victim is one of %u ways that is not barred, or MNP_NO_WAY",
                      way, set, way < view.count ? "which is barred" : "which does not exist", view.count);
    return way;
}

/* ===== replacement ===== */

void mnp_cache_use(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    if (cache->replacement == MNP_REPLACE_CALLED) {
        use_called(cache, line, set);
        return;
    }
    struct mnp_policy_set view = mnp_cache_policy_set(cache, set);
    mnp_replacement_use(cache->replacement, &view, line - set * cache->stride);
}

static bool is_reserved(const void *lines, uint32_t way)
{
    return ((const struct mnp_cache_line *)lines)[way].pending;
}

static bool is_reserved_or_dirty(const void *lines, uint32_t way)
{
    const struct mnp_cache_line *line = (const struct mnp_cache_line *)lines + way;
    return line->pending | line->dirty;
}

/* The first free line of a set, or MNP_NO_LINE. */
static uint32_t find_free(const struct mnp_cache *cache, uint32_t set)
{
    uint32_t first = set * cache->stride, ways = cache->ways - *cache->withheld;
    for (uint32_t way = 0; way < ways; way += MNP_CACHE_VECTOR) {
        uint32_t match = mnp_cache_match(cache->signatures + first + way, 0);
        uint32_t found = match ? way + (uint32_t)__builtin_ctz(match) : ways;
        if (found < ways)
            return first + found;
    }
    return MNP_NO_LINE;
}

__attribute__((always_inline)) static inline uint32_t choose(const struct mnp_cache *cache, uint32_t set,
                                                             mnp_policy_barred *barred)
{
    if (!cache->finds_free) {
        uint32_t free = find_free(cache, set);
        if (free != MNP_NO_LINE)
            return free;
    }
    uint32_t first = set * cache->stride;
    uint32_t way = mnp_cache_policy_way(cache, set, barred, cache->lines + first);
    return way == MNP_NO_WAY ? MNP_NO_LINE : first + way;
}

uint32_t mnp_cache_victim(const struct mnp_cache *cache, uint32_t set)
{
    return choose(cache, set, is_reserved);
}

uint32_t mnp_cache_clean_victim(const struct mnp_cache *cache, uint32_t set)
{
    return choose(cache, set, is_reserved_or_dirty);
}

/* Replaces a line's state by `next`, with no partially written bytes. The byte masks of most lines have never been
 * touched. */
static void renew(struct mnp_cache *cache, uint32_t line, struct mnp_cache_line next)
{
    if (cache->lines[line].partial)
        cache->bytes[line] = (struct mnp_cache_bytes){{0, 0}};
    cache->lines[line] = next;
}

void mnp_cache_replace(struct mnp_cache *cache, uint32_t line, uint32_t set, uint64_t tag)
{
    if (cache->chains && !mnp_cache_is_free(cache, line))
        leave(cache, line);
    if (cache->chains)
        enter(cache, line, tag);
    cache->signatures[line] = mnp_cache_signature(tag);
    renew(cache, line, (struct mnp_cache_line){.tag = tag});
    ++*cache->used;
    if (cache->replacement == MNP_REPLACE_CALLED) {
        insert_called(cache, line, set);
        return;
    }
    struct mnp_policy_set view = mnp_cache_policy_set(cache, set);
    mnp_replacement_insert(cache->replacement, &view, line - set * cache->stride);
}

/* ===== sectors and bytes ===== */

/* Mask with one bit per byte of sector number `sector`. */
static struct mnp_cache_bytes sector_bytes(const struct mnp_cache *cache, uint32_t sector)
{
    uint32_t size = UINT32_C(1) << cache->sector_shift, first = sector << cache->sector_shift;
    if (size == 128)
        return (struct mnp_cache_bytes){{UINT64_MAX, UINT64_MAX}};
    uint64_t ones = size == 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1;
    struct mnp_cache_bytes bytes = {{0, 0}};
    bytes.mask[first / 64] = ones << first % 64;
    return bytes;
}

/* Mask with one bit for each of four sectors of 32 bytes, set if any bit of the sector is set. */
static uint32_t some_of_quarters(const uint64_t bytes[2])
{
    return (uint32_t)((uint32_t)bytes[0] != 0) | (uint32_t)(bytes[0] >> 32 != 0) << 1 |
           (uint32_t)((uint32_t)bytes[1] != 0) << 2 | (uint32_t)(bytes[1] >> 32 != 0) << 3;
}

/* Mask with one bit for each of four sectors of 32 bytes, set if all bits of the sector are set. */
static uint32_t all_of_quarters(const uint64_t bytes[2])
{
    return ~some_of_quarters((const uint64_t[2]){~bytes[0], ~bytes[1]}) & 15;
}

uint32_t mnp_cache_sectors_of(const struct mnp_cache *cache, const uint64_t bytes[2])
{
    if (cache->sector_shift == 5)
        return some_of_quarters(bytes);
    uint32_t touched = 0;
    for (uint32_t sector = 0; sector < cache->sectors; sector++) {
        struct mnp_cache_bytes all = sector_bytes(cache, sector);
        if ((bytes[0] & all.mask[0]) | (bytes[1] & all.mask[1]))
            touched |= UINT32_C(1) << sector;
    }
    return touched;
}

static void forget_bytes(struct mnp_cache *cache, uint32_t line, uint32_t sector)
{
    struct mnp_cache_bytes all = sector_bytes(cache, sector);
    cache->bytes[line].mask[0] &= ~all.mask[0];
    cache->bytes[line].mask[1] &= ~all.mask[1];
    cache->lines[line].partial &= (uint16_t) ~(1u << sector);
}

void mnp_cache_fill(struct mnp_cache *cache, uint32_t line, uint32_t sectors)
{
    struct mnp_cache_line *known = &cache->lines[line];
    known->valid |= (uint16_t)sectors;
    known->pending &= (uint16_t)~sectors;
    for (uint32_t rest = known->partial & sectors; rest; rest &= rest - 1)
        forget_bytes(cache, line, (uint32_t)__builtin_ctz(rest));
}

/* Writes the bytes of one sector, which may thereby become entirely valid. */
static void write_sector(struct mnp_cache *cache, uint32_t line, uint32_t sector, const uint64_t bytes[2])
{
    struct mnp_cache_line *known = &cache->lines[line];
    if (known->valid >> sector & 1)
        return;
    struct mnp_cache_bytes all = sector_bytes(cache, sector), there = {{0, 0}};
    bool partial = known->partial >> sector & 1;
    if (partial)
        there = cache->bytes[line];
    uint64_t low = (there.mask[0] | bytes[0]) & all.mask[0], high = (there.mask[1] | bytes[1]) & all.mask[1];
    /* A sector on its way stays pending, as readers wait for it; the fill then makes it valid. */
    if (low == all.mask[0] && high == all.mask[1] && !(known->pending >> sector & 1)) {
        known->valid |= (uint16_t)(1u << sector);
        if (partial)
            forget_bytes(cache, line, sector);
        return;
    }
    cache->bytes[line].mask[0] |= low;
    cache->bytes[line].mask[1] |= high;
    known->partial |= (uint16_t)(1u << sector);
}

uint32_t mnp_cache_write(struct mnp_cache *cache, uint32_t line, const uint64_t bytes[2], bool dirty)
{
    struct mnp_cache_line *known = &cache->lines[line];
    uint32_t touched = mnp_cache_sectors_of(cache, bytes);
    if (cache->sector_shift == 5) /* whole sectors of which nothing else is known */
        known->valid |= (uint16_t)(all_of_quarters(bytes) & ~(known->pending | known->partial));
    for (uint32_t rest = touched & ~known->valid; rest; rest &= rest - 1)
        write_sector(cache, line, (uint32_t)__builtin_ctz(rest), bytes);
    if (dirty)
        known->dirty |= (uint16_t)touched;
    return touched;
}

/* ===== invalidation ===== */

void mnp_cache_invalidate(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    MNP_REQUIRE(cache->lines[line].pending == 0, "a reserved line is invalidated");
    if (cache->chains && !mnp_cache_is_free(cache, line))
        leave(cache, line);
    cache->signatures[line] = 0;
    renew(cache, line, (struct mnp_cache_line){0});
    if (cache->replacement == MNP_REPLACE_CALLED) {
        free_called(cache, line, set);
        return;
    }
    struct mnp_policy_set view = mnp_cache_policy_set(cache, set);
    mnp_replacement_free(cache->replacement, &view, line - set * cache->stride);
}

/* Frees one line, or takes everything but the reservation from it; returns whether it stays reserved. */
static bool forget_line(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    uint16_t pending = cache->lines[line].pending;
    if (!pending) {
        mnp_cache_invalidate(cache, line, set);
        return false;
    }
    renew(cache, line, (struct mnp_cache_line){.tag = cache->lines[line].tag, .pending = pending});
    return true;
}

void mnp_cache_invalidate_all(struct mnp_cache *cache)
{
    if (*cache->used == 0)
        return;
    uint32_t reserved = 0;
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t first = set * cache->stride;
        for (uint32_t way = 0; way < cache->ways; way += MNP_CACHE_VECTOR) {
            uint32_t taken = ~mnp_cache_match(cache->signatures + first + way, 0) & 0xffff;
            for (; taken; taken &= taken - 1)
                reserved += forget_line(cache, first + way + (uint32_t)__builtin_ctz(taken), set);
        }
    }
    *cache->used = reserved;
}

void mnp_cache_resize(struct mnp_cache *cache, uint32_t ways)
{
    MNP_REQUIRE(ways >= 1 && ways <= cache->ways, "a cache is given ways that it lacks");
    if (ways == cache->ways - *cache->withheld)
        return;
    mnp_cache_invalidate_all(cache);
    MNP_REQUIRE(*cache->used == 0, "a cache is resized while lines are reserved");
    *cache->withheld = cache->ways - ways;
    memset(cache->way_states, 0, (size_t)cache->sets * cache->stride * cache->way_bytes);
    memset(cache->set_states, 0, (size_t)cache->sets * cache->set_bytes);
}
