/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What fences do to the L1, by the program's own clock: behind one for the cluster, the GPU or the system, and behind
 * an acquire for these, a load that the L1 had comes from the L2 (silicon: CCTL.IVALL, in cicuvc/nvidia-sass-document);
 * behind those of the CTA, and behind a release, it does not. How long a chain of such loads takes follows latency.l2
 * to the cycle, or not at all.
 */
#include "timed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* x: a word that holds its own address; y: another, 4 KiB on. */
static const char frame[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 chain)\n"
    "{\n.reg .b64 o, x, y, t0, t1; .reg .b32 v;\n"
    "ld.param.u64 o, [out]; ld.param.u64 x, [chain]; add.u64 y, x, 4096; st.global.b64 [x], x;\n"
    "fence.acq_rel.cta; ld.global.b64 x, [x]; ld.global.b64 x, [x]; mov.u64 t0, %%clock64;\n"
    "%s\n add.u64 x, x, 0; mov.u64 t1, %%clock64; sub.u64 t1, t1, t0; add.u64 t1, t1, x; sub.u64 t1, t1, x;\n"
    "st.global.b64 [o], t1; ret;\n}\n";

static uint64_t cycles_of(const char *statement, uint32_t times, const char *set, bool beside)
{
    const char *const sets[] = {beside ? "sm.fence_beside=true" : NULL, NULL};
    char body[1 << 13] = "", text[1 << 14];
    for (uint32_t i = 0; i < times; i++)
        bench_add(body, sizeof body, "%s ld.global.b64 x, [x];\n", statement);
    snprintf(text, sizeof text, frame, body);
    return timed_number_by(
        text, 90, 8192, &(struct timed_how){.executor = &mnp_executor_window, .threads = 1, .set = set, .sets = sets});
}

/* Cycles that one more of a statement and a load take. */
static uint64_t each_by(const char *statement, const char *set, bool beside)
{
    enum { FEW = 4, MANY = 20 };
    return (cycles_of(statement, MANY, set, beside) - cycles_of(statement, FEW, set, beside)) / (MANY - FEW);
}

static uint64_t each(const char *statement, const char *set)
{
    return each_by(statement, set, false);
}

/* How much longer they take where an L2 hit takes 50 cycles more. */
static int64_t longer(const char *statement)
{
    return (int64_t)each(statement, "latency.l2=250") - (int64_t)each(statement, NULL);
}

#define BEHIND "add.u64 y, x, 4096; " /* the load before */

static void test_near(void **unused)
{
    (void)unused;
    assert_int_equal(longer(""), 0);
    assert_int_equal(longer("fence.acq_rel.cta;"), 0);
    assert_int_equal(longer("fence.release.gpu;"), 0);
    assert_int_equal(longer("fence.proxy.async;"), 0);
    assert_int_equal(longer(BEHIND "ld.relaxed.gpu.global.b32 v, [y];"), 50); /* itself */
    assert_int_equal(longer(BEHIND "ld.acquire.cta.global.b32 v, [y];"), 50);
}

static void test_far(void **unused)
{
    (void)unused;
    static const char *const fences[] = {"fence.acq_rel.cluster;", "fence.acq_rel.gpu;", "fence.sc.sys;", "membar.gl;"};
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        if (longer(fences[i]) != 50)
            fail_msg("%s: %d cycles", fences[i], (int)longer(fences[i]));
    /* the one that acquires takes as long again */
    assert_int_equal(longer(BEHIND "ld.acquire.gpu.global.b32 v, [y];"), 100);
    assert_int_equal(longer(BEHIND "atom.acquire.gpu.global.add.u32 v, [y], 1;"), 100);
}

/* The load behind a fence takes what it takes when the L1 does not have it, whatever the fence itself takes. */
static void test_cost(void **unused)
{
    (void)unused;
    assert_int_equal(each("fence.acq_rel.gpu;", "sm.fence=300") - each("fence.acq_rel.gpu;", "sm.fence=100"), 200);
    assert_true(each("", NULL) < 40);
    uint64_t took = each("fence.acq_rel.gpu;", NULL);
    if (took < 200 || took > 230)
        fail_msg("%u cycles", (unsigned)took);
}

/* Beside what it covers a fence ends with the later of both: so it is free where stores take longer, and takes its own
 * time from its beginning on where it does. */
static void test_beside(void **unused)
{
    (void)unused;
    const char *const store = "st.global.b64 [x + 8], x; fence.acq_rel.gpu;";
    uint64_t none = each(store, "sm.fence=0");
    assert_int_equal(each(store, "sm.fence=500") - each(store, "sm.fence=100"), 400);
    assert_int_equal(each_by(store, "sm.fence=0", true), none);
    assert_int_equal(each_by(store, "sm.fence=50", true), none);
    uint64_t late = each_by(store, "sm.fence=1000", true);
    assert_int_equal(each_by(store, "sm.fence=1300", true) - late, 300);
    assert_true(late < none + 1000 - 150);
}

/* Dropping the L1 takes its time where it is dropped, at fences and acquires, and nowhere else. */
static void test_forget(void **unused)
{
    (void)unused;
    static const char *const drop[] = {"fence.acq_rel.gpu;", "membar.gl;", BEHIND "ld.acquire.gpu.global.b32 v, [y];",
                                       BEHIND "atom.acquire.gpu.global.add.u32 v, [y], 1;"};
    static const char *const keep[] = {"", "fence.acq_rel.cta;", BEHIND "ld.relaxed.gpu.global.b32 v, [y];",
                                       BEHIND "ld.acquire.cta.global.b32 v, [y];"};
    for (size_t i = 0; i < sizeof drop / sizeof *drop; i++)
        assert_int_equal(each(drop[i], "sm.forget=320") - each(drop[i], "sm.forget=120"), 200);
    for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
        assert_int_equal(each(keep[i], "sm.forget=120"), each(keep[i], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
