/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order in which warps leave a barrier of the CTA (sm.barrier_interval), by the program's own clock. Warp 0 comes
 * last to each barrier, behind a chain of multiplications, so it leaves last: a round takes an interval more for each
 * warp that has come before. It would take none if warps left in another order, as all others wait for warp 0 again.
 */
#include "timed.h"

#include "execute/live/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Rounds, and the chain of one; thread 0 writes the cycles. */
static const char frame[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n"
    "{\n.reg .b64 o, t0, t1; .reg .b32 t, x, n; .reg .pred late, first, more;\n"
    "ld.param.u64 o, [out]; mov.u32 t, %%tid.x; setp.lt.u32 late, t, 32; setp.eq.u32 first, t, 0; mov.u32 x, t;\n"
    "mov.u32 n, %u; bar.sync 0; mov.u64 t0, %%clock64;\n"
    "LOOP: @!late bra MEET;\n%s\nMEET: bar.sync 0; sub.u32 n, n, 1; setp.ne.u32 more, n, 0; @more bra LOOP;\n"
    "mov.u64 t1, %%clock64; sub.u64 t1, t1, t0;\n"
    "@first st.global.b64 [o], t1; @first st.global.b32 [o + 8], x; ret;\n}\n";

static uint64_t cycles_of(uint32_t rounds, uint32_t warps, uint32_t interval)
{
    char chain[1024] = "", text[4096], set[48];
    struct mnp_results results;
    struct bench bench;
    uint64_t number;
    for (uint32_t i = 0; i < 30; i++)
        bench_add(chain, sizeof chain, "mul.lo.u32 x, x, x;\n");
    snprintf(text, sizeof text, frame, rounds, chain);
    snprintf(set, sizeof set, "sm.barrier_interval=%u", interval);
    bench_open(&bench, NULL, text);
    uint64_t out = bench_buffer(&bench, NULL, 16);
    struct mnp_source *source = execute_source_open(&bench.device, 80);
    const uint32_t one[3] = {1, 1, 1}, block[3] = {32 * warps, 1, 1};
    const struct execute_code *code = ptx_program_kernel(&bench.program, "k", &bench.error);
    const struct timed_how how = {.executor = &mnp_executor_window, .threads = 1, .set = set};
    if (!code || !execute_source_launch(source, code, one, block, 0, (const void *const[]){&out}, &bench.error) ||
        !timed_run(&bench, source, &how, &results))
        fail_msg("%s: %s", bench.error.text, text);
    bench_read(&bench, out, &number, sizeof number);
    mnp_results_release(&results);
    source->close(source);
    bench_close(&bench);
    return number;
}

/* Cycles of 16 rounds. */
static uint64_t rounds(uint32_t warps, uint32_t interval)
{
    enum { FEW = 4, MANY = 20 };
    return cycles_of(MANY, warps, interval) - cycles_of(FEW, warps, interval);
}

static void test_last_leaves_last(void **unused)
{
    (void)unused;
    for (uint32_t warps = 2; warps <= 8; warps *= 2)
        assert_int_equal(rounds(warps, 7) - rounds(warps, 4), UINT64_C(16) * 3 * (warps - 1));
}

static void test_at_once(void **unused)
{
    (void)unused;
    assert_int_equal(rounds(2, 0), rounds(1, 0));
    assert_int_equal(rounds(4, 0), rounds(1, 0));
    assert_int_equal(rounds(1, 9), rounds(1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_leaves_last), cmocka_unit_test(test_at_once)};
    return cmocka_run_group_tests_name("ptx turns of barriers", tests, NULL, NULL);
}
