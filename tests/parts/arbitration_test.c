/* SPDX-License-Identifier: BSD-3-Clause */
/* Each arbitration against a search from end to end, on random claims; round robin serves all equally. */
#include "parts/arbitration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 3, PLACES = WORDS * 64 };

static uint64_t random_number(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static uint32_t born_at(const void *owner, uint32_t place)
{
    return ((const uint32_t *)owner)[place];
}

static bool has(const uint64_t *places, uint32_t place)
{
    return places[place / 64] >> place % 64 & 1;
}

/* The claim with the least (age, distance from the one whose turn it is); without ages, the least distance. */
static uint32_t search(const uint64_t *places, uint32_t turn, const uint32_t *born)
{
    uint32_t best = PLACES;
    for (uint32_t i = 0; i < PLACES; i++) {
        uint32_t place = (turn + i) % PLACES;
        if (has(places, place) && (best == PLACES || (born && born[place] < born[best])))
            best = place;
    }
    return best;
}

static void choices_are_those_of_a_search(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint32_t round = 0; round < 20000; round++) {
        uint64_t places[WORDS];
        uint32_t born[PLACES], turn = (uint32_t)random_number(&seed) % PLACES;
        for (uint32_t i = 0; i < WORDS; i++)
            places[i] = random_number(&seed) & random_number(&seed) & random_number(&seed);
        places[turn % WORDS] |= 1;
        for (uint32_t i = 0; i < PLACES; i++)
            born[i] = (uint32_t)random_number(&seed) % 8;
        struct mnp_claims claims = {.places = places, .words = WORDS, .turn = turn};
        assert_int_equal(mnp_arbitrate(MNP_ARBITRATION_ROUND_ROBIN, &claims, born_at, born),
                         search(places, turn, NULL));
        assert_int_equal(mnp_arbitrate(MNP_ARBITRATION_OLDEST, &claims, born_at, born), search(places, turn, born));
    }
}

/* Ages wrap around: what was born just before 2^32 is older than what was born just after. */
static void ages_wrap_around(void **state)
{
    (void)state;
    uint64_t places = 3;
    uint32_t born[64] = {4, UINT32_MAX - 3};
    struct mnp_claims claims = {.places = &places, .words = 1, .turn = 0};
    assert_int_equal(mnp_arbitrate(MNP_ARBITRATION_OLDEST, &claims, born_at, born), 1);
}

static void round_robin_serves_all_equally(void **state)
{
    (void)state;
    uint64_t places[WORDS] = {0x8000000000000101, 0, 0x11};
    uint32_t served[PLACES] = {0}, turn = 0;
    for (uint32_t i = 0; i < 5 * 100; i++) {
        struct mnp_claims claims = {.places = places, .words = WORDS, .turn = turn};
        uint32_t place = mnp_arbitrate(MNP_ARBITRATION_ROUND_ROBIN, &claims, born_at, NULL);
        served[place]++;
        turn = (place + 1) % PLACES;
    }
    for (uint32_t place = 0; place < PLACES; place++)
        assert_int_equal(served[place], has(places, place) ? 100 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_those_of_a_search),
        cmocka_unit_test(ages_wrap_around),
        cmocka_unit_test(round_robin_serves_all_equally),
    };
    return cmocka_run_group_tests_name("arbitration", tests, NULL, NULL);
}
