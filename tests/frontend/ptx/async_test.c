/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The asynchronous units with time, by the program's own clock: what a line, a row, a dimension, a copy, a
 * product and a wait must cost, by differences of two runs; and that results are the same on any threads and
 * executor.
 */
#include "timed.h"

#include "execute/copy/tensor_map.h"
#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 1 << 17, IN_BYTES = 1 << 17, ROUNDS = 4 };

/* Rounds of `%s` between two readings of the clock; the last one counts, when code, maps and data are near. */
static const char frame[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 pin, .param .u64 pout)\n{\n"
    ".reg .b64 m, g, o, t0, t1, da, db;\n.reg .b32 w, b, z, i, h, r<4>, v;\n.reg .f32 d<128>;\n.reg .pred p, q, e;\n"
    "mov.b64 m, map;\ncvta.param.u64 m, m;\nld.param.u64 g, [pin];\nld.param.u64 o, [pout];\nmov.u32 z, 0;\n"
    "mov.u32 w, s;\nadd.u32 b, w, 32768;\nmov.u32 v, %%tid.x;\nsetp.eq.u32 e, v, 0;\n"
    "@e mbarrier.init.shared::cta.b64 [b], 1;\nbar.sync 0;\nmov.u32 i, 0;\nmov.u32 h, 0;\nmov.b64 da, "
    "0x4000004000010000;\n"
    "mov.b64 db, 0x4000004000010000;\n"
    "again:\nmov.u64 t0, %%clock64;\n%s\nmov.u64 t1, %%clock64;\nxor.b32 h, h, 1;\nadd.u32 i, i, 1;\n"
    "setp.lt.u32 p, i, %u;\n@p bra again;\nsub.u64 t1, t1, t0;\n@e st.global.b64 [o], t1;\nret;\n}\n";

static const char wait_text[] = "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], h;\n@!q bra wait;\n";

static struct execute_tensor_map map_of(uint32_t rank, uint32_t row, uint32_t rows)
{
    struct execute_tensor_map map = {.rank = (uint8_t)rank, .type = EXECUTE_TENSOR_U8, .strides = {1}};
    for (uint32_t i = 0; i < rank; i++) {
        map.dimensions[i] = i ? 256 : 256;
        map.box[i] = i == 0 ? row : i == 1 ? rows : 1;
        map.element_strides[i] = 1;
        map.strides[i] = i == 0 ? 1 : i == 1 ? 256 : 65536;
    }
    return map;
}

static struct mnp_log warnings; /* of the last run */
static uint64_t written;        /* … by its program, behind the cycles */

/* Cycles of a round. */
static uint64_t measure(const char *body, const struct execute_tensor_map *map, uint32_t threads, const char *set)
{
    struct mnp_results results;
    struct bench bench;
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS] = {0};
    uint64_t cycles = 0;
    char *text = malloc(TEXT);
    snprintf(text, TEXT, frame, body, (unsigned)ROUNDS);
    bench_open(&bench, NULL, text);
    uint64_t in = bench_buffer(&bench, NULL, IN_BYTES), out = bench_buffer(&bench, NULL, 16);
    if (map) {
        struct execute_tensor_map placed = *map;
        placed.address = in;
        if (!execute_tensor_map_check(&placed, &bench.error))
            fail_msg("%s", bench.error.text);
        execute_tensor_map_encode(&placed, words);
    }
    struct mnp_source *source = execute_source_open(&bench.device, 90);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {threads, 1, 1};
    struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1, .set = set};
    if (!code ||
        !execute_source_launch(source, code, grid, block, 32768 + 64, (const void *const[]){words, &in, &out},
                               &bench.error) ||
        !timed_run(&bench, source, &how, &results))
        fail_msg("%s", bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    bench_read(&bench, out, &cycles, sizeof cycles);
    bench_read(&bench, out + 8, &written, sizeof written);
    mnp_results_release(&results);
    mnp_log_release(&warnings);
    mnp_log_init(&warnings, MNP_QUIET);
    execute_source_warnings(source, &warnings);
    source->close(source);
    bench_close(&bench);
    free(text);
    return cycles;
}

