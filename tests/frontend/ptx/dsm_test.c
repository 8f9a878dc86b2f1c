/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributed shared memory with time, by the program's own clock and differences of two runs: the latency of a pair is
 * what the machine states, to the cycle; a port carries what its lanes give an SM, and its target no more than that
 * from all; the cluster's barrier takes what the machine adds; and results are the same on any threads and executor.
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

enum { TEXT = 1 << 16, CTAS = 4, FAR = 185 /* latency.sm_to_sm and sm2sm.reach of two SMs of the test's machine */ };

/* `before` in all CTAs, `body` between two readings of the clock in those but rank 0; the cycles of each are its
 * answer. %next: the rank below, modulo the cluster; %far: where that one's `space` lies; %own: where one's own does.
 * */
static const char frame[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 16 .b8 space[4096];\n"
    ".visible .entry k(.param .u64 result) .reqnctapercluster %u\n{\n"
    ".reg .b64 %%at, %%w; .reg .b32 %%lane, %%rank, %%size, %%next, %%own, %%far, %%zero, %%t<4>, %%v<4>, %%x, %%c0, "
    "%%c1;\n"
    ".reg .pred %%p, %%q;\n"
    "mov.u32 %%lane, %%tid.x; mov.u32 %%rank, %%cluster_ctarank; mov.u32 %%size, %%cluster_nctarank;\n"
    "add.u32 %%next, %%rank, %%size; sub.u32 %%next, %%next, 1; rem.u32 %%next, %%next, %%size;\n"
    "mov.u32 %%own, space; mapa.shared::cluster.u32 %%far, %%own, %%next; mapa.shared::cluster.u32 %%zero, %%own, 0;\n"
    "mov.u32 %%v0, 1; mov.u32 %%v1, 2; mov.u32 %%v2, 3; mov.u32 %%v3, 4; mov.u32 %%x, 0;\n"
    "%s\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "mov.u32 %%c0, %%clock; mov.u32 %%c1, %%c0; setp.eq.u32 %%p, %%rank, 0; %s\n"
    "fence.acq_rel.cluster; mov.u32 %%c1, %%clock;\n"
    "over: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "sub.u32 %%c1, %%c1, %%c0; add.u32 %%c1, %%c1, %%x; sub.u32 %%c1, %%c1, %%x;\n"
    "ld.param.u64 %%at, [result]; mov.u32 %%t0, %%ctaid.x; mul.wide.u32 %%w, %%t0, 4; add.s64 %%at, %%at, %%w;\n"
    "st.global.b32 [%%at], %%c1;\nret;\n}\n";

struct outcome {
    uint32_t cycles[CTAS];
    uint64_t total;
    char hash[40];
};

static struct outcome run(uint32_t cluster, uint32_t threads, const char *before, const char *body,
                          const struct timed_how *how)
{
    struct mnp_results results;
    struct bench bench;
    struct outcome outcome = {0};
    char *text = malloc(TEXT);
    snprintf(text, TEXT, frame, cluster, before, body);
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, sizeof outcome.cycles);
    struct mnp_source *source = execute_source_open(&bench.device, 90);
    const uint32_t grid[3] = {cluster, 1, 1}, block[3] = {threads, 1, 1};
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    assert_non_null(code);
    assert_true(execute_source_launch(source, code, grid, block, 0, (const void *const[]){&out}, &bench.error));
    if (!timed_run(&bench, source, how, &results) || results.end != MNP_END_FINISHED)
        fail_msg("%s: %s %s", body, bench.error.text, results.report ? results.report : "");
    bench_read(&bench, out, outcome.cycles, sizeof outcome.cycles);
    outcome.total = mnp_statistics_get(&results.total, "gpu_sim_cycle");
    snprintf(outcome.hash, sizeof outcome.hash, "%s", results.hash);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    free(text);
    return outcome;
}

