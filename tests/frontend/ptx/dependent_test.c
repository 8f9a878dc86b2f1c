/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programmatic dependent launch with time: when the second of two grids begins, by the first one's clock, and when its
 * wait ends. All SMs have one clock, so that times of both can be compared. What a launch costs is the same for a grid
 * that waits for the end of the one before it and for one that is let go: differences of two runs say the rest.
 */
#include "timed.h"

#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Each CTA of `first` lets the other grid go when `early` steps have passed since its beginning, at least one cycle
 * each (0: never), and ends after `late` more, storing a value just before. A store of `second` says when it began,
 * when its wait was over, and what it has read then. */
static const char text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry first(.param .u64 out, .param .u32 early, .param .u32 step, .param .u32 late)\n{\n"
    ".reg .b32 r<8>; .reg .b64 o, t, w; .reg .pred p, q;\n"
    "ld.param.u64 o, [out]; ld.param.u32 r1, [early]; ld.param.u32 r2, [step]; ld.param.u32 r3, [late];\n"
    "mov.u32 r4, %ctaid.x; mul.wide.u32 w, r4, 8; add.u64 w, w, o; setp.eq.u32 q, r1, 0; mad.lo.u32 r1, r4, r2, r1;\n"
    "mov.u32 r5, 0; @q bra rest;\n"
    "a: add.u32 r5, r5, 1; setp.lt.u32 p, r5, r1; @p bra a;\n"
    "mov.u64 t, %clock64; griddepcontrol.launch_dependents; st.global.b64 [w+64], t;\n"
    "rest: mov.u32 r5, 0;\n"
    "b: add.u32 r5, r5, 1; setp.lt.u32 p, r5, r3; @p bra b;\n"
    "mov.u64 t, %clock64; st.global.b64 [w+128], t; st.global.b32 [o], 42; ret;\n}\n"
    ".visible .entry second(.param .u64 out, .param .u32 waits)\n{\n"
    ".reg .b32 r<4>; .reg .b64 o, t0, t1, t2; .reg .pred p;\n"
    "mov.u64 t0, %clock64; ld.param.u64 o, [out]; ld.param.u32 r1, [waits]; setp.eq.u32 p, r1, 0; mov.u32 r3, 0;\n"
    "@p bra without;\n"
    "c: add.u32 r3, r3, 1; setp.lt.u32 p, r3, 40; @p bra c;\n" /* meanwhile what follows is fetched */
    "mov.u64 t2, %clock64; griddepcontrol.wait; mov.u64 t1, %clock64; bra over;\n"
    "without: mov.u64 t1, %clock64;\n"
    "over: ld.global.b32 r2, [o]; st.global.b64 [o+8], t0; st.global.b64 [o+16], t1; st.global.b64 [o+32], t2;\n"
    "st.global.b32 [o+4], r2; griddepcontrol.launch_dependents; ret;\n}\n"
    ".visible .entry third(.param .u64 out)\n{\n"
    ".reg .b64 o, t0; mov.u64 t0, %clock64; ld.param.u64 o, [out]; st.global.b64 [o+24], t0; ret;\n}\n";

struct seen {
    uint32_t value, read; /* that the first has stored; that the second has read */
    uint64_t began, waited, third, asked;
    uint64_t unused[3], released[8], ending[8]; /* by CTA of the first */
};

struct plan {
    uint32_t ctas, early, step, late;
    bool is_early, waits, has_third;
};

static struct seen run(const struct plan *plan, const struct timed_how *how, char hash[40])
{
    struct mnp_results results;
    struct bench bench;
    struct seen seen = {0};
    const uint32_t grid[3] = {plan->ctas, 1, 1}, one[3] = {1, 1, 1}, block[3] = {32, 1, 1}, waits = plan->waits;
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, sizeof seen);
    struct mnp_source *source = execute_source_open(&bench.device, 90);
    const void *const first[] = {&out, &plan->early, &plan->step, &plan->late}, *const second[] = {&out, &waits};
    const struct {
        const char *name;
        const uint32_t *grid;
        const void *const *arguments;
    } kernels[] = {{"first", grid, first}, {"second", one, second}, {"third", one, second}};
    for (uint32_t i = 0; i < 2u + plan->has_third; i++) {
        struct execute_launch launch;
        unsigned char parameters[64];
        const struct execute_code *code = ptx_program_kernel(&bench.program, kernels[i].name, &bench.error);
        assert_non_null(code);
        assert_true(execute_launch_prepare(&launch, code, kernels[i].grid, block, 0, kernels[i].arguments, parameters,
                                           &bench.error));
        launch.early = i && plan->is_early;
        execute_source_queue(source, &launch);
    }
    if (!timed_run(&bench, source, how, &results) || results.end != MNP_END_FINISHED)
        fail_msg("%s %s", bench.error.text, results.report ? results.report : "");
    bench_read(&bench, out, &seen, sizeof seen);
    if (hash)
        snprintf(hash, 40, "%s", results.hash);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    assert_int_equal(seen.value, 42);
    return seen;
}

static const struct timed_how usual = {.executor = &mnp_executor_serial, .threads = 1};