/* ===== copies ===== */

static uint64_t bulk(uint32_t bytes, uint32_t copies, const char *set)
{
    char body[1 << 14];
    int length = snprintf(body, sizeof body, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], %u;\n", bytes * copies);
    for (uint32_t i = 0; i < copies; i++)
        length +=
            snprintf(body + length, sizeof body - (size_t)length,
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [w], [g], %u, [b];\n", bytes);
    snprintf(body + length, sizeof body - (size_t)length, "%s", wait_text);
    return measure(body, NULL, 1, set);
}

static uint64_t tensor(uint32_t rank, uint32_t row, uint32_t rows, const char *set)
{
    static const char *const lists[] = {"", "{z}", "{z, z}", "{z, z, z}"};
    struct execute_tensor_map map = map_of(rank, row, rows);
    char body[1024];
    snprintf(body, sizeof body,
             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], %u;\n"
             "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [w], [m, %s], [b];\n%s",
             row * rows, rank, lists[rank], wait_text);
    return measure(body, &map, 1, set);
}

/* Lines follow one another as fast as the port of replies takes them: 128 bytes by 32 a cycle. */
static void test_lines(void **unused)
{
    (void)unused;
    uint64_t some = bulk(64 * 128, 1, NULL), more = bulk(128 * 128, 1, NULL);
    assert_int_equal(more - some, 64 * 4);
}

static void test_latency(void **unused)
{
    (void)unused;
    uint64_t plain = bulk(256, 1, NULL), one = tensor(1, 256, 1, NULL), two = tensor(2, 256, 1, NULL),
             three = tensor(3, 256, 1, NULL);
    assert_int_equal(one - plain, 1);
    assert_int_equal(two - one, 1);
    assert_int_equal(three - two, 1);
    assert_int_equal(tensor(3, 256, 1, "sm.tma.map=61") - three, 60);
    assert_int_equal(tensor(3, 256, 1, "sm.tma.dimension=51") - three, 100);
    assert_int_equal(bulk(256, 1, "sm.tma.latency=100") - plain, 90);
    assert_int_equal(bulk(256, 1, "sm.tma.finish=508") - plain, 500);
}

static void test_rows(void **unused)
{
    (void)unused;
    uint64_t some = tensor(2, 16, 64, "sm.tma.row=20"), more = tensor(2, 16, 128, "sm.tma.row=20");
    assert_int_equal(more - some, 64 * 20);
}

/* Eight images of 16 pixels with so many channels of two bytes, in slices of eight. */
static uint64_t slices(uint32_t channels)
{
    const struct execute_tensor_map map = {.rank = 3,
                                           .type = EXECUTE_TENSOR_F16,
                                           .interleave = EXECUTE_TENSOR_INTERLEAVE_16B,
                                           .dimensions = {channels, 16, 8},
                                           .strides = {2, 16, 256},
                                           .box = {8, 16, 8},
                                           .element_strides = {1, 1, 1}};
    char body[1024];
    snprintf(body, sizeof body,
             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 2048;\ncp.async.bulk.tensor.3d.shared::cluster.global."
             "tile.mbarrier::complete_tx::bytes [w], [m, {z, z, z}], [b];\n%s",
             wait_text);
    return measure(body, &map, 1, "sm.tma.row=20");
}

/* An interleaved tensor's pixels are rows of 256 bytes as they lie, and one by one where the last slice is broken. */
static void test_slices(void **unused)
{
    (void)unused;
    uint64_t whole = slices(8), broken = slices(7);
    assert_int_equal(whole, tensor(3, 256, 8, "sm.tma.row=20"));
    assert_int_equal(broken - whole, (16 * 8 - 8) * 20 - 1 - 3); /* the last row is a sector, not two lines */
}

/* A store of so many bytes, until they have been read. */
static uint64_t store(uint32_t bytes, const char *set)
{
    char body[512];
    snprintf(body, sizeof body,
             "cp.async.bulk.global.shared::cta.bulk_group [g], [w], %u;\ncp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group.read 0;\n",
             bytes);
    return measure(body, NULL, 1, set);
}

