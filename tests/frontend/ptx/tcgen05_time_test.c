/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05 with time, by the program's own clock: what products, copies, loads and stores cost, by differences and
 * beside a B200 (cicuvc/nvidia-sass-document); that nothing is seen before its time; who waits for tensor memory; and
 * what is said of those who use it wrongly.
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

enum { TEXT = 1 << 17, ROUNDS = 4, SHARED = 49152, HASH = 64 };

/* Rounds of the body between two readings of the clock, the last of which counts; then, in each round, what follows it.
 * A is at 0 of shared memory, B at 16384, both in rows of 128 bytes; `ta` has 512 columns. */
static const char frame[] =
    ".version 8.6\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pout)\n{\n.reg .b64 o, t0, t1, da, db;\n"
    ".reg .b32 w, b, i, h, t, ta, tl, id, v, f<4>, r<128>;\n.reg .pred p, q, yes, e;\nld.param.u64 o, [pout];\n"
    "mov.u32 w, s;\nadd.u32 b, w, 49152;\nmov.u32 t, %%tid.x;\nsetp.eq.u32 e, t, 0;\nsetp.lt.u32 p, t, 32;\n"
    "setp.eq.u32 yes, t, t;\n"
    "@e mbarrier.init.shared::cta.b64 [b], 1;\n"
    "@p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [b+8], 512;\nbar.sync 0;\nld.shared.b32 ta, [b+8];\n"
    "shr.u32 tl, t, 5;\nand.b32 tl, tl, 3;\nshl.b32 tl, tl, 21;\nadd.u32 tl, tl, ta;\nmov.u32 i, 0;\nmov.u32 h, "
    "0;\nmov.u32 v, 7;\n"
    "mov.b64 da, 0x4000404000010000;\nmov.b64 db, 0x4000404000010400;\nmov.u32 id, %u;\n"
    "again:\nmov.u64 t0, %%clock64;\n%s\nmov.u64 t1, %%clock64;\n%s\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, %u;\n"
    "@p bra again;\nsub.u64 t1, t1, t0;\n@e st.global.b64 [o], t1;\n@e st.global.b32 [o+8], v;\nbar.sync 0;\n"
    "setp.lt.u32 p, t, 32;\n@p tcgen05.dealloc.cta_group::1.sync.aligned.b32 ta, 512;\nret;\n}\n";

