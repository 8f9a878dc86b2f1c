/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What waits for asynchronous copies (cp.async) cost, by the program's own clock: for groups of them, and at mbarriers
 * for arrivals that come when copies have landed. A copy takes as long as an L2 hit, so that a wait that lets N groups
 * be outstanding takes its share, one in N + 1, of what the L2 takes longer: rounds of a copy, a commit and a wait
 * follow latency.l2 by that, to the cycle.
 */
#include "timed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char frame[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 from)\n"
    "{\n.reg .b64 o, x, t0, t1; .reg .b32 v, even, odd; .reg .pred p; .shared .align 16 .b8 to[16];\n"
    ".shared .b64 b, c; mov.u32 even, 0; mov.u32 odd, 1;\n"
    "mbarrier.init.shared.b64 [b], 1; mbarrier.init.shared.b64 [c], 1;\n"
    "ld.param.u64 o, [out]; ld.param.u64 x, [from]; ld.global.b32 v, [x]; st.global.b32 [o], v; bar.sync 0;\n"
    "mov.u64 t0, %%clock64;\n%s\n mov.u64 t1, %%clock64; sub.u64 t1, t1, t0; st.global.b64 [o], t1; ret;\n}\n";

static uint64_t cycles_by(const char *statement, uint32_t times, const struct timed_how *how)
{
    char body[1 << 13] = "", text[1 << 14];
    for (uint32_t i = 0; i < times; i++)
        bench_add(body, sizeof body, "%s\n", statement);
    snprintf(text, sizeof text, frame, body);
    return timed_number_by(text, 90, 16, how);
}

static uint64_t cycles_of(const char *statement, uint32_t times, const char *set)
{
    const struct timed_how how = {.executor = &mnp_executor_window, .threads = 1, .set = set};
    return cycles_by(statement, times, &how);
}

/* Cycles that one more of a statement takes. */
static uint64_t each(const char *statement, const char *set)
{
    enum { FEW = 3, MANY = 15 };
    return (cycles_of(statement, MANY, set) - cycles_of(statement, FEW, set)) / (MANY - FEW);
}

/* How much longer it takes where an L2 hit takes 48 cycles more. */
static int64_t longer(const char *statement)
{
    return (int64_t)each(statement, "latency.l2=248") - (int64_t)each(statement, "latency.l2=200");
}

#define COPY   "cp.async.cg.shared.global [to], [x], 16; "
#define COMMIT "cp.async.commit_group; "

static void test_waits(void **unused)
{
    (void)unused;
    assert_int_equal(longer(COPY COMMIT "cp.async.wait_group 0;"), 48);
    assert_int_equal(longer(COPY COPY COMMIT "cp.async.wait_group 0;"), 48);
    assert_int_equal(longer(COPY COMMIT "cp.async.wait_group 1;"), 24);
    assert_int_equal(longer(COPY COMMIT "cp.async.wait_group 2;"), 16);
    assert_int_equal(longer(COPY COMMIT "cp.async.wait_group 3;"), 12);
    assert_int_equal(longer(COPY "cp.async.wait_all;"), 48);
}

/* A wait is for groups: not for a copy that is in none yet, nor for stores. */
static void test_no_waits(void **unused)
{
    (void)unused;
    assert_int_equal(longer(COPY COMMIT), 0);
    assert_int_equal(longer(COPY "cp.async.wait_group 0;"), 0);
    assert_int_equal(longer("st.global.b32 [x], v; " COMMIT "cp.async.wait_group 0;"), 0);
    assert_int_equal(longer(COMMIT COMMIT "cp.async.wait_group 0;"), 0);
}

/* ===== arrivals ===== */

#define ARRIVE(TO)       "cp.async.mbarrier.arrive.noinc.shared.b64 [" TO "]; "
#define AWAIT(OF, PHASE) "mbarrier.try_wait.parity.shared.b64 p, [" OF "], " PHASE "; xor.b32 " PHASE ", " PHASE ", 1; "

/* Two stages: a phase is waited for when the copies of the next one are under way. */
static const char stages[] = COPY ARRIVE("b") AWAIT("c", "odd") COPY ARRIVE("c") AWAIT("b", "even");

