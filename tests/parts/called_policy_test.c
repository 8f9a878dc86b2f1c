/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replacement policies that see accesses, against the behaviour that their papers claim, on streams whose hits can be
 * counted by hand: drrip neither thrashes in a loop nor is flushed by a scan, ship brings lines of an instruction that
 * is never hit with a distant interval, dead-block gives lines of such an instruction no place at all.
 */
#include "parts/cache/cache.h"
#include "parts/cache/policies/called.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LINE = 128, REUSES = 0x1000, SCANS = 0x2000 };

struct bench {
    struct mnp_chosen chosen;
    struct mnp_cache cache;
    struct mnp_arena arena;
};

/* A cache with a policy, whose parameters have the defaults of the paper; `policy` NULL: lru. */
static void begin(struct bench *bench, const struct mnp_policy *policy, uint64_t value, uint64_t sets, uint64_t ways)
{
    bench->chosen = (struct mnp_chosen){.part = policy ? &policy->part : NULL, .values = {value}};
    struct mnp_cache_shape shape = {.sets = sets,
                                    .ways = ways,
                                    .line_bytes = LINE,
                                    .sector_bytes = 32,
                                    .replacement = policy ? MNP_REPLACE_CALLED : MNP_REPLACE_LRU,
                                    .policy = &bench->chosen};
    mnp_arena_init(&bench->arena, mnp_cache_size(&shape));
    mnp_cache_init(&bench->cache, &shape, &bench->arena);
}

static void end(struct bench *bench)
{
    mnp_arena_release(&bench->arena);
}

/* An instruction loads a line, which gets a place unless the policy says no. Whether it hits. */
static bool load(struct bench *bench, uint64_t number, uint64_t pc)
{
    struct mnp_cache *cache = &bench->cache;
    uint32_t set = mnp_cache_set(cache, number), line = mnp_cache_find(cache, set, number);
    if (mnp_cache_asks(cache))
        mnp_cache_announce(cache, set, &(struct mnp_cache_access){.address = number * LINE, .pc = pc}, false);
    if (line == MNP_NO_LINE && !(mnp_cache_asks(cache) && mnp_cache_bypasses(cache, set))) {
        uint32_t victim = mnp_cache_victim(cache, set);
        mnp_cache_replace(cache, victim, set, number);
        mnp_cache_touch(cache, victim, set); /* as some caches do: it is the same access */
    } else if (line != MNP_NO_LINE) {
        mnp_cache_touch(cache, line, set);
    }
    return line != MNP_NO_LINE;
}

/* ===== drrip ===== */

enum { SETS = 256, WAYS = 4, LEADERS = 32 };

/* Hits of one round through `lines` lines of each set. */
static uint32_t loop(struct bench *bench, uint32_t lines)
{
    uint32_t hits = 0;
    for (uint64_t number = 0; number < (uint64_t)lines * SETS; number++)
        hits += load(bench, number, REUSES);
    return hits;
}

/* A loop over twice as many lines as a set has ways: with BRRIP all ways but one keep theirs. Sets that lead for SRRIP
 * never hit, as those of LRU; all others follow BRRIP, which misses less. */
static void drrip_does_not_thrash(void **state)
{
    (void)state;
    struct bench drrip, lru;
    begin(&drrip, &mnp_drrip_policy, 0, SETS, WAYS);
    begin(&lru, NULL, 0, SETS, WAYS);
    for (uint32_t round = 0; round < 8; round++) {
        loop(&drrip, 2 * WAYS);
        loop(&lru, 2 * WAYS);
    }
    for (uint32_t round = 0; round < 4; round++) {
        assert_int_equal(loop(&lru, 2 * WAYS), 0);
        assert_int_equal(loop(&drrip, 2 * WAYS), (SETS - LEADERS) * (WAYS - 1));
    }
    end(&drrip);
    end(&lru);
}

/* Two lines of each set are touched twice, then as many lines as a set has ways once. */
static uint32_t scan(struct bench *bench, uint64_t round)
{
    uint32_t hits = 0;
    for (uint64_t number = 0; number < 4 * SETS; number++)
        hits += load(bench, number % (2 * SETS), REUSES);
    for (uint64_t number = 0; number < WAYS * SETS; number++)
        hits += load(bench, (2 + round * WAYS) * SETS + number, SCANS);
    return hits;
}

static void drrip_resists_a_scan(void **state)
{
    (void)state;
    struct bench drrip, lru;
    begin(&drrip, &mnp_drrip_policy, 0, SETS, WAYS);
    begin(&lru, NULL, 0, SETS, WAYS);
    for (uint64_t round = 0; round < 12; round++) {
        uint32_t kept = scan(&drrip, round), lost = scan(&lru, round);
        assert_int_equal(lost, 2 * SETS); /* the second touches alone */
        assert_int_equal(kept, round ? 4 * SETS : 2 * SETS);
    }
    end(&drrip);
    end(&lru);
}

/* ===== ship ===== */

/* Two lines are touched once by one instruction, then `lines` new ones by another. Hits of the round. */
static uint32_t mixed(struct bench *bench, uint64_t round, uint64_t lines)
{
    uint32_t hits = load(bench, 0, REUSES) + load(bench, 1, REUSES);
    for (uint64_t i = 0; i < lines; i++)
        hits += load(bench, 2 + round * lines + i, SCANS);
    return hits;
}