/* Cycles that one more repetition of a statement takes the last CTA of the cluster. */
static double slope(uint32_t cluster, uint32_t threads, const char *before, const char *statement, const char *set)
{
    enum { FEW = 8, MANY = 40 };
    const struct timed_how how = {.executor = &mnp_executor_window, .threads = 1, .set = set};
    uint32_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        char *body = calloc(1, TEXT), *end = body + sprintf(body, "@%%p bra over; ");
        for (uint32_t j = 0; j < (i ? MANY : FEW); j++)
            end += sprintf(end, "%s ", statement);
        cycles[i] = run(cluster, threads, before, body, &how).cycles[cluster - 1];
        free(body);
    }
    return (cycles[1] - (double)cycles[0]) / (MANY - FEW);
}

static void test_latency(void **unused)
{
    (void)unused;
    const char *self = "st.shared.u32 [%own], %own; mapa.shared::cluster.u32 %t1, %own, %rank; "
                       "st.shared.u32 [%own], %t1; mov.u32 %x, %far;";
    /* the word at the other CTA is that CTA's address: the chain stays there */
    assert_int_equal(slope(2, 1, self, "ld.shared::cluster.u32 %x, [%x];", NULL), FAR);
    assert_int_equal(slope(2, 1, self, "ld.shared::cluster.u32 %x, [%x];", "latency.sm_to_sm=200"), FAR + 20);
    assert_int_equal(slope(2, 1, self, "ld.shared::cluster.u32 %x, [%x];", "sm2sm.reach=[1,2]"), FAR - 2);
    /* its own memory by the same kind of address is as near as ever */
    assert_int_equal(slope(2, 1,
                           "mapa.shared::cluster.u32 %t1, %own, %rank; st.shared.u32 [%own], %t1; mov.u32 %x, %t1;",
                           "ld.shared::cluster.u32 %x, [%x];", NULL),
                     24);
}

#define WIDE   "st.shared::cluster.v4.b32 [%far], {%v0, %v1, %v2, %v3};"
#define SPREAD "shl.b32 %t1, %lane, 4; add.u32 %own, %own, %t1; add.u32 %far, %far, %t1; add.u32 %zero, %zero, %t1;"

static void close_to(double found, double wanted, double share)
{
    if (found < wanted * (1 - share) || found > wanted * (1 + share))
        fail_msg("%.2f instead of %.2f", found, wanted);
}

/* 32 lanes of 16 bytes are 16 sectors, of 36 bytes each with the header: a port has 4 · 32 / 6 bytes per cycle. */
static void test_bandwidth(void **unused)
{
    (void)unused;
    double store = 16 * 36 / (4 * 32 / 6.0);
    close_to(slope(2, 32, SPREAD, WIDE, NULL), store, 0.02);
    close_to(slope(2, 32, SPREAD, WIDE, "sm2sm.lanes=2"), 2 * store, 0.02);
    close_to(slope(2, 32, SPREAD, WIDE, "sm2sm.cpc_sms=12"), 2 * store, 0.02);
    /* no more packets than may be under way: 16 of 64 in a round trip, less the SM's own part of it */
    close_to(slope(2, 32, SPREAD, WIDE, "sm2sm.requests=64"), 16 * FAR / 64.0, 0.08);
    /* Eight warps load and store 128 sectors each way: a request of 8 bytes and 36 of data leave for each pair. With
     * half of the default's packets under way the round trip is what they wait for. */
    const char *both = "ld.shared::cluster.v4.b32 {%t0, %t1, %t2, %t3}, [%far]; " WIDE;
    double pairs = 128 * (8 + 36) / (4 * 32 / 6.0);
    close_to(slope(2, 256, SPREAD, both, NULL), pairs, 0.05);
    assert_true(slope(2, 256, SPREAD, both, "sm2sm.requests=128") > 1.2 * pairs);
    /* three SMs at one target share its port, which is all that they share; at three targets they share nothing */
    const char *at_zero = "st.shared::cluster.v4.b32 [%zero], {%v0, %v1, %v2, %v3};";
    close_to(slope(4, 32, SPREAD, at_zero, "gpc.count=1"), 3 * store, 0.05);
    close_to(slope(4, 32, SPREAD, WIDE, "gpc.count=1"), store, 0.02);
}

#define SYNC "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;"

