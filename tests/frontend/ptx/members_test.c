/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that name their members (bar.warp.sync, shfl.sync, vote.sync, match.sync, redux.sync): lanes that went
 * different ways wait for those that are named, and for no others. Each kernel's answer follows from the ISA alone; run
 * without time, and with it (BENCH_TIMED).
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A warp; lane i writes `out` to word i. `t`: the lane, `a`: address of 64 words that are zero, `m`: all lanes, in a
 * register. */
static const char frame[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .func __assertfail(.param .b64 p0, .param .b64 p1, .param .b32 p2, .param .b64 p3, .param .b64 p4);\n"
    ".visible .entry k(.param .u64 in)\n{\n"
    ".shared .align 4 .b32 words[64]; .reg .b64 base, a, b; .reg .b32 t, m, r<8>, out, s, n; .reg .pred p, q, v;\n"
    "ld.param.u64 base, [in]; mov.u32 t, %%tid.x; mov.u32 m, -1; mov.u32 out, 0; mul.wide.u32 b, t, 4;\n"
    "add.u64 a, base, 128; add.u64 b, b, base; mov.u32 s, words; shl.b32 n, t, 2; add.u32 s, s, n;\n"
    "%s\nEND: st.global.b32 [b], out; ret;\n%s}\n";

/* `behind`: what stands behind the return. */
static void run_with(const char *body, const char *behind, uint32_t found[32])
{
    struct bench bench;
    char *text = malloc(1 << 14);
    snprintf(text, 1 << 14, frame, body, behind);
    bench_open(&bench, NULL, text);
    uint64_t words = bench_buffer(&bench, NULL, 128 * 4);
    if (!BENCH_RUN(&bench, "k", 1, 32, 0, &words))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, words, found, 32 * sizeof *found);
    bench_close(&bench);
    free(text);
}

static void run(const char *body, uint32_t found[32])
{
    run_with(body, "", found);
}

/* One half writes and the other reads what it wrote, behind barriers of the warp at different places; whichever way is
 * taken by a jump. */
static void test_barriers_at_two_places(void **unused)
{
    (void)unused;
    static const char *const forms[] = {
        "setp.%s.u32 p, t, 16; @p bra WRITE; READ: %s bra.uni MEET; WRITE: %s MEET:\n",
        "setp.%1$s.u32 p, t, 16; @!p bra READ; WRITE: %3$s bra.uni MEET; READ: %2$s MEET:\n"};
    static const char *const masks[] = {"-1", "m"}, *const writers[] = {"lt", "ge"};
    for (int i = 0; i < 8; i++) {
        char body[1024], read[128], write[256], all[2048];
        uint32_t found[32];
        bool low = (i & 2) == 0; /* the lower half writes */
        snprintf(read, sizeof read, "bar.warp.sync %s; ld.shared.b32 out, [r1];", masks[i & 1]);
        snprintf(write, sizeof write,
                 "mov.u32 r3, 0; LOOP: add.u32 r3, r3, 1; setp.lt.u32 q, r3, 9; @q bra LOOP;\n"
                 "add.u32 r3, t, 100; st.shared.b32 [s], r3; bar.warp.sync %s;",
                 masks[i & 1]);
        snprintf(body, sizeof body, forms[i / 4], writers[i / 2 % 2], read, write);
        snprintf(all, sizeof all, "xor.b32 r1, n, 64; sub.u32 r2, s, n; add.u32 r1, r1, r2;\n%s", body);
        run(all, found);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(found[lane], (lane < 16) == low ? 0 : (lane ^ 16) + 100);
    }
}

/* Ways that meet at the kernel's end alone, since one of them may leave before: a vote sees all that are left. */
static void test_meeting_at_the_end(void **unused)
{
    (void)unused;
    static const struct {
        const char *operation;
        uint32_t expected[2]; /* of lanes below 16, and from 20 on */
    } cases[] = {
        {"vote.sync.ballot.b32 out, v, -1;", {0xfff0ffff, 0xfff0ffff}},
        {"vote.sync.ballot.b32 out, v, m;", {0xfff0ffff, 0xfff0ffff}},
        {"redux.sync.add.u32 out, r5, m;", {28, 28}},
        {"match.any.sync.b32 out, r4, m;", {0x0000ffff, 0xfff00000}},
        {"shfl.sync.bfly.b32 out, r4, 24, 31, -1;", {2, 1}}, /* lanes 8 … 15 ask those that have left */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1024];
        uint32_t found[32];
        snprintf(body, sizeof body,
                 "setp.ge.u32 q, t, 20; setp.lt.u32 p, t, 16; mov.u32 r5, 1; setp.eq.u32 v, r5, 1; @p bra LOW;\n"
                 "mov.u32 r4, 2; @q bra SAME; ret;\nLOW: mov.u32 r4, 1;\nSAME: %s\n",
                 cases[i].operation);
        run(body, found);
        for (uint32_t lane = 0; lane < 32; lane++) {
            bool left = lane >= 16 && lane < 20, shuffle = i == 4;
            if (!shuffle || lane < 4 || lane >= 28)
                assert_int_equal(found[lane], left ? 0 : cases[i].expected[lane >= 16]);
        }
    }
}