/* The same by the even one of a pair of CTAs. */
static const char pair_frame[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pout) .explicitcluster .reqnctapercluster 2, 1, 1\n{\n"
    ".reg .b64 o, t0, t1, da, db;\n.reg .b32 w, b, i, h, t, ta, id, rank, v;\n.reg .pred p, q, yes, e;\n"
    "ld.param.u64 o, [pout];\nmov.u32 w, s;\nadd.u32 b, w, 49152;\nmov.u32 rank, %%cluster_ctarank;\n"
    "setp.eq.u32 yes, w, w;\nmov.u32 v, 7;\n"
    "mbarrier.init.shared::cta.b64 [b], 1;\nfence.mbarrier_init.release.cluster;\n"
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [b+8], 512;\nld.shared.b32 ta, [b+8];\n"
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nsetp.ne.u32 p, rank, 0;\nmov.u32 i, 0;\n"
    "mov.u32 h, 0;\nmov.b64 da, 0x4000404000010000;\nmov.b64 db, 0x4000404000010400;\nmov.u32 id, %u;\n@p bra end;\n"
    "again:\nmov.u64 t0, %%clock64;\n%s\nmov.u64 t1, %%clock64;\n%s\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, %u;\n"
    "@p bra again;\nsub.u64 t1, t1, t0;\nst.global.b64 [o], t1;\nst.global.b32 [o+8], v;\n"
    "end:\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
    "tcgen05.dealloc.cta_group::2.sync.aligned.b32 ta, 512;\nret;\n}\n";

#define COMMIT      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];\n"
#define COMMIT_PAIR "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [b];\n"
#define COMMIT_BOTH                                                                                                    \
    "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [b], both;\n"
#define WAIT "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], h;\n@!q bra wait;\nxor.b32 h, h, 1;\n"

/* Rounds as gb300-microbench times them, of a pair of CTAs with 128 threads each: the first thread of the even one
 * issues the body and a commit for both, the first threads of both wait, and all meet at the barriers of block and
 * cluster. The last round counts. */
static const char round_frame[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pout) .explicitcluster .reqnctapercluster 2, 1, 1\n{\n"
    ".reg .b64 o, t0, t1, da, db;\n.reg .b32 b, i, h, t, ta, id, rank, v;\n.reg .b16 both;\n"
    ".reg .pred p, q, yes, e, leads;\nld.param.u64 o, [pout];\nmov.u32 b, s;\nadd.u32 b, b, 49152;\n"
    "mov.u32 t, %%tid.x;\nmov.u32 rank, %%cluster_ctarank;\nsetp.eq.u32 yes, t, t;\nsetp.eq.u32 e, t, 0;\n"
    "setp.eq.and.u32 leads, rank, 0, e;\nsetp.lt.u32 p, t, 32;\nmov.u16 both, 3;\nmov.u32 v, 7;\n"
    "@e mbarrier.init.shared::cta.b64 [b], 1;\n@e fence.mbarrier_init.release.cluster;\n"
    "@p tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [b+8], 512;\nbar.sync 0;\nld.shared.b32 ta, [b+8];\n"
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nmov.u32 i, 0;\nmov.u32 h, 0;\n"
    "mov.b64 da, 0x4000404000010000;\nmov.b64 db, 0x4000404000010400;\nmov.u32 id, %u;\n"
    "again:\nmov.u64 t0, %%clock64;\n@!leads bra issued;\n%sissued:\n@!e bra met;\n" WAIT "met:\nbar.sync 0;\n"
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nmov.u64 t1, %%clock64;\nadd.u32 i, i, 1;\n"
    "setp.lt.u32 p, i, %u;\n@p bra again;\nsub.u64 t1, t1, t0;\n@leads st.global.b64 [o], t1;\n"
    "@leads st.global.b32 [o+8], v;\nsetp.lt.u32 p, t, 32;\n"
    "@p tcgen05.dealloc.cta_group::2.sync.aligned.b32 ta, 512;\nret;\n}\n";

static uint64_t written; /* of the last run, by its program behind the cycles */

static uint32_t instruction_of(uint32_t m, uint32_t n)
{
    return 1u << 4 | n / 8 << 17 | m / 16 << 24; /* halves, sums of single precision */
}

/* Cycles of a round of a kernel's text, on so many CTAs; `hash`: of all that has been counted, or NULL. */
static uint64_t measure_text(const char *text, uint32_t ctas, uint32_t threads, const struct timed_how *how, char *hash)
{
    struct mnp_results results;
    struct bench bench;
    uint64_t cycles = 0;
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, 16);
    struct mnp_source *source = execute_source_open(&bench.device, 100);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {threads, 1, 1};
    if (!code ||
        !execute_source_launch(source, code, grid, block, SHARED + 64, (const void *const[]){&out}, &bench.error) ||
        !timed_run(&bench, source, how, &results))
        fail_msg("%s", bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    bench_read(&bench, out, &cycles, sizeof cycles);
    bench_read(&bench, out + 8, &written, sizeof written);
    if (hash)
        snprintf(hash, HASH, "%s", results.hash);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return cycles;
}

static uint64_t measure(uint32_t n, const char *body, const char *after, uint32_t threads, const char *set)
{
    struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1, .set = set};
    char *text = malloc(TEXT);
    snprintf(text, TEXT, frame, instruction_of(128, n), body, after, (unsigned)ROUNDS);
    uint64_t cycles = measure_text(text, 1, threads, &how, NULL);
    free(text);
    return cycles;
}

static uint64_t measure_pair(uint32_t instruction, const char *body, const struct timed_how *how, char *hash)
{
    char *text = malloc(TEXT);
    snprintf(text, TEXT, pair_frame, instruction, body, "", (unsigned)ROUNDS);
    uint64_t cycles = measure_text(text, 2, 1, how, hash);
    free(text);
    return cycles;
}

static char *repeat(const char *line, uint32_t count, const char *end)
{
    size_t length = strlen(line);
    char *text = malloc(length * count + strlen(end) + 1);
    for (uint32_t i = 0; i < count; i++)
        memcpy(text + i * length, line, length);
    strcpy(text + count * length, end);
    return text;
}

/* ===== products ===== */

static const char from_shared[] = "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;\n";
static const char from_tensor[] = "tcgen05.mma.cta_group::1.kind::f16 [ta], [ta+256], db, id, yes;\n";

/* So many products, their commit and the wait for it. */
static uint64_t products(const char *line, uint32_t n, uint32_t count, const char *set)
{
    char *body = repeat(line, count, COMMIT WAIT);
    uint64_t cycles = measure(n, body, "", 1, set);
    free(body);
    return cycles;
}

/* They follow one another as fast as the slower of operands and sums. */
static void test_rate(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t n, shared, tensor;
    } rows[] = {{8, 34, 11}, {64, 48, 32}, {128, 64, 64}, {256, 128, 128}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t n = rows[i].n;
        assert_int_equal(products(from_shared, n, 20, NULL) - products(from_shared, n, 12, NULL), 8 * rows[i].shared);
        if (rows[i].tensor > 11)
            assert_int_equal(products(from_tensor, n, 20, NULL) - products(from_tensor, n, 12, NULL),
                             8 * rows[i].tensor);
    }
}