static void test_barrier(void **unused)
{
    (void)unused;
    const struct timed_how how[2] = {{.executor = &mnp_executor_window, .threads = 1},
                                     {.executor = &mnp_executor_window, .threads = 1, .set = "sm2sm.barrier=100"}};
    struct outcome none = run(2, 32, "", SYNC SYNC SYNC SYNC, &how[0]),
                   more = run(2, 32, "", SYNC SYNC SYNC SYNC, &how[1]);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(more.cycles[i] - none.cycles[i], 4 * 100);
    /* without it, the news of the last arrival is what takes time: half of what a load takes beyond its own SM's part
 * */
    assert_true(none.cycles[0] > 4 * 80 && none.cycles[0] < 4 * 140);
}

/* Atomics of all CTAs at each other, stores, loads and a barrier. */
static const char mixture[] =
    "red.relaxed.cluster.shared::cluster.add.u32 [%zero], %lane; atom.shared::cluster.add.u32 %t2, [%far], 3;"
    "add.u32 %x, %x, %t2; st.shared::cluster.u32 [%far+8], %x; ld.shared::cluster.u32 %t3, [%far+64]; add.u32 %x, %x, "
    "%t3;" SYNC
    "red.relaxed.cluster.shared::cluster.max.u32 [%far], %x; atom.shared::cluster.exch.b32 %t2, [%zero+32], %x;"
    "add.u32 %x, %x, %t2;";

static void test_identity(void **unused)
{
    (void)unused;
    const struct timed_how hows[] = {
        {.executor = &mnp_executor_serial, .threads = 1, .window = 1, .no_skip = true, .set = "gpc.count=1"},
        {.executor = &mnp_executor_window, .threads = 1, .set = "gpc.count=1"},
        {.executor = &mnp_executor_window, .threads = 2, .set = "gpc.count=1"},
        {.executor = &mnp_executor_window, .threads = 4, .window = 7, .set = "gpc.count=1"},
        {.executor = &mnp_executor_lockstep, .threads = 2, .set = "gpc.count=1"},
        {.executor = &mnp_executor_pool, .threads = 3, .set = "gpc.count=1"},
    };
    struct outcome first = run(4, 64, SPREAD, mixture, &hows[0]);
    for (size_t i = 1; i < sizeof hows / sizeof *hows; i++) {
        struct outcome other = run(4, 64, SPREAD, mixture, &hows[i]);
        assert_int_equal(other.total, first.total);
        assert_string_equal(other.hash, first.hash);
        assert_memory_equal(other.cycles, first.cycles, sizeof first.cycles);
    }
}

/* A cluster of an idle GPU goes to the first GPC, whatever ran before: kernels behind one another find their CTAs on
 * the same SMs. */
static void test_begins_anew(void **unused)
{
    (void)unused;
    static const char text[] =
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 result) .reqnctapercluster "
        "4\n{\n"
        ".reg .b64 %at, %w; .reg .b32 %t<2>;\nld.param.u64 %at, [result]; mov.u32 %t0, %ctaid.x;\n"
        "mul.wide.u32 %w, %t0, 4; add.s64 %at, %at, %w; mov.u32 %t1, %smid; st.global.b32 [%at], %t1;\nret;\n}\n";
    enum { KERNELS = 3 };
    struct mnp_results results;
    struct bench bench;
    uint32_t sms[KERNELS][CTAS];
    bench_open(&bench, NULL, text);
    struct mnp_source *source = execute_source_open(&bench.device, 90);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    const uint32_t grid[3] = {CTAS, 1, 1}, block[3] = {32, 1, 1};
    uint64_t out[KERNELS];
    for (uint32_t i = 0; i < KERNELS; i++) {
        out[i] = bench_buffer(&bench, NULL, sizeof sms[i]);
        assert_true(execute_source_launch(source, code, grid, block, 0, (const void *const[]){&out[i]}, &bench.error));
    }
    const struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1, .set = "sm.count=64"};
    assert_true(timed_run(&bench, source, &how, &results));
    for (uint32_t i = 0; i < KERNELS; i++) {
        bench_read(&bench, out[i], sms[i], sizeof sms[i]);
        assert_memory_equal(sms[i], sms[0], sizeof sms[0]);
        assert_int_equal(sms[i][0], 0);
    }
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_anew), cmocka_unit_test(test_latency),  cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_barrier),     cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
