/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local memory with time. Words of the threads of a warp lie side by side (CUDA C++ Programming Guide, device memory
 * accesses: fully coalesced as long as all threads in a warp access the same relative address): an access to one
 * address takes as many sectors as it has bytes, by addresses of local memory and by generic ones. What all warps have
 * together stays in an L2 that has room for it.
 */
#include "timed.h"

#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* a: the address of 256 bytes, b: a generic one, own: that of the lane's own word, d: the lane's own generic one. */
static const char frame[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 none)\n"
    "{\n.local .align 16 .b8 here[256]; .reg .b64 a, b, own, d; .reg .b32 t, v0, v1, v2, v3; .reg .b64 w;\n"
    "mov.u64 a, here; cvta.local.u64 b, a; mov.u32 t, %%laneid; mul.wide.u32 own, t, 4; add.u64 d, own, b;\n"
    "add.u64 own, own, a;\n%s\n ret;\n}\n";

static uint64_t statistic(const char *accesses, uint32_t blocks, uint32_t threads, const char *name)
{
    const struct timed_how how = {.executor = &mnp_executor_window, .threads = 1};
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
    struct mnp_results results;
    struct bench bench;
    char text[4096];
    uint64_t none = 0;
    snprintf(text, sizeof text, frame, accesses);
    bench_open(&bench, NULL, text);
    struct mnp_source *source = execute_source_open(&bench.device, 80);
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    if (!code || !execute_source_launch(source, code, grid, block, 0, (const void *const[]){&none}, &bench.error) ||
        !timed_run(&bench, source, &how, &results))
        fail_msg("%s: %s", accesses, bench.error.text);
    assert_int_equal(results.end, MNP_END_FINISHED);
    uint64_t value = mnp_statistics_get(&results.parts[0]->statistics, name);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return value;
}

static void test_sectors(void **unused)
{
    (void)unused;
    static const struct {
        const char *access;
        uint32_t loaded, stored;
    } cases[] = {
        {"ld.local.u8 v0, [a+5];", 4, 0},
        {"ld.local.b32 v0, [a];", 4, 0},
        {"ld.local.b64 w, [a+8];", 8, 0},
        {"ld.local.v4.b32 {v0, v1, v2, v3}, [a+16];", 16, 0},
        {"st.local.b32 [a], t;", 0, 4},
        {"st.local.v4.b32 [a+16], {t, t, t, t};", 0, 16},
        {"ld.b32 v0, [b];", 4, 0},
        {"ld.v4.b32 {v0, v1, v2, v3}, [b+16];", 16, 0},
        {"st.b64 [b], own;", 0, 8},
        {"ld.local.b32 v0, [own];", 32, 0}, /* of each lane another word: a line for each */
        {"st.b32 [d], t;", 0, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t loaded = statistic(cases[i].access, 1, 32, "sectors_local_load");
        uint64_t stored = statistic(cases[i].access, 1, 32, "sectors_local_store");
        if (loaded != cases[i].loaded || stored != cases[i].stored)
            fail_msg("%s: %u and %u sectors", cases[i].access, (unsigned)loaded, (unsigned)stored);
    }
}

/* Eight words of each of 192 warps: 192 KiB, of which four L1 of 16 KiB have room for a third, and an L2 of 384 KiB for
 * all. */
static void test_places(void **unused)
{
    (void)unused;
    enum { SECTORS = 192 * 8 * 4 };
#define ROUND "ld.local.v4.b32 {v0, v1, v2, v3}, [a]; ld.local.v4.b32 {v0, v1, v2, v3}, [a+16]; bar.sync 0;"
    uint64_t once = statistic(ROUND, 12, 512, "L2_read_misses");
    assert_in_range(once, SECTORS, SECTORS + 64); /* and the code */
    assert_true(statistic(ROUND ROUND ROUND, 12, 512, "L2_reads") > 2 * SECTORS);
    assert_int_equal(statistic(ROUND ROUND ROUND, 12, 512, "L2_read_misses"), once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