/* Lanes that are not named are not waited for: they poll for what the named ones do behind their barrier. */
static void test_others_poll(void **unused)
{
    (void)unused;
    uint32_t found[32];
    run("setp.lt.u32 p, t, 2; mov.u32 r2, 3; setp.eq.u32 q, t, 31; @p bra PAIR;\n"
        "POLL: ld.volatile.global.b32 r3, [a]; setp.eq.u32 v, r3, 0; @v bra POLL; add.u32 out, r3, 1; @q ret; bra "
        "END;\n"
        "PAIR: bar.warp.sync r2; shfl.sync.bfly.b32 out, t, 1, 31, r2; st.volatile.global.b32 [a], 7;\n",
        found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], lane < 2 ? lane ^ 1 : lane == 31 ? 0 : 8);
}

/* The same barrier time after time: who is a round ahead waits. */
static void test_rounds(void **unused)
{
    (void)unused;
    uint32_t found[32];
    run("setp.lt.u32 p, t, 16; xor.b32 r1, n, 64; sub.u32 r2, s, n; add.u32 r1, r1, r2; mov.u32 r5, 0;\n"
        "st.shared.b32 [s], t; bar.warp.sync -1;\n"
        "ROUND: @p bra ONE;\n"
        "ld.shared.b32 r3, [r1]; bar.warp.sync m; st.shared.b32 [s], r3; bar.warp.sync m; bra.uni NEXT;\n"
        "ONE: ld.shared.b32 r3, [r1]; add.u32 r3, r3, 1; bar.warp.sync m; st.shared.b32 [s], r3; bar.warp.sync m;\n"
        "NEXT: add.u32 r5, r5, 1; setp.lt.u32 q, r5, 6; @q bra ROUND; ld.shared.b32 out, [s];\n",
        found);
    for (uint32_t lane = 0; lane < 32; lane++) /* each crosses over six times, and grows in the lower half */
        assert_int_equal(found[lane], lane + 3);
}

/* Members whose guard is false have not come: the upper half does in the next round, at the same place. */
static void test_guards(void **unused)
{
    (void)unused;
    static const struct {
        const char *operation;
        uint32_t expected[2]; /* of the lower half, and of the upper one */
    } cases[] = {
        {"@p vote.sync.ballot.b32 out, v, -1;", {UINT32_MAX, UINT32_MAX}},
        {"@p vote.sync.ballot.b32 out, v, m;", {UINT32_MAX, UINT32_MAX}},
        {"@!w vote.sync.ballot.b32 out, v, m;", {UINT32_MAX, UINT32_MAX}},
        {"@p shfl.sync.bfly.b32 out, r5, 16, 31, m;", {1, 0}},
        {"@p match.any.sync.b32 out, r5, m;", {0x0000ffff, 0xffff0000}},
        {"@p redux.sync.add.u32 out, r5, m;", {16, 16}},
        {"@p elect.sync out|w, m;", {0, 0}},
        {"@p st.shared.b32 [s], r5; @p bar.warp.sync m; @p ld.shared.b32 out, [r1];", {1, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1024];
        uint32_t found[32];
        snprintf(body, sizeof body,
                 ".reg .pred w; xor.b32 r1, n, 64; sub.u32 r2, s, n; add.u32 r1, r1, r2; mov.u32 r5, 0;\n"
                 "setp.lt.u32 q, t, 16; setp.eq.u32 v, 0, 0;\n"
                 "ROUND: setp.eq.xor.u32 p, r5, 0, !q; not.pred w, p;\n%s\n"
                 "add.u32 r5, r5, 1; setp.lt.u32 p, r5, 2; @p bra ROUND;\n",
                 cases[i].operation);
        run(body, found);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(found[lane], cases[i].expected[lane >= 16]);
    }
}

/* Quarters, each with its own members, in four ways. */
static void test_quarters(void **unused)
{
    (void)unused;
    uint32_t found[32];
    run("shr.u32 r1, t, 3; shl.b32 r2, r1, 3; mov.u32 r3, 255; shl.b32 r3, r3, r2; setp.lt.u32 p, t, 16; and.b32 r4, "
        "t, 8;\n"
        "setp.ne.u32 q, r4, 0; @p bra HALF; @q bra D; redux.sync.add.u32 out, t, r3; bra.uni J;\n"
        "D: redux.sync.add.u32 out, t, r3; J: bra.uni K;\n"
        "HALF: @q bra B; redux.sync.add.u32 out, t, r3; bra.uni L; B: redux.sync.add.u32 out, t, r3; L: K:\n",
        found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], lane / 8 * 64 + 28);
}

