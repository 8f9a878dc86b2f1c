/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions over the 32 lanes of a warp, made from lane_list.h for each level of the host's processor. All levels give
 * the same bits; the fastest one that the host has is taken when a kernel is decoded.
 *
 * A value of up to 32 bits lies in 4 bytes per lane, zero- or sign-extended as its type is; one of 64 bits in 8.
 */
#ifndef EXECUTE_LANES_H
#define EXECUTE_LANES_H

#include "execute/lane_list.h"

#include <stdint.h>

/* Result and sources are [32]; the result may be one of the sources. */
typedef void (*ptx_lane_function)(void *result, const void *a, const void *b, const void *c, uint32_t immediate);
/* The lanes for which the test holds. */
typedef uint32_t (*ptx_lane_test)(const void *a, const void *b);

enum ptx_lane {
#define ONE(name, D, A, expression)         PTX_LANE_##name,
#define TWO(name, D, A, B, expression)      PTX_LANE_##name,
#define THREE(name, D, A, B, C, expression) PTX_LANE_##name,
    PTX_LANES(ONE, TWO, THREE)
#undef ONE
#undef TWO
#undef THREE
        PTX_LANE_bfi_b32,
    PTX_LANE_bfi_b64,
    PTX_LANE_COUNT
};

enum ptx_test {
#define TEST(name, T, expression) PTX_TEST_##name,
    PTX_TESTS(TEST)
#undef TEST
        PTX_TEST_COUNT
};

struct ptx_lane_table {
    const char *level;
    ptx_lane_function lanes[PTX_LANE_COUNT];
    ptx_lane_test tests[PTX_TEST_COUNT];
};

extern const struct ptx_lane_table ptx_lanes_base;
#ifdef PTX_LANE_LEVELS
extern const struct ptx_lane_table ptx_lanes_v3; /* x86-64-v3: AVX2, FMA */
extern const struct ptx_lane_table ptx_lanes_v4; /* x86-64-v4: AVX-512 */
#endif

/* The fastest table for this host. */
const struct ptx_lane_table *ptx_lanes_best(void);

/* All tables that this host can run, for tests; their number. */
uint32_t ptx_lanes_all(const struct ptx_lane_table *tables[static 4]);

#endif