/* Lines that leave follow one another by what sm.tma.out says, the sectors of a line that is not whole too. */
static void test_out(void **unused)
{
    (void)unused;
    uint64_t some = store(2048, NULL), more = store(4096, NULL), part = store(4096 + 32, NULL);
    assert_int_equal(more - some, 16 * 4);
    assert_int_equal(part - more, 4); /* the last line's begin, and not its end, is what counts */
    assert_int_equal(store(4096, "sm.tma.out=8") - store(2048, "sm.tma.out=8"), 16 * 16);
    assert_int_equal(store(4096, "sm.tma.out=12") - store(2048, "sm.tma.out=12"), 16 * 11); /* 128 / 12, up */
}

/* Rounds of a copy by `threads` lanes, until what leaves has been read. */
static uint64_t by_lanes(const char *copy, const struct execute_tensor_map *map, uint32_t threads)
{
    char body[512];
    snprintf(body, sizeof body, "%s\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n", copy);
    return measure(body, map, threads, "sm.tma.command=100");
}

/* What a whole warp stores, or prefetches, with the same operands is one copy, and one for each set of operands
 * (ptxas); but each lane's is counted where others learn of it, and in a reduction. */
static void test_lanes(void **unused)
{
    (void)unused;
    static const char *const once[] = {"cp.async.bulk.global.shared::cta.bulk_group [g], [w], 128;",
                                       "cp.async.bulk.prefetch.L2.global [g], 128;",
                                       "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {z, z}], [w];",
                                       "cp.async.bulk.prefetch.tensor.2d.L2.global [m, {z, z}];"};
    struct execute_tensor_map map = map_of(2, 128, 1);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(by_lanes(once[i], &map, 32), by_lanes(once[i], &map, 1));
    static const char two[] = "and.b32 r0, v, 1;\n"
                              "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {z, r0}], [w];";
    assert_int_equal(by_lanes(two, &map, 32), by_lanes(two, &map, 2));
    assert_int_equal(by_lanes(two, &map, 2) - by_lanes(two, &map, 1), 100);
    static const char each[] = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [w], 128;";
    assert_int_equal(by_lanes(each, NULL, 32) - by_lanes(each, NULL, 1), 31 * 100);
}

/* A tensor map that is used for the first time has to be read out of the L2, and then prepared. */
static void test_first_use(void **unused)
{
    (void)unused;
    static const char body[] = /* what is left of the maps is told by the first round, which a branch jumps over */
        "setp.ne.u32 p, i, 3;\n@p bra next;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 256;\n"
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [w], [m, {z}], [b];\n"
        "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;\n@!q bra wait;\nnext:\n";
    struct execute_tensor_map map = map_of(1, 256, 1);
    uint64_t at_once = measure(body, &map, 1, "sm.tma.decode=0"), later = measure(body, &map, 1, NULL);
    assert_int_equal(later - at_once, 35);
    assert_true(at_once - tensor(1, 256, 1, NULL) > 100);
}

static void test_commands(void **unused)
{
    (void)unused;
    uint64_t some = bulk(16, 4, NULL), more = bulk(16, 12, NULL), slow = bulk(16, 12, "sm.tma.command=100");
    assert_int_equal(more - some, 8 * 55);
    assert_int_equal(slow - more, 11 * 45);
}

/* With one request under way, each line takes a round trip. */
static void test_in_flight(void **unused)
{
    (void)unused;
    uint64_t times[3];
    for (uint32_t i = 0; i < 3; i++)
        times[i] = bulk(256 + 128 * i, 1, "sm.tma.requests=1");
    assert_int_equal(times[2] - times[1], times[1] - times[0]);
    assert_true(times[1] - times[0] > 100);
    assert_true(times[0] - bulk(256, 1, NULL) > 100);
}

