/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of an SM that are called. The stride prefetcher fetches all but the first three lines of a chain of loads
 * before they are asked for. cawa lets the warp go first that will take the longest, ccws holds back loads of other
 * warps for exactly as many cycles as its formula says.
 */
#include "bench.h"

#include "gpu/sm/schedulers/called.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LINE = 128, SECTORS = 4, LOADS = 20, BASE = 0x100000 };

/* A warp's loads, each of which waits for the one before, of one instruction. */
static struct script *chain(uint64_t stride)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    for (uint64_t i = 0; i < LOADS; i++)
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 2, 2, BASE + i * stride, 4)->pc = 64;
    return script;
}

static uint64_t count(const char *const *overrides, uint64_t stride, const char *name)
{
    struct script *script = chain(stride);
    uint64_t value = bench_statistic(script, overrides, 0, name);
    script_free(script);
    return value;
}

/* ===== the prefetcher ===== */

static const char *const stride_by_2[] = {"sm.l1d.prefetcher=stride", NULL};

static void strides_are_fetched_ahead(void **state)
{
    (void)state;
    assert_int_equal(count(NULL, LINE, "L1D_total_cache_misses"), LOADS * SECTORS);
    for (uint64_t stride = LINE; stride <= 4 * LINE; stride += LINE) {
        assert_int_equal(count(stride_by_2, stride, "L1D_total_cache_misses"), 3 * SECTORS);
        assert_int_equal(count(stride_by_2, stride, "stride_proved"), LOADS - 2);
        assert_int_equal(count(stride_by_2, stride, "l1d_prefetches"), LOADS - 3 + 2); /* two behind the last */
        assert_int_equal(count(stride_by_2, stride, "l1d_prefetches_used"), LOADS - 3);
        assert_int_equal(count(stride_by_2, stride, "l1d_prefetches_unused"), 0);
    }
}

static void a_degree_asks_for_as_many(void **state)
{
    (void)state;
    const char *const by_5[] = {"sm.l1d.prefetcher=stride", "stride.degree=5", NULL};
    assert_int_equal(count(by_5, LINE, "l1d_prefetches"), LOADS - 3 + 5);
}

/* ===== cawa ===== */

static void cawa_prefers_the_slowest(void **state)
{
    (void)state;
    const struct sm_called_scheduler *cawa = &sm_cawa_scheduler;
    struct sm_scheduler_shape shape = {.subcores = 1, .warps = 4, .lines = 16};
    uint64_t *own = calloc(1, cawa->bytes(&shape, NULL));
    for (uint32_t warp = 0; warp < 4; warp++)
        cawa->start(own, NULL, warp, 0);
    struct sm_ready_warp warps[SM_PLACES] = {
        {.issued = 50, .pc = 800}, {.issued = 25, .pc = 800}, {.issued = 50, .pc = 400}};
    struct sm_choice choice = {.ready = 3, .cycle = 100, .subcores = 1, .last = 3, .warps = warps};
    assert_int_equal(cawa->choose(own, NULL, &choice, NULL), 1); /* as far, but it has waited for 75 cycles, not 50 */
    choice.ready = 5;
    assert_int_equal(cawa->choose(own, NULL, &choice, NULL), 2); /* 25 instructions more are left, of 2 cycles each */
    choice.ready = 7;
    assert_int_equal(cawa->choose(own, NULL, &choice, NULL), 2);
    choice.last = 0;
    assert_int_equal(cawa->choose(own, NULL, &choice, NULL), 0); /* greedy */
    warps[3] = (struct sm_ready_warp){.issued = 50, .pc = 800};
    choice = (struct sm_choice){.ready = 9, .cycle = 100, .subcores = 1, .last = 1, .warps = warps};
    assert_int_equal(cawa->choose(own, NULL, &choice, NULL), 0); /* the same: the lowest place */
    free(own);
}

/* ===== ccws ===== */

enum { BASE_SCORE = 100, WEIGHT = 8 };

