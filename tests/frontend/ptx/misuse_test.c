/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The asynchronous units, clusters and mbarriers used wrongly, functionally and with time: an error that names
 * kernel, instruction, block and what is wrong, a report of who waits for which phase, or a warning; and tensor maps of
 * which any bit is broken. What mbarriers of one block do is in overflow_test.c, accesses beyond a cluster in
 * cluster_test.c.
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

enum { TEXT = 1 << 14, WHAT = 8192, SHARED = 8192, FAILED = -1 };

static const char frame[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .u64 pb) %s\n{\n.shared .align 8 .b64 first, meet;\n"
    ".reg .b32 m, t, r, x, y, w; .reg .b64 g, l, d; .reg .pred p, q; .reg .f32 f<8>;\n"
    "mov.u32 m, meet; mov.u32 t, %%tid.x; mov.u32 r, %%cluster_ctarank; mov.u32 w, s; ld.param.u64 g, [pb];\n"
    "%s\nret;\n}\n";

struct misuse {
    const char *tuning, *body;
    uint32_t blocks, threads;
    const char *functional, *timed; /* what is said; `functional` NULL: nothing, it is no matter without a machine */
};

/* What is said of a kernel that is run functionally, or with time, when its report and its warnings are said too. */
static int run(const struct misuse *c, bool timed, const void *data, char *what)
{
    struct bench bench;
    char *text = malloc(TEXT);
    int end = FAILED;
    snprintf(text, TEXT, frame, c->tuning, c->body);
    bench_open(&bench, NULL, text);
    uint64_t g = bench_buffer(&bench, data, 4096);
    const void *const arguments[] = {&g};
    what[0] = 0;
    if (!timed) {
        end = bench_run(&bench, "k", c->blocks, c->threads, SHARED, arguments) ? (int)MNP_END_FINISHED : FAILED;
        snprintf(what, WHAT, "%s", bench.error.text);
    } else {
        struct mnp_results results;
        struct mnp_source *source = execute_source_open(&bench.device, 90);
        const uint32_t grid[3] = {c->blocks, 1, 1}, block[3] = {c->threads, 1, 1};
        const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
        const struct timed_how how = {.executor = &mnp_executor_serial, .threads = 1};
        if (!code || !execute_source_launch(source, code, grid, block, SHARED, arguments, &bench.error))
            fail_msg("%s", bench.error.text);
        bool good = timed_run(&bench, source, &how, &results);
        end = good ? (int)results.end : FAILED;
        snprintf(what, WHAT, "%s", good && results.report ? results.report : bench.error.text);
        if (good) {
            execute_source_warnings(source, &results.log);
            for (uint32_t i = 0; i < results.log.warning_count; i++)
                snprintf(what + strlen(what), WHAT - strlen(what), "warning: %s\n", results.log.warnings[i].text);
        }
        mnp_results_release(&results); /* of a run that faults, too: it ends with its span */
        source->close(source);
    }
    bench_close(&bench);
    free(text);
    return end;
}

static void expect(const struct misuse *c)
{
    static const unsigned char zeros[4096];
    char *what = malloc(WHAT);
    for (int timed = 0; timed < 2; timed++) {
        const char *wanted = timed ? c->timed : c->functional;
        int end = run(c, timed, zeros, what);
        if (wanted ? !strstr(what, wanted) : end != MNP_END_FINISHED)
            fail_msg("%s\n%s: %s", c->body, timed ? "with time" : "functionally", what);
    }
    free(what);
}

#define INIT "setp.eq.u32 q, t, 0; @q mbarrier.init.shared.b64 [m], 1; fence.mbarrier_init.release.cluster;\n"
#define SYNC "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define COPY(to, from, bytes, barrier)                                                                                 \
    INIT "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" to "], [" from "], " bytes              \
         ", [" barrier "];\n"
/* Until packets have come. */
#define DELAY   "mov.u32 x, 0; again: add.u32 x, x, 1; setp.lt.u32 p, x, 1000; @p bra again;\n"
#define OF_TWO  ".explicitcluster .reqnctapercluster 2"
#define BOTH(x) x, x
#define MISALIGN                                                                                                       \
    BOTH("block (0,0,0), thread (0,0,0): `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: "        \
         "a misaligned access")

/* Two SMs of a group hold at most two such blocks, as shared memory goes. */
static void test_clusters(void **unused)
{
    (void)unused;
    static const struct misuse cases[] = {
        {".explicitcluster .reqnctapercluster 16", ".shared .b8 big[40000]; st.shared.u32 [big], t;\n", 16, 32, NULL,
         "kernel 1 (k): a cluster of 16 CTAs fits in no GPC of this machine"},
        {OF_TWO, "setp.eq.u32 q, r, 0; @q barrier.cluster.wait;\n", 2, 1,
         BOTH("test.ptx:10: kernel k, block (0,0,0), thread (0,0,0): `barrier.cluster.wait`: a wait at the cluster's "
              "barrier without an arrival before, phase 0x0")},
        {OF_TWO, SYNC "setp.eq.u32 q, r, 1; @q barrier.cluster.arrive; @q barrier.cluster.arrive;\n", 2, 1,
         BOTH("kernel k, block (1,0,0), thread (0,0,0): `barrier.cluster.arrive`: a second arrival at the cluster's "
              "barrier without a wait between, phase 0x1")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&cases[i]);
}

/* … of another block, and by engines. */
static void test_mbarriers(void **unused)
{
    (void)unused;
    static const struct misuse cases[] = {
        {OF_TWO,
         INIT SYNC "mapa.shared::cluster.u32 x, m, 1; setp.eq.u32 q, r, 0;\n"
                   "@q mbarrier.arrive.release.cluster.shared::cluster.b64 _, [x], 5;\n" SYNC,
         2, 1,
         BOTH(
             "block (0,0,0), thread (0,0,0): `mbarrier.arrive.release.cluster.shared::cluster.b64`: more arrivals than "
             "the mbarrier's phase expects, or it has not been initialised; mbarrier at 0x21000008, parity 0")},
        {OF_TWO,
         SYNC "mapa.shared::cluster.u32 x, m, 1; setp.eq.u32 q, r, 0;\n"
              "@q mbarrier.arrive.release.cluster.shared::cluster.b64 _, [x];\n" SYNC,
         2, 1, BOTH("or it has not been initialised; mbarrier at 0x21000008, parity 0")},
        {OF_TWO,
         INIT SYNC "mapa.shared::cluster.u32 x, m, 5;\n"
                   "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [x];\n" SYNC,
         2, 1, BOTH("an access outside the shared memory of the cluster's blocks, at address 0x25000008")},
        {OF_TWO,
         "setp.eq.u32 q, r, 0; @q mbarrier.init.shared.b64 [m], 1; fence.mbarrier_init.release.cluster;\n" SYNC
         "{ .reg .b16 h; mov.b16 h, 3; @q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
         ".multicast::cluster [w], [g], 16, [m], h; }\n" DELAY SYNC,
         2, 1,
         BOTH("block (0,0,0), thread (0,0,0): `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
              ".multicast::cluster`: more arrivals than the mbarrier's phase expects, or it has not been initialised; "
              "mbarrier at 0x21000008, parity 0")},
        {OF_TWO,
         INIT "setp.eq.u32 q, r, 1; @q mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [m], 1048575;\n" SYNC
              "setp.eq.u32 q, r, 0; { .reg .b16 h; mov.b16 h, 2; @q cp.async.bulk.shared::cluster.global.mbarrier::"
              "complete_tx::bytes.multicast::cluster [w], [g], 16, [m], h; }\n" DELAY SYNC,
         2, 1, BOTH("the mbarrier's phase has more than 1048575 bytes outstanding; mbarrier at 0x21000008, parity 0")},
        {OF_TWO,
         INIT "setp.eq.u32 q, r, 1; @q mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [m], 1048575;\n" SYNC
              "mapa.shared::cluster.u32 x, m, 1; mapa.shared::cluster.u32 y, w, 1; setp.eq.u32 q, r, 0;\n"
              "@q st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [y], r, [x];\n" DELAY SYNC,
         2, 1, BOTH("the mbarrier's phase has more than 1048575 bytes outstanding; mbarrier at 0x21000008, parity 0")},
        {OF_TWO,
         INIT SYNC "mapa.shared::cluster.u32 x, m, 5;\n"
                   "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [x], r, [x];\n" SYNC,
         2, 1, BOTH("an access outside the shared memory of the cluster's blocks, at address 0x25000008")},
        {"", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [w], [g], 64, [m];\n", 1, 1,
         BOTH("`cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: more arrivals than the mbarrier's "
              "phase expects, or it has not been initialised; mbarrier at 0x8, parity 0")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&cases[i]);
}

static void test_copies(void **unused)
{
    (void)unused;
    static const struct misuse cases[] = {
        {"", COPY("w", "g", "17", "m"), 1, 1, MISALIGN},
        {"", COPY("w+4", "g", "16", "m"), 1, 1, MISALIGN},
        {"", COPY("w", "g+8", "16", "m"), 1, 1, MISALIGN},
        {"", COPY("w", "g", "16", "m+4"), 1, 1, MISALIGN},
        {"", COPY("w+65536", "g", "16", "m"), 1, 1, BOTH("an access outside the block's shared memory")},
        {"", "mov.u64 l, 16;\n" COPY("w", "l", "16", "m"), 1, 1,
         BOTH("an access outside every allocation, at address")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&cases[i]);
}

/* Sums are read before wgmma.wait_group: the lines of both are named. */
static void test_sums(void **unused)
{
    (void)unused;
    static const struct misuse early = {
        "",
        "mov.b64 d, 0x4000004000010000; mov.f32 f0, 0f00000000; mov.f32 f1, f0; mov.f32 f2, f0; mov.f32 f3, f0;\n"
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, d, 1, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nadd.f32 f4, f0, f1;\nst.global.f32 [g], f4;\n"
        "wgmma.wait_group.sync.aligned 0;\n",
        1,
        128,
        NULL,
        "warning: kernel k at test.ptx:14: registers of the wgmma of kernel k at test.ptx:12 are used before it has "
        "been waited for"};
    expect(&early);
}

/* A copy brings half of the bytes that are waited for; nobody arrives. */
static void test_hangs(void **unused)
{
    (void)unused;
    static const struct misuse cases[] = {
        {"",
         INIT ".loc 1 77 0\nmbarrier.arrive.expect_tx.shared.b64 _, [m], 128;\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [w], [g], 64, [m];\n"
              "C: .loc 1 78 0\nmbarrier.try_wait.parity.shared.b64 p, [m], 0;\n@!p bra C;\n",
         1, 1,
         "block (0,0,0): its warps only poll memory, which no block changes that has a place on the machine; warp 0 "
         "waits for the mbarrier at 0x8, whose phase of parity 0 lacks 0 of 1 arrivals and 64 bytes",
         "CTA 0 warp 0 waits for the mbarrier at 0x8 of its shared memory (phase of parity 0 lacks 0 of 1 arrivals and "
         "64 bytes)"},
        {"", INIT "bar.sync 0;\nC: mbarrier.test_wait.parity.shared.b64 p, [m], 0;\n@!p bra C;\n", 1, 64,
         "warp 0 waits for the mbarrier at 0x8, whose phase of parity 0 lacks 1 of 1 arrivals",
         "polls the mbarrier at 0x8 (phase of parity 0 lacks 1 of 1 arrivals)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&cases[i]);
}

/* Any bit of a good map is another: it is copied as it says, or refused by an error that names the copy. */
static void test_broken_maps(void **unused)
{
    (void)unused;
    static const struct misuse load = {"",
                                       INIT "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx:"
                                            ":bytes [w], [g, {t, t}], [m];\n",
                                       1,
                                       1,
                                       NULL,
                                       NULL};
    const struct execute_tensor_map map = {.address = 0x700000000100,
                                           .dimensions = {16, 16},
                                           .strides = {2, 32},
                                           .box = {16, 8},
                                           .element_strides = {1, 1},
                                           .rank = 2,
                                           .type = EXECUTE_TENSOR_F16};
    unsigned char data[4096] = {0};
    char *what = malloc(WHAT);
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS], refused = 0;
    execute_tensor_map_encode(&map, words);
    for (uint32_t bit = 0; bit < 32 * EXECUTE_TENSOR_MAP_WORDS; bit++)
        for (int timed = 0; timed < 1 + (bit % 8 == 5); timed++) {
            memcpy(data, words, sizeof words);
            data[bit / 8] = (unsigned char)(data[bit / 8] ^ 1u << bit % 8);
            if (run(&load, timed, data, what) == MNP_END_FINISHED)
                continue;
            refused++;
            if (!strstr(what, "kernel k, block (0,0,0), thread (0,0,0): `cp.async.bulk.tensor.2d"))
                fail_msg("bit %u: %s", bit, what);
        }
    assert_in_range(refused, 64, 1100);
    free(what);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clusters), cmocka_unit_test(test_mbarriers), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_hangs),     cmocka_unit_test(test_broken_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
