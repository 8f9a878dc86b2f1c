/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/cache/cache.h"

#include <string.h>

const char *const mnp_replacement_names[] = {"lru", "fifo", NULL};

enum { MAX_SETS = 1 << 20, MAX_WAYS = 1 << 15, MAX_LINE = 128, MAX_SECTORS = 16 };

static bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

bool mnp_cache_check(const struct mnp_cache_shape *shape, const char *what, struct mnp_error *error)
{
    unsigned long long line = shape->line_bytes, sector = shape->sector_bytes;
    if (!is_power_of_two(line) || line > MAX_LINE)
        return mnp_fail(error, "%s: a line of %llu bytes; use a power of two up to %d", what, line, MAX_LINE);
    if (!is_power_of_two(sector) || sector > line || line / sector > MAX_SECTORS)
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
    return (uint32_t)((shape->ways + MNP_CACHE_VECTOR - 1) / MNP_CACHE_VECTOR * MNP_CACHE_VECTOR);
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

void mnp_cache_init(struct mnp_cache *cache, const struct mnp_cache_shape *shape, struct mnp_arena *arena)
{
    struct mnp_error error = {{0}};
    MNP_REQUIRE(mnp_cache_check(shape, "cache", &error), "%s", error.text);
    *cache = (struct mnp_cache){
        .sets = (uint32_t)shape->sets,
        .ways = (uint32_t)shape->ways,
        .stride = stride_of(shape),
        .line_shift = (uint32_t)__builtin_ctzll(shape->line_bytes),
        .sector_shift = (uint32_t)__builtin_ctzll(shape->sector_bytes),
        .sectors = (uint32_t)(shape->line_bytes / shape->sector_bytes),
        .replacement = shape->replacement,
    };
    mnp_hash_init(&cache->hash, shape->hash, shape->sets);
    size_t lines = (size_t)cache->sets * cache->stride;
    cache->signatures = mnp_arena_take(arena, lines, sizeof *cache->signatures);
    cache->lines = mnp_arena_take(arena, lines, sizeof *cache->lines);
    cache->bytes = mnp_arena_take(arena, lines, sizeof *cache->bytes);
    cache->ages = mnp_arena_take(arena, lines, sizeof *cache->ages);
    cache->ends = mnp_arena_take(arena, cache->sets, sizeof *cache->ends);
    cache->used = mnp_arena_take(arena, 1, sizeof *cache->used);
    cache->withheld = mnp_arena_take(arena, 1, sizeof *cache->withheld);
}

/* ===== the order of replacement: a chain of ways per set, by indices ===== */

/* The chain of a set that nothing has happened to runs from way 0, the newest, to the last. It is kept as the
 * difference from that, so that fresh, zeroed memory is a chain already and a large cache costs nothing to build. */
struct chain {
    struct mnp_cache_age *ages, *ends;
    uint16_t last; /* way */
};

static struct chain chain_of(const struct mnp_cache *cache, uint32_t set)
{
    return (struct chain){.ages = cache->ages + (size_t)set * cache->stride,
                          .ends = &cache->ends[set],
                          .last = (uint16_t)(cache->ways - *cache->withheld - 1)};
}

static uint16_t newer(const struct chain *chain, uint16_t way)
{
    return chain->ages[way].newer ^ (uint16_t)(way - 1);
}

static void set_newer(const struct chain *chain, uint16_t way, uint16_t to)
{
    chain->ages[way].newer = to ^ (uint16_t)(way - 1);
}

static uint16_t older(const struct chain *chain, uint16_t way)
{
    return chain->ages[way].older ^ (uint16_t)(way + 1);
}

static void set_older(const struct chain *chain, uint16_t way, uint16_t to)
{
    chain->ages[way].older = to ^ (uint16_t)(way + 1);
}

static uint16_t newest(const struct chain *chain)
{
    return chain->ends->newer;
}

static uint16_t oldest(const struct chain *chain)
{
    return chain->ends->older ^ chain->last;
}

static void set_oldest(const struct chain *chain, uint16_t way)
{
    chain->ends->older = way ^ chain->last;
}

static void unchain(const struct chain *chain, uint16_t way)
{
    uint16_t after = newer(chain, way), before = older(chain, way);
    if (newest(chain) == way)
        chain->ends->newer = before;
    else
        set_older(chain, after, before);
    if (oldest(chain) == way)
        set_oldest(chain, after);
    else
        set_newer(chain, before, after);
}

void mnp_cache_make_newest(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    struct chain chain = chain_of(cache, set);
    uint16_t way = (uint16_t)(line - set * cache->stride);
    if (newest(&chain) == way)
        return;
    unchain(&chain, way);
    set_older(&chain, way, newest(&chain));
    set_newer(&chain, newest(&chain), way);
    chain.ends->newer = way;
}

static void make_oldest(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    struct chain chain = chain_of(cache, set);
    uint16_t way = (uint16_t)(line - set * cache->stride);
    if (oldest(&chain) == way)
        return;
    unchain(&chain, way);
    set_newer(&chain, way, oldest(&chain));
    set_older(&chain, oldest(&chain), way);
    set_oldest(&chain, way);
}

uint32_t mnp_cache_victim(const struct mnp_cache *cache, uint32_t set)
{
    /* Free lines are always the oldest ones, so that one walk from the oldest end finds either kind. */
    struct chain chain = chain_of(cache, set);
    uint32_t first = set * cache->stride;
    uint16_t way = oldest(&chain);
    while (cache->lines[first + way].pending) {
        if (way == newest(&chain))
            return MNP_NO_LINE;
        way = newer(&chain, way);
    }
    return first + way;
}

uint32_t mnp_cache_clean_victim(const struct mnp_cache *cache, uint32_t set)
{
    struct chain chain = chain_of(cache, set);
    uint32_t first = set * cache->stride;
    uint16_t way = oldest(&chain);
    while (cache->lines[first + way].pending | cache->lines[first + way].dirty) {
        if (way == newest(&chain))
            return MNP_NO_LINE;
        way = newer(&chain, way);
    }
    return first + way;
}

void mnp_cache_replace(struct mnp_cache *cache, uint32_t line, uint32_t set, uint64_t tag)
{
    cache->signatures[line] = mnp_cache_signature(tag);
    cache->lines[line] = (struct mnp_cache_line){.tag = tag};
    cache->bytes[line] = (struct mnp_cache_bytes){{0, 0}};
    mnp_cache_make_newest(cache, line, set);
    ++*cache->used;
}

/* ===== sectors and bytes ===== */

/* One bit per byte of sector number `sector`. */
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

uint32_t mnp_cache_sectors_of(const struct mnp_cache *cache, const uint64_t bytes[2])
{
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

/* Writes the bytes of one sector; all of them may be there then. */
static void write_sector(struct mnp_cache *cache, uint32_t line, uint32_t sector, const uint64_t bytes[2])
{
    struct mnp_cache_line *known = &cache->lines[line];
    if (known->valid >> sector & 1)
        return;
    struct mnp_cache_bytes all = sector_bytes(cache, sector);
    uint64_t low = (cache->bytes[line].mask[0] | bytes[0]) & all.mask[0];
    uint64_t high = (cache->bytes[line].mask[1] | bytes[1]) & all.mask[1];
    /* A sector on its way stays pending, as readers wait for it; the fill then makes it valid. */
    if (low == all.mask[0] && high == all.mask[1] && !(known->pending >> sector & 1)) {
        known->valid |= (uint16_t)(1u << sector);
        forget_bytes(cache, line, sector);
        return;
    }
    cache->bytes[line].mask[0] |= low;
    cache->bytes[line].mask[1] |= high;
    known->partial |= (uint16_t)(1u << sector);
}

uint32_t mnp_cache_write(struct mnp_cache *cache, uint32_t line, const uint64_t bytes[2], bool dirty)
{
    uint32_t touched = mnp_cache_sectors_of(cache, bytes);
    for (uint32_t rest = touched; rest; rest &= rest - 1)
        write_sector(cache, line, (uint32_t)__builtin_ctz(rest), bytes);
    if (dirty)
        cache->lines[line].dirty |= (uint16_t)touched;
    return touched;
}

/* ===== invalidation ===== */

void mnp_cache_invalidate(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    MNP_REQUIRE(cache->lines[line].pending == 0, "a reserved line is invalidated");
    cache->signatures[line] = 0;
    cache->lines[line] = (struct mnp_cache_line){0};
    cache->bytes[line] = (struct mnp_cache_bytes){{0, 0}};
    make_oldest(cache, line, set);
}

/* Frees one line, or takes everything but the reservation from it; returns whether it stays reserved. */
static bool forget_line(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    uint16_t pending = cache->lines[line].pending;
    if (!pending) {
        mnp_cache_invalidate(cache, line, set);
        return false;
    }
    cache->lines[line] = (struct mnp_cache_line){.tag = cache->lines[line].tag, .pending = pending};
    cache->bytes[line] = (struct mnp_cache_bytes){{0, 0}};
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
    memset(cache->ages, 0, (size_t)cache->sets * cache->stride * sizeof *cache->ages);
    memset(cache->ends, 0, cache->sets * sizeof *cache->ends);
}
