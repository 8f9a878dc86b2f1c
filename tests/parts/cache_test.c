/* SPDX-License-Identifier: BSD-3-Clause */
/* The tag array against a naive model on random streams, MSHR limits, hashes for every count. */
#include "parts/cache/cache.h"
#include "parts/mshr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_number(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* ===== a naive cache: an array searched from end to end, with times and one byte per byte ===== */

enum { MAX_LINES = 512, LINE = 128 };

struct naive_line {
    bool used;
    uint64_t tag, age;
    bool byte[LINE];                 /* valid */
    bool dirty[LINE], pending[LINE]; /* kept per byte, whole sectors at a time */
};

struct naive {
    struct mnp_cache_shape shape;
    struct naive_line lines[MAX_LINES];
    uint64_t clock;
};

static struct naive_line *naive_find(struct naive *cache, uint32_t set, uint64_t tag)
{
    for (uint64_t i = set * cache->shape.ways; i < (set + 1) * cache->shape.ways; i++)
        if (cache->lines[i].used && cache->lines[i].tag == tag)
            return &cache->lines[i];
    return NULL;
}

static bool any(const bool *bytes, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        if (bytes[i])
            return true;
    return false;
}

static bool all(const bool *bytes, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        if (!bytes[i])
            return false;
    return true;
}

static uint32_t naive_mask(const struct naive *cache, const bool *bytes, bool (*test)(const bool *, uint64_t, uint64_t))
{
    uint32_t mask = 0;
    uint64_t size = cache->shape.sector_bytes;
    for (uint64_t sector = 0; sector < cache->shape.line_bytes / size; sector++)
        mask |= (uint32_t)test(bytes, sector * size, size) << sector;
    return mask;
}

static struct naive_line *naive_victim(struct naive *cache, uint32_t set)
{
    struct naive_line *best = NULL;
    for (uint64_t i = set * cache->shape.ways; i < (set + 1) * cache->shape.ways; i++) {
        struct naive_line *line = &cache->lines[i];
        if (!line->used)
            return line;
        if (!any(line->pending, 0, LINE) && (!best || line->age < best->age))
            best = line;
    }
    return best;
}

/* ===== both together ===== */

struct pair {
    struct naive naive;
    struct mnp_cache cache;
    struct mnp_arena arena;
};

static void check_line(struct pair *pair, uint32_t line, const struct naive_line *known)
{
    const struct mnp_cache_line *found = mnp_cache_line(&pair->cache, line);
    uint32_t pending = naive_mask(&pair->naive, known->pending, any);
    assert_int_equal(found->pending, pending);
    assert_int_equal(found->dirty, naive_mask(&pair->naive, known->dirty, any));
    assert_int_equal(found->valid & ~pending, naive_mask(&pair->naive, known->byte, all) & ~pending);
}

/* Finds or makes room for a line in both; NULL when every way is reserved. */
static struct naive_line *bring(struct pair *pair, uint32_t set, uint64_t tag, uint32_t *line)
{
    struct naive *naive = &pair->naive;
    struct naive_line *known = naive_find(naive, set, tag);
    *line = mnp_cache_find(&pair->cache, set, tag);
    assert_int_equal(known != NULL, *line != MNP_NO_LINE);
    if (known) {
        check_line(pair, *line, known);
        mnp_cache_touch(&pair->cache, *line, set);
        if (naive->shape.replacement == MNP_REPLACE_LRU)
            known->age = ++naive->clock;
        return known;
    }
    known = naive_victim(naive, set);
    *line = mnp_cache_victim(&pair->cache, set);
    assert_int_equal(known != NULL, *line != MNP_NO_LINE);
    if (!known)
        return NULL;
    assert_int_equal(known->used, !mnp_cache_is_free(&pair->cache, *line));
    if (known->used) {
        assert_int_equal(mnp_cache_line(&pair->cache, *line)->tag, known->tag);
        check_line(pair, *line, known);
    }
    mnp_cache_replace(&pair->cache, *line, set, tag);
    *known = (struct naive_line){.used = true, .tag = tag, .age = ++naive->clock};
    return known;
}