/* The same of an instruction descriptor of one's own. */
static uint64_t ways(const char *line, uint32_t instruction, uint32_t count)
{
    struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1};
    char *body = repeat(line, count, COMMIT WAIT), *text = malloc(TEXT);
    snprintf(text, TEXT, frame, instruction, body, "", (unsigned)ROUNDS);
    uint64_t cycles = measure_text(text, 1, 1, &how, NULL);
    free(text);
    free(body);
    return cycles;
}

/* Elements of four bits, of which there are twice as many, take no longer. Nor do sums of a sparse A, for which twice
 * as many wavefronts of B come. Weight-stationary products of fewer rows have fewer sums after one another. */
static void test_ways(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        uint32_t instruction, cycles;
    } rows[] = {
        {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale [ta], da, db, id, [ta+256], [ta+260], yes;\n", 0x8c00480,
         128},
        {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale [ta], da, db, id, [ta+256], [ta+260], yes;\n", 0x8900480, 48},
        {"tcgen05.mma.sp.cta_group::1.kind::f16 [ta], da, db, [ta+256], id, yes;\n", 0x8400014, 160},
        {"tcgen05.mma.sp.cta_group::1.kind::f16 [ta], da, db, [ta+256], id, yes;\n", 0x8100014, 64},
        {"tcgen05.mma.ws.cta_group::1.kind::f16 [ta], [ta+256], db, id, yes;\n", 0x8400010, 128},
        {"tcgen05.mma.ws.cta_group::1.kind::f16 [ta], [ta+256], db, id, yes;\n", 0x4400010, 64},
        {"tcgen05.mma.ws.cta_group::1.kind::f16 [ta], [ta+256], db, id, yes;\n", 0x2400010, 64},
        {"tcgen05.shift.cta_group::1.down [ta];\n", 0, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(ways(rows[i].line, rows[i].instruction, 20) - ways(rows[i].line, rows[i].instruction, 12),
                         8 * rows[i].cycles);
}

static const char by_pair[] = "tcgen05.mma.cta_group::2.kind::f16 [ta], da, db, id, yes;\n";

/* So many products of a pair, of 2 x m rows, their commit and the wait for it. */
static uint64_t pairs(uint32_t m, uint32_t n, uint32_t count, const char *set)
{
    struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1, .set = set};
    char *body = repeat(by_pair, count, COMMIT_PAIR WAIT);
    uint64_t cycles = measure_pair(instruction_of(2 * m, n), body, &how, NULL);
    free(body);
    return cycles;
}

/* Cycles of a round of so many products of a pair, with its barriers. */
static uint64_t round_of_pair(uint32_t n, uint32_t count, const char *set)
{
    struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1, .set = set};
    char *body = repeat(by_pair, count, COMMIT_BOTH), *text = malloc(TEXT);
    snprintf(text, TEXT, round_frame, instruction_of(256, n), body, (unsigned)ROUNDS);
    uint64_t cycles = measure_text(text, 2, 128, &how, NULL);
    free(text);
    free(body);
    return cycles;
}

/* A pair's products follow one another as those of one CTA, with half of the wavefronts of B, and wait for the way
 * there and back. */
static void test_pairs(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t m, n, cycles;
    } rows[] = {{128, 32, 36}, {128, 64, 40}, {128, 128, 64}, {128, 256, 128}, {64, 128, 48}, {64, 256, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pairs(rows[i].m, rows[i].n, 20, NULL) - pairs(rows[i].m, rows[i].n, 12, NULL),
                         8 * rows[i].cycles);
    uint64_t usual = pairs(128, 64, 1, NULL);
    assert_int_equal(pairs(128, 64, 1, "sm.tcgen05.latency=1060") - usual, 1000);
    assert_int_equal(pairs(128, 64, 1, "sm.tcgen05.finish=506") - usual, 1000); /* in both */
    assert_int_equal(pairs(128, 64, 1, "latency.sm_to_sm=1181") - pairs(128, 64, 1, "latency.sm_to_sm=181"), 1000);
    usual = round_of_pair(64, 1, "sm2sm.barrier=231");
    assert_int_equal(round_of_pair(64, 1, "sm2sm.barrier=1231") - usual, 1000);
}

