/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/lanes/products.h"
#include "execute/lanes/words.h"

#include <stddef.h>

uint32_t execute_words_all(const struct execute_words_table *tables[static 4])
{
    uint32_t count = 0;
    tables[count++] = &execute_words_base;
#ifdef EXECUTE_LANE_LEVELS
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (v3)
        tables[count++] = &execute_words_v3;
    if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        tables[count++] = &execute_words_v4;
#endif
    return count;
}

const struct execute_words_table *execute_words_best(void)
{
    const struct execute_words_table *tables[4];
    return tables[execute_words_all(tables) - 1];
}

const struct execute_product_table *execute_products_best(void)
{
#ifdef EXECUTE_LANE_LEVELS
    const struct execute_words_table *best = execute_words_best();
    return best == &execute_words_v4   ? &execute_products_v4
           : best == &execute_words_v3 ? &execute_products_v3
                                       : &execute_products_base;
#else
    return &execute_products_base;
#endif
}

/* Functions that have been made for modifiers that are constants. */
static const struct fixed {
    uint16_t name, number; /* enum execute_words_name; enum execute_lane or enum execute_test */
    uint32_t modifiers;
} lanes[] =
    {
#define OWN(name, ...)
#define LIKE(name, D, A, B, C, function, modifiers)                                                                    \
    {EXECUTE_WORDS_##function, EXECUTE_LANE_##name, (uint32_t)(modifiers)},
        EXECUTE_LANES(OWN, OWN, OWN, LIKE, OWN)},
  tests[] = {
#define TEST(name, function, modifiers) {EXECUTE_WORDS_##function, EXECUTE_TEST_##name, (uint32_t)(modifiers)},
      EXECUTE_TESTS(TEST)};

static const struct fixed *find(const struct fixed *rows, size_t count, uint32_t name, uint32_t modifiers)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].name == name && rows[i].modifiers == modifiers)
            return &rows[i];
    return NULL;
}

execute_words_function execute_words_fixed(const struct execute_words_table *table, enum execute_words_name name,
                                           uint32_t modifiers)
{
    const uint32_t combines = EXECUTE_WORDS_AND | EXECUTE_WORDS_XOR; /* comparisons look at them themselves */
    const struct fixed *lane = find(lanes, sizeof lanes / sizeof *lanes, name, modifiers);
    const struct fixed *test = find(tests, sizeof tests / sizeof *tests, name, modifiers & ~combines);
    return lane ? table->lanes[lane->number] : test ? table->tests[test->number] : table->functions[name];
}