static void set_sectors(const struct naive *naive, bool *bytes, uint32_t sectors, bool value)
{
    for (uint64_t i = 0; i < naive->shape.line_bytes; i++)
        if (sectors >> (i / naive->shape.sector_bytes) & 1)
            bytes[i] = value;
}

static void do_read(struct pair *pair, struct naive_line *known, uint32_t line, uint32_t sectors)
{
    uint32_t present = naive_mask(&pair->naive, known->byte, all) | naive_mask(&pair->naive, known->pending, any);
    uint32_t missing = mnp_cache_missing(&pair->cache, line, sectors);
    assert_int_equal(missing, sectors & ~present);
    mnp_cache_expect(&pair->cache, line, missing);
    set_sectors(&pair->naive, known->pending, missing, true);
}

static void do_fill(struct pair *pair, struct naive_line *known, uint32_t line, uint32_t sectors)
{
    sectors &= mnp_cache_line(&pair->cache, line)->pending;
    mnp_cache_fill(&pair->cache, line, sectors);
    set_sectors(&pair->naive, known->byte, sectors, true);
    set_sectors(&pair->naive, known->pending, sectors, false);
}

static void do_write(struct pair *pair, struct naive_line *known, uint32_t line, uint64_t *seed)
{
    uint64_t bytes[2] = {0, 0};
    uint64_t size = pair->naive.shape.line_bytes, first = random_number(seed) % size;
    uint64_t count = 1 + random_number(seed) % (size - first);
    for (uint64_t i = first; i < first + count; i++)
        bytes[i / 64] |= UINT64_C(1) << i % 64;
    uint32_t touched = mnp_cache_write(&pair->cache, line, bytes, true);
    bool written[LINE] = {false};
    for (uint64_t i = first; i < first + count; i++)
        known->byte[i] = written[i] = true;
    assert_int_equal(touched, naive_mask(&pair->naive, written, any));
    set_sectors(&pair->naive, known->dirty, touched, true);
}

static void random_stream(const struct mnp_cache_shape *shape, uint64_t seed)
{
    struct pair *pair = mnp_allocate(1, sizeof *pair);
    pair->naive.shape = *shape;
    mnp_arena_init(&pair->arena, mnp_cache_size(shape));
    mnp_cache_init(&pair->cache, shape, &pair->arena);
    if (seed % 2)
        mnp_cache_index(&pair->cache);
    uint32_t all_sectors = (1u << shape->line_bytes / shape->sector_bytes) - 1;
    for (int step = 0; step < 20000; step++) {
        uint64_t tag = random_number(&seed) % (shape->sets * shape->ways * 2 + 1);
        uint32_t set = mnp_cache_set(&pair->cache, tag), line;
        assert_true(set < shape->sets);
        if (step == 10000)
            mnp_cache_renew_index(&pair->cache);
        if (pair->cache.chains)
            assert_int_equal(mnp_cache_find_by_index(&pair->cache, tag), mnp_cache_find(&pair->cache, set, tag));
        uint32_t sectors = 1 + (uint32_t)(random_number(&seed) % all_sectors), kind = random_number(&seed) % 8;
        if (kind >= 4) { /* data come for a line that waits */
            struct naive_line *known = naive_find(&pair->naive, set, tag);
            line = mnp_cache_find(&pair->cache, set, tag);
            assert_int_equal(known != NULL, line != MNP_NO_LINE);
            if (known)
                do_fill(pair, known, line, kind == 4 ? sectors : all_sectors);
            continue;
        }
        struct naive_line *known = bring(pair, set, tag, &line);
        if (known && kind == 0)
            do_write(pair, known, line, &seed);
        else if (known)
            do_read(pair, known, line, sectors);
    }
    mnp_cache_release_index(&pair->cache);
    mnp_arena_release(&pair->arena);
    free(pair);
}

static void cache_equals_a_naive_one(void **state)
{
    (void)state;
    static const uint64_t sets[] = {1, 2, 3, 4, 7, 16, 23}, ways[] = {1, 2, 4, 5, 16, 17};
    uint64_t seed = 0x2545F4914F6CDD1D;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            struct mnp_cache_shape shape = {.sets = sets[s],
                                            .ways = ways[w],
                                            .line_bytes = UINT64_C(32) << random_number(&seed) % 3,
                                            .sector_bytes = 32,
                                            .replacement = (enum mnp_replacement)(random_number(&seed) % 2),
                                            .hash = (enum mnp_hash_kind)(random_number(&seed) % MNP_HASH_KINDS)};
            if (random_number(&seed) % 4 == 0)
                shape.sector_bytes = shape.line_bytes;
            random_stream(&shape, random_number(&seed));
        }
    }
}

