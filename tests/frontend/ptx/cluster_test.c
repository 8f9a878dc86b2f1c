/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clusters of CTAs: each instruction is a few lines of PTX in a kernel whose CTAs have 32 threads; the answer of each
 * thread is computed here by hand, from the cluster's shape alone.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 32, MOST_CTAS = 64 };

/* %lane, %rank and %size are given, and %number, the CTA's in the grid; the code leaves its answer in %out. */
static const char frame[] =
    ".version 8.6\n.target %s\n.address_size 64\n"
    ".shared .align 16 .b8 space[512];\n.shared .align 8 .b64 meet;\n"
    ".visible .entry k(.param .u64 result) %s\n{\n"
    ".reg .b64 %%at, %%w<8>; .reg .b32 %%lane, %%rank, %%size, %%number, %%next, %%own, %%out, %%t<12>;\n"
    ".reg .pred %%p<8>;\n"
    "mov.u32 %%lane, %%laneid; mov.u32 %%rank, %%cluster_ctarank; mov.u32 %%size, %%cluster_nctarank;\n"
    "mov.u32 %%t0, %%ctaid.z; mov.u32 %%t1, %%nctaid.y; mov.u32 %%t2, %%ctaid.y; mad.lo.u32 %%t0, %%t0, %%t1, %%t2;\n"
    "mov.u32 %%t1, %%nctaid.x; mov.u32 %%t2, %%ctaid.x; mad.lo.u32 %%number, %%t0, %%t1, %%t2;\n"
    "add.u32 %%next, %%rank, 1; rem.u32 %%next, %%next, %%size; mov.u32 %%out, 0;\n"
    "shl.b32 %%own, %%lane, 2; mov.u32 %%t0, space; add.u32 %%own, %%own, %%t0;\n"
    "%s\n"
    "ld.param.u64 %%at, [result]; mad.lo.u32 %%t0, %%number, 32, %%lane; mul.wide.u32 %%w0, %%t0, 4;\n"
    "add.s64 %%at, %%at, %%w0; st.global.b32 [%%at], %%out;\nret;\n}\n";

#define SYNC "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; "

static uint32_t answers[MOST_CTAS][THREADS];
static const uint32_t line[3] = {8, 1, 1};
static char problem[2048];

static bool run(const char *tuning, const uint32_t grid[3], const char *code)
{
    struct bench bench;
    char text[8192];
    const uint32_t block[3] = {THREADS, 1, 1};
    snprintf(text, sizeof text, frame, "sm_90a", tuning, code);
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, sizeof answers);
    bool good = bench_run3(&bench, "k", grid, block, 0, (const void *const[]){&out});
    snprintf(problem, sizeof problem, "%s", bench.error.text);
    bench_read(&bench, out, answers, sizeof answers);
    bench_close(&bench);
    return good;
}

