/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * setmaxnreg with time: who asks for registers goes on when as many are in the CTA's pool, to the cycle, and not
 * before; what one warp gives back is enough for one that asks for as much; who asks for more than there will ever be
 * hangs, and the report says so. All SMs have one clock.
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

/* Of eight warps, the first four give registers back, warp w when delay + w · step rounds are over; the others ask for
 * some at once, or when `late` rounds are over. Each stores when it began and when it was through with that. */
static const char frame[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 delay, .param .u32 step, .param .u32 late) .maxntid 256, 1, 1 %s\n"
    "{\n.reg .b32 r<8>; .reg .b64 o, t0, t1; .reg .pred p, q;\n"
    "ld.param.u64 o, [out]; ld.param.u32 r1, [delay]; ld.param.u32 r2, [step]; ld.param.u32 r3, [late];\n"
    "mov.u32 r4, %%tid.x; shr.u32 r5, r4, 5; mul.wide.u32 t0, r5, 16; add.u64 o, o, t0;\n"
    "mad.lo.u32 r1, r5, r2, r1; mov.u32 r6, 0; setp.ge.u32 q, r5, 4; @q mov.u32 r1, r3; bar.sync 0;\n"
    "a: add.u32 r6, r6, 1; setp.lt.u32 p, r6, r1; @p bra a;\n"
    "mov.u64 t0, %%clock64; @q bra more;\n"
    "setmaxnreg.dec.sync.aligned.u32 %u; bra over;\nmore: setmaxnreg.inc.sync.aligned.u32 %u;\n"
    "over: mov.u64 t1, %%clock64; st.global.b64 [o], t0; st.global.b64 [o+8], t1; ret;\n}\n";

struct plan {
    const char *bounds; /* at the entry */
    uint32_t less, more;
    uint32_t delay, step, late, ctas;
};

struct seen {
    uint64_t began, through;
};

enum { WARPS = 8, GIVERS = 4 };

static enum mnp_end run(const struct plan *plan, const struct timed_how *how, struct seen seen[WARPS], char *report,
                        size_t room)
{
    struct mnp_results results;
    struct bench bench;
    char *text = malloc(1 << 14);
    snprintf(text, 1 << 14, frame, plan->bounds, plan->less, plan->more);
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, WARPS * sizeof *seen);
    struct mnp_source *source = execute_source_open(&bench.device, 90);
    const uint32_t grid[3] = {plan->ctas, 1, 1}, block[3] = {32 * WARPS, 1, 1};
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    if (!code ||
        !execute_source_launch(source, code, grid, block, 0,
                               (const void *const[]){&out, &plan->delay, &plan->step, &plan->late}, &bench.error))
        fail_msg("%s", bench.error.text);
    if (!timed_run(&bench, source, how, &results))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, out, seen, WARPS * sizeof *seen);
    enum mnp_end end = results.end;
    snprintf(report, room, "%s", end == MNP_END_FINISHED ? results.hash : results.report ? results.report : "");
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    free(text);
    return end;
}

static const struct timed_how usual = {.executor = &mnp_executor_serial, .threads = 1};

static void see(struct plan plan, struct seen seen[WARPS])
{
    char hash[40];
    assert_int_equal(run(&plan, &usual, seen, hash, sizeof hash), MNP_END_FINISHED);
}

/* When the warps that gave began with that, or those that asked (from `first` on) were through, in order of time. */
static void sort(const struct seen seen[WARPS], uint32_t first, uint64_t times[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t at = i;
        uint64_t time = first ? seen[first + i].through : seen[i].began;
        for (; at && times[at - 1] > time; at--)
            times[at] = times[at - 1];
        times[at] = time;
    }
}

#define KNOWN ".maxnreg 104"

static void test_waits(void **unused)
{
    (void)unused;
    struct seen soon[WARPS], late[WARPS], open[WARPS], none[WARPS];
    see((struct plan){KNOWN, 40, 168, 100, 0, 1, 1}, soon);
    see((struct plan){KNOWN, 40, 168, 137, 0, 1, 1}, late);
    uint64_t given[4], got[4], given_later[4], got_later[4];
    sort(soon, 0, given);
    sort(soon, GIVERS, got);
    sort(late, 0, given_later);
    sort(late, GIVERS, got_later);
    assert_true(got[0] > soon[GIVERS].began + 1000); /* it has waited for others' rounds */
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(got[i] >= given[0]);
        assert_int_equal(got_later[i] - got[i], given_later[0] - given[0]); /* to the cycle */
    }
    /* who asks when they are there pays for an instruction, as the givers do; so do all where nothing is known */
    see((struct plan){KNOWN, 40, 168, 1, 0, 200, 1}, open);
    see((struct plan){"", 40, 168, 100, 0, 150, 1}, none);
    for (uint32_t i = GIVERS; i < WARPS; i++) {
        assert_in_range(open[i].through - open[i].began, 1, 40);
        assert_in_range(none[i].through - none[i].began, 1, 40);
    }
}

/* Each warp gives 64 for each thread back, and each of the others wants 64: one goes on at a time. */
static void test_pool(void **unused)
{
    (void)unused;
    struct seen seen[WARPS];
    uint64_t given[4], got[4];
    see((struct plan){KNOWN, 40, 168, 100, 50, 1, 1}, seen);
    sort(seen, 0, given);
    sort(seen, GIVERS, got);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(got[i] + 8 >= given[i]);
        assert_true(i == 3 || got[i] < given[i + 1]);
    }
    /* of 56 each, four are three times 64 and 32 more: the fourth waits for ever */
    char report[4096];
    const struct plan little = {KNOWN, 48, 168, 100, 50, 1, 1};
    assert_int_equal(run(&little, &usual, seen, report, sizeof report), MNP_END_HANG);
    if (!strstr(report, "waits for registers that its CTA's warps give back: setmaxnreg.inc asks for 168 of a thread, "
                        "it has 104, and 32 are in the pool"))
        fail_msg("%s", report);
}

/* A pool is its CTA's: the next one begins with none, and with all of its own. */
static void test_next(void **unused)
{
    (void)unused;
    struct seen seen[WARPS];
    see((struct plan){KNOWN, 40, 168, 10, 3, 1, 24}, seen);
    see((struct plan){".minnctapersm 1", 40, 240, 10, 3, 1, 9}, seen);  /* 240 at the entry: nobody waits */
    assert_in_range(seen[GIVERS].through - seen[GIVERS].began, 1, 800); /* but for its code */
}

static void test_same_bytes(void **unused)
{
    (void)unused;
    static const struct mnp_executor *const executors[] = {&mnp_executor_serial, &mnp_executor_window,
                                                           &mnp_executor_lockstep};
    const struct plan plan = {KNOWN, 40, 168, 20, 5, 7, 6};
    char hash[40], other[40];
    struct seen one[WARPS], seen[WARPS];
    assert_int_equal(run(&plan, &usual, one, hash, sizeof hash), MNP_END_FINISHED);
    for (uint32_t i = 0; i < 4; i++) {
        const struct timed_how how = {.executor = executors[i % 3], .threads = 1 + i / 2, .no_skip = i == 3};
        assert_int_equal(run(&plan, &how, seen, other, sizeof other), MNP_END_FINISHED);
        assert_string_equal(other, hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waits), cmocka_unit_test(test_pool),
                                       cmocka_unit_test(test_next), cmocka_unit_test(test_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