/* Groups of copies out: waiting for their sources to be read is shorter than for their ends, by the L2's answer. */
static void test_groups(void **unused)
{
    (void)unused;
    static const char text[] =
        "cp.async.bulk.wait_group 0;\nmov.u64 t0, %%clock64;\n" /* without what the round before has left */
        "cp.async.bulk.global.shared::cta.bulk_group [g], [w], 4096;\ncp.async.bulk.commit_group;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [g+4096], [w], 4096;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s %u;\n";
    char body[1024];
    uint64_t times[4];
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(body, sizeof body, text, i / 2 ? ".read" : "", i % 2);
        times[i] = measure(body, NULL, 1, "sm.tma.posted=false");
    }
    assert_true(times[1] + 32 <= times[0]); /* the first of two groups is done a copy of 32 lines earlier */
    assert_true(times[3] + 32 <= times[2]);
    assert_true(times[2] + 50 < times[0]);
}

/* A copy out, or a reduction, and a wait for it alone. */
static uint64_t out(const char *kind, uint32_t bytes, const char *read, const char *set)
{
    char body[512];
    bool adds = kind[0] != 0;
    snprintf(body, sizeof body,
             "cp%s.async.bulk.global.shared::cta.bulk_group%s [g], [w], %u;\n"
             "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s 0;\n",
             kind, adds ? ".add.u32" : "", bytes, read);
    return measure(body, NULL, 1, set);
}

/* Sources are read four cycles a line, and the last of them comes out of shared memory as late as a load would bring
 * it. A store's group waits for that alone, whichever form of the wait it is; a reduction's for the L2 as well. */
static void test_read(void **unused)
{
    (void)unused;
    uint64_t line = out("", 128, ".read", NULL);
    assert_int_equal(out("", 4096, ".read", NULL) - line, 31 * 4);
    assert_int_equal(out("", 128, ".read", "latency.shared=60") - out("", 128, ".read", "latency.shared=30"), 30);
    assert_int_equal(out("", 128, "", NULL), line);
    assert_int_equal(out("", 4096, "", NULL), line + 31 * 4);
    assert_true(out("", 128, "", "sm.tma.posted=false") > line + 50);
    assert_int_equal(out(".reduce", 128, ".read", NULL), line);
    assert_true(out(".reduce", 128, "", NULL) > line + 50);
}

/* A wait for a phase that does not end gives up. */
static void test_phase(void **unused)
{
    (void)unused;
    static const char text[] = "mbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;\nselp.u32 v, 1, 0, q;\n";
    assert_int_equal(measure(text, NULL, 1, "sm.mbarrier.wait=3000") - measure(text, NULL, 1, "sm.mbarrier.wait=1000"),
                     2000);
    static const char test[] = "mbarrier.test_wait.parity.shared::cta.b64 q, [b], 0;\nselp.u32 v, 1, 0, q;\n";
    assert_true(measure(test, NULL, 1, NULL) < 100);
}

/* Questions for a phase that has ended, each of which the next one's guard waits for. */
static uint64_t questions(uint32_t count, const char *set)
{
    char body[2048] = "setp.eq.u32 q, z, 0;\n";
    size_t length = strlen(body);
    for (uint32_t i = 0; i < count; i++)
        length +=
            (size_t)snprintf(body + length, sizeof body - length, "@q mbarrier.t%s.parity.shared::cta.b64 q, [b], 1;\n",
                             i % 2 ? "ry_wait" : "est_wait");
    return measure(body, NULL, 1, set);
}

static void test_questions(void **unused)
{
    (void)unused;
    /* Nothing waits for the last. */
    uint64_t some = questions(4, NULL), more = questions(12, NULL), slow = questions(12, "sm.mbarrier.latency=100");
    assert_int_equal(slow - more, 11 * 76);
    assert_in_range(more - some, 8 * 24, 8 * 36); /* and what a guard waits longer than an operand */
    assert_int_equal((more - some) % 8, 0);
}

/* ===== products ===== */

/* A register of the sums that is read before the products have been waited for: the value is there, and the run warns,
 * with the place of either. */