/* D of the other CTA, too, has changed in neither an earlier nor a later cycle, whoever runs the machine. */
static void test_pairs_identical(void **unused)
{
    (void)unused;
    static const struct mnp_executor *const executors[] = {&mnp_executor_serial, &mnp_executor_window,
                                                           &mnp_executor_lockstep};
    char *body = repeat(by_pair, 9, COMMIT_PAIR WAIT), hash[HASH], other[HASH];
    const struct timed_how usual = {.executor = &mnp_executor_serial, .threads = 1};
    uint64_t cycles = measure_pair(instruction_of(256, 256), body, &usual, hash);
    for (uint32_t i = 0; i < 6; i++) {
        const struct timed_how how = {.executor = executors[i % 3], .threads = 1 + i / 2, .no_skip = i == 3};
        assert_int_equal(measure_pair(instruction_of(256, 256), body, &how, other), cycles);
        assert_string_equal(other, hash);
    }
    free(body);
}

static void within(uint64_t cycles, uint64_t measured, uint64_t percent)
{
    uint64_t bound = measured * percent / 100;
    assert_in_range(cycles, measured - bound, measured + bound);
}

/* Issue, commit and wait, as a B200 has them. */
static void test_latency(void **unused)
{
    (void)unused;
    within(products(from_shared, 8, 1, NULL), 133, 3);
    within(products(from_shared, 256, 1, NULL), 256, 3);
    within(products(from_shared, 128, 4, NULL), 385, 3);
    within(products(from_shared, 128, 128, NULL), 8321, 1);
    uint64_t usual = products(from_shared, 64, 2, NULL);
    assert_int_equal(products(from_shared, 64, 2, "sm.tcgen05.latency=1060") - usual, 1000);
    assert_int_equal(products(from_shared, 64, 2, "sm.tcgen05.finish=506") - usual, 500);
    assert_int_equal(products(from_shared, 64, 1, NULL) - products(from_tensor, 64, 1, NULL), 32);
}

/* A sub-core may be ahead by its queue. */
static void test_queue(void **unused)
{
    (void)unused;
    uint64_t times[4];
    static const uint32_t counts[] = {2, 6, 12, 20};
    for (uint32_t i = 0; i < 4; i++) {
        char *body = repeat(from_shared, counts[i], "");
        times[i] = measure(256, body, COMMIT WAIT, 1, NULL);
        free(body);
    }
    assert_int_equal(times[1] - times[0], 4 * 11);
    assert_int_equal(times[3] - times[2], 8 * 128);
}

/* Wavefronts of operands keep the shared memory from others: 64 of each product of 128 columns. */
static void test_traffic(void **unused)
{
    (void)unused;
    char *loads = repeat("ld.shared.v4.b32 {r0, r1, r2, r3}, [w];\nadd.u32 v, v, r0;\n", 16, "");
    char *after = repeat("nanosleep.u32 0;\n", 1, COMMIT WAIT);
    char *busy = malloc(TEXT), *line = repeat(from_shared, 4, "");
    snprintf(busy, TEXT, "%s%s", line, loads);
    uint64_t alone = measure(128, loads, after, 1, NULL), both = measure(128, busy, after, 1, NULL);
    uint64_t issue = measure(128, line, after, 1, NULL);
    assert_true(both > alone + issue + 150); /* of the 256 wavefronts, those that had not begun before the loads */
    free(loads);
    free(after);
    free(busy);
    free(line);
}

/* D has been 7, and becomes 0 by a product; `pause` and what else comes between that and a load of it. */
static const char clears[] =
    "mov.u32 r0, 7;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [tl], {r0};\ntcgen05.wait::st.sync.aligned;\n"
    "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, !yes;\n%s"
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {v}, [tl];\ntcgen05.wait::ld.sync.aligned;\n%s";

/* The least sm.tcgen05.latency with which a load some 300 cycles behind a product of n columns sees what was there
 * before. */
static uint32_t first_late(uint32_t n)
{
    static const char pause[] = "mov.u64 t1, %clock64;\nadd.u64 t1, t1, 300;\nspin:\nmov.u64 da, %clock64;\n"
                                "setp.lt.u64 q, da, t1;\n@q bra spin;\nmov.b64 da, 0x4000404000010000;\n";
    char text[2048], set[64];
    uint32_t seen = 1, late = 1024;
    snprintf(text, sizeof text, clears, pause, COMMIT WAIT);
    while (late - seen > 1) {
        uint32_t latency = (late + seen) / 2;
        snprintf(set, sizeof set, "sm.tcgen05.latency=%u", latency);
        measure(n, text, "", 1, set);
        if (written)
            late = latency;
        else
            seen = latency;
    }
    return late;
}

