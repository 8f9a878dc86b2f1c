/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers of the block that lanes of a warp come to by several ways: threads arrive, warps do not. Each answer
 * follows from the ISA alone; run without time, and with it (BENCH_TIMED).
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 96 };

/* Thread i writes `out` to word i, and `mine` is its word of shared memory; `other` that of thread 63 - i, `next` that
 * of the lane beside it. `v`: 7 · i mod 13, by which lanes part. */
static const char frame[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".shared .align 4 .b32 words[96]; .shared .align 8 .b64 object;\n%s\n"
    ".visible .entry k(.param .u64 in)\n{\n"
    ".reg .b64 base, b, state; .reg .b32 t, l, v, n, c, mine, other, next, out, r<8>; .reg .pred odd, low, p, q;\n"
    "ld.param.u64 base, [in]; mov.u32 t, %%tid.x; mov.u32 l, %%laneid; mul.wide.u32 b, t, 4; add.u64 b, b, base;\n"
    "mov.u32 out, 0; mul.lo.u32 v, t, 7; rem.u32 v, v, 13; and.b32 r0, v, 1; setp.ne.u32 odd, r0, 0;\n"
    "setp.lt.u32 low, l, 16; mov.u32 mine, words; mad.lo.u32 mine, t, 4, mine; mov.u32 other, words; sub.u32 r0, 63, "
    "t;\n"
    "mad.lo.u32 other, r0, 4, other; xor.b32 r0, t, 1; mov.u32 next, words; mad.lo.u32 next, r0, 4, next;\n"
    "setp.ge.u32 p, t, 64; @p mov.u32 other, words; mov.u32 n, 1; mov.u32 c, 64;\n"
    "%s\nEND: st.global.b32 [b], out; ret;\n}\n";

static uint32_t v_of(uint32_t thread)
{
    return thread * 7 % 13;
}

static bool run_text(const char *functions, const char *body, uint32_t threads, uint32_t found[MOST],
                     struct mnp_error *error)
{
    struct bench bench;
    char *text = malloc(1 << 14);
    snprintf(text, 1 << 14, frame, functions, body);
    bench_open(&bench, NULL, text);
    uint64_t words = bench_buffer(&bench, NULL, MOST * sizeof *found);
    bool good = BENCH_RUN(&bench, "k", 1, threads, 0, &words);
    *error = bench.error;
    if (good)
        bench_read(&bench, words, found, MOST * sizeof *found);
    bench_close(&bench);
    free(text);
    return good;
}

static void run(const char *functions, const char *body, uint32_t threads, uint32_t found[MOST])
{
    struct mnp_error error;
    if (!run_text(functions, body, threads, found, &error))
        fail_msg("%s", error.text);
}

/* A loop that a lane may leave by the kernel's end, so that its ways meet at the end alone; then a barrier. */
static void test_after_a_bail_out(void **unused)
{
    (void)unused;
    static const char *const forms[] = {"bar.sync 0;", "barrier.sync.aligned 0;", "barrier.sync 0;",
                                        "barrier.sync 1, 64;", "barrier.sync n, c;"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char body[512];
        uint32_t found[MOST];
        snprintf(
            body, sizeof body,
            "mov.u32 r1, 0; LOOP: setp.ge.u32 p, r1, v; @p bra DONE; add.u32 r1, r1, 1; setp.gt.u32 q, r1, 99;\n"
            "@q ret; bra LOOP; DONE: add.u32 r1, r1, 5; st.shared.b32 [mine], r1; %s ld.shared.b32 out, [other];\n",
            forms[i]);
        run("", body, 64, found);
        for (uint32_t t = 0; t < 64; t++)
            assert_int_equal(found[t], v_of(63 - t) + 5);
    }
}

/* The two ways of a branch, each with a barrier of its own. */
static void test_two_places(void **unused)
{
    (void)unused;
    static const char *const forms[][2] = {
        {"bar.sync 0;", "bar.sync 0;"},
        {"barrier.sync 0;", "barrier.sync 0, 64;"},
        {"barrier.sync 15, 64;", "barrier.sync 15, c;"},
        {"barrier.cta.sync n;", "barrier.cta.sync.aligned 1;"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char body[512];
        uint32_t found[MOST];
        snprintf(body, sizeof body,
                 "@odd bra ODD; mul.lo.u32 r1, v, 3; st.shared.b32 [mine], r1; %s ld.shared.b32 out, [other]; bra.uni "
                 "MEET;\nODD: add.u32 r1, v, 50; st.shared.b32 [mine], r1; %s ld.shared.b32 out, [other]; add.u32 out, "
                 "out, 1000;\nMEET:\n",
                 forms[i][0], forms[i][1]);
        run("", body, 64, found);
        for (uint32_t t = 0; t < 64; t++) {
            uint32_t from = v_of(63 - t);
            assert_int_equal(found[t], (from & 1 ? from + 50 : from * 3) + (v_of(t) & 1 ? 1000 : 0));
        }
    }
}

/* Each place has a predicate and a result of its own; the reduction is one of all threads. */
static void test_reductions(void **unused)
{
    (void)unused;
    uint32_t found[MOST], count = 0;
    for (uint32_t t = 0; t < 64; t++)
        count += v_of(t) & 1 ? v_of(t) > 4 : v_of(t) > 7;
    run("",
        "@odd bra ODD; setp.gt.u32 p, v, 7; barrier.red.popc.u32 out, 0, p; bra.uni MEET;\n"
        "ODD: setp.gt.u32 p, v, 4; barrier.red.popc.u32 r1, 0, 64, p; add.u32 out, r1, 1000; MEET:\n"
        "@low bra LOW; setp.lt.u32 p, v, 13; barrier.red.and.pred q, 1, p; @q add.u32 out, out, 10000; bra.uni JOIN;\n"
        "LOW: setp.lt.u32 p, v, 12; barrier.red.and.pred q, 1, p; @!q add.u32 out, out, 20000; JOIN:\n"
        "@odd bra ALSO; setp.eq.u32 p, v, 0; barrier.red.or.pred q, 2, !p; @q add.u32 out, out, 100000; bra.uni LAST;\n"
        "ALSO: barrier.red.or.pred q, 2, p; @!q add.u32 out, out, 200000; LAST:\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++) /* not all are below 12, so that the and is false; some are not 0 */
        assert_int_equal(found[t], count + (v_of(t) & 1 ? 1000 : 100000) + (t % 32 < 16 ? 20000 : 0));
}

/* A producer's lanes arrive in parts, each when it is done; who waits for them sees what all have written. */
static void test_arrivals(void **unused)
{
    (void)unused;
    uint32_t found[MOST];
    run("",
        "setp.ge.u32 p, t, 32; @p bra WAITS; add.u32 r1, v, 9; @odd bra ODD; st.shared.b32 [mine], r1; barrier.arrive "
        "3, "
        "64; bra.uni END;\nODD: mov.u32 r2, 0; LOOP: add.u32 r2, r2, 1; setp.lt.u32 q, r2, 20; @q bra LOOP; "
        "st.shared.b32 [mine], r1; barrier.arrive 3, c; bra.uni END;\nWAITS: barrier.sync 3, 64; ld.shared.b32 out, "
        "[other];\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], t < 32 ? 0 : v_of(63 - t) + 9);
}

/* A warp that has lost lanes, or never had them, counts as 32 threads when all that it has have come; one that has
 * lost all counts for barriers of all threads no more. */
static void test_exits(void **unused)
{
    (void)unused;
    uint32_t found[MOST];
    run("",
        "st.shared.b32 [mine], v; setp.lt.u32 p, v, 3; @p ret; barrier.sync 5, 96; ld.shared.b32 r1, [next]; @odd bra "
        "ODD; barrier.sync 0; bra.uni MEET; ODD: barrier.sync 0; MEET: setp.lt.u32 p, t, 32; @p bra END; @odd bra "
        "ALSO;\n"
        "barrier.sync 0; mov.u32 out, 1; bra.uni END; ALSO: barrier.sync 0; mov.u32 out, 2;\n",
        80, found);
    for (uint32_t t = 0; t < 80; t++)
        assert_int_equal(found[t], v_of(t) < 3 || t < 32 ? 0 : 1 + (v_of(t) & 1));
    /* lanes leave while others wait for them */
    run("",
        "mov.u32 r1, 0; LOOP: setp.gt.u32 p, r1, v; @p bra END; barrier.sync 0; add.u32 out, out, 1; add.u32 r1, r1, "
        "1;\n"
        "bra LOOP;\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], v_of(t) + 1);
}

/* Functions with other frames, called in both ways of a branch, at different depths. */
static void test_functions(void **unused)
{
    (void)unused;
    uint32_t found[MOST];
    run(".func (.param .b32 r) thrice(.param .b32 x, .param .b32 to, .param .b32 from)\n"
        "{ .reg .b32 a, b, c; ld.param.b32 a, [x]; ld.param.b32 b, [to]; ld.param.b32 c, [from]; mul.lo.u32 a, a, 3;\n"
        "st.shared.b32 [b], a; barrier.sync 0; ld.shared.b32 b, [c]; add.u32 a, a, b; st.param.b32 [r], a; ret; }\n"
        ".func (.param .b32 r) wide(.param .b32 x, .param .b32 to, .param .b32 from)\n"
        "{ .reg .b64 d, e, f, g; .reg .b32 a, b, c; .reg .pred p; ld.param.b32 c, [from]; ld.param.b32 b, [to];\n"
        "ld.param.b32 a, [x]; mul.wide.u32 d, a, 5; mul.lo.u64 e, d, 7; add.u64 f, d, e; cvt.u32.u64 a, d;\n"
        "st.shared.b32 [b], a; setp.gt.u32 p, a, 20; @p bra L; barrier.sync 0; bra.uni M; L: barrier.sync 0;\n"
        "M: ld.shared.b32 b, [c]; cvt.u64.u32 g, b; add.u64 f, f, g; cvt.u32.u64 a, f; st.param.b32 [r], a; ret; }\n"
        ".func (.param .b32 r) deep(.param .b32 x, .param .b32 to, .param .b32 from)\n"
        "{ .reg .b32 a, b, c; .param .b32 q, y, z, w; ld.param.b32 a, [x]; ld.param.b32 b, [to];\n"
        "ld.param.b32 c, [from]; st.param.b32 [y], a; st.param.b32 [z], b; st.param.b32 [w], c;\n"
        "call (q), wide, (y, z, w); ld.param.b32 b, [q]; add.u32 b, b, a; st.param.b32 [r], b; ret; }\n",
        "{ .param .b32 q, x, y, z; st.param.b32 [x], v; st.param.b32 [y], mine; st.param.b32 [z], other;\n"
        "setp.gt.u32 p, v, 9; @p bra DEEP; @odd bra ODD; call (q), thrice, (x, y, z); ld.param.b32 out, [q]; bra.uni "
        "MEET;\nODD: call (q), wide, (x, y, z); ld.param.b32 out, [q]; bra.uni MEET;\n"
        "DEEP: call (q), deep, (x, y, z); ld.param.b32 out, [q]; MEET: }\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t v = v_of(t), from = v_of(63 - t), word = from > 9 || from & 1 ? from * 5 : from * 3;
        assert_int_equal(found[t], (v > 9 ? v * 41 : v & 1 ? v * 40 : v * 3) + word);
    }
}

/* Two ways call the same function again and again, each while the other waits in it. */
static void test_calls_in_turn(void **unused)
{
    (void)unused;
    uint32_t found[MOST];
    run(".func (.param .b32 r) three(.param .b32 x)\n"
        "{ .reg .b32 a, b<9>; ld.param.b32 a, [x]; barrier.sync 0; add.u32 a, a, 3; st.param.b32 [r], a; ret; }\n",
        "{ .param .b32 q, x; mov.u32 r1, 0; mov.u32 out, v; @odd bra ODD;\n"
        "EVEN: st.param.b32 [x], out; call (q), three, (x); ld.param.b32 out, [q]; add.u32 r1, r1, 1;\n"
        "setp.lt.u32 p, r1, 100; @p bra EVEN; bra.uni MEET; ODD: st.param.b32 [x], out; call (q), three, (x);\n"
        "ld.param.b32 out, [q]; add.u32 out, out, 1; add.u32 r1, r1, 1; setp.lt.u32 p, r1, 100; @p bra ODD; MEET: }\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], v_of(t) + 300 + (v_of(t) & 1 ? 100 : 0));
}

/* Halves of two warps, each pair of halves with a barrier for itself; those in the middle of the code wait for others
 * that go a longer way. */
static void test_halves(void **unused)
{
    (void)unused;
    uint32_t found[MOST];
    run("",
        "mov.u32 r3, 0; xor.b32 r4, t, 32; mov.u32 other, words; mad.lo.u32 other, r4, 4, other;\n"
        "ROUND: mad.lo.u32 r1, r3, 100, v; st.shared.b32 [mine], r1; @low bra LOW;\n"
        "barrier.sync 4, 32; ld.shared.b32 r2, [other]; add.u32 out, out, r2; barrier.sync 4, 32; bra.uni MEET;\n"
        "LOW: mov.u32 r2, 0; LOOP: add.u32 r2, r2, 1; setp.lt.u32 q, r2, t; @q bra LOOP; barrier.sync 5, 32;\n"
        "ld.shared.b32 r2, [other]; add.u32 out, out, r2; barrier.sync 5, 32;\n"
        "MEET: add.u32 r3, r3, 1; setp.lt.u32 q, r3, 3; @q bra ROUND;\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], 3 * v_of(t ^ 32) + 300);
}

/* Behind a barrier of several places the warp's lanes are together again where they would be without it: operations of
 * members, and a lane that polls for what another does. */
static void test_members_behind(void **unused)
{
    (void)unused;
    uint32_t found[MOST];
    run("",
        "@odd bra ODD; barrier.sync 0; bra.uni MEET; ODD: barrier.sync 0; MEET: shfl.sync.bfly.b32 r1, v, 1, 31, -1;\n"
        "vote.sync.ballot.b32 r2, odd, -1; popc.b32 r2, r2; mad.lo.u32 out, r2, 100, r1;\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t odd = 0;
        for (uint32_t u = t / 32 * 32; u < t / 32 * 32 + 32; u++)
            odd += v_of(u) & 1;
        assert_int_equal(found[t], odd * 100 + v_of(t ^ 1));
    }
    /* one way arrives and goes on; at the vote it waits for those that wait for the other warp */
    run("",
        "setp.ge.u32 p, t, 32; @p bra SECOND; @odd bra ODD; barrier.sync 0, 64; bra.uni MEET; ODD: barrier.arrive 0, "
        "64;\n"
        "MEET: vote.sync.ballot.b32 r2, odd, -1; popc.b32 out, r2; bra.uni END;\n"
        "SECOND: mov.u32 r2, 0; LOOP: add.u32 r2, r2, 1; setp.lt.u32 q, r2, 99; @q bra LOOP; barrier.sync 0, 64;\n",
        64, found);
    uint32_t odd = 0;
    for (uint32_t u = 0; u < 32; u++)
        odd += v_of(u) & 1;
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], t < 32 ? odd : 0);
    /* those that a branch leaves at an operation of their own members come to the others' barrier of the warp later */
    run("",
        "st.shared.b32 [mine], 0; bar.warp.sync -1; setp.ge.u32 p, l, 16; @p bra HIGH; shfl.sync.bfly.b32 r1, v, 1, "
        "31, "
        "0xffff;\nadd.u32 r1, r1, 1; st.shared.b32 [mine], r1; bar.warp.sync -1; bra.uni MEET;\nHIGH: bar.warp.sync "
        "-1; "
        "sub.u32 r2, mine, 64; ld.shared.b32 out, [r2]; MEET:\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], t % 32 < 16 ? 0 : v_of((t - 16) ^ 1) + 1);
    /* lanes that wait where others poll */
    run("",
        "st.shared.b32 [mine], 0; barrier.sync 0; setp.eq.u32 p, l, 3; @p bra POLLS; barrier.sync 0; setp.eq.u32 q, l, "
        "4;\n"
        "@!q bra MEET; st.volatile.shared.b32 [mine], 77; bra.uni MEET;\n"
        "POLLS: barrier.sync 0; LOOP: ld.volatile.shared.b32 out, [mine+4]; setp.eq.u32 q, out, 0; @q bra LOOP; "
        "MEET:\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], t % 32 == 3 ? 77 : 0);
}

/* Arrivals of a part of a warp at a barrier in memory, whose phase its other part waits for. */
static void test_in_memory(void **unused)
{
    (void)unused;
    uint32_t found[MOST];
    run("",
        "mov.u32 r1, object; setp.eq.u32 p, t, 0; @p mbarrier.init.shared.b64 [r1], 64; barrier.sync 0; st.shared.b32 "
        "[mine], v;\n@odd bra ODD; mbarrier.arrive.shared.b64 state, [r1]; bra.uni WAIT; ODD: "
        "mbarrier.arrive.shared.b64 "
        "state, [r1];\nADD: barrier.sync 1; bra.uni ALSO; WAIT: mbarrier.test_wait.shared.b64 p, [r1], state; @!p bra "
        "WAIT; barrier.sync 1;\nALSO: mbarrier.test_wait.shared.b64 p, [r1], state; @!p bra ALSO; ld.shared.b32 out, "
        "[other];\n",
        64, found);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(found[t], v_of(63 - t));
}

/* What never comes is said, with the barrier and its threads; so are numbers that no barrier has. */
static void test_errors(void **unused)
{
    (void)unused;
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"@low bra LOW; bra.uni END; LOW: barrier.sync 1, 96;", "barrier 1 has 64 of 96 threads"},
        {"@low bra LOW; barrier.sync 2, 64; bra.uni END; LOW: barrier.sync 1, 64;",
         "barrier 1 has 32 of 64 threads, barrier 2 has 32 of 64 threads"},
        {"setp.lt.u32 p, t, 32; @p bra LOW; barrier.sync 2; bra.uni END; LOW: barrier.sync 1;",
         "barrier 1 has 32 of 64 threads"},
        {"mov.u32 n, 16; barrier.sync n;", "an impossible barrier, number 0x10"},
        {"mov.u32 c, 48; barrier.sync 1, c;", "a multiple of 32, and an arrival must name some; it names 0x30"},
        {"mov.u32 c, 0; barrier.arrive 1, c;", "a multiple of 32, and an arrival must name some; it names 0x0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t found[MOST];
        struct mnp_error error;
        assert_false(run_text("", cases[i].body, 64, found, &error));
        if (!strstr(error.text, cases[i].text))
            fail_msg("%s, not %s", error.text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_a_bail_out),
        cmocka_unit_test(test_two_places),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_exits),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_calls_in_turn),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_members_behind),
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