static void test_warning(void **unused)
{
    (void)unused;
    for (uint32_t waits = 0; waits < 2; waits++) {
        char body[512];
        snprintf(body, sizeof body,
                 "wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {d0,d1,d2,d3}, da, db, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\n%sadd.f32 d1, d1, d1;\nwgmma.wait_group.sync.aligned 0;\n",
                 waits ? "wgmma.wait_group.sync.aligned 0;\n" : "");
        measure(body, NULL, 128, NULL);
        assert_int_equal(warnings.warning_count, !waits);
        if (!waits) {
            assert_non_null(strstr(warnings.warnings[0].text, "registers of the wgmma of "));
            assert_non_null(strstr(warnings.warnings[0].text, "of kernel k at test.ptx:29 are"));
            assert_non_null(strstr(warnings.warnings[0].text, "kernel k at test.ptx:31: "));
        }
        mnp_log_release(&warnings);
    }
}

/* A out of registers is what it was at the issue, although other values take the registers' places before the wait:
 * 16 products of ones are 16, and the values are there, too. */
static void test_kept(void **unused)
{
    (void)unused;
    measure("{\n.reg .b32 a<4>, x<6>, y;\n.reg .b64 long;\nshl.b32 y, v, 2;\nadd.u32 y, w, y;\n"
            "mov.u32 x0, 0x3f803f80;\nst.shared.b32 [y], x0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
            "shr.u32 a0, v, 8;\nadd.u32 a0, a0, x0;\nadd.u32 a1, a0, 0;\nadd.u32 a2, a0, 0;\nadd.u32 a3, a0, 0;\n"
            "wgmma.fence.sync.aligned;\n"
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {d0,d1,d2,d3}, {a0,a1,a2,a3}, db, 0, 1, 1, 0;\n"
            "wgmma.commit_group.sync.aligned;\nadd.u32 x1, v, 1;\nadd.u32 x2, v, 2;\nadd.u32 x3, v, 3;\n"
            "add.u32 x4, v, 4;\nadd.u32 x5, v, 5;\nwgmma.wait_group.sync.aligned 0;\n"
            "mov.b32 y, d0;\nadd.u32 x1, x1, x2;\nadd.u32 x3, x3, x4;\nadd.u32 x1, x1, x3;\nadd.u32 x1, x1, x5;\n"
            "mov.b64 long, {y, x1};\n@e st.global.b64 [o+8], long;\n}\n",
            NULL, 128, NULL);
    assert_int_equal(written & UINT32_MAX, 0x41800000);
    assert_int_equal(written >> 32, 15);
}

/* Cycles of `count` products in groups, until no more than `most` of these are under way. A may be sparse. */
static uint64_t products_on(const char *set, bool sparse, uint32_t n, uint32_t count, bool registers, uint32_t groups,
                            uint32_t most)
{
    char *body = malloc(TEXT / 2);
    int length = snprintf(body, TEXT / 2, /* what the round before has left is no part of this one */
                          "wgmma.wait_group.sync.aligned 0;\nmov.u64 t0, %%clock64;\nwgmma.fence.sync.aligned;\n");
    for (uint32_t i = 0; i < count; i++) {
        length += snprintf(body + length, TEXT / 2 - (size_t)length,
                           "wgmma.mma_async%s.sync.aligned.m64n%uk%u.f32.bf16.bf16 {", sparse ? ".sp" : "", n,
                           sparse ? 32 : 16);
        for (uint32_t k = 0; k < n / 2; k++)
            length += snprintf(body + length, TEXT / 2 - (size_t)length, "%sd%u", k ? "," : "", k);
        length += snprintf(body + length, TEXT / 2 - (size_t)length, "}, %s, db, %s1, 1, 1, %s0;\n",
                           registers ? "{r0,r1,r2,r3}" : "da", sparse ? "v, 0, " : "", registers ? "" : "0, ");
        if ((i + 1) % (count / groups) == 0)
            length += snprintf(body + length, TEXT / 2 - (size_t)length, "wgmma.commit_group.sync.aligned;\n");
    }
    snprintf(body + length, TEXT / 2 - (size_t)length, "wgmma.wait_group.sync.aligned %u;\n", most);
    uint64_t cycles = measure(body, NULL, 128, set);
    free(body);
    return cycles;
}

static uint64_t products_of(bool sparse, uint32_t n, uint32_t count, bool registers, uint32_t groups, uint32_t most)
{
    return products_on(NULL, sparse, n, count, registers, groups, most);
}