static void invalidation_frees_lines(void **state)
{
    (void)state;
    struct mnp_cache_shape shape = {.sets = 4, .ways = 3, .line_bytes = 128, .sector_bytes = 32};
    struct mnp_arena arena;
    struct mnp_cache cache;
    mnp_arena_init(&arena, mnp_cache_size(&shape));
    mnp_cache_init(&cache, &shape, &arena);
    mnp_cache_index(&cache);
    for (uint64_t tag = 0; tag < 12; tag++) {
        uint32_t set = mnp_cache_set(&cache, tag), line = mnp_cache_victim(&cache, set);
        mnp_cache_replace(&cache, line, set, tag);
        mnp_cache_expect(&cache, line, 1);
        if (tag != 5)
            mnp_cache_fill(&cache, line, 1);
    }
    mnp_cache_invalidate_all(&cache);
    for (uint64_t tag = 0; tag < 12; tag++) {
        assert_int_equal(mnp_cache_find(&cache, mnp_cache_set(&cache, tag), tag) != MNP_NO_LINE, tag == 5);
        assert_int_equal(mnp_cache_find_by_index(&cache, tag) != MNP_NO_LINE, tag == 5);
    }
    mnp_cache_release_index(&cache);
    mnp_arena_release(&arena);
}

/* A place that is free again is taken before anything is evicted, whatever the order of use. */
static void an_invalid_line_is_replaced_first(void **state)
{
    (void)state;
    struct mnp_cache_shape shape = {.sets = 1, .ways = 4, .line_bytes = 128, .sector_bytes = 32};
    for (uint64_t freed = 0; freed < shape.ways; freed++) {
        struct mnp_arena arena;
        struct mnp_cache cache;
        uint32_t lines[4];
        mnp_arena_init(&arena, mnp_cache_size(&shape));
        mnp_cache_init(&cache, &shape, &arena);
        for (uint64_t tag = 0; tag < shape.ways; tag++)
            mnp_cache_replace(&cache, lines[tag] = mnp_cache_victim(&cache, 0), 0, tag);
        mnp_cache_invalidate(&cache, lines[freed], 0);
        assert_int_equal(mnp_cache_victim(&cache, 0), lines[freed]);
        mnp_cache_replace(&cache, lines[freed], 0, 9);
        assert_int_equal(mnp_cache_victim(&cache, 0), lines[freed == 0]); /* the oldest of those that stayed */
        mnp_arena_release(&arena);
    }
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
    static const struct mnp_cache_shape shapes[] = {
        {.sets = 0, .ways = 1, .line_bytes = 128, .sector_bytes = 32},
        {.sets = 1, .ways = 0, .line_bytes = 128, .sector_bytes = 32},
        {.sets = 1, .ways = 1, .line_bytes = 96, .sector_bytes = 32},
        {.sets = 1, .ways = 1, .line_bytes = 256, .sector_bytes = 32},
        {.sets = 1, .ways = 1, .line_bytes = 128, .sector_bytes = 4},
        {.sets = 1, .ways = 1, .line_bytes = 128, .sector_bytes = 0},
        {.sets = UINT64_MAX, .ways = 1, .line_bytes = 128, .sector_bytes = 32},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct mnp_error error = {{0}};
        assert_false(mnp_cache_check(&shapes[i], "l2.slice", &error));
        assert_non_null(strstr(error.text, "l2.slice"));
    }
}

/* ===== MSHRs ===== */

