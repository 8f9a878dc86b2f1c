/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions over the 32 lanes of a warp, made from lane_list.h for each level of the host's processor. All levels give
 * the same bits; the fastest one that the host has is taken when a kernel is decoded.
 *
 * A value of up to 32 bits lies in 4 bytes per lane, zero- or sign-extended as its type is; one of 64 bits in 8.
 */
#ifndef EXECUTE_LANES_H
#define EXECUTE_LANES_H

#include "execute/lanes/lane_list.h"

#include <stdint.h>

/* Result and sources are [32]; the result may be one of the sources. */
typedef void (*execute_lane_function)(void *result, const void *a, const void *b, const void *c, uint32_t immediate);
/* The lanes for which the test holds. */
typedef uint32_t (*execute_lane_test)(const void *a, const void *b);

enum execute_lane {
#define ONE(name, D, A, expression)         EXECUTE_LANE_##name,
#define TWO(name, D, A, B, expression)      EXECUTE_LANE_##name,
#define THREE(name, D, A, B, C, expression) EXECUTE_LANE_##name,
    EXECUTE_LANES(ONE, TWO, THREE)
#undef ONE
#undef TWO
#undef THREE
        EXECUTE_LANE_bfi_b32,
    EXECUTE_LANE_bfi_b64,
    EXECUTE_LANE_COUNT
};

enum execute_test {
#define TEST(name, T, expression) EXECUTE_TEST_##name,
    EXECUTE_TESTS(TEST)
#undef TEST
        EXECUTE_TEST_COUNT
};

struct execute_lane_table {
    const char *level;
    execute_lane_function lanes[EXECUTE_LANE_COUNT];
    execute_lane_test tests[EXECUTE_TEST_COUNT];
};

extern const struct execute_lane_table execute_lanes_base;
#ifdef EXECUTE_LANE_LEVELS
extern const struct execute_lane_table execute_lanes_v3; /* x86-64-v3: AVX2, FMA */
extern const struct execute_lane_table execute_lanes_v4; /* x86-64-v4: AVX-512 */
#endif

/* The fastest table for this host. */
const struct execute_lane_table *execute_lanes_best(void);

/* All tables that this host can run, for tests; their number. */
uint32_t execute_lanes_all(const struct execute_lane_table *tables[static 4]);

#endif