#define EXPECT(clusters, code, expression)                                                                             \
    do {                                                                                                               \
        if (!run(".reqnctapercluster " #clusters, line, code))                                                         \
            fail_msg("%s: %s", code, problem);                                                                         \
        for (uint32_t cta = 0; cta < line[0]; cta++)                                                                   \
            for (uint32_t lane = 0; lane < THREADS; lane++) {                                                          \
                uint32_t size = clusters, rank = cta % size, next = (rank + 1) % size, wanted = (expression);          \
                (void)rank, (void)next;                                                                                \
                if (answers[cta][lane] != wanted)                                                                      \
                    fail_msg("%s: block %u, lane %u: %#x instead of %#x", code, cta, lane, answers[cta][lane],         \
                             wanted);                                                                                  \
            }                                                                                                          \
    } while (0)

/* With time, whoever comes first to an ended block has the fault, and a hang is reported by the machine. */
#define BY_TIME(timed, functional) (bench_timed() ? (timed) : (functional))

#define REFUSE(clusters, code, ...)                                                                                    \
    do {                                                                                                               \
        const char *const parts[] = {__VA_ARGS__};                                                                     \
        assert_false(run(".reqnctapercluster " #clusters, line, code));                                                \
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)                                                      \
            if (!strstr(problem, parts[i]))                                                                            \
                fail_msg("%s: no `%s` in `%s`", code, parts[i], problem);                                              \
    } while (0)

static void test_special_registers(void **unused)
{
    (void)unused;
    EXPECT(4, "mad.lo.u32 %out, %rank, 256, %size;", rank * 256 + 4);
    EXPECT(4, "mov.u32 %t3, %clusterid.x; mov.u32 %t4, %nclusterid.x; mad.lo.u32 %out, %t3, 256, %t4;",
           cta / 4 * 256 + 2);
    EXPECT(2, "mov.pred %p0, %is_explicit_cluster; selp.b32 %out, 7, 8, %p0;", size ? 7 : 0);
    const uint32_t grid[3] = {4, 4, 2};
    assert_true(run(".reqnctapercluster 2, 2, 2", grid,
                    "mov.u32 %t3, %cluster_ctaid.x; mov.u32 %t4, %cluster_ctaid.y; mov.u32 %t5, %cluster_ctaid.z;"
                    "mov.u32 %t6, %clusterid.x; mov.u32 %t7, %clusterid.y; mov.u32 %t8, %cluster_nctaid.z;"
                    "mad.lo.u32 %out, %rank, 16, %t3; mad.lo.u32 %out, %out, 16, %t4; mad.lo.u32 %out, %out, 16, %t5;"
                    "mad.lo.u32 %out, %out, 16, %t6; mad.lo.u32 %out, %out, 16, %t7; mad.lo.u32 %out, %out, 16, %t8;"));
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t x = i % 4, y = i / 4 % 4, z = i / 16;
        uint32_t rank = x % 2 + 2 * (y % 2) + 4 * z;
        assert_int_equal(answers[i][0], rank << 24 | x % 2 << 20 | y % 2 << 16 | z << 12 | x / 2 << 8 | y / 2 << 4 | 2);
    }
}

static void test_without_a_cluster(void **unused)
{
    (void)unused;
    assert_true(run("", line,
                    "mov.pred %p0, %is_explicit_cluster; selp.b32 %out, 64, 0, %p0; add.u32 %out, %out, %size;"
                    "mov.u32 %t3, %clusterid.x; mad.lo.u32 %out, %t3, 256, %out; " SYNC SYNC));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(answers[i][5], i * 256 + 1);
}

#define FILL "mad.lo.u32 %t3, %number, 100, %lane; st.shared.u32 [%own], %t3; " SYNC

static void test_addresses(void **unused)
{
    (void)unused;
    EXPECT(4, "mov.u32 %t3, space; mapa.shared::cluster.u32 %t4, %t3, %next; getctarank.shared::cluster.u32 %out, %t4;",
           next);
    EXPECT(4, "mapa.shared::cluster.u32 %t4, space, 3; getctarank.shared::cluster.u32 %out, %t4;", size - 1);
    EXPECT(4, "getctarank.shared::cluster.u32 %out, %own;", rank);
    EXPECT(8,
           "cvt.u64.u32 %w1, %own; cvta.shared.u64 %w1, %w1; mapa.u64 %w2, %w1, %next; getctarank.u64 %t3, %w2;"
           "isspacep.shared::cluster %p0, %w2; isspacep.shared::cta %p1, %w2; isspacep.global %p2, %w2;"
           "selp.u32 %t4, 1, 0, %p0; selp.u32 %t5, 2, 0, %p1; selp.u32 %t6, 4, 0, %p2; add.u32 %t4, %t4, %t5;"
           "add.u32 %t4, %t4, %t6; mad.lo.u32 %out, %t3, 16, %t4;",
           next * 16 + 1);
    EXPECT(2,
           "cvt.u64.u32 %w1, %own; cvta.shared.u64 %w1, %w1; mapa.u64 %w2, %w1, %rank; isspacep.shared::cta %p0, %w2;"
           "isspacep.shared::cluster %p1, %w1; and.pred %p0, %p0, %p1; selp.u32 %out, 1, 0, %p0;",
           size / 2);
}

static void test_accesses(void **unused)
{
    (void)unused;
    EXPECT(4, FILL "mapa.shared::cluster.u32 %t4, %own, %next; ld.shared::cluster.u32 %out, [%t4]; " SYNC,
           (cta / 4 * 4 + next) * 100 + lane);
    EXPECT(8,
           FILL "cvt.u64.u32 %w1, %own; cvta.shared.u64 %w1, %w1; mapa.u64 %w2, %w1, %next; ld.u32 %out, [%w2]; " SYNC,
           next * 100 + lane);
    EXPECT(4, FILL "ld.shared::cluster.u32 %out, [%own]; " SYNC, cta * 100 + lane);
    /* lanes of one warp at four different CTAs, by generic addresses and by shared::cluster */
    EXPECT(4,
           FILL "and.b32 %t5, %lane, 3; mapa.shared::cluster.u32 %t4, %own, %t5; ld.shared::cluster.u32 %out, "
                "[%t4]; " SYNC,
           (cta / 4 * 4 + lane % 4) * 100 + lane);
    EXPECT(4,
           FILL "and.b32 %t5, %lane, 3; cvt.u64.u32 %w1, %own; cvta.shared.u64 %w1, %w1; mapa.u64 %w2, %w1, %t5;"
                "setp.eq.u32 %p0, %t5, 0; selp.b64 %w2, %w1, %w2, %p0; ld.u32 %out, [%w2]; " SYNC,
           (lane % 4 ? cta / 4 * 4 + lane % 4 : cta) * 100 + lane);
    EXPECT(4,
           FILL "mapa.shared::cluster.u32 %t4, %own, %next; add.u32 %t3, %t3, 1; st.shared::cluster.u32 [%t4+128], "
                "%t3; " SYNC "ld.shared.u32 %out, [%own+128];",
           (cta / 4 * 4 + (rank + 3) % 4) * 100 + lane + 1);
}

static void test_atomics(void **unused)
{
    (void)unused;
    EXPECT(8,
           SYNC
           "mapa.shared::cluster.u32 %t4, space, 0; red.relaxed.cluster.shared::cluster.add.u32 [%t4], %lane; " SYNC
           "ld.shared::cluster.u32 %out, [%t4]; " SYNC,
           size * 496);
    EXPECT(2,
           SYNC "mapa.shared::cluster.u32 %t4, %own, %next; atom.shared::cluster.add.u32 %t5, [%t4], 5; "
                "atom.shared::cluster.cas.b32 %out, [%t4], 5, %rank; " SYNC "ld.shared.u32 %t6, [%own]; mad.lo.u32 "
                "%out, %t6, 16, %out;",
           next * 16 + 5 * (size / 2));
}

/* Barriers in phases: what is written before the third arrival is read behind the third wait. */
static void test_barriers(void **unused)
{
    (void)unused;
    EXPECT(8,
           SYNC SYNC FILL "barrier.cluster.arrive.relaxed; mapa.shared::cluster.u32 %t4, %own, %next; "
                          "barrier.cluster.wait; ld.shared::cluster.u32 %out, [%t4]; " SYNC,
           next * 100 + lane);
    /* threads that have exited are not waited for; the first CTA's do at once */
    EXPECT(4,
           "setp.ge.u32 %p0, %lane, 16; setp.eq.u32 %p1, %rank, 0; or.pred %p0, %p0, %p1; @%p0 exit; " SYNC SYNC
           "mov.u32 %out, 9;",
           lane < 16 && rank ? 9 : 0);
}

#define MEET                                                                                                           \
    "setp.eq.u32 %p0, %lane, 0; mov.u32 %t7, meet; @%p0 mbarrier.init.shared.b64 [%t7], 1; "                           \
    "fence.mbarrier_init.release.cluster; " SYNC "mapa.shared::cluster.u32 %t8, %t7, %next; "                          \
    "mapa.shared::cluster.u32 %t4, %own, %next; "
#define AWAIT                                                                                                          \
    "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%t7], 0; @!%p1 bra again; "                 \
    "ld.shared.u32 %out, [%own]; " SYNC

static void test_mbarriers(void **unused)
{
    (void)unused;
    EXPECT(4,
           MEET "mad.lo.u32 %t3, %number, 100, %lane; st.shared::cluster.u32 [%t4], %t3; fence.acq_rel.cluster; "
                "bar.warp.sync -1; @%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t8]; " AWAIT,
           (cta / 4 * 4 + (rank + 3) % 4) * 100 + lane);
    EXPECT(4,
           MEET "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%t7], 128; mad.lo.u32 %t3, %number, 100, %lane; "
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%t4], %t3, [%t8]; " AWAIT,
           (cta / 4 * 4 + (rank + 3) % 4) * 100 + lane);
    EXPECT(2,
           MEET "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%t7], 16; mapa.shared::cluster.u32 %t4, space, %next; "
                "@%p0 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%t4], {%rank, %number, %size, "
                "%lane}, [%t8]; " AWAIT,
           lane == 0   ? next
           : lane == 1 ? cta / 2 * 2 + next
           : lane == 2 ? size
                       : 0);
    EXPECT(2,
           MEET
           "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%t7], 128; mapa.shared::cluster.u32 %t4, space, %next; "
           "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%t4], %lane, [%t8]; " AWAIT,
           lane == 0 && size ? 496 : 0);
    /* a remote expect_tx and arrival: the phase ends when the bytes have come too */
    EXPECT(2,
           MEET "@%p0 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%t8], 128; " SYNC
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%t4], %rank, [%t8]; " AWAIT,
           next);
}