static void test_arrivals(void **unused)
{
    (void)unused;
    assert_int_equal(longer(COPY ARRIVE("b") AWAIT("b", "even")), 48);
    assert_int_equal(longer(COPY COPY ARRIVE("b") AWAIT("b", "even")), 48);
    assert_int_equal(
        longer(COPY "cp.async.mbarrier.arrive.shared.b64 [b]; mbarrier.arrive.shared.b64 _, [b]; " AWAIT("b", "even")),
        48);
    assert_int_equal(longer(stages), 48);                                           /* of two copies */
    assert_int_equal(longer(COPY ARRIVE("c") ARRIVE("b") AWAIT("b", "even")), 48);  /* later ones wait as well */
    assert_int_equal(longer(COPY ARRIVE("b") COMMIT "cp.async.wait_group 0;"), 48); /* groups are as without them */
}

/* The warp goes on, and copies that it issues later are not waited for; without copies nothing is. */
static void test_no_arrivals(void **unused)
{
    (void)unused;
    assert_int_equal(longer(COPY ARRIVE("b")), 0);
    assert_int_equal(longer(COPY COMMIT "cp.async.wait_group 0;" ARRIVE("b") COPY AWAIT("b", "even")), 48);
    assert_int_equal(longer(ARRIVE("b") AWAIT("b", "even")), 0);
}

/* Whether the phase has ended so many additions behind the arrival. */
static bool has_landed(uint32_t additions, uint32_t latency)
{
    char statement[1 << 12] = COPY ARRIVE("b"), set[32];
    for (uint32_t i = 0; i < additions; i++)
        bench_add(statement, sizeof statement, "add.u32 v, v, 1; ");
    bench_add(statement, sizeof statement,
              "and.b32 v, v, 0; mbarrier.test_wait.parity.shared.b64 p, [b], v;\n"
              "@!p mov.u64 t0, 0x8000000000000000;");
    snprintf(set, sizeof set, "latency.l2=%u", latency);
    return cycles_of(statement, 1, set) >> 63 == 0;
}

/* The first latency with which a question comes too early. */
static uint32_t first_missed(uint32_t additions)
{
    uint32_t latency = 160;
    while (latency < 400 && has_landed(additions, latency))
        latency++;
    assert_in_range(latency, 161, 399);
    assert_false(has_landed(additions, latency + 1));
    assert_true(has_landed(additions, latency - 1));
    return latency;
}

/* The phase ends in one cycle: a question that comes later by an addition finds it with a latency longer by that. */
static void test_cycle_of_arrival(void **unused)
{
    (void)unused;
    uint32_t addition = (uint32_t)each("add.u32 v, v, 1;", NULL);
    assert_true(addition > 0);
    assert_int_equal(first_missed(41) - first_missed(40), addition);
    assert_int_equal(first_missed(42) - first_missed(40), 2 * addition);
}

/* Cycles of a loop of copies from far away, each with an arrival. */
static uint64_t far_arrivals(uint32_t count)
{
    static const char *const far[] = {"latency.l2=4000", "latency.dram=5000", NULL};
    const struct timed_how how = {.executor = &mnp_executor_window, .threads = 1, .sets = far};
    char loop[512];
    snprintf(loop, sizeof loop, "mov.u32 v, %u; L: " COPY ARRIVE("b") "sub.u32 v, v, 1; setp.ne.u32 p, v, 0; @p bra L;",
             count);
    return cycles_by(loop, 1, &how);
}

/* A warp has no more than 63 arrivals waiting: the next one waits for the first. */
static void test_many_arrivals(void **unused)
{
    (void)unused;
    assert_in_range(far_arrivals(63) - far_arrivals(62), 1, 100);
    assert_true(far_arrivals(64) - far_arrivals(63) > 1000);
}

static void test_ways(void **unused)
{
    (void)unused;
    static const struct timed_how ways[] = {{.executor = &mnp_executor_window, .threads = 1, .no_skip = true},
                                            {.executor = &mnp_executor_window, .threads = 1, .window = 1},
                                            {.executor = &mnp_executor_window, .threads = 2}};
    uint64_t cycles = cycles_of(stages, 5, NULL);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        assert_int_equal(cycles_by(stages, 5, &ways[i]), cycles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_no_waits),
        cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_no_arrivals),
        cmocka_unit_test(test_cycle_of_arrival),
        cmocka_unit_test(test_many_arrivals),
        cmocka_unit_test(test_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