/* Sums are not there before the commit says so, and neither before nor after the cycle that they are due in. */
static void test_not_before(void **unused)
{
    (void)unused;
    char text[2048];
    snprintf(text, sizeof text, clears, "", COMMIT WAIT);
    measure(64, text, "", 1, NULL);
    assert_int_equal(written, 7);
    snprintf(text, sizeof text, clears, COMMIT WAIT, "");
    measure(64, text, "", 1, NULL);
    assert_int_equal(written, 0);
    uint32_t late = first_late(64);
    assert_in_range(late, 100, 500);
    assert_int_equal(late - first_late(128), 32); /* whose sums take so much longer */
}

/* ===== tensor memory ===== */

/* So many loads or stores of a form, each with registers of its own among 128, and the wait for them. */
static uint64_t moves(const char *shape, uint32_t registers, uint32_t column, uint32_t count, bool store,
                      const char *set)
{
    char *body = malloc(TEXT), list[1024];
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i * registers % 128, used = 0;
        for (uint32_t k = 0; k < registers; k++)
            used += (uint32_t)snprintf(list + used, sizeof list - used, "%sr%u", k ? ", " : "", first + k);
        length += (size_t)snprintf(body + length, TEXT - length,
                                   store ? "tcgen05.st.sync.aligned.%1$s.b32 [tl+%2$u], {%3$s};\n"
                                         : "tcgen05.ld.sync.aligned.%1$s.b32 {%3$s}, [tl+%2$u];\n",
                                   shape, column, list);
    }
    snprintf(body + length, TEXT - length, "tcgen05.wait::%s.sync.aligned;\n", store ? "st" : "ld");
    char *after = malloc(TEXT); /* results that nobody uses would share their registers */
    for (uint32_t i = 0, used = 0; i < 128; i++)
        used += (uint32_t)snprintf(after + used, TEXT - used, "add.u32 v, v, r%u;\n", i);
    uint64_t cycles = measure(64, body, after, 32, set);
    free(after);
    free(body);
    return cycles;
}

/* A reduction is made of what passes by, and takes no time of its own. */
static void test_reduction(void **unused)
{
    (void)unused;
    static const char plain[] = "tcgen05.ld.sync.aligned.32x32b.x8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, [tl];\n"
                                "tcgen05.wait::ld.sync.aligned;\n";
    static const char reduces[] = "tcgen05.ld.red.sync.aligned.32x32b.x8.max.u32 {r0, r1, r2, r3, r4, r5, r6, r7}, r8, "
                                  "[tl];\ntcgen05.wait::ld.sync.aligned;\n";
    static const char uses[] = "add.u32 v, r0, r7;\nadd.u32 v, v, r8;\n";
    assert_int_equal(measure(64, reduces, uses, 32, NULL), measure(64, plain, uses, 32, NULL));
}