#define ACROSS(operation, type)                                                                                        \
    MEET "mad.lo.u32 %t3, %number, 100, %lane; st.shared.u32 [%own+256], %t3; fence.proxy.async.shared::cta; "         \
         "bar.warp.sync -1; @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%t7], 128; "                                 \
         "mapa.shared::cluster.u32 %t4, space, %next; mov.u32 %t9, space; @%p0 cp." operation                          \
         "async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" type                                    \
         " [%t4], [%t9+256], 128, [%t8]; " AWAIT

/* Rank 1 of each cluster copies what is its own in global memory to some others, or to all. */
#define MULTICAST(mask, waits)                                                                                         \
    "st.shared.u32 [%own], 5; ld.param.u64 %w1, [result]; mul.wide.u32 %w2, %number, 128; add.s64 %w1, %w1, %w2; "     \
    "mul.wide.u32 %w3, %lane, 4; add.s64 %w3, %w1, %w3; mad.lo.u32 %t3, %number, 100, %lane; "                         \
    "st.global.u32 [%w3], %t3; fence.acq_rel.gpu; fence.proxy.async; cp.async.bulk.prefetch.L2.global [%w1], "         \
    "128; " MEET "setp.ne.u32 %p2, %rank, " waits "; setp.eq.u32 %p4, %rank, 1; and.pred %p4, %p4, %p0; "              \
    "and.pred %p3, %p2, %p0; @%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%t7], 128; mov.u32 %t9, space; "            \
    "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%t9], [%w1], 128, "    \
    "[%t7], " mask "; @!%p2 bra after; "                                                                               \
    "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%t7], 0; @!%p1 bra again; "                 \
    "after: ld.shared.u32 %out, [%own]; " SYNC

