/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each replacement policy against a model of its own on random accesses: lists in order for lru and fifo, a tree in a
 * heap for plru, the published steps for srrip. What must hold for every policy of the list: free lines first, reserved
 * lines never, no change of the state by asking again.
 */
#include "parts/cache/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_WAYS = 64, SETS = 4 };

static uint64_t random_number(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

struct model { /* one set */
    uint32_t ways, used;
    uint64_t tag[MAX_WAYS]; /* lru, fifo: in order, the next victim first; others: by way */
    uint32_t
        bits[2 * MAX_WAYS]; /* plru: node 1 is the root, its halves are 2n and 2n + 1; 1: victim in the upper one */
    uint32_t interval[MAX_WAYS]; /* srrip */
};

static uint32_t place_of(const struct model *model, uint64_t tag)
{
    for (uint32_t i = 0; i < model->used; i++)
        if (model->tag[i] == tag)
            return i;
    return MAX_WAYS;
}

/* ===== lists in order ===== */

static void list_remove(struct model *model, uint32_t place)
{
    memmove(model->tag + place, model->tag + place + 1, (model->used - place - 1) * sizeof *model->tag);
    model->used--;
}

static void list_hit(struct model *model, uint64_t tag, bool moves)
{
    if (!moves)
        return;
    list_remove(model, place_of(model, tag));
    model->tag[model->used++] = tag;
}

/* The tag that goes, or 0: a free line is taken. */
static uint64_t list_miss(struct model *model, uint64_t tag)
{
    uint64_t gone = model->used == model->ways ? model->tag[0] : 0;
    if (gone)
        list_remove(model, 0);
    model->tag[model->used++] = tag;
    return gone;
}

/* ===== a tree ===== */

static void tree_turn(struct model *model, uint32_t way)
{
    uint32_t node = 1;
    for (uint32_t half = model->ways / 2; half; half /= 2) {
        bool upper = way & half;
        model->bits[node] = !upper;
        node = 2 * node + upper;
    }
}

static uint32_t tree_victim(const struct model *model)
{
    uint32_t node = 1;
    while (node < model->ways)
        node = 2 * node + model->bits[node];
    return node - model->ways;
}

/* ===== re-reference intervals, after figure 3 of the paper ===== */

static uint32_t interval_victim(struct model *model)
{
    for (;;) {
        for (uint32_t way = 0; way < model->ways; way++)
            if (model->interval[way] == 3)
                return way;
        for (uint32_t way = 0; way < model->ways; way++)
            model->interval[way]++;
    }
}

/* ===== one access to both ===== */

static void model_hit(struct model *model, enum mnp_replacement policy, uint64_t tag)
{
    uint32_t place = place_of(model, tag);
    if (policy == MNP_REPLACE_LRU || policy == MNP_REPLACE_FIFO)
        list_hit(model, tag, policy == MNP_REPLACE_LRU);
    else if (policy == MNP_REPLACE_PLRU)
        tree_turn(model, place);
    else
        model->interval[place] = 0;
}

static uint64_t model_miss(struct model *model, enum mnp_replacement policy, uint64_t tag)
{
    if (policy == MNP_REPLACE_LRU || policy == MNP_REPLACE_FIFO)
        return list_miss(model, tag);
    uint32_t way = model->used < model->ways    ? model->used++
                   : policy == MNP_REPLACE_PLRU ? tree_victim(model)
                                                : interval_victim(model);
    uint64_t gone = model->tag[way];
    model->tag[way] = tag;
    if (policy == MNP_REPLACE_PLRU)
        tree_turn(model, way);
    else
        model->interval[way] = 2;
    return gone;
}

static void access_both(struct mnp_cache *cache, struct model *models, uint32_t set, uint64_t tag)
{
    struct model *model = &models[set];
    uint32_t line = mnp_cache_find(cache, set, tag);
    assert_int_equal(line != MNP_NO_LINE, place_of(model, tag) < model->used);
    if (line != MNP_NO_LINE) {
        mnp_cache_touch(cache, line, set);
        mnp_cache_touch(cache, line, set); /* again changes nothing */
        model_hit(model, cache->replacement, tag);
        return;
    }
    line = mnp_cache_victim(cache, set);
    assert_int_equal(mnp_cache_victim(cache, set), line);
    uint64_t known = mnp_cache_is_free(cache, line) ? 0 : mnp_cache_line(cache, line)->tag;
    assert_int_equal(model_miss(model, cache->replacement, tag), known);
    mnp_cache_replace(cache, line, set, tag);
}

static struct mnp_cache_shape shape_of(uint32_t ways, enum mnp_replacement policy)
{
    return (struct mnp_cache_shape){
        .sets = SETS, .ways = ways, .line_bytes = 128, .sector_bytes = 32, .replacement = policy};
}

static void run_model(uint32_t ways, enum mnp_replacement policy, uint64_t seed)
{
    struct mnp_cache_shape shape = shape_of(ways, policy);
    struct mnp_arena arena;
    struct mnp_cache cache;
    struct model models[SETS] = {{0}};
    mnp_arena_init(&arena, mnp_cache_size(&shape));
    mnp_cache_init(&cache, &shape, &arena);
    for (uint32_t set = 0; set < SETS; set++)
        models[set].ways = ways;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t number = random_number(&seed);
        access_both(&cache, models, number % SETS, 1 + (number >> 8) % (2 * ways));
    }
    mnp_arena_release(&arena);
}