static void test_ports(void **unused)
{
    (void)unused;
    static const struct {
        const char *shape;
        uint32_t registers, column, cycles;
    } rows[] = {{"32x32b.x16", 16, 0, 8}, {"32x32b.x8", 8, 0, 4},  {"32x32b.x8", 8, 1, 5},  {"32x32b.x4", 4, 0, 2},
                {"16x64b.x4", 4, 0, 4},   {"16x128b.x2", 4, 0, 4}, {"16x256b.x1", 4, 0, 8}, {"32x32b.x16", 16, 1, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t store = 0; store < 2; store++) {
            uint64_t some = moves(rows[i].shape, rows[i].registers, rows[i].column, 12, store, NULL);
            uint64_t more = moves(rows[i].shape, rows[i].registers, rows[i].column, 20, store, NULL);
            assert_int_equal(more - some, 8 * rows[i].cycles);
        }
    within(moves("32x32b.x16", 16, 0, 1, false, NULL), 24, 9);
    assert_int_equal(
        moves("32x32b.x16", 16, 0, 1, false, "sm.tmem.latency=114") - moves("32x32b.x16", 16, 0, 1, false, NULL), 100);
    /* a register that is used is waited for, too */
    static const char use[] = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [tl];\nadd.u32 v, v, r0;\n";
    assert_int_equal(measure(64, use, "", 32, "sm.tmem.latency=114") - measure(64, use, "", 32, NULL), 100);
}

/* Copies: of one sub-core 32 bytes a cycle; to several warps' lanes 64 and a little, if they do not come to more than
 * 128 bytes of tensor memory; and a product waits for them. */
static void test_copies(void **unused)
{
    (void)unused;
    static const char whole[] = "tcgen05.cp.cta_group::1.128x256b [ta], da;\n";
    static const char pairs[] = "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [ta], da;\n";
    assert_int_equal(products(whole, 64, 20, NULL) - products(whole, 64, 12, NULL), 8 * 128);
    static const char fours[] = "tcgen05.cp.cta_group::1.32x128b.warpx4 [ta], da;\n";
    assert_int_equal(products(pairs, 64, 20, NULL) - products(pairs, 64, 12, NULL), 8 * 20);
    assert_int_equal(products(fours, 64, 20, NULL) - products(fours, 64, 12, NULL), 8 * 20);
    char *both = repeat(whole, 1, from_shared);
    assert_int_equal(products(both, 64, 1, NULL) - products(from_shared, 64, 1, NULL), 128);
    free(both);
}

/* ===== who waits for tensor memory ===== */

/* Each CTA allocates, stays for `rounds`, and gives back; it stores when it had it, when it began to give it back, and
 * its SM. */
static const char tenant[] =
    ".version 8.6\n.target sm_100a\n.address_size 64\n.shared .b32 at;\n"
    ".visible .entry k(.param .u64 pout, .param .u32 prounds)\n{\n.reg .b64 o, t0, t1;\n.reg .b32 i, n, c, ta, m;\n"
    ".reg .pred p;\nld.param.u64 o, [pout];\nld.param.u32 n, [prounds];\nmov.u32 c, %%ctaid.x;\n"
    "mul.wide.u32 t0, c, 32;\nadd.u64 o, o, t0;\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], %u;\nmov.u64 t0, %%clock64;\n"
    "mov.u32 i, 0;\nspin:\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, n;\n@p bra spin;\nld.shared.b32 ta, [at];\n"
    "mov.u64 t1, %%clock64;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 ta, %u;\n"
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nmov.u32 m, %%smid;\n"
    "st.global.b64 [o], t0;\nst.global.b64 [o+8], t1;\nst.global.b32 [o+16], m;\nst.global.b32 [o+20], ta;\nret;\n}\n";

enum { TENANTS = 8 };

struct tenant {
    uint64_t had, gave;
    uint32_t sm, address;
    uint64_t unused;
};

static enum mnp_end let(uint32_t columns, uint32_t rounds, const struct timed_how *how, struct tenant *seen, char *hash,
                        size_t room)
{
    struct mnp_results results;
    struct bench bench;
    char *text = malloc(TEXT);
    snprintf(text, TEXT, tenant, columns, columns);
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, TENANTS * sizeof *seen);
    struct mnp_source *source = execute_source_open(&bench.device, 100);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    const uint32_t grid[3] = {TENANTS, 1, 1}, block[3] = {32, 1, 1};
    if (!code ||
        !execute_source_launch(source, code, grid, block, 0, (const void *const[]){&out, &rounds}, &bench.error) ||
        !timed_run(&bench, source, how, &results))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, out, seen, TENANTS * sizeof *seen);
    enum mnp_end end = results.end;
    snprintf(hash, room, "%s", results.hash);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    free(text);
    return end;
}

static const struct timed_how usual = {.executor = &mnp_executor_serial, .threads = 1};

/* Two CTAs share an SM. With all columns the second has them when the first has given them back, and not before. */
static void test_contention(void **unused)
{
    (void)unused;
    struct tenant whole[TENANTS], half[TENANTS];
    char hash[64];
    assert_int_equal(let(512, 3000, &usual, whole, hash, sizeof hash), MNP_END_FINISHED);
    assert_int_equal(let(256, 3000, &usual, half, hash, sizeof hash), MNP_END_FINISHED);
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < TENANTS; i++)
        for (uint32_t k = 0; k < TENANTS; k++) {
            if (i != k && whole[i].sm == whole[k].sm && whole[i].had < whole[k].had) {
                assert_in_range(whole[k].had, whole[i].gave + 253, whole[i].gave + 253 + 30);
                assert_int_equal(whole[k].address, 0);
                pairs++;
            }
            if (i != k && half[i].sm == half[k].sm && half[i].had < half[k].had) {
                assert_true(half[k].had < half[i].gave);
                assert_int_equal(half[i].address + half[k].address, 256);
            }
        }
    assert_int_equal(pairs, TENANTS / 2);
}

