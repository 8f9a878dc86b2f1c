/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What waits for groups of asynchronous copies (cp.async) cost, by the program's own clock. A copy takes as long as an
 * L2 hit, so that a wait that lets N groups be outstanding takes its share, one in N + 1, of what the L2 takes longer:
 * rounds of a copy, a commit and a wait follow latency.l2 by that, to the cycle.
 */
#include "timed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char frame[] =
    ".version 8.6\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 from)\n"
    "{\n.reg .b64 o, x, t0, t1; .reg .b32 v; .shared .align 16 .b8 to[16];\n"
    "ld.param.u64 o, [out]; ld.param.u64 x, [from]; ld.global.b32 v, [x]; st.global.b32 [o], v; bar.sync 0;\n"
    "mov.u64 t0, %%clock64;\n%s\n mov.u64 t1, %%clock64; sub.u64 t1, t1, t0; st.global.b64 [o], t1; ret;\n}\n";

static uint64_t cycles_of(const char *statement, uint32_t times, const char *set)
{
    char body[1 << 13] = "", text[1 << 14];
    for (uint32_t i = 0; i < times; i++)
        bench_add(body, sizeof body, "%s\n", statement);
    snprintf(text, sizeof text, frame, body);
    return timed_number(text, 80, 16, set);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_no_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