static void mshr_limits_hold(void **state)
{
    (void)state;
    struct mnp_arena arena;
    struct mnp_mshr mshr;
    mnp_arena_init(&arena, mnp_mshr_size(3, 5));
    mnp_mshr_init(&mshr, 3, 2, 5, &arena);
    uint32_t a = mnp_mshr_allocate(&mshr, 10), b = mnp_mshr_allocate(&mshr, 20), c = mnp_mshr_allocate(&mshr, 30);
    assert_true(mnp_mshr_full(&mshr));
    assert_int_equal(mnp_mshr_allocate(&mshr, 40), MNP_NO_MSHR);
    assert_int_equal(mnp_mshr_find(&mshr, 20), b);
    assert_int_equal(mnp_mshr_find(&mshr, 40), MNP_NO_MSHR);
    uint32_t first = mnp_mshr_merge(&mshr, a), second = mnp_mshr_merge(&mshr, a);
    assert_int_equal(mnp_mshr_merge(&mshr, a), MNP_NO_MSHR); /* two for each */
    mnp_mshr_merge(&mshr, b);
    mnp_mshr_merge(&mshr, b);
    uint32_t last = mnp_mshr_merge(&mshr, c);
    assert_true(mnp_mshr_waiters_full(&mshr));
    assert_int_equal(mnp_mshr_merge(&mshr, c), MNP_NO_MSHR); /* five in all */
    assert_int_equal(mnp_mshr_first(&mshr, a), first);
    assert_int_equal(mnp_mshr_next(&mshr, first), second);
    assert_int_equal(mnp_mshr_remove(&mshr, a, first, second), MNP_NO_MSHR);
    assert_false(mnp_mshr_can_merge(&mshr, a)); /* the waiter is still its owner's */
    mnp_mshr_free(&mshr, second);
    assert_int_equal(mnp_mshr_merge(&mshr, a), second);
    assert_int_equal(mnp_mshr_remove(&mshr, c, MNP_NO_MSHR, last), MNP_NO_MSHR);
    mnp_mshr_free(&mshr, last);
    mnp_mshr_release(&mshr, c);
    assert_int_equal(mnp_mshr_find(&mshr, 30), MNP_NO_MSHR);
    assert_int_not_equal(mnp_mshr_allocate(&mshr, 40), MNP_NO_MSHR);
    mnp_arena_release(&arena);
}

static void mshr_finds_what_is_there(void **state)
{
    (void)state;
    enum { ENTRIES = 61, KEYS = 200 };
    struct mnp_arena arena;
    struct mnp_mshr mshr;
    uint32_t known[KEYS];
    uint64_t seed = 99;
    memset(known, 0xff, sizeof known);
    mnp_arena_init(&arena, mnp_mshr_size(ENTRIES, 1));
    mnp_mshr_init(&mshr, ENTRIES, 0, 1, &arena);
    uint32_t used = 0;
    for (int step = 0; step < 50000; step++) {
        uint64_t key = random_number(&seed) % KEYS;
        assert_int_equal(mnp_mshr_find(&mshr, key * 128), known[key]);
        if (known[key] == MNP_NO_MSHR) {
            known[key] = mnp_mshr_allocate(&mshr, key * 128);
            assert_int_equal(known[key] == MNP_NO_MSHR, used == ENTRIES);
            used += known[key] != MNP_NO_MSHR;
        } else {
            mnp_mshr_release(&mshr, known[key]);
            known[key] = MNP_NO_MSHR;
            used--;
        }
    }
    mnp_arena_release(&arena);
}

/* ===== hashes ===== */

static void hashes_are_bijections_for_every_count(void **state)
{
    (void)state;
    static const uint64_t bases[] = {0, 1000003, UINT64_C(1) << 33, (UINT64_C(1) << 56) - 5000};
    for (uint32_t kind = 0; kind < MNP_HASH_KINDS; kind++) {
        for (uint64_t count = 1; count <= 100; count++) {
            struct mnp_hash hash;
            mnp_hash_init(&hash, (enum mnp_hash_kind)kind, count);
            for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
                uint32_t met[100] = {0};
                uint64_t base = bases[b] / count * count;
                for (uint64_t i = 0; i < 8 * count; i++) {
                    uint64_t group;
                    uint32_t bin = mnp_hash_bin(&hash, base + i, &group);
                    assert_true(bin < count);
                    assert_int_equal(group, (base + i) / count);
                    assert_int_equal(mnp_hash_number(&hash, bin, group), base + i);
                    met[bin]++;
                }
                for (uint64_t i = 0; i < count; i++)
                    assert_int_equal(met[i], 8);
            }
        }
    }
}