static void test_identical(void **unused)
{
    (void)unused;
    static const struct mnp_executor *const executors[] = {&mnp_executor_serial, &mnp_executor_window,
                                                           &mnp_executor_lockstep};
    struct tenant first[TENANTS], other[TENANTS];
    char hash[64], another[64];
    let(512, 300, &usual, first, hash, sizeof hash);
    for (uint32_t i = 0; i < 6; i++) {
        const struct timed_how how = {.executor = executors[i % 3], .threads = 1 + i / 2, .no_skip = i == 3};
        let(512, 300, &how, other, another, sizeof another);
        assert_string_equal(another, hash);
        assert_memory_equal(other, first, sizeof first);
    }
}

/* ===== errors ===== */

static const char wrong[] = ".version 8.6\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
                            ".visible .entry k()\n{\n.reg .b64 da, db;\n.reg .b32 w, ta, id, r<4>;\n.reg .pred yes;\n"
                            "mov.u32 w, s;\nmov.u32 r0, 0;\nsetp.eq.u32 yes, r0, r0;\n"
                            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [w], %u;\nld.shared.b32 ta, [w];\n"
                            "mov.b64 da, %s;\nmov.b64 db, 0x4000404000010000;\nmov.u32 id, %u;\n%s\n"
                            "tcgen05.dealloc.cta_group::1.sync.aligned.b32 ta, %u;\nret;\n}\n";

static const struct {
    uint32_t columns, back, instruction, threads;
    const char *matrix, *body, *message;
} faults[] = {
    {48, 48, 0, 32, "0", "", "by 32, 64, 128, 256 or 512 columns, not 0x30"},
    {0, 0, 0, 32, "0", "", "by 32, 64, 128, 256 or 512 columns, not 0x0"},
    {64, 32, 0, 32, "0", "",
     "the block ends with tensor memory that it has not given back (tcgen05.dealloc), columns 0x20"},
    {64, 128, 0, 32, "0", "", "columns of tensor memory that its block has not allocated, address 0x0"},
    {512, 512, 0, 32, "0", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [w], 32;",
     "its block has too much of its tensor memory already"},
    {64, 64, 0, 32, "0",
     "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [w], 32;",
     "after tcgen05.relinquish_alloc_permit"},
    {64, 64, 0, 32, "0", "tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [ta+64];", "has not allocated, address 0x40"},
    {64, 64, 0, 32, "0", "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0, r1}, [ta+63];", "has not allocated, address 0x3f"},
    {64, 64, 0, 64, "0", "tcgen05.st.sync.aligned.32x32b.x1.b32 [ta], {r0};",
     "lanes of tensor memory that the warp, or the matrix, cannot have, address 0x0"},
    {64, 64, 0, 32, "0", "tcgen05.ld.sync.aligned.16x64b.x1.b32 {r0}, [ta+524288];", "cannot have, address 0x80000"},
    {64, 64, 0x8100010, 32, "0x4000404000010000", "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;",
     "by several threads of a warp at a time are not supported (elect.sync chooses one), threads 0xffffffff"},
    {64, 64, 0x8100010, 1, "0x4000404000010000", "tcgen05.mma.cta_group::1.kind::tf32 [ta], da, db, id, yes;",
     "an instruction descriptor with types or a shape that this kind does not have, 0x8100010"},
    {64, 64, 0x9100010, 1, "0x4000404000010000", "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;",
     "an instruction descriptor with types or a shape"},
    {64, 64, 0x8100014, 1, "0x4000404000010000", "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;",
     "an instruction descriptor with types or a shape"},
    {64, 64, 0x8100010, 1, "0x6000404000010000", "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;",
     "a matrix descriptor of no known swizzle"},
    {64, 64, 0x8100010, 1, "0x4000004000010000", "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;",
     "a matrix descriptor of no known swizzle"},
    {64, 64, 0x8100010, 1, "0x4000404000013fff", "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;",
     "outside the block's shared memory"},
    {64, 64, 0x8200010, 1, "0x4000404000010000", "tcgen05.mma.cta_group::1.kind::f16 [ta], da, db, id, yes;",
     "columns of tensor memory that its block has not allocated"},
    {64, 64, 0x8100010, 1, "0x4000404000010000", "tcgen05.mma.cta_group::1.kind::f16 [ta+1048576], da, db, id, yes;",
     "cannot have, address 0x100000"},
};

static void test_faults(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct bench bench;
        char *text = malloc(TEXT);
        snprintf(text, TEXT, wrong, faults[i].columns, faults[i].matrix, faults[i].instruction, faults[i].body,
                 faults[i].back);
        bench_open(&bench, NULL, text);
        if (bench_run(&bench, "k", 1, faults[i].threads, SHARED, NULL))
            fail_msg("case %zu has run: %s", i, faults[i].body);
        if (!strstr(bench.error.text, faults[i].message))
            fail_msg("case %zu: %s", i, bench.error.text);
        bench_close(&bench);
        free(text);
    }
}