static void ccws_holds_loads_back_while_locality_is_lost(void **state)
{
    (void)state;
    const struct sm_called_scheduler *ccws = &sm_ccws_scheduler;
    const uint64_t values[MNP_PART_VALUES] = {BASE_SCORE, WEIGHT};
    struct sm_scheduler_shape shape = {.subcores = 1, .warps = 2, .lines = 16};
    uint64_t *own = calloc(1, ccws->bytes(&shape, values)), counters[2] = {0};
    struct sm_ready_warp warps[SM_PLACES] = {{0}};
    ccws->init(own, &shape, values);
    ccws->start(own, values, 0, 0);
    ccws->start(own, values, 1, 0);
    struct sm_choice choice = {.ready = 3, .memory = 3, .subcores = 1, .last = 5, .warps = warps};
    assert_int_equal(ccws->choose(own, values, &choice, counters), 0); /* the first instruction; the oldest warp's */

    /* Warp 1 replaces a line of warp 0, which wants it again: a hit of the victim tags. */
    struct sm_look_up miss = {.access = {.address = 0x1000, .warp = 0}, .cycle = 1000};
    ccws->replaced(own, values, 3, UINT64_MAX, 0x1000, 0);
    ccws->looked_up(own, values, &miss, counters);
    assert_int_equal(counters[0], 0);
    ccws->replaced(own, values, 3, 0x1000, 0x2000, 1);
    ccws->looked_up(own, values, &miss, counters);
    assert_int_equal(counters[0], 1);
    ccws->looked_up(own, values, &miss, counters); /* it was one line */
    assert_int_equal(counters[0], 1);

    /* Warp 0 has 8 · 200 / 1 beyond the base, one less each cycle. Both fit into the cutoff, 200, when that is gone. */
    uint64_t extra = WEIGHT * 2 * BASE_SCORE;
    choice = (struct sm_choice){.ready = 2, .memory = 2, .cycle = 1000 + extra - 1, .subcores = 1, .warps = warps};
    assert_int_equal(ccws->choose(own, values, &choice, counters), SM_NO_PLACE);
    assert_int_equal(counters[1], 1);
    choice.ready = 3;
    assert_int_equal(ccws->choose(own, values, &choice, counters), 0); /* the one that has lost may load */
    choice = (struct sm_choice){.ready = 2, .cycle = 1000 + extra - 1, .subcores = 1, .warps = warps};
    assert_int_equal(ccws->choose(own, values, &choice, counters), 1); /* what is no load need not wait */
    choice.memory = 2;
    choice.cycle++;
    assert_int_equal(ccws->choose(own, values, &choice, counters), 1);
    free(own);
}

/* ===== in a machine ===== */

/* Warps of several sub-cores that load, compute and meet: whoever chooses, all of it executes. */
static void all_schedulers_execute_the_same(void **state)
{
    (void)state;
    static const char *const schedulers[][4] = {{"sm.scheduler=gto"},
                                                {"sm.scheduler=cawa"},
                                                {"sm.scheduler=ccws"},
                                                {"sm.scheduler=ccws", "ccws.base=1", "ccws.k=1000"}};
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        struct script *script = script_new();
        script_kernel(script, 4, 256);
        script_spread(script, 64 * LINE, LINE);
        for (uint64_t k = 0; k < 8; k++) {
            script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 2, 2, BASE + k * 16 * LINE, 4);
            script_compute(script, MNP_CLASS_FP32, 2, 2);
        }
        script_barrier(script);
        assert_int_equal(bench_statistic(script, schedulers[i], 0, "gpgpu_n_tot_w_icount"), 4 * 8 * 18);
        script_free(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_fetched_ahead),
        cmocka_unit_test(a_degree_asks_for_as_many),
        cmocka_unit_test(cawa_prefers_the_slowest),
        cmocka_unit_test(ccws_holds_loads_back_while_locality_is_lost),
        cmocka_unit_test(all_schedulers_execute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