static void lru_is_a_list_in_order_of_use(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 40; ways += 3)
        run_model(ways, MNP_REPLACE_LRU, 11 + ways);
}

static void fifo_is_a_list_in_order_of_arrival(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 40; ways += 3)
        run_model(ways, MNP_REPLACE_FIFO, 12 + ways);
}

static void plru_is_a_tree_of_bits(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 64; ways *= 2)
        run_model(ways, MNP_REPLACE_PLRU, 13 + ways);
}

static void srrip_goes_by_predicted_intervals(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 40; ways += 3)
        run_model(ways, MNP_REPLACE_SRRIP, 14 + ways);
}

/* Lines that are used twice stay while a stream of others passes: what the policy is for. LRU loses them. */
static void srrip_resists_a_scan(void **state)
{
    (void)state;
    for (int scan = 0; scan < 2; scan++) {
        enum mnp_replacement policy = scan ? MNP_REPLACE_LRU : MNP_REPLACE_SRRIP;
        struct mnp_cache_shape shape = shape_of(8, policy);
        struct mnp_arena arena;
        struct mnp_cache cache;
        mnp_arena_init(&arena, mnp_cache_size(&shape));
        mnp_cache_init(&cache, &shape, &arena);
        for (uint64_t tag = 1; tag <= 4; tag++) {
            uint32_t line = mnp_cache_victim(&cache, 0);
            mnp_cache_replace(&cache, line, 0, tag);
            mnp_cache_touch(&cache, line, 0);
        }
        for (uint64_t tag = 100; tag < 108; tag++)
            mnp_cache_replace(&cache, mnp_cache_victim(&cache, 0), 0, tag);
        for (uint64_t tag = 1; tag <= 4; tag++)
            assert_int_equal(mnp_cache_find(&cache, 0, tag) != MNP_NO_LINE, policy == MNP_REPLACE_SRRIP);
        mnp_arena_release(&arena);
    }
}

/* Over many insertions into full sets, each way of each set is chosen about equally often: 64 ways × 1,000 expected,
 * and five standard deviations of that. */
static void random_spreads_evenly(void **state)
{
    (void)state;
    struct mnp_cache_shape shape = shape_of(64, MNP_REPLACE_RANDOM);
    struct mnp_arena arena;
    struct mnp_cache cache;
    mnp_arena_init(&arena, mnp_cache_size(&shape));
    mnp_cache_init(&cache, &shape, &arena);
    for (uint32_t set = 0; set < SETS; set++) {
        uint32_t chosen[64] = {0};
        for (uint64_t tag = 1; tag <= 64000 + 64; tag++) {
            uint32_t line = mnp_cache_victim(&cache, set);
            chosen[line - set * cache.stride] += tag > 64;
            mnp_cache_replace(&cache, line, set, tag);
        }
        for (uint32_t way = 0; way < 64; way++)
            assert_in_range(chosen[way], 1000 - 160, 1000 + 160);
    }
    mnp_arena_release(&arena);
}