/* The value of a group under ipoly by long division of polynomials, as docs/memory.md says it. */
static uint64_t remainder_of_group(uint64_t group, uint32_t bits, uint32_t polynomial)
{
    unsigned __int128 rest = (unsigned __int128)group << bits;
    for (uint32_t i = 127; i >= bits; i--)
        if (rest >> i & 1)
            rest ^= (unsigned __int128)polynomial << (i - bits);
    return (uint64_t)rest;
}

/* Where a number of bins is no power of two, a bin is the low part and the group's value scaled to the bins, as
 * docs/memory.md says. A footprint of whole rounds that begins within one leaves bins with a piece more or less. */
static void other_counts_scale_the_group(void **state)
{
    (void)state;
    static const uint32_t polynomials[] = {3, 7, 11, 19, 37, 67}; /* x^5 + x^2 + 1 is 37 */
    uint64_t seed = 5;
    for (uint64_t count = 3; count < 64; count++) {
        struct mnp_hash hash;
        uint32_t bits = 64 - (uint32_t)__builtin_clzll(count - 1), met[64] = {0};
        uint64_t group, first = random_number(&seed) >> 20;
        mnp_hash_init(&hash, MNP_HASH_IPOLY, count);
        for (int i = 0; i < 200 && (count & (count - 1)); i++) {
            uint64_t number = random_number(&seed) >> 8;
            uint64_t value = remainder_of_group(number / count, bits, polynomials[bits - 1]);
            assert_int_equal(mnp_hash_bin(&hash, number, &group),
                             (number % count + value * count / (UINT64_C(1) << bits)) % count);
        }
        for (uint64_t i = 0; i < 8 * count; i++)
            met[mnp_hash_bin(&hash, first + i, &group)]++;
        for (uint64_t i = 0; i < count; i++)
            assert_in_range(met[i], 7, 9);
    }
}

/* The bin's own bits and all groups of as many bits above them, one over the other (Zhang et al., MICRO 2000). */
static void xor_folds_all_upper_bits(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (uint32_t bits = 1; bits <= 10; bits++) {
        struct mnp_hash hash;
        mnp_hash_init(&hash, MNP_HASH_XOR, UINT64_C(1) << bits);
        for (int i = 0; i < 1000; i++) {
            uint64_t number = random_number(&seed) >> 8, group, bin = 0;
            for (uint64_t rest = number; rest; rest >>= bits)
                bin ^= rest & ((UINT64_C(1) << bits) - 1);
            assert_int_equal(mnp_hash_bin(&hash, number, &group), bin);
        }
    }
}

/* Under ipoly no power-of-two stride concentrates on few bins. */
static void ipoly_spreads_strides(void **state)
{
    (void)state;
    for (uint64_t count = 2; count <= 100; count++) {
        struct mnp_hash hash;
        mnp_hash_init(&hash, MNP_HASH_IPOLY, count);
        for (uint32_t shift = 0; shift <= 16; shift++) {
            uint32_t met[100] = {0};
            for (uint64_t i = 0; i < 64 * count; i++) {
                uint64_t group;
                met[mnp_hash_bin(&hash, i << shift, &group)]++;
            }
            for (uint64_t i = 0; i < count; i++)
                assert_in_range(met[i], 16, 200);
        }
    }
}

static void division_is_exact(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        uint64_t divisor = 1 + (random_number(&seed) >> random_number(&seed) % 64);
        uint64_t number = random_number(&seed) >> random_number(&seed) % 64;
        struct mnp_divider divider;
        mnp_divider_init(&divider, divisor ? divisor : 1);
        assert_true(mnp_divide(&divider, number) == number / divider.divisor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_equals_a_naive_one),
        cmocka_unit_test(invalidation_frees_lines),
        cmocka_unit_test(an_invalid_line_is_replaced_first),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(mshr_limits_hold),
        cmocka_unit_test(mshr_finds_what_is_there),
        cmocka_unit_test(hashes_are_bijections_for_every_count),
        cmocka_unit_test(other_counts_scale_the_group),
        cmocka_unit_test(xor_folds_all_upper_bits),
        cmocka_unit_test(ipoly_spreads_strides),
        cmocka_unit_test(division_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