static struct seen see(struct plan plan)
{
    return run(&plan, &usual, NULL);
}

enum { LATE = 2000 /* steps, much more than a launch takes here */, SOON = 10 };

/* A launch costs as much behind a release as behind an end, and follows the release to the cycle. */
static void test_begins(void **unused)
{
    (void)unused;
    struct seen none = see((struct plan){1, 0, 0, LATE, false, true, false});
    struct seen soon = see((struct plan){1, SOON, 0, LATE, true, true, false});
    struct seen later = see((struct plan){1, SOON + 7, 0, LATE, true, true, false});
    assert_true(none.began > none.ending[0]);
    assert_true(soon.began < soon.ending[0]);
    assert_int_equal(later.began - later.released[0], soon.began - soon.released[0]);
    assert_true(later.released[0] > soon.released[0]);
    /* an end is told when the last store has been acknowledged, which is what is between the two */
    assert_in_range(none.began - none.ending[0], soon.began - soon.released[0],
                    soon.began - soon.released[0] + 420 + 100);
    /* without the attribute a release means nothing */
    struct seen plain = see((struct plan){1, SOON, 0, LATE, false, true, false});
    assert_int_equal(plain.began - plain.ending[0], none.began - none.ending[0]);
    assert_int_equal(plain.read, 42);
}

/* The wait ends when the news of the first grid's end comes, whenever the second has begun; if that has come before,
 * it is one more instruction. */
static void test_wait(void **unused)
{
    (void)unused;
    struct seen soon = see((struct plan){1, SOON, 0, LATE, true, true, false});
    struct seen later = see((struct plan){1, SOON + 7, 0, LATE - 7, true, true, false});
    assert_int_equal(soon.read, 42);
    assert_true(soon.waited > soon.ending[0]);
    assert_int_equal(soon.waited - soon.ending[0], later.waited - later.ending[0]);
    uint64_t news = soon.waited - soon.ending[0];
    /* It asks at each cycle around that of the news: blocked before it, ready from it on. Cycles later the news, with
     * which instruction caches forget, comes between the two readings of the clock. */
    const struct plan plan = {1, SOON, 0, 100, true, true, false};
    enum { FROM = 559, TO = 587 };
    uint64_t ready = 0;
    uint32_t blocked = 0, open = 0;
    for (uint32_t launch = TO; launch-- > FROM;) {
        char set[32];
        snprintf(set, sizeof set, "launch.kernel=%u", launch);
        const struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1, .set = set};
        struct seen near = run(&plan, &how, NULL);
        uint64_t end = near.ending[0] + news;
        ready = ready ? ready : near.waited - near.asked;
        assert_int_equal(near.waited, near.asked + ready > end ? near.asked + ready : end);
        blocked += near.asked + ready < end;
        open += near.asked + ready >= end;
        assert_int_equal(near.read, 42);
    }
    assert_true(blocked && open);
    struct seen never = see((struct plan){1, SOON, 0, LATE, true, false, false});
    assert_int_equal(never.read, 0); /* who does not wait reads what was there */
    assert_true(never.waited < never.ending[0]);
}

/* All CTAs of the first grid have to let go, or to end. */
static void test_all(void **unused)
{
    (void)unused;
    struct seen one = see((struct plan){1, SOON, 0, LATE, true, true, false});
    struct seen four = see((struct plan){4, SOON, 50, LATE, true, true, false});
    uint64_t last = 0;
    for (uint32_t i = 0; i < 4; i++)
        last = four.released[i] > last ? four.released[i] : last;
    assert_int_equal(last, four.released[3]);
    assert_int_equal(four.began - last, one.began - one.released[0]);
    /* those that never do so count with their end, which needs no answers to their stores, as the grid's does */
    struct seen silent = see((struct plan){4, 0, 0, LATE, true, true, false}),
                none = see((struct plan){4, 0, 0, LATE, false, true, false});
    for (uint32_t i = 0; i < 4; i++)
        assert_true(silent.began > silent.ending[i]);
    assert_in_range(none.began - silent.began, 1, 420 + 100);
    assert_int_equal(silent.read, 42);
}

/* A third grid waits for the end of the first, whatever the second allows. */
static void test_chain(void **unused)
{
    (void)unused;
    struct seen chain = see((struct plan){1, SOON, 0, LATE, true, true, true});
    assert_true(chain.began < chain.ending[0]);
    assert_true(chain.third > chain.ending[0]);
}

static void test_same_bytes(void **unused)
{
    (void)unused;
    static const struct mnp_executor *const executors[] = {&mnp_executor_serial, &mnp_executor_window,
                                                           &mnp_executor_lockstep};
    const struct plan plan = {6, SOON, 20, 300, true, true, true};
    char hash[40], other[40];
    struct seen one = run(&plan, &usual, hash);
    for (uint32_t i = 0; i < 6; i++) {
        const struct timed_how how = {.executor = executors[i % 3], .threads = 1 + i / 2, .no_skip = i == 4};
        struct seen seen = run(&plan, &how, other);
        assert_memory_equal(&seen, &one, sizeof seen);
        assert_string_equal(other, hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_begins), cmocka_unit_test(test_wait),
                                       cmocka_unit_test(test_all), cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