static uint64_t products(uint32_t n, uint32_t count, bool registers, uint32_t groups, uint32_t most)
{
    return products_of(false, n, count, registers, groups, most);
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Products of a chain follow one another after max(N/2, wavefronts of the operands, 12) cycles. */
static void test_chain(void **unused)
{
    (void)unused;
    static const uint32_t columns[] = {8, 16, 32, 64, 128, 256};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (uint32_t registers = 0; registers < 2; registers++) {
            uint32_t n = columns[i];
            uint64_t some = products(n, 8, registers, 1, 0), more = products(n, 16, registers, 1, 0);
            assert_int_equal(more - some, 8 * most_of(most_of(n / 2, n / 4 + (registers ? 0 : 16)), 12));
        }
}

/* An H20 takes 2 N cycles (cicuvc/nvidia-sass-document: 64.7 and 255.4 for 32 and 128 columns). */
static void test_slower_chain(void **unused)
{
    (void)unused;
    for (uint32_t n = 32; n <= 128; n *= 4) {
        uint64_t some = products_on("sm.wgmma.slower=4", false, n, 8, false, 1, 0);
        assert_int_equal(products_on("sm.wgmma.slower=4", false, n, 16, false, 1, 0) - some, 8 * 2 * n);
    }
}

/* Of a sparse A, B has twice as many wavefronts: 144 cycles for 256 columns, 128 with A out of registers, as measured
 * on an H800 (arXiv 2501.12084). */
static void test_sparse_chain(void **unused)
{
    (void)unused;
    static const uint32_t columns[] = {16, 256}, cycles[][2] = {{24, 12}, {144, 128}};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t registers = 0; registers < 2; registers++) {
            uint64_t some = products_of(true, columns[i], 8, registers, 1, 0);
            assert_int_equal(products_of(true, columns[i], 16, registers, 1, 0) - some, 8 * cycles[i][registers]);
        }
}

static void test_product(void **unused)
{
    (void)unused;
    uint64_t small = products(8, 1, false, 1, 0);
    assert_int_equal(small, 43 + 4); /* as measured on an H200: 43 + N/2 from the issue to the end of the wait */
    assert_int_equal(products(256, 1, false, 1, 0) - small, 124);
    assert_int_equal(products(128, 1, false, 1, 0) - small, 60);
    assert_int_equal(products(128, 1, false, 1, 0) - products(128, 1, true, 1, 0), 10);
}

/* A wait for all groups but one goes on a product earlier. */
static void test_product_groups(void **unused)
{
    (void)unused;
    uint64_t all = products(256, 2, false, 2, 0), but_one = products(256, 2, false, 2, 1);
    assert_int_equal(all - but_one, 128);
    assert_true(products(256, 2, false, 2, 2) < 64);
}

/* ===== what others see ===== */