/* A trap that nobody comes to leaves ways meeting where they would without it: one barrier for the warp. */
static void test_trap_on_the_way(void **unused)
{
    (void)unused;
    uint32_t found[32];
    run("setp.ne.u32 p, t, 5; @p bra MEET; mov.u32 r1, 0; LOOP: add.u32 r1, r1, 1; setp.lt.u32 q, r1, 9; @q bra LOOP;\n"
        "setp.eq.u32 q, r1, 9; @q bra MEET; trap; MEET: bar.sync 0; activemask.b32 out; bar.sync 0;\n",
        found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], 0xffffffff);
}

/* Nor do those that nobody comes to at the function's end: a trap, or a call of __assertfail, behind which there is
 * nothing. Lanes that went three ways, of which a switch knows no fourth, meet in front of the barrier. */
static void test_dead_ends(void **unused)
{
    (void)unused;
    static const char *const ends[] = {
        "NEVER: trap;\n", "NEVER: mov.u32 r5, 1; trap;\n",
        "NEVER: { .param .b64 a0; st.param.b64 [a0], base; .param .b64 a1; st.param.b64 [a1], base; .param .b32 a2;\n"
        "st.param.b32 [a2], 7; .param .b64 a3; st.param.b64 [a3], base; .param .b64 a4; st.param.b64 [a4], 1;\n"
        "call.uni __assertfail, (a0, a1, a2, a3, a4); }\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        uint32_t found[32];
        run_with("rem.u32 r1, t, 3; setp.gt.u32 p, r1, 1; @p bra TWO; setp.eq.u32 p, r1, 0; @p bra MEET;\n"
                 "setp.eq.u32 p, r1, 1; @p bra ONE; bra.uni NEVER;\n"
                 "ONE: mov.u32 r2, 1; bra.uni MEET;\n"
                 "TWO: setp.ne.u32 q, r1, 2; @q bra NEVER; mov.u32 r2, 2;\n"
                 "MEET: activemask.b32 out; bar.sync 0;\n",
                 ends[i], found);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(found[lane], 0xffffffff);
    }
}

/* Members that wait where branches end, one inside the other, go on alone as they are needed. */
static void test_where_branches_end(void **unused)
{
    (void)unused;
    uint32_t found[32];
    run("xor.b32 r1, n, 64; sub.u32 r2, s, n; add.u32 r1, r1, r2; add.u32 r3, t, 100;\n"
        "setp.lt.u32 p, t, 16; setp.lt.u32 q, t, 8; @!p bra OUT; @!q bra IN;\n"
        "st.shared.b32 [s], r3; bar.warp.sync m; ld.shared.b32 out, [r1];\n"
        "IN: @q bra OUT; st.shared.b32 [s], r3; bar.warp.sync m; ld.shared.b32 out, [r1];\n"
        "OUT: @p bra END; st.shared.b32 [s], r3; bar.warp.sync m; ld.shared.b32 out, [r1];\n",
        found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], (lane ^ 16) + 100);
}

/* Groups that come to the same barrier by several ways, side by side, wait for their own members alone. */
static void test_groups(void **unused)
{
    (void)unused;
    uint32_t found[32];
    run("xor.b32 r1, n, 64; sub.u32 r2, s, n; add.u32 r1, r1, r2; add.u32 r3, t, 100; and.b32 r4, t, 1;\n"
        "mov.u32 r5, 0x55555555; shl.b32 r5, r5, r4; setp.lt.u32 p, t, 16; setp.eq.u32 q, r4, 0; @p bra LOW;\n"
        "st.shared.b32 [s], r3; bar.warp.sync r5; ld.shared.b32 out, [r1]; bra.uni END;\n"
        "LOW: @q bra EVEN; st.shared.b32 [s], r3; bar.warp.sync r5; ld.shared.b32 out, [r1]; bra.uni END;\n"
        "EVEN: st.shared.b32 [s], r3; bar.warp.sync r5; ld.shared.b32 out, [r1];\n",
        found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], (lane ^ 16) + 100);
}