/* ===== beside silicon ===== */

/* So many loads of a form, by so many warps, with a wait behind each batch. */
static uint64_t batches(const char *shape, uint32_t registers, uint32_t count, uint32_t batch, uint32_t warps)
{
    char *body = calloc(1, TEXT), *after = malloc(TEXT);
    for (uint32_t i = 0, length = 0; i < count; i++) {
        char list[1024];
        for (uint32_t k = 0, used = 0; k < registers; k++)
            used +=
                (uint32_t)snprintf(list + used, sizeof list - used, "%sr%u", k ? ", " : "", i * registers % 128 + k);
        length += (uint32_t)snprintf(body + length, TEXT - length, "tcgen05.ld.sync.aligned.%s.b32 {%s}, [tl];\n%s",
                                     shape, list, (i + 1) % batch ? "" : "tcgen05.wait::ld.sync.aligned;\n");
    }
    for (uint32_t i = 0, used = 0; i < 128; i++)
        used += (uint32_t)snprintf(after + used, TEXT - used, "add.u32 v, v, r%u;\n", i);
    strcat(body, "bar.sync 0;\n");
    uint64_t cycles = measure(64, body, after, 32 * warps, NULL);
    free(body);
    free(after);
    return cycles;
}

static void show(const char *what, uint64_t measured, uint64_t here)
{
    long off = 200 * ((long)here - (long)measured) / (long)measured; /* in half per cents */
    printf("| %s | %lu | %lu | %ld %% |\n", what, (unsigned long)measured, (unsigned long)here,
           (off + (off < 0 ? -1 : 1)) / 2);
}

/* The table of docs/blackwell.md. */
static void show_rows(void)
{
    static const uint32_t columns[] = {64, 128, 256};
    char text[64];
    show("product of 128 x 8, commit, wait", 133, products(from_shared, 8, 1, NULL));
    show("128 x 256", 256, products(from_shared, 256, 1, NULL));
    show("4 of 128 x 128", 385, products(from_shared, 128, 4, NULL));
    show("128 of 128 x 128", 8321, products(from_shared, 128, 128, NULL));
    show("512 of 128 x 128", 32977, products(from_shared, 128, 512, NULL));
    show("512 of 128 x 256", 65730, products(from_shared, 256, 512, NULL));
    show("load of 16 columns, wait", 24, moves("32x32b.x16", 16, 0, 1, false, NULL));
    show("512 loads of 16 columns", 4118, moves("32x32b.x16", 16, 0, 512, false, NULL));
    show("8 copies 128x256b, commit, wait", 1153,
         products("tcgen05.cp.cta_group::1.128x256b [ta], da;\n", 64, 8, NULL));
    show("32 copies 128x256b", 4225, products("tcgen05.cp.cta_group::1.128x256b [ta], da;\n", 64, 32, NULL));
    show("512 copies 64x128b.warpx2", 10399,
         products("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [ta], da;\n", 64, 512, NULL));
    show("8 warps, 64 loads of 16 columns in batches of 8, bytes per cycle", 948,
         UINT64_C(8) * 64 * 2048 / batches("32x32b.x16", 16, 64, 8, 8));
    static const uint32_t of_pairs[] = {44, 64, 128};
    for (uint32_t n = 0; n < 3; n++) {
        snprintf(text, sizeof text, "B300: a pair's products of 256 x %u, each", columns[n]);
        show(text, of_pairs[n], (pairs(128, columns[n], 20, NULL) - pairs(128, columns[n], 12, NULL)) / 8);
    }
    printf("| B300: a pair's round beside its products: commit, wait, barriers of block and cluster | 500 to 700 | %lu "
           "| |\n",
           (unsigned long)(round_of_pair(64, 4, "sm2sm.barrier=231") - 4 * 40));
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1) {
        show_rows();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),      cmocka_unit_test(test_latency),         cmocka_unit_test(test_queue),
        cmocka_unit_test(test_traffic),   cmocka_unit_test(test_not_before),      cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_ports),     cmocka_unit_test(test_copies),          cmocka_unit_test(test_contention),
        cmocka_unit_test(test_identical), cmocka_unit_test(test_faults),          cmocka_unit_test(test_ways),
        cmocka_unit_test(test_pairs),     cmocka_unit_test(test_pairs_identical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