/* ===== what holds for every policy ===== */

static uint32_t count_free(const struct mnp_cache *cache, uint32_t set, uint32_t ways)
{
    uint32_t count = 0;
    for (uint32_t way = 0; way < ways; way++)
        count += mnp_cache_is_free(cache, set * cache->stride + way);
    return count;
}

static void check_victims(const struct mnp_cache *cache, uint32_t set, uint32_t ways)
{
    uint32_t open = 0, clean = 0, first = set * cache->stride;
    for (uint32_t line = first; line < first + ways; line++) {
        open += !mnp_cache_line(cache, line)->pending;
        clean += !(mnp_cache_line(cache, line)->pending | mnp_cache_line(cache, line)->dirty);
    }
    uint32_t victim = mnp_cache_victim(cache, set), other = mnp_cache_clean_victim(cache, set);
    assert_int_equal(victim != MNP_NO_LINE, open > 0);
    assert_int_equal(other != MNP_NO_LINE, clean > 0);
    if (victim != MNP_NO_LINE) {
        assert_in_range(victim, first, first + ways - 1);
        assert_false(mnp_cache_line(cache, victim)->pending);
        assert_int_equal(mnp_cache_is_free(cache, victim), count_free(cache, set, ways) > 0);
    }
    if (other != MNP_NO_LINE)
        assert_false(mnp_cache_line(cache, other)->pending | mnp_cache_line(cache, other)->dirty);
}

static void step_any(struct mnp_cache *cache, uint32_t set, uint64_t number)
{
    uint64_t tag = 1 + (number >> 8) % 80;
    uint32_t line = mnp_cache_find(cache, set, tag), sectors = 1u << (number >> 20) % 4;
    if (line == MNP_NO_LINE) {
        line = mnp_cache_victim(cache, set);
        if (line == MNP_NO_LINE)
            return;
        mnp_cache_replace(cache, line, set, tag);
    } else
        mnp_cache_touch(cache, line, set);
    switch ((number >> 32) % 8) {
    case 0:
    case 1:
        mnp_cache_expect(cache, line, sectors);
        break;
    case 2:
        mnp_cache_soil(cache, line, sectors);
        break;
    case 3:
        if (!mnp_cache_line(cache, line)->pending)
            mnp_cache_invalidate(cache, line, set);
        break;
    default:
        mnp_cache_fill(cache, line, mnp_cache_line(cache, line)->pending);
    }
}

static void every_policy_spares_reserved_lines_and_takes_free_ones(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (uint32_t policy = 0; policy < MNP_REPLACEMENTS; policy++) {
        for (uint32_t ways = 1; ways <= 40; ways += 1 + ways / 3) {
            struct mnp_cache_shape shape = shape_of(ways, (enum mnp_replacement)policy);
            struct mnp_arena arena;
            struct mnp_cache cache;
            mnp_arena_init(&arena, mnp_cache_size(&shape));
            mnp_cache_init(&cache, &shape, &arena);
            for (uint32_t i = 0; i < 5000; i++) {
                uint32_t set = (uint32_t)random_number(&seed) % SETS;
                check_victims(&cache, set, ways);
                step_any(&cache, set, random_number(&seed));
            }
            mnp_arena_release(&arena);
        }
    }
}

static void every_policy_has_a_name_and_a_help(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (; mnp_replacement_names[count]; count++)
        assert_non_null(strstr(mnp_replacement_help, mnp_replacement_names[count]));
    assert_int_equal(count, MNP_REPLACEMENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_is_a_list_in_order_of_use),
        cmocka_unit_test(fifo_is_a_list_in_order_of_arrival),
        cmocka_unit_test(plru_is_a_tree_of_bits),
        cmocka_unit_test(srrip_goes_by_predicted_intervals),
        cmocka_unit_test(srrip_resists_a_scan),
        cmocka_unit_test(random_spreads_evenly),
        cmocka_unit_test(every_policy_spares_reserved_lines_and_takes_free_ones),
        cmocka_unit_test(every_policy_has_a_name_and_a_help),
    };
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