static void test_copies(void **unused)
{
    (void)unused;
    EXPECT(4, ACROSS("", ""), (cta / 4 * 4 + (rank + 3) % 4) * 100 + lane);
    EXPECT(4, "st.shared.u32 [%own], %lane; fence.proxy.async; " ACROSS("reduce.", ".add.u32"),
           (cta / 4 * 4 + (rank + 3) % 4) * 100 + 2 * lane);
    EXPECT(2, "mov.u32 %t3, 250; st.shared.u32 [%own], %t3; fence.proxy.async; " ACROSS("reduce.", ".max.s32"),
           (cta / 2 * 2 + next) * 100 + lane > 250 ? (cta / 2 * 2 + next) * 100 + lane : 250);
    EXPECT(1, ACROSS("", ""), size * cta * 100 + lane); /* to its own */
    EXPECT(4, MULTICAST("13", "1"), size && rank == 1 ? 5 : (cta / 4 * 4 + 1) * 100 + lane);
    EXPECT(4, MULTICAST("15", "9"), size * (cta / 4) * 100 + 100 + lane);
    REFUSE(4, MULTICAST("31", "9"), "a multicast to blocks that the cluster does not have, mask 0x1f");
    REFUSE(4,
           "mapa.shared::cluster.u32 %t4, space, %next; mov.u32 %t9, space; cp.async.bulk.shared::cluster.shared::"
           "cta.mbarrier::complete_tx::bytes [%t4], [%t9], 24, [%t4];",
           "a misaligned access");
    REFUSE(4,
           "mapa.shared::cluster.u32 %t4, space, %next; mov.u32 %t9, space; cp.async.bulk.shared::cluster.shared::"
           "cta.mbarrier::complete_tx::bytes [%t4], [%t9+65536], 32, [%t4];",
           "outside the block's shared memory");
}

/* Who waits is woken when the phase ends, and not by the end of its patience (sm.mbarrier.wait). */
#define SOON(code)                                                                                                     \
    "mov.u32 %t10, %clock; " code " mov.u32 %t11, %clock; sub.u32 %t11, %t11, %t10; setp.lt.u32 %p5, %t11, 7776; "     \
    "selp.u32 %out, 1, 0, %p5;"