static const char visible_text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 pflag)\n{\n"
    ".reg .b64 g, o, f, x;\n.reg .b32 w, b, v, c, n, a<8>;\n.reg .pred p, q, e;\n"
    "ld.param.u64 g, [pin];\nld.param.u64 o, [pout];\nld.param.u64 f, [pflag];\nmov.u32 w, s;\nadd.u32 b, w, 8192;\n"
    "mov.u32 c, %ctaid.x;\nsetp.ne.u32 p, c, 0;\n@p bra other;\n"
    /* the first CTA: a copy in, of whose end an mbarrier tells, and one out, before a flag is set */
    "mov.u32 v, 7;\nst.shared.u32 [w+4092], v;\nmbarrier.init.shared::cta.b64 [b], 1;\n"
    "fence.proxy.async.shared::cta;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 4096;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [w], [g], 4096, [b];\n"
    "ld.volatile.shared.u32 a0, [w+4092];\nmbarrier.test_wait.parity.shared::cta.b64 q, [b], 0;\nselp.u32 a1, 1, 0, "
    "q;\n"
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;\n@!q bra wait;\nld.volatile.shared.u32 a2, [w+4092];\n"
    "mov.u32 v, 99;\nst.shared.u32 [w+4092], v;\nfence.proxy.async.shared::cta;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [o+4096], [w], 4096;\ncp.async.bulk.commit_group;\n"
    "cp.async.bulk.wait_group 0;\nmov.u32 v, 1;\nst.release.gpu.global.u32 [f], v;\n"
    "st.global.u32 [o], a0;\nst.global.u32 [o+4], a1;\nst.global.u32 [o+8], a2;\nret;\n"
    "other:\nld.acquire.gpu.global.u32 v, [f];\nsetp.eq.u32 q, v, 0;\n@q bra other;\n"
    "ld.global.u32 a3, [o+8188];\nst.global.u32 [o+12], a3;\nret;\n}\n";

struct seen {
    uint32_t before, ended, after, elsewhere;
    char hash[64];
};

static struct seen run_visible(const struct timed_how *how)
{
    static uint32_t words[1024];
    struct mnp_results results;
    struct bench bench;
    struct seen seen = {0};
    for (uint32_t i = 0; i < 1024; i++)
        words[i] = 1000 + i;
    bench_open(&bench, NULL, visible_text);
    uint64_t in = bench_buffer(&bench, words, sizeof words), out = bench_buffer(&bench, NULL, 8192);
    uint64_t flag = bench_buffer(&bench, NULL, 4);
    struct mnp_source *source = execute_source_open(&bench.device, 90);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    const uint32_t grid[3] = {3, 1, 1}, block[3] = {1, 1, 1};
    if (!code ||
        !execute_source_launch(source, code, grid, block, 8192 + 64, (const void *const[]){&in, &out, &flag},
                               &bench.error) ||
        !timed_run(&bench, source, how, &results))
        fail_msg("%s", bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    bench_read(&bench, out, &seen, 16);
    strncpy(seen.hash, results.hash, sizeof seen.hash - 1);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return seen;
}

/* What a copy brings is there when its mbarrier says so, and not when it has only been issued; what it takes out is
 * there for whoever has read the flag that was set when the group had ended. */
static void test_visible(void **unused)
{
    (void)unused;
    struct seen seen = run_visible(&(struct timed_how){.executor = &mnp_executor_serial, .threads = 1});
    assert_int_equal(seen.before, 7);
    assert_int_equal(seen.ended, 0);
    assert_int_equal(seen.after, 1000 + 1023);
    assert_int_equal(seen.elsewhere, 99);
}

/* The same bytes however it is run. */
static void test_identity(void **unused)
{
    (void)unused;
    struct seen seen = run_visible(&(struct timed_how){.executor = &mnp_executor_serial, .threads = 1});
    const struct timed_how hows[] = {{.executor = &mnp_executor_window, .threads = 2},
                                     {.executor = &mnp_executor_lockstep, .threads = 2},
                                     {.executor = &mnp_executor_window, .threads = 3, .window = 7},
                                     {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true}};
    for (uint32_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        struct seen other = run_visible(&hows[i]);
        assert_memory_equal(&seen, &other, sizeof seen);
    }
}

/* Eight products that nobody waits for are handed over in 12 cycles each. */
static void test_issue(void **unused)
{
    (void)unused;
    assert_int_equal(products(128, 8, false, 1, 1) - products(128, 1, false, 1, 1), 7 * 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_visible),      cmocka_unit_test(test_identity),     cmocka_unit_test(test_lines),
        cmocka_unit_test(test_latency),      cmocka_unit_test(test_rows),         cmocka_unit_test(test_slices),
        cmocka_unit_test(test_out),          cmocka_unit_test(test_lanes),        cmocka_unit_test(test_first_use),
        cmocka_unit_test(test_commands),     cmocka_unit_test(test_in_flight),    cmocka_unit_test(test_groups),
        cmocka_unit_test(test_read),         cmocka_unit_test(test_phase),        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_warning),      cmocka_unit_test(test_issue),        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_chain),        cmocka_unit_test(test_product),      cmocka_unit_test(test_product_groups),
        cmocka_unit_test(test_slower_chain), cmocka_unit_test(test_sparse_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