/* The upper half waits for a phase of an mbarrier, which the lower half ends, from where both meet. */
static void test_phase(void **unused)
{
    (void)unused;
    uint32_t found[32];
    run("setp.lt.u32 p, t, 16; setp.eq.u32 q, t, 0; mov.u32 r1, words; @q mbarrier.init.shared.b64 [r1], 16;\n"
        "bar.sync 0; mov.u32 out, 7; @p bra ARRIVE;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 v, [r1], 0; @!v bra WAIT;\n"
        "ARRIVE: @!p bra END; mbarrier.arrive.shared.b64 _, [r1];\n",
        found);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(found[lane], 7);
}

#define CALL "{ .param .b64 i; .param .b32 o; st.param.b64 [i], a; call (o), f, (i); ld.param.b32 out, [o]; }\n"

/* The upper half polls, before it calls the function or there, for what the lower half writes, there or behind it. */
static void test_calls_apart(void **unused)
{
    (void)unused;
    static const struct {
        const char *function, *body;
    } cases[] = {
        {"st.volatile.global.b32 [a], 1; vote.sync.ballot.b32 r, v, -1;",
         "@p bra CALL; POLL: ld.volatile.global.b32 r, [a]; setp.eq.u32 v, r, 0; @v bra POLL;\n"
         "CALL: " CALL},
        {"POLL: ld.volatile.global.b32 r, [a]; setp.eq.u32 q, r, 0; @q bra POLL; mov.u32 r, -1;",
         "mov.u32 out, -1; @p bra SET; " CALL " SET: @!p bra DONE; st.volatile.global.b32 [a], 1; DONE:"},
        /* one by one: 32 parts of the warp are in the function at a time */
        {"atom.global.add.u32 r, [a], 1; ALL: ld.volatile.global.b32 r, [a]; setp.ne.u32 q, r, 32; @q bra ALL;\n"
         "vote.sync.ballot.b32 r, v, -1;",
         "POLL: ld.volatile.global.b32 r, [a]; setp.ne.u32 v, r, t; @v bra POLL;\n" CALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        struct bench bench;
        uint32_t found[32];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_80\n.address_size 64\n"
                 ".func (.param .b32 o) f (.param .b64 i)\n{ .reg .b32 r; .reg .b64 a; .reg .pred v, q; ld.param.b64 "
                 "a, [i]; setp.eq.u32 v, 0, 0;\n"
                 "%s\nst.param.b32 [o], r; ret; }\n"
                 ".visible .entry k(.param .u64 in)\n{ .reg .b64 a, b; .reg .b32 t, r, out; .reg .pred p, v;\n"
                 "ld.param.u64 b, [in]; mov.u32 t, %%tid.x; setp.lt.u32 p, t, 16; add.u64 a, b, 128;\n"
                 "%s\nmul.wide.u32 a, t, 4; add.u64 a, a, b; st.global.b32 [a], out; ret; }\n",
                 cases[i].function, cases[i].body);
        bench_open(&bench, NULL, text);
        uint64_t words = bench_buffer(&bench, NULL, 128 * 4);
        if (!BENCH_RUN(&bench, "k", 1, 32, 0, &words))
            fail_msg("%s", bench.error.text);
        bench_read(&bench, words, found, sizeof found);
        bench_close(&bench);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(found[lane], 0xffffffff);
    }
}

/* Members that never come are told of: nothing is done with fewer. */
static void test_who_never_comes(void **unused)
{
    (void)unused;
    static const char *const bodies[] = {
        "setp.lt.u32 p, t, 16; @!p bra OTHER; vote.sync.ballot.b32 out, p, m; bra.uni END; OTHER: bar.warp.sync m;\n",
        "setp.lt.u32 p, t, 16; @!p bra ELSE; shfl.sync.bfly.b32 out, t, 1, 31, -1; ELSE: redux.sync.add.u32 out, t, m;",
        "setp.lt.u32 p, t, 16; @!p bra OTHER; match.any.sync.b32 out, t, m; OTHER: bar.sync 0;\n"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct bench bench;
        char text[4096];
        snprintf(text, sizeof text, frame, bodies[i], "");
        bench_open(&bench, NULL, text);
        uint64_t words = bench_buffer(&bench, NULL, 128 * 4);
        assert_false(BENCH_RUN(&bench, "k", 1, 32, 0, &words));
        assert_non_null(strstr(bench.error.text, "it waits for ever for lanes that its membermask names"));
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers_at_two_places),
        cmocka_unit_test(test_meeting_at_the_end),
        cmocka_unit_test(test_others_poll),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_quarters),
        cmocka_unit_test(test_trap_on_the_way),
        cmocka_unit_test(test_dead_ends),
        cmocka_unit_test(test_where_branches_end),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_phase),
        cmocka_unit_test(test_calls_apart),
        cmocka_unit_test(test_who_never_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