static void test_wakes(void **unused)
{
    (void)unused;
    if (!bench_timed()) /* nobody's clock */
        return;
    EXPECT(4, SOON(ACROSS("", "")), size > 0);
    EXPECT(4, SOON(MULTICAST("15", "9")), size > 0);
    EXPECT(
        4,
        SOON(MEET "fence.acq_rel.cluster; @%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t8]; " AWAIT),
        size > 0);
}

static void test_the_others(void **unused)
{
    (void)unused;
    EXPECT(2, "elect.sync %t3|%p0, 0xffffffff; selp.u32 %out, 3, 0, %p0;", size && lane == 0 ? 3 : 0);
    EXPECT(2,
           "griddepcontrol.launch_dependents; griddepcontrol.wait; setmaxnreg.inc.sync.aligned.u32 232; "
           "fence.proxy.async; fence.proxy.async.shared::cta; fence.proxy.alias; mov.u32 %out, 4;",
           size * 2);
}

static void test_faults(void **unused)
{
    (void)unused;
    REFUSE(4, "mapa.shared::cluster.u32 %t4, %own, 4; ld.shared::cluster.u32 %out, [%t4];", "kernel k, block (0,0,0)",
           "outside the shared memory of the cluster's blocks, at address 0x24");
    REFUSE(4, "mapa.shared::cluster.u32 %t4, %own, %next; ld.shared::cluster.u32 %out, [%t4+65536];",
           "outside the shared memory of the cluster's blocks");
    REFUSE(4, "mapa.shared::cluster.u32 %t4, %own, %next; ld.shared.u32 %out, [%t4];",
           "outside the block's shared memory");
    REFUSE(4,
           "setp.eq.u32 %p0, %rank, 0; @%p0 exit; " SYNC "mapa.shared::cluster.u32 %t4, %own, 0; "
           "ld.shared::cluster.u32 %out, [%t4];",
           BY_TIME("block (1,0,0)", "block (3,0,0)"), "a block of the cluster that has ended");
    REFUSE(4, "barrier.cluster.arrive; barrier.cluster.arrive;", "a second arrival at the cluster's barrier",
           "phase 0x0");
    REFUSE(4, SYNC "barrier.cluster.wait;", "a wait at the cluster's barrier without an arrival", "phase 0x1");
    /* one CTA waits at a barrier of its own for ever: the others never leave the cluster's second phase */
    REFUSE(4, SYNC "setp.eq.u32 %p0, %rank, 2; @%p0 bar.sync 1, 64; " SYNC,
           BY_TIME("CTA 2 warp 0 waits at the CTA's barrier", "block (2,0,0)"),
           BY_TIME("CTA 3: CTA 2 of its cluster, rank 2, has not arrived at the cluster's barrier",
                   "wait at barriers that nobody will complete"));
    REFUSE(4, SYNC "setp.eq.u32 %p0, %rank, 1; @%p0 bar.sync 1, 64; " SYNC,
           BY_TIME("CTA 3 warp 0 waits at the cluster's barrier", "block (1,0,0)"));
    REFUSE(4,
           SYNC "setp.eq.u32 %p0, %rank, 2; @%p0 bra away; barrier.cluster.arrive; away: @!%p0 "
                "barrier.cluster.wait; @!%p0 bra end; stay: ld.volatile.shared.u32 %t3, [%own]; setp.eq.u32 %p1, %t3, "
                "0; @%p1 bra stay; end:",
           "kernel k");
}

static void refuse_launch(const char *tuning, uint32_t blocks, const char *part)
{
    const uint32_t grid[3] = {blocks, 1, 1};
    assert_false(run(tuning, grid, ""));
    if (!strstr(problem, part))
        fail_msg("no `%s` in `%s`", part, problem);
}

static void test_launches(void **unused)
{
    (void)unused;
    refuse_launch(".reqnctapercluster 4", 6, "clusters of 4×1×1 blocks do not divide its grid of 6×1×1");
    refuse_launch(".reqnctapercluster 32", 32, "a cluster of 32×1×1 blocks is too large; it has at most 16");
    refuse_launch(".reqnctapercluster 8 .maxclusterrank 4", 8, "it has at most 4");
    const uint32_t grid[3] = {32, 1, 1};
    assert_true(run(".explicitcluster .reqnctapercluster 16", grid, "mov.u32 %out, %rank;"));
    assert_int_equal(answers[31][3], 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_registers),
        cmocka_unit_test(test_without_a_cluster),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_mbarriers),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_wakes),
        cmocka_unit_test(test_the_others),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