/* The two lines have been hit once: the counter of their instruction is above zero. */
static void begin_ship(struct bench *ship)
{
    begin(ship, &mnp_ship_policy, 14, 1, WAYS);
    mixed(ship, 0, 0);
    assert_int_equal(mixed(ship, 0, 0), 2);
}

/* A scan that is too long for srrip: its lines age the others, unless they come with a distant interval. */
static void ship_keeps_what_is_reused(void **state)
{
    (void)state;
    struct bench ship, lru;
    begin_ship(&ship);
    begin(&lru, NULL, 0, 1, WAYS);
    for (uint64_t round = 0; round < 20; round++) {
        assert_int_equal(mixed(&lru, round, 4 * WAYS), 0);
        assert_int_equal(mixed(&ship, round, 4 * WAYS), 2);
    }
    end(&ship);
    end(&lru);
}

static void ship_brings_what_is_dead_on_arrival_with_a_distant_interval(void **state)
{
    (void)state;
    struct bench ship;
    begin_ship(&ship);
    for (uint64_t round = 0; round < 20; round++)
        mixed(&ship, round, 4 * WAYS);
    load(&ship, 10000, SCANS);
    uint32_t line = mnp_cache_find(&ship.cache, 0, 10000);
    assert_int_equal(mnp_cache_victim(&ship.cache, 0), line); /* the next one to go */
    load(&ship, 10001, REUSES);
    line = mnp_cache_find(&ship.cache, 0, 10001);
    load(&ship, 10002, SCANS);
    assert_int_not_equal(mnp_cache_victim(&ship.cache, 0), line);
    end(&ship);
}

/* ===== dead blocks ===== */

enum { MORE_WAYS = 8 };

/* Of 8 ways a sampler has 6. In the first round it takes lines of both instructions for dead once or twice, then three
 * of the scan: from then on a line of the scan goes first, and the two others are found alive. */
static void dead_blocks_get_no_place(void **state)
{
    (void)state;
    struct bench dead, lru;
    begin(&dead, &mnp_dead_block_policy, 32, 1, MORE_WAYS);
    begin(&lru, NULL, 0, 1, MORE_WAYS);
    for (uint64_t round = 0; round < 20; round++) {
        uint32_t kept = mixed(&dead, round, 2 * MORE_WAYS);
        assert_int_equal(mixed(&lru, round, 2 * MORE_WAYS), 0);
        if (round >= 2)
            assert_int_equal(kept, 2);
    }
    mnp_cache_announce(&dead.cache, 0, &(struct mnp_cache_access){.address = 10000 * LINE, .pc = SCANS}, false);
    assert_true(mnp_cache_bypasses(&dead.cache, 0));
    assert_int_equal(mnp_cache_find(&dead.cache, 0, 2 + 19 * 2 * MORE_WAYS), MNP_NO_LINE);
    mnp_cache_announce(&dead.cache, 0, &(struct mnp_cache_access){.address = 0, .pc = REUSES}, false);
    assert_false(mnp_cache_bypasses(&dead.cache, 0));
    end(&dead);
}

/* In a cache that gives each line a place, a dead one is the next to go though others were used longer ago. */
static void dead_blocks_go_first(void **state)
{
    (void)state;
    struct bench dead;
    begin(&dead, &mnp_dead_block_policy, 32, 1, MORE_WAYS);
    for (uint64_t round = 0; round < 20; round++)
        mixed(&dead, round, 2 * MORE_WAYS);
    for (uint64_t number = 10000; number < 10000 + MORE_WAYS; number++)
        load(&dead, number, REUSES);
    struct mnp_cache_access access = {.address = 20000 * LINE, .pc = SCANS};
    mnp_cache_announce(&dead.cache, 0, &access, false);
    uint32_t line = mnp_cache_victim(&dead.cache, 0);
    mnp_cache_replace(&dead.cache, line, 0, 20000);
    assert_int_equal(mnp_cache_victim(&dead.cache, 0), line);
    end(&dead);
}

/* ===== all of them ===== */

static bool is_even(const void *cache, uint32_t way)
{
    (void)cache;
    return way % 2 == 0;
}

static bool is_any(const void *cache, uint32_t way)
{
    (void)cache, (void)way;
    return true;
}

static void victims_are_never_barred(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; mnp_called_policies[i]; i++) {
        struct bench bench;
        begin(&bench, (const struct mnp_policy *)mnp_called_policies[i], 14, 4, 7);
        for (uint32_t access = 0; access < 5000; access++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            load(&bench, seed >> 58, seed >> 40 & 0xff0);
            uint32_t set = seed >> 20 & 3, way = mnp_cache_policy_way(&bench.cache, set, is_even, NULL);
            assert_true(way % 2 && way < 7);
            assert_int_equal(mnp_cache_policy_way(&bench.cache, set, is_even, NULL), way);
            assert_int_equal(mnp_cache_policy_way(&bench.cache, set, is_any, NULL), MNP_NO_WAY);
        }
        end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drrip_does_not_thrash),
        cmocka_unit_test(drrip_resists_a_scan),
        cmocka_unit_test(ship_keeps_what_is_reused),
        cmocka_unit_test(ship_brings_what_is_dead_on_arrival_with_a_distant_interval),
        cmocka_unit_test(dead_blocks_get_no_place),
        cmocka_unit_test(dead_blocks_go_first),
        cmocka_unit_test(victims_are_never_barred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
