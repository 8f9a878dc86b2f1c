/* SPDX-License-Identifier: BSD-3-Clause */
/* A sum of 64 bits made of a lower word with a carry out and an upper word with a carry in is that of the host, also of
 * a negated number, at all levels of the host's processor (IADD and IADD.X of Blackwell's machine code). */
#include "execute/lanes/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LANES = 32, ROUNDS = 200 };

struct numbers { /* the halves of 64 bits, each in a register */
    execute_word low[LANES], high[LANES];
};

static uint64_t number(const struct numbers *numbers, uint32_t lane)
{
    return (uint64_t)numbers->high[lane] << 32 | numbers->low[lane];
}

/* Words of all kinds, with many in which carries run through. */
static void fill(struct numbers *numbers, uint64_t *state)
{
    static const uint32_t ends[] = {0, 1, UINT32_MAX, 0x80000000, 0x7fffffff, UINT32_MAX - 1};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t word = (uint32_t)(*state >> 32), choice = word % 8;
        numbers->low[lane] = choice < 6 ? ends[choice] : word;
        numbers->high[lane] = word % 7 < 6 ? ends[word % 7] : ~word;
    }
}

static void check(const struct execute_words_table *table, bool negates_a, bool negates_b, uint64_t seed)
{
    struct numbers a, b, sum;
    fill(&a, &seed);
    fill(&b, &seed);
    uint32_t signs = (negates_a ? EXECUTE_WORDS_NEGATE_A : 0u) | (negates_b ? EXECUTE_WORDS_NEGATE_B : 0u);
    struct execute_words low = {.d = sum.low, .a = a.low, .b = b.low, .modifiers = signs, .lanes = UINT32_MAX};
    table->functions[EXECUTE_WORDS_iadd_carry](&low);
    struct execute_words high = {
        .d = sum.high, .a = a.high, .b = b.high, .in = {low.out[0]}, .modifiers = signs, .lanes = UINT32_MAX};
    table->functions[EXECUTE_WORDS_iadd_x](&high);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t x = number(&a, lane), y = number(&b, lane), all = (negates_a ? 0 - x : x) + (negates_b ? 0 - y : y);
        assert_int_equal(number(&sum, lane), all);
        /* No carry leaves a difference that borrows; only one number is negated where that is looked at. */
        bool carry = negates_a ? y >= x : negates_b ? x >= y : all < x;
        if (!(negates_a && negates_b))
            assert_int_equal(high.out[0] >> lane & 1, carry);
    }
}

static void words_with_carries_are_sums_of_64_bits(void **state)
{
    const struct execute_words_table *tables[] = {&execute_words_base, execute_words_best()};
    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            for (uint32_t signs = 0; signs < 3; signs++)
                check(tables[i], signs == 1, signs == 2, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_with_carries_are_sums_of_64_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
