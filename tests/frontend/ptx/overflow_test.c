/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mbarriers that are used wrongly: too many arrivals or bytes are faults that name the kernel, the instruction, the
 * block, the mbarrier and its phase; a phase that nobody completes is a hang whose report says what it lacks.
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

enum { FAILED = -1 };

static const char frame[] = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                            ".shared .align 8 .b64 first, meet; .reg .b32 m, t, r; .reg .pred p;\n"
                            "mov.u32 m, meet; mov.u32 t, %%tid.x;\n%s\nret;\n}\n";

/* Runs one thread functionally, or with time; what is wrong, or the report of a hang. */
static int run(const char *body, bool timed, char *what, size_t room)
{
    struct bench bench;
    char *text = malloc(1 << 14);
    int end = FAILED;
    snprintf(text, 1 << 14, frame, body);
    bench_open(&bench, NULL, text);
    if (!timed) {
        end = bench_run(&bench, "k", 2, 1, 0, NULL) ? MNP_END_FINISHED : FAILED;
        snprintf(what, room, "%s", bench.error.text);
    } else {
        struct mnp_results results;
        struct mnp_source *source = execute_source_open(&bench.device, 90);
        const uint32_t grid[3] = {2, 1, 1}, block[3] = {1, 1, 1};
        const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
        assert_true(code && execute_source_launch(source, code, grid, block, 0, NULL, &bench.error));
        const struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1};
        bool good = timed_run(&bench, source, &how, &results);
        end = good ? (int)results.end : FAILED;
        snprintf(what, room, "%s", good && results.report ? results.report : bench.error.text);
        if (good)
            mnp_results_release(&results);
        source->close(source);
    }
    bench_close(&bench);
    free(text);
    return end;
}

static void test_overflow(void **unused)
{
    (void)unused;
    static const struct {
        const char *body, *what;
    } cases[] = {
        {"mbarrier.init.shared.b64 [m], 0;", "an mbarrier expects 1 to 1048575 arrivals; mbarrier at 0x8, parity 0"},
        {"mbarrier.init.shared.b64 [m], 1048576;", "an mbarrier expects 1 to 1048575 arrivals"},
        {"mbarrier.arrive.shared.b64 _, [m];", "it has not been initialised; mbarrier at 0x8, parity 0"},
        {"mbarrier.init.shared.b64 [m], 2; mbarrier.arrive.shared.b64 _, [m], 2; mbarrier.arrive.shared.b64 _, [m], 3;",
         "more arrivals than the mbarrier's phase expects, or it has not been initialised; mbarrier at 0x8, parity 1"},
        {"mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 _, [m], 16; mbarrier.arrive.shared.b64 "
         "_, [m];",
         "more arrivals than the mbarrier's phase expects"},
        {"mbarrier.init.shared.b64 [m], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 1048575;\n"
         "mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 1;",
         "more than 1048575 bytes outstanding; mbarrier at 0x8, parity 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int timed = 0; timed < 2; timed++) {
            char what[4096];
            assert_int_not_equal(run(cases[i].body, timed, what, sizeof what), MNP_END_FINISHED);
            if (!strstr(what, cases[i].what) || !strstr(what, "kernel k, block (") || !strstr(what, "`mbarrier."))
                fail_msg("%s: %s", cases[i].body, what);
        }
}

/* What the ISA allows: all of it, to the last arrival and byte. */
static void test_not_quite(void **unused)
{
    (void)unused;
    char what[4096];
    for (int timed = 0; timed < 2; timed++)
        if (run("mbarrier.init.shared.b64 [m], 1048575; mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 1048575;\n"
                "mbarrier.arrive.shared.b64 _, [m], 1048575; mbarrier.complete_tx.relaxed.cta.shared.b64 [m], "
                "1048575;\n"
                "W: mbarrier.try_wait.parity.shared.b64 p, [m], 0; @!p bra W;\n"
                "mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 16; mbarrier.arrive.expect_tx.shared.b64 _, [m], 16;",
                timed, what, sizeof what) != MNP_END_FINISHED)
            fail_msg("%s", what);
}

static void test_hang(void **unused)
{
    (void)unused;
    char what[4096];
    int end = run("mbarrier.init.shared.b64 [m], 2; mbarrier.arrive.expect_tx.shared.b64 _, [m], 128;\n"
                  "W: mbarrier.try_wait.parity.shared.b64 p, [m], 0; @!p bra W;",
                  true, what, sizeof what);
    assert_true(end == MNP_END_HANG || end == MNP_END_LIVELOCK);
    if (!strstr(what,
                "waits for the mbarrier at 0x8 of its shared memory (phase of parity 0 lacks 1 of 2 arrivals and 128 "
                "bytes)"))
        fail_msg("%s", what);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overflow), cmocka_unit_test(test_not_quite),
                                       cmocka_unit_test(test_hang)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
